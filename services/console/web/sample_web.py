"""The page of one sample: its values beside the picture that shows them, its steps, its files."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.run_location import find_run
from services.console.web.desk import desk_of, page
from services.console.web.run_facts import status_words
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.evidence import LoadRun, RunUnknown
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.files.flow import parse_flow_file
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, Unreadable, read_file
from shared.evidence_view.playback_facts import source_of
from shared.evidence_view.sample_details import detail_of
from shared.evidence_view.sample_facts import SampleFacts, SampleFiles
from shared.recordings.log_files import read_log
from shared.settings import Settings
from shared.statuses import NO_RESULT
from shared.subjects import LOAD_RUN

MOST_BYTES = 256_000_000
SHOWN = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "txt": "text/plain; charset=utf-8", "json": "application/json",
}  # fmt: skip
"""Types that a browser shows and runs nothing of, by the end of a file's name. All others are saved."""
FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class StoredSample:
    """``facts``: made of its files. ``flows``: sources of the flow that did it, by the hash of its version."""

    facts: SampleFacts
    flows: Mapping[str, str]


async def show_sample(request: Request) -> Response:
    """Show a sample. The page has its details as data, and the stage of report.html draws them; without scripts the
    values, files and remarks are a list."""
    desk, run_id, sample_id = desk_of(request), request.path_params["run"], request.path_params["sample"]
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, "There is no such run. It may be in another place of evidence.")
    task = TaskFacts.of(loaded.record.spec)
    stored = await asyncio.to_thread(read_sample, desk.settings, run_id, sample_id, task)
    if stored is None:
        raise HTTPException(404, "There is no such sample in the run, or its files are not on this machine.")
    detail: dict[str, Any] = msgspec.to_builtins(detail_of(stored.facts))
    return page(
        request, "sample.html", run_id=run_id, task_id=loaded.record.spec.get("task_id", ""), detail=detail,
        status=stored.facts.status or NO_RESULT, words_of_status=status_words(stored.facts.status or NO_RESULT),
        data=as_data(detail), flows=as_data(dict(stored.flows)), shots=_shots(detail),
    )  # fmt: skip


def _shots(detail: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [file for file in detail.get("files", ()) if file["kind"] == "screenshot"]


def as_data(value: Any) -> Markup:
    """Return JSON that cannot end the element that holds it, nor begin another."""
    text = msgspec.json.encode(value).decode()
    return Markup(re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text))  # noqa: S704 -- no markup is left


async def sample_file(request: Request) -> Response:
    """Send a file of a sample as it is stored. What could run is saved, and shown by no browser."""
    desk, asked = desk_of(request), request.path_params
    name: str = asked["file"]
    if not _FILE.fullmatch(name):
        raise HTTPException(404, "There is no such file.")
    data = await asyncio.to_thread(_read_one, desk.settings, asked["run"], asked["sample"], name)
    if data is None:
        raise HTTPException(404, "There is no such file.")
    kind = SHOWN.get(name.rpartition(".")[2].lower())
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "private, no-cache"}
    if kind is None:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return Response(data, media_type=kind or "application/octet-stream", headers=headers)


# --- the files, wherever the evidence is


def read_sample(settings: Settings, run_id: str, sample_id: str, task: TaskFacts) -> StoredSample | None:
    """Return a sample as its files tell; None where there are none."""
    place = _place(settings, run_id, sample_id)
    if place is None:
        return None
    try:
        with open_source(settings, place) as source:
            names = set(source.list_files().files)

            def read(path: str) -> bytes | None:
                name = path.removeprefix(f"{sample_id}/")
                if name not in names:
                    return None
                try:
                    return read_file(source, name, MOST_BYTES)
                except Unreadable:
                    return None

            if not names & {layout.SAMPLE, layout.RESULT}:
                return None
            log = read_log(read, [f"{sample_id}/{name}" for name in names], sample_id)
            files = SampleFiles(sample_id, read(layout.SAMPLE), read(layout.RESULT), log)
            facts = SampleFacts(task, files)
            return StoredSample(facts, _flows(detail_of(facts).get("flow"), read))
    except NoRun:
        return None


def _flows(flow: Mapping[str, Any] | None, read: Any) -> dict[str, str]:
    data = read(flow["file"]) if flow is not None and "file" in flow else None
    source = None if flow is None or data is None else source_of(parse_flow_file(data), flow["hash"])
    return {} if flow is None or source is None else {flow["hash"]: source}


def _read_one(settings: Settings, run_id: str, sample_id: str, name: str) -> bytes | None:
    place = _place(settings, run_id, sample_id)
    if place is None:
        return None
    try:
        with open_source(settings, place) as source:
            if name not in source.list_files().files:
                return None
            return read_file(source, name, MOST_BYTES)
    except (NoRun, Unreadable):
        return None


def _place(settings: Settings, run_id: str, sample_id: str) -> Path | str | None:
    """Return the folder or address of a sample; None for a name that is none, and for a link."""
    if not layout.is_safe(run_id) or not layout.is_safe(sample_id):
        return None
    try:
        run = find_run(settings, run_id)
    except PermanentError:
        return None
    if isinstance(run, str):
        return f"{run}/{sample_id}"
    folder = run / sample_id
    return None if run.is_symlink() or folder.is_symlink() or not folder.is_dir() else folder
