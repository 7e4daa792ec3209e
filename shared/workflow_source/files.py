"""The text files of a workflow version: which ones it may have, and its hash with them. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from shared.contracts.workflows.sources import SourceFinding
from shared.workflow_source.findings import finding

MAX_FILES = 100
MAX_BYTES = 500_000
"""Of all files together, with their names, in UTF-8."""
MAX_PATH_CHARS = 200
MAX_PATH_PARTS = 8
_SAFE_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}(?<![. ])")
_NOT_KEPT = {
    "workspace/flow.py": "it is the source",
    "data/variables.json": "it has the values of one invocation, which are written when it begins",
    "data/structured_outputs.json": "it is what an invocation has found",
}
"""Names of a flow's folder that no version keeps, lower-cased, and why."""


def hash_of_version(source: str, files: Mapping[str, str]) -> str:
    """Return the SHA-256 of a version, in hex: of its source, or, where it has files, of source and files.

    What is hashed then is one JSON object with sorted keys and no spaces. No source is such a text: it defines ``run``.
    """
    if not files:
        return hashlib.sha256(source.encode()).hexdigest()
    whole = {"files": dict(files), "source": source}
    return hashlib.sha256(
        json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


def file_findings(files: Mapping[str, str]) -> Iterator[SourceFinding]:
    """Yield everything that is wrong with the files of a version."""
    if len(files) > MAX_FILES:
        yield finding("invalid_file", f"there are {len(files)} files, at most {MAX_FILES}")
        return
    size = sum(len(part.encode(errors="surrogatepass")) for pair in files.items() for part in pair)
    if size > MAX_BYTES:
        yield finding("too_long", f"the files have {size:,} bytes together, at most {MAX_BYTES:,}")
    for path, text in files.items():
        for problem in (_path_problem(path), _text_problem(path, text)):
            if problem:
                yield finding("invalid_file", f"{path[:MAX_PATH_CHARS]!r}: {problem}")
    yield from _clashes(files)


def is_hidden(path: str) -> bool:
    """Return whether a file of this name, relative to its folder, is none of a version: an editor's, or a cache."""
    return any(part.startswith(".") or part == "__pycache__" or part.endswith("~") for part in path.split("/"))


def _path_problem(path: str) -> str:
    parts = path.split("/")
    if len(path) > MAX_PATH_CHARS or len(parts) > MAX_PATH_PARTS:
        return f"the name has more than {MAX_PATH_CHARS} characters, or more than {MAX_PATH_PARTS} parts"
    if not all(_SAFE_PART.fullmatch(part) for part in parts) or is_hidden(path):
        return "this is no relative path of letters, digits, `_`, `-`, `.` and spaces"
    if why := _NOT_KEPT.get(path.lower()):
        return f"a version does not keep it: {why}"
    return ""


def _text_problem(path: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "it has half a surrogate pair"
    if "\0" in text:
        return "it has a NUL character: only text is kept"
    if path.lower().endswith(".json"):
        try:
            json.loads(text)
        except (ValueError, RecursionError) as exc:
            return f"it is no JSON: {exc}"
    return ""


def _clashes(files: Mapping[str, str]) -> Iterator[SourceFinding]:
    """Yield the names that some file systems take for one another, and files below another file."""
    seen: dict[str, str] = {}
    for path in sorted(files):
        other = seen.setdefault(path.lower(), path)
        if other != path:
            yield finding("invalid_file", f"{path!r} and {other!r} differ only in upper and lower case")
    for path in sorted(files):
        for above in PurePosixPath(path.lower()).parents:
            if str(above) in seen:
                yield finding("invalid_file", f"{seen[str(above)]!r} is a file, and {path!r} lies below it")
