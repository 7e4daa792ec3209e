"""The pages of the corpus as they are stored: what was served, what was observed, and what is asked of each.

pages/GROUP/pages.json       each page with its address, the task that is asked of it, and its truth where one is known
pages/GROUP/served.zip       the responses that the pages are made of, by address
pages/GROUP/observed.zst     one observation a page, as JSON lines
pages/GROUP/readings.jsonl   what each reader says; see `tests.corpus.rows`
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import Ink
from shared.zstd import pack_zstd, unpack_zstd

FOLDER = Path(__file__).parent / "pages"
MOST_BYTES = 256_000_000
LEVEL = 19
EPOCH = (2026, 1, 1, 0, 0, 0)
"""Time of all files in an archive, so that equal ones have equal bytes."""


REFUSED = "(refused)"
"""The truth of a value that no reader may take for certain."""


class AskedPage(msgspec.Struct, frozen=True, omit_defaults=True):
    """``url``: as it is stored. ``spec``: name of a task of the group; empty: each label that the page has is asked.

    ``row``: the input. ``truth``: values by field, as a person reads them; None: the page has none; `REFUSED`: nobody
    can tell. ``items``: texts of the first column of a list, in order. ``refused``: the sample must not be done.
    ``kind``: pages of one kind have one template, so that rules learned from some of them hold for the others.
    """

    name: str
    url: str
    spec: str = ""
    row: dict[str, str] = {}
    truth: dict[str, str | None] = {}
    items: tuple[str, ...] = ()
    refused: bool = False
    kind: str = ""


class Group(msgspec.Struct, frozen=True, omit_defaults=True):
    """``specs``: tasks by name."""

    pages: tuple[AskedPage, ...]
    specs: dict[str, dict[str, Any]] = {}


class Response(msgspec.Struct, frozen=True):
    """What the address answers with."""

    status: int
    media_type: str
    body: bytes


class PageSeen(msgspec.Struct, frozen=True, omit_defaults=True):
    """``ink``: what the picture shows of elements, by their refs; those that are seen are left out."""

    name: str
    page: PageObserved
    ink: dict[int, Ink] = {}


def group_names() -> list[str]:
    return sorted(folder.name for folder in FOLDER.iterdir() if (folder / "pages.json").exists())


def read_group(name: str) -> Group:
    return msgspec.json.decode((FOLDER / name / "pages.json").read_bytes(), type=Group)


def write_group(name: str, group: Group) -> None:
    """Write one line a task and one a page."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    specs = ",\n".join(f"  {json.dumps(key)}: {_line(spec)}" for key, spec in group.specs.items())
    pages = ",\n".join(f"  {_line(msgspec.to_builtins(page))}" for page in group.pages)
    text = f'{{\n "specs": {{\n{specs}\n }},\n "pages": [\n{pages}\n ]\n}}\n'
    (folder / "pages.json").write_text(text, encoding="utf-8")


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_observed(name: str) -> dict[str, PageSeen]:
    path = FOLDER / name / "observed.zst"
    lines = unpack_zstd(path.read_bytes(), MOST_BYTES).splitlines() if path.exists() else []
    pages = [msgspec.json.decode(line, type=PageSeen) for line in lines]
    return {one.name: one for one in pages}


def write_observed(name: str, pages: Sequence[PageSeen]) -> None:
    lines = b"\n".join(map(msgspec.json.encode, pages))
    (FOLDER / name / "observed.zst").write_bytes(pack_zstd(lines, LEVEL))


def read_served(name: str) -> dict[str, Response]:
    with zipfile.ZipFile(FOLDER / name / "served.zip") as archive:
        index: dict[str, list[Any]] = json.loads(archive.read("index.json"))
        return {url: Response(status, kind, archive.read(file)) for url, (status, kind, file) in index.items()}


def write_served(name: str, responses: Mapping[str, Response]) -> None:
    index = {url: (one.status, one.media_type, f"{at:04}") for at, (url, one) in enumerate(sorted(responses.items()))}
    with zipfile.ZipFile(FOLDER / name / "served.zip", "w") as archive:
        _add(archive, "index.json", json.dumps(index, indent=1, ensure_ascii=False).encode())
        for url, (_, _, file) in index.items():
            _add(archive, file, responses[url].body)


def _add(archive: zipfile.ZipFile, name: str, body: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, EPOCH), body, zipfile.ZIP_DEFLATED, 9)
