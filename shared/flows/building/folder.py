"""A build session as a folder. Every file is replaced at once or not at all; logs are appended to, line by line.

conversation.jsonl              every event of the session, see `shared.contracts.workflows.build_events`
todos.json                      the TODOs and their states, for people and programs
scratch_work/NN_words.py        the calls of one TODO; a person may change them
scratch_work/.written.json      the same files as the session has written them
samples/                        the recorded rows; captures/ has their pictures and files
workspace/, data/               the flow, see `shared.flows.files`
workspace/.versions/TIME-HASH/  the flow as it was before
logs/compiler.log               what the compiler did, one JSON object a line
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from shared.contracts.base import Part
from shared.contracts.workflows.build_events import BuildEvent, event_line, read_event
from shared.flows.building.scratch import ScratchWritten
from shared.flows.building.state import BuildState, Todo
from shared.flows.building.todos import scratch_name
from shared.flows.compiling.compiler import CompiledFlow
from shared.flows.files import SOURCE_FILE, write_files
from shared.flows.workspace import SAMPLES_FOLDER, read_samples, sample_file, write_workspace
from shared.recordings.packing import pack_recording
from shared.recordings.recording import Recording

CONVERSATION, TODOS, LOG = "conversation.jsonl", "todos.json", "logs/compiler.log"
SCRATCH, WRITTEN = "scratch_work", "scratch_work/.written.json"
VERSIONS = "workspace/.versions"
MAX_SCRATCH_BYTES = 1024**2
MAX_LINE_BYTES = 1024**2
HASH_CHARS = 12


class CompilerLine(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A line of logs/compiler.log. ``at``: ISO 8601, UTC. ``version``: of flow.py."""

    at: str
    kind: Literal["started", "took", "problem", "question", "written", "unchanged", "failed"]
    text: str
    version: str = ""
    elapsed_s: float = 0.0


def read_events(folder: Path) -> list[BuildEvent]:
    """Return the events of a session; none where there was none. A last line that was cut off is left out.

    Raises OSError, and ValueError for a log that is none."""
    path = folder / CONVERSATION
    if not path.exists():
        return []
    found: list[BuildEvent] = []
    lines = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        try:
            found.append(read_event(line))
        except ValueError as exc:
            if number == len(lines) and not line.endswith(b"\n"):
                break
            raise ValueError(f"{path}, line {number}: {exc}") from exc
    return found


def append_event(folder: Path, event: BuildEvent) -> None:
    _append(folder / CONVERSATION, event_line(event))


def append_log(folder: Path, line: CompilerLine) -> None:
    _append(folder / LOG, msgspec.json.encode(line) + b"\n")


def read_log(folder: Path, start: int = 0) -> tuple[list[CompilerLine], int]:
    """Return the whole lines of the log from a byte on, and where to go on. Raises OSError and ValueError."""
    path = folder / LOG
    if not path.exists():
        return [], start
    with path.open("rb") as file:
        file.seek(start)
        data = file.read()
    whole = data[: data.rfind(b"\n") + 1]
    return [msgspec.json.decode(line, type=CompilerLine) for line in whole.splitlines()], start + len(whole)


def write_todos(folder: Path, state: BuildState) -> None:
    _replace(folder / TODOS, msgspec.json.format(msgspec.json.encode(state.todos), indent=1) + b"\n")


# --- scratch_work


def read_scratch_files(folder: Path) -> tuple[dict[str, str], list[str]]:
    """Return the sources of scratch_work by name, and what cannot be read."""
    files: dict[str, str] = {}
    told: list[str] = []
    for path in sorted((folder / SCRATCH).glob("*.py")):
        try:
            if path.stat().st_size > MAX_SCRATCH_BYTES:
                raise ValueError(f"it has more than {MAX_SCRATCH_BYTES} bytes")
            files[path.name] = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as exc:
            told.append(f"{path.name} is not read: {exc}")
    return files, told


def read_written(folder: Path) -> dict[str, ScratchWritten]:
    """Raises OSError and ValueError."""
    path = folder / WRITTEN
    return msgspec.json.decode(path.read_bytes(), type=dict[str, ScratchWritten]) if path.exists() else {}


