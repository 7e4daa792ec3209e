"""Pure: files of version 1 in the current shape: their notes and problems are sentences, now they are objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import msgspec

from shared.evidence_format.files.problem import ArtifactProblem
from shared.evidence_format.notes import to_notes

KindT = TypeVar("KindT")

FROM_TEXT = "from_text"


def upgrade(data: bytes, kind: type[KindT]) -> KindT:
    """Return what such a file says, as ``kind``. Raises one of `chain.NOT_JSON`."""
    return msgspec.convert(_upgraded(msgspec.json.decode(data)), kind)


def _upgraded(written: Any) -> Any:
    if isinstance(written, list):
        return [_upgraded(entry) for entry in cast("list[Any]", written)]
    if not isinstance(written, dict):
        return written
    said = cast("dict[str, Any]", written)
    return {**said, **{name: msgspec.to_builtins(read(said[name])) for name, read in _READ.items() if name in said}}


def _to_problems(written: object) -> list[object]:
    listed: list[object] = cast("list[object]", written) if isinstance(written, list) else []
    return [parse_problem(one) if isinstance(one, str) else one for one in listed]


def parse_problem(sentence: str) -> ArtifactProblem:
    """The name of the file, a colon, and what is wrong."""
    filename, colon, text = sentence.partition(": ")
    if not colon:
        return ArtifactProblem(filename="", code=FROM_TEXT, text=sentence)
    return ArtifactProblem(filename=filename, code=FROM_TEXT, text=text)


_READ: dict[str, Callable[[object], object]] = {"notes": to_notes, "problems": _to_problems}
