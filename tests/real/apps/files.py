"""Files of third-party apps, downloaded by routes and compared with the app's own storage and an HTTP client.

``files.py FOLDER`` of an app puts the papers (`papers.py`) where the app keeps such files, and prints as JSON which
files are asked for (`AskedFile`).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from shared.client import Client
from tests.real.apps.app import seed_app
from tests.real.apps.environment import APPS, python_of
from tests.real.apps.papers import papers
from tests.real.programs import output_of, served_by

NAMES = ("calibreweb", "datasette", "klaus", "otterwiki", "sqladmin")
PAPERS = "papers_in"
HOMES = {"sqladmin": "/admin/"}
"""Where an app begins, if not at its root."""
Verdict = Literal["right", "refused", "untrue", "withheld"]
"""Of a true file: taken, or not; of one that is none: told fulfilled, or kept for a person. A fulfilled file with other
bytes than the app's is untrue too."""


class AskedFile(msgspec.Struct, frozen=True):
    """A file of an app. ``page``: where a person finds it, and ``press``: its link or button there; without them its
    address is opened. ``path``: its address. ``stored``: the hash of what the app keeps; empty: it makes the file when
    it is asked for. ``wrong``: why it is not what it says; empty: it is."""

    name: str
    path: str
    page: str = ""
    press: str = ""
    stored: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class FilesApp:
    name: str
    url: str
    asked: tuple[AskedFile, ...]


@dataclass(frozen=True)
class JudgedFile:
    app: str
    asked: AskedFile
    verdict: Verdict
    why: str = ""


@asynccontextmanager
async def files_app(name: str, folder: Path) -> AsyncGenerator[FilesApp]:
    """Seed the app with files and serve it, as `real_app` does."""
    python = await asyncio.to_thread(python_of, name)
    await seed_app(name, python, folder)
    _write_papers(folder / PAPERS)
    said = await output_of((str(python), str(APPS / name / "files.py"), str(folder)), folder)
    asked = msgspec.json.decode(said, type=tuple[AskedFile, ...])
    command = (str(python), "-u", str(APPS / name / "serve.py"), str(folder))
    async with served_by(command, folder / "server.log", folder) as url:
        if not url.startswith("http://127.0.0.1:"):
            raise RuntimeError(f"the app did not start: {url}")
        yield FilesApp(name, url, asked)


def _write_papers(folder: Path) -> None:
    """Write the papers, and what is known of them."""
    folder.mkdir()
    for paper in papers():
        (folder / paper.name).write_bytes(paper.content)
    known = {one.name: {"wrong": one.wrong, "stored": hashlib.sha256(one.content).hexdigest()} for one in papers()}
    (folder.parent / f"{PAPERS}.json").write_text(json.dumps(known))


async def collect_files(client: Client, app: FilesApp) -> list[JudgedFile]:
    """Have every file downloaded in a sample of its own: by its link, or by its address."""
    judged: list[JudgedFile] = []
    for pressed in (True, False):
        asked = [one for one in app.asked if bool(one.press) == pressed]
        judged += await _collect(client, app, asked, pressed=pressed) if asked else []
    return judged


async def _collect(client: Client, app: FilesApp, asked: Sequence[AskedFile], *, pressed: bool) -> list[JudgedFile]:
    rows = [
        {"number": str(number), "url": app.url + (one.page or one.path), "press": one.press}
        for number, one in enumerate(asked)
    ]
    accepted = await client.submit(_spec(app, pressed=pressed), rows=rows, planner="rules", concurrency=4)
    finished = await client.result(accepted.run_id)
    found: list[JudgedFile] = []
    for number, one in enumerate(asked):
        folder = Path(finished.location) / str(number)
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        served = await asyncio.to_thread(_served, app.url + one.path)
        found.append(_judged(app.name, one, result, folder, served))
    return found


def _spec(app: FilesApp, *, pressed: bool) -> dict[str, Any]:
    step = {"press": "{press}"} if pressed else {"open": "{url}"}
    return {
        "task_id": f"files_of_{app.name}",
        "goal": "Download the file.",
        "start_url": "{url}" if pressed else app.url + HOMES.get(app.name, "/"),
        "allowed_hosts": ["127.0.0.1"],
        "input_schema": {"number": "string", "url": "string", "press": "string | null"},
        "sample_id": "{number}",
        "output_schema": {"title": {"type": "string", "shown_in": "title", "pattern": ".+"}},
        "required_artifacts": ["download:file"],
        "route": [{"read": ["title"]}, {"download": "file", **step}],
    }


def _served(url: str) -> bytes | None:
    """Return what an HTTP client gets; None for an answer that is no success."""
    try:
        with urllib.request.urlopen(url, timeout=60) as response:
            return response.read()
    except urllib.error.HTTPError:
        return None


def _judged(app: str, asked: AskedFile, result: dict[str, Any], folder: Path, served: bytes | None) -> JudgedFile:
    ended = f"{result['status']} {result['reason']}: {result['message']}".strip()
    files = [one for one in result["artifacts"] if one["kind"] == "download"]
    if result["status"] != "done":
        return JudgedFile(app, asked, "withheld" if asked.wrong else "refused", ended)
    if asked.wrong:
        return JudgedFile(app, asked, "untrue", asked.wrong)
    (kept,) = files
    content = (folder / kept["filename"]).read_bytes()
    mine = hashlib.sha256(content).hexdigest()
    if content != served or (asked.stored and mine != asked.stored):
        return JudgedFile(app, asked, "untrue", "its bytes are not those of the app")
    return JudgedFile(app, asked, "right")


def report(judged: Sequence[JudgedFile]) -> str:
    lines = [f"{one.app:<11}{one.verdict:<10}{one.asked.name}: {one.why}".rstrip(": ") for one in judged]
    return "\n".join(lines)
