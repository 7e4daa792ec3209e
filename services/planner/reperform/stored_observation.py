"""Parses a stored observation. The file is untrusted: a few compressed bytes can expand without limit."""

from __future__ import annotations

import hashlib
import io

import msgspec
import zstandard

from shared.contracts.browser_pool import PageObserved
from shared.evidence_format.files.sample import StoredObservation

MOST_BYTES = 128_000_000
PIECE_BYTES = 1024 * 1024


def parse_stored_observation(packed: bytes, sha256: str, most_bytes: int = MOST_BYTES) -> PageObserved | str:
    """Return the page as it was observed, or what is wrong with the file."""
    if hashlib.sha256(packed).hexdigest() != sha256:
        return "its SHA-256 is not the recorded one"
    try:
        stored = msgspec.json.decode(_unpacked(packed, most_bytes), type=StoredObservation)
    except (zstandard.ZstdError, msgspec.MsgspecError, ValueError) as exc:
        return f"it cannot be read: {exc}"
    facts = stored.capture
    return PageObserved(
        snapshot_id=facts.capture_id,
        url=facts.url,
        title=facts.title,
        lang=stored.lang,
        http_status=facts.http_status,
        elements=stored.elements,
        text="",
        sha256=facts.observation_sha256,
        dom_confidence=1.0,
        total_elements=len(stored.elements),
        left_out=0,
        scroll_y_px=0.0,
        scroll_max_y_px=0.0,
        settled=True,
        browser_ms=0.0,
    )


def _unpacked(packed: bytes, most_bytes: int) -> bytes:
    """Return the unpacked bytes. Raises ValueError if they exceed the limit."""
    data = io.BytesIO()
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)) as reader:
        while piece := reader.read(PIECE_BYTES):
            if data.tell() + len(piece) > most_bytes:
                raise ValueError(f"it unpacks to more than {most_bytes} bytes")
            data.write(piece)
    return data.getvalue()
