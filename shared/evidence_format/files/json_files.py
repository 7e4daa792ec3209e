"""What all JSON files of a run have in common: how they are written, and how they describe a damaged artifact."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from shared.contracts.base import Part


def encode_file(value: object) -> bytes:
    """Return the value as JSON with an indent of two spaces and a final newline."""
    return with_indent(msgspec.json.encode(value))


def with_indent(data: bytes) -> bytes:
    """Return JSON as `encode_file` writes it."""
    return msgspec.json.format(data, indent=2) + b"\n"


BYTES_GONE = "bytes_gone"


class ArtifactProblem(Part, frozen=True, kw_only=True, gc=False):
    """What is wrong with a captured file.

    ``code`` is stable: ``unsafe_name``, ``size_differs``, ``hash_differs``, ``bytes_gone``, or the
    code of the error that storing the file raised; ``from_text`` where a file of version 1 has a sentence only,
    ``never_filed`` in earlier versions where a result named a file that no step had filed.
    """

    filename: str
    code: str
    text: str

    @property
    def sentence(self) -> str:
        return f"{self.filename}: {self.text}" if self.filename else self.text


def problems_of(filename: str, problems: Iterable[ArtifactProblem]) -> list[ArtifactProblem]:
    """Return the problems of this file."""
    return [problem for problem in problems if problem.filename == filename]
