"""Workflows as files: read to create them, and written to take them elsewhere.

An export is a folder, or a zip, with ``NAME.py`` for each workflow and ``workflows.json`` with its description, author
and version.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import msgspec

from shared.contracts.base import Part
from shared.contracts.discovery import Problem
from shared.contracts.workflows.library import WorkflowVersion
from shared.workflow_source.module import MAX_SOURCE_CHARS

INDEX = "workflows.json"
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


def write_export(target: Path, sources: Mapping[str, str], versions: tuple[WorkflowVersion, ...]) -> None:
    """Write an export to a new zip, or to a folder that is new or empty. Raises OSError."""
    index = msgspec.json.format(msgspec.json.encode(ExportIndex(workflows=versions)), indent=1)
    contents = {INDEX: index, **{f"{name}.py": source.encode() for name, source in sources.items()}}
    if target.suffix == ".zip":
        with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
            for name, data in sorted(contents.items()):
                archive.writestr(name, data)
        return
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise FileExistsError(f"the folder {target} is not empty")
    for name, data in sorted(contents.items()):
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
    for file, data in sorted(contents.items()):
        name = file.removesuffix(".py")
        try:
            found.append(ImportedFile(name=name, source=data.decode(), version=versions.get(name)))
        except UnicodeDecodeError:
            problems.append(Problem(where=f"{place}/{file}", message="it is not UTF-8 text"))
    return found, problems


def _read_contents(place: Path) -> dict[str, bytes]:
    """Return the Python files and the index of a place, by name. Raises OSError, ValueError and `_BAD_ZIP`."""
    if place.is_dir():
        return {path.name: _read_bounded(path) for path in place.iterdir() if _is_wanted(path.name)}
    if place.suffix == ".zip":
        with zipfile.ZipFile(place) as archive:
            wanted = [one for one in archive.infolist() if _is_wanted(one.filename)]
            if len(wanted) > MAX_FILES:
                raise ValueError(f"the zip has {len(wanted)} files, at most {MAX_FILES}")
            for one in wanted:
                _check_size(one.filename, one.file_size)
            return {one.filename: archive.read(one) for one in wanted}
    return {place.name: _read_bounded(place)}


def _is_wanted(name: str) -> bool:
    """Return whether this is a workflow's file or the index, not in a folder below, and not beginning with ``_``."""
    is_plain = PurePosixPath(name).name == name and not name.startswith(("_", "."))
    return is_plain and (name.endswith(".py") or name == INDEX)


def _read_bounded(path: Path) -> bytes:
    _check_size(path.name, path.stat().st_size)
    return path.read_bytes()


def _check_size(name: str, size_bytes: int) -> None:
    most = MAX_INDEX_BYTES if name == INDEX else MAX_FILE_BYTES
    if size_bytes > most:
        raise ValueError(f"{name} has {size_bytes} bytes, at most {most}")
