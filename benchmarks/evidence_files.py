"""The artifacts of a sample of :mod:`benchmarks.evidence_world`.

Two captures, each with a picture, the page and its observation: small real files, each with different bytes.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Literal

from shared.contracts.results import Artifact, Box, CaptureFacts, Viewport
from shared.contracts.steps import FiledArtifact
from shared.zstd import pack_zstd

LABELS = ("ticket", "history")
WIDTH_PX, HEIGHT_PX = 64, 40
Kind = Literal["screenshot", "page", "observation"]
_SORTS: tuple[tuple[Kind, str, str], ...] = (
    ("screenshot", ".png", "image/png"),
    ("page", ".mhtml.zst", "multipart/related"),
    ("observation", ".json.zst", "application/json"),
)


def artifact_bytes(number: int) -> dict[str, bytes]:
    """Return all artifacts of sample ``number``, by file name."""
    return {name: data for _, name, data in _files(number)}


def filed_artifacts(number: int, url: str, at: datetime) -> tuple[FiledArtifact, ...]:
    """Return the records of these artifacts."""
    return tuple(
        FiledArtifact(
            filename=name, artifact=_artifact(number, sort, name, data, url, at + timedelta(seconds=position))
        )
        for position, (sort, name, data) in enumerate(_files(number))
    )


@lru_cache(maxsize=4)
def _files(number: int) -> tuple[tuple[tuple[Kind, str, str], str, bytes], ...]:
    """Return kind, name and bytes of all files; cached, because a sample needs them several times."""
    return tuple(
        (sort, f"{position:02d}_{label}{sort[1]}", _bytes_of(number, label, sort[0]))
        for position, label in enumerate(LABELS, start=1)
        for sort in _SORTS
    )


def _bytes_of(number: int, label: str, kind: Kind) -> bytes:
    if kind == "screenshot":
        return made_picture(number * 2 + (label == "history"))
    if kind == "page":
        return pack_zstd(f"<html><title>TCK-{number:05d} {label}</title></html>".encode())
    seen: dict[str, Any] = {"capture": {"capture_id": f"{number}-{label}"}, "headers": {}, "elements": []}
    return pack_zstd(json.dumps(seen).encode())


def png(number: int) -> bytes:
    """Return a small picture of one colour; a different one for each number."""
    pixel = (number & 0xFFFFFF).to_bytes(3, "big")
    rows = (b"\0" + pixel * WIDTH_PX) * HEIGHT_PX
    size = WIDTH_PX.to_bytes(4, "big") + HEIGHT_PX.to_bytes(4, "big")
    parts = ((b"IHDR", size + b"\x08\x02\0\0\0"), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


made_picture: Callable[[int], bytes] = png
"""What makes the pictures; another benchmark has larger ones."""


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def _artifact(number: int, sort: tuple[Kind, str, str], name: str, data: bytes, url: str, at: datetime) -> Artifact:
    kind, suffix, media_type = sort
    label = name.partition("_")[2].partition(".")[0]
    viewport = Viewport(width_px=1280, height_px=800)
    return Artifact(
        kind=kind,
        label=label,
        media_type=media_type,
        suffix=suffix,
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        blob=f"{number}/{name}",
        source_url=url,
        captured_at=at,
        area=Box(x=0, y=0, width=1280, height=800) if kind == "screenshot" else None,
        capture=CaptureFacts(
            capture_id=f"{number}-{label}",
            url=url,
            title=f"TCK-{number:05d}",
            http_status=200,
            observation_sha256=hashlib.sha256(f"seen {number}".encode()).hexdigest(),
            browser="chromium 156",
            viewport=viewport,
            captured_at=at,
        ),
    )
