"""Handed cases: small pages with their task, their input and what is right. `collect(FOLDER)` of a folder of them."""

from __future__ import annotations

import csv
import json
import mimetypes
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.corpus.stored import AskedPage, Group, Response

HOST = "127.0.0.1:47100"


def collect(folder: Path) -> tuple[Group, dict[str, Response]]:
    """Return all cases of static pages."""
    specs: dict[str, dict[str, Any]] = {}
    pages: list[AskedPage] = []
    responses: dict[str, Response] = {}
    for case in sorted(one for one in folder.iterdir() if (one / "site").is_dir() and (one / "spec.json").exists()):
        specs[case.name] = json.loads((case / "spec.json").read_text(encoding="utf-8"))
        for file in sorted((case / "site").rglob("*")):
            path = str(file.relative_to(folder))
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            if file.is_file():
                kind = "text/html" if file.suffix == ".html" else kind
                responses[f"http://{HOST}/{path}"] = Response(200, kind, file.read_bytes())
                if file.suffix == ".html":
                    responses[f"http://{HOST}/{path.removesuffix('.html')}"] = Response(200, kind, file.read_bytes())
        pages += _pages(case, specs[case.name])
    used = {url: one for url, one in responses.items() if not url.endswith(".html") or _is_linked(url, responses)}
    return Group(tuple(pages), specs), used


def _is_linked(url: str, responses: dict[str, Response]) -> bool:
    name = url.rpartition("/")[2].encode()
    return any(name in one.body for one in responses.values())


def _pages(case: Path, spec: dict[str, Any]) -> list[AskedPage]:
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    if spec.get("phase") == "discovery":
        items = tuple(one if isinstance(one, str) else " | ".join(one) for one in expected)
        others = [file.stem for file in sorted((case / "site").glob("*.html"))]
        start = urlsplit(spec["start_url"]).path
        urls = [start, *(path for name in others if (path := f"/{case.name}/site/{name}") != start)]
        return [
            AskedPage(
                f"{case.name}/{url.rpartition('/')[2]}",
                f"http://{HOST}{url}",
                case.name,
                items=items if at == 0 else (),
            )
            for at, url in enumerate(urls)
        ]
    if not (case / "input.csv").exists():
        return []
    rows = list(csv.DictReader((case / "input.csv").open(encoding="utf-8-sig")))
    key = spec["sample_id"].strip("{}")
    return [_page(case.name, row, row[key], expected.get(row[key], {})) for row in rows]


def _page(case: str, row: dict[str, str], key: str, expected: dict[str, str]) -> AskedPage:
    refused = any(value.startswith(("(not", "(identity")) for value in expected.values())
    truth = {name: None if value == "(empty)" else value for name, value in expected.items() if _is_told(value)}
    return AskedPage(f"{case}/{key}", row["url"], case, row=row, truth=truth, refused=refused)


def _is_told(value: str) -> bool:
    """Return whether it is a value; another text in brackets is a remark."""
    return value == "(empty)" or not value.startswith("(")
