"""Workflows as files: read to create them, and written to take them elsewhere.

An export is a folder, or a zip, with ``NAME.py`` for each workflow, its files below ``NAME.files/``, and
``workflows.json`` with its description, author and version.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from shared.contracts.base import Part
from shared.contracts.discovery import Problem
from shared.contracts.workflows.library import WorkflowShown, WorkflowVersion
from shared.workflow_source.files import is_hidden
from shared.workflow_source.module import MAX_SOURCE_CHARS

INDEX = "workflows.json"
FILES_SUFFIX = ".files"
MAX_FILE_BYTES = 4 * MAX_SOURCE_CHARS
MAX_FILES = 20_000
MAX_INDEX_BYTES = 64 * 1024**2
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError)
"""What `zipfile` raises for a damaged, an encrypted, and an unusually compressed one."""


class ExportIndex(Part, frozen=True, kw_only=True):
    """``workflows.json`` of an export."""

    format: int = 1
    workflows: tuple[WorkflowVersion, ...]


class ImportedFile(Part, frozen=True, kw_only=True):
    """A workflow to create. ``version``: what the export says of it; None for a plain file."""

    name: str
    source: str
    version: WorkflowVersion | None = None
    files: dict[str, str] = {}


def write_export(target: Path, shown: Sequence[WorkflowShown]) -> None:
    """Write an export to a new zip, or to a folder that is new or empty. Raises OSError."""
    versions = tuple(one.workflow for one in shown)
    contents = {INDEX: msgspec.json.format(msgspec.json.encode(ExportIndex(workflows=versions)), indent=1)}
    for one in shown:
        name = one.workflow.name
        contents[f"{name}.py"] = one.source.encode()
        contents |= {f"{name}{FILES_SUFFIX}/{path}": text.encode() for path, text in one.files.items()}
    if target.suffix == ".zip":
        with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
            for name, data in sorted(contents.items()):
                archive.writestr(name, data)
        return
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise FileExistsError(f"the folder {target} is not empty")
    for name, data in sorted(contents.items()):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(data)


def read_import(place: Path) -> tuple[list[ImportedFile], list[Problem]]:
    """Return the workflows of an export, a folder of Python files, or one file; and the files that cannot be read."""
    try:
        contents = _read_contents(place)
    except (OSError, ValueError, *_BAD_ZIP) as exc:
        return [], [Problem(where=str(place), message=getattr(exc, "strerror", None) or str(exc))]
    problems: list[Problem] = []
    versions: dict[str, WorkflowVersion] = {}
    if (index := contents.pop(INDEX, None)) is not None:
        try:
            versions = {one.name: one for one in msgspec.json.decode(index, type=ExportIndex).workflows}
        except msgspec.MsgspecError as exc:
            problems.append(Problem(where=f"{place}/{INDEX}", message=str(exc)))
    found: list[ImportedFile] = []
    texts: dict[str, str] = {}
    for file, data in sorted(contents.items()):
        try:
            texts[file] = data.decode()
        except UnicodeDecodeError:
            problems.append(Problem(where=f"{place}/{file}", message="it is not UTF-8 text"))
    for file, source in texts.items():
        if "/" not in file:
            name = file.removesuffix(".py")
            below = f"{name}{FILES_SUFFIX}/"
            files = {path.removeprefix(below): text for path, text in texts.items() if path.startswith(below)}
            found.append(ImportedFile(name=name, source=source, version=versions.get(name), files=files))
    return found, problems


def _read_contents(place: Path) -> dict[str, bytes]:
    """Return the Python files and the index of a place, by name. Raises OSError, ValueError and `_BAD_ZIP`."""
    if place.is_dir():
        return {name: _read_bounded(place / name) for name in _names_in(place)}
    if place.suffix == ".zip":
        with zipfile.ZipFile(place) as archive:
            wanted = [one for one in archive.infolist() if _is_wanted(one.filename)]
            if len(wanted) > MAX_FILES:
                raise ValueError(f"the zip has {len(wanted)} files, at most {MAX_FILES}")
            for one in wanted:
                _check_size(one.filename, one.file_size)
            return {one.filename: archive.read(one) for one in wanted}
    beside = place.with_suffix(FILES_SUFFIX)
    names = [f"{beside.name}/{name}" for name in _names_below(beside)] if beside.is_dir() else []
    return {name: _read_bounded(place.parent / name) for name in (place.name, *names)}


def _names_in(folder: Path) -> Iterator[str]:
    """Yield the names of the wanted files of a folder. Raises ValueError when there are too many."""
    for path in folder.iterdir():
        if path.name.endswith(FILES_SUFFIX) and path.is_dir():
            yield from (f"{path.name}/{name}" for name in _names_below(path))
        elif _is_wanted(path.name):
            yield path.name


def _names_below(folder: Path) -> Iterator[str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    names = [name for path in paths if not is_hidden(name := path.relative_to(folder).as_posix())]
    if len(names) > MAX_FILES:
        raise ValueError(f"{folder.name} has {len(names)} files, at most {MAX_FILES}")
    yield from sorted(names)


def _is_wanted(name: str) -> bool:
    """Return whether this is a workflow's file, one of its files, or the index, and does not begin with ``_``."""
    top, separator, below = name.partition("/")
    if name.startswith(("_", ".")) or PurePosixPath(name).as_posix() != name:
        return False
    if separator:
        return top.endswith(FILES_SUFFIX) and bool(below) and not name.endswith("/") and not is_hidden(below)
    return name.endswith(".py") or name == INDEX


def _read_bounded(path: Path) -> bytes:
    _check_size(path.name, path.stat().st_size)
    return path.read_bytes()


def _check_size(name: str, size_bytes: int) -> None:
    most = MAX_INDEX_BYTES if name == INDEX else MAX_FILE_BYTES
    if size_bytes > most:
        raise ValueError(f"{name} has {size_bytes} bytes, at most {most}")