def write_scratch_file(folder: Path, name: str, one: ScratchWritten) -> None:
    """Write the file of a TODO in place of all earlier files of that TODO."""
    written = {other: kept for other, kept in read_written(folder).items() if kept.todo != one.todo}
    for other, kept in read_written(folder).items():
        if kept.todo == one.todo and other != name:
            (folder / SCRATCH / other).unlink(missing_ok=True)
    _replace(folder / SCRATCH / name, one.source.encode())
    _replace(folder / WRITTEN, msgspec.json.encode({**written, name: one}))


def write_recorded_again(folder: Path, name: str, one: ScratchWritten) -> None:
    """Note what a file would be for the steps that running it has recorded; the file stays as it is."""
    _replace(folder / WRITTEN, msgspec.json.encode({**read_written(folder), name: one}))


def rename_scratch_file(folder: Path, todo: Todo) -> None:
    """Give the file of a TODO the name that follows from its title; what stands in it stays."""
    written, name = read_written(folder), scratch_name(todo)
    for other, kept in written.items():
        if kept.todo != todo.number or other == name:
            continue
        if (folder / SCRATCH / other).exists():
            (folder / SCRATCH / other).replace(folder / SCRATCH / name)
        renamed = {name if one == other else one: value for one, value in written.items()}
        _replace(folder / WRITTEN, msgspec.json.encode(renamed))


def remove_scratch_file(folder: Path, number: int) -> None:
    """Remove the file of a TODO. That it was written stays known: its calls are gone from every row."""
    for name, kept in read_written(folder).items():
        if kept.todo == number:
            (folder / SCRATCH / name).unlink(missing_ok=True)


# --- samples and the flow


def write_sample(folder: Path, sample: Recording) -> None:
    _replace(folder / SAMPLES_FOLDER / sample_file(sample.sample_id), pack_recording(sample))


def samples_of(folder: Path) -> dict[str, Recording]:
    """Return the recorded rows by their ids. Raises OSError and ValueError."""
    return {one.sample_id: one for one in read_samples(folder)}


def captures_folder(folder: Path, sample_id: str) -> Path:
    return folder / SAMPLES_FOLDER / "captures" / sample_file(sample_id).partition(".")[0]


def version_of(flow: CompiledFlow) -> str:
    """Return the hash of a flow with its data files."""
    return hashlib.sha256(msgspec.json.encode([flow.source, write_files(flow.files)])).hexdigest()[:HASH_CHARS]


def write_flow_files(folder: Path, flow: CompiledFlow, variables: Mapping[str, Any], moment: str) -> bool:
    """Write the flow; what was there before is kept among the versions. Return whether anything has changed.

    ``moment``: of the version that is kept, as it stands in the name of its folder."""
    files = write_files(flow.files)
    texts = {SOURCE_FILE: flow.source, **files}
    before = {path.name: path for path in _flow_files(folder)}
    if all((folder / name).exists() and (folder / name).read_text(encoding="utf-8") == text
           for name, text in texts.items()):  # fmt: skip
        return False
    if before:
        digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in before.values())).hexdigest()[:HASH_CHARS]
        kept = folder / VERSIONS / f"{moment}-{digest}"
        part = kept.with_name(f".{kept.name}.new")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for name, path in before.items():
            shutil.copyfile(path, part / name)
        if kept.exists():
            shutil.rmtree(part)
        else:
            part.rename(kept)
    write_workspace(folder, flow.source, files, variables=variables)
    return True


def _flow_files(folder: Path) -> Iterator[Path]:
    yield from sorted(one for one in (folder / "workspace").glob("*") if one.is_file() and one.name[0] != ".")


def _append(path: Path, line: bytes) -> None:
    """Append a line; the rest of one that was cut off is removed before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - MAX_LINE_BYTES, 0))
        start, tail = file.tell(), file.read()
        if tail and not tail.endswith(b"\n"):
            file.truncate(start + tail.rfind(b"\n") + 1)
        file.write(line)


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.new")
    part.write_bytes(data)
    os.replace(part, path)  # noqa: PTH105  atomic on one file system
