"""What is wrong with a captured file, as result.json and the step log say it."""

from __future__ import annotations

from collections.abc import Iterable

from shared.contracts.base import Part


class ArtifactProblem(Part, frozen=True, kw_only=True, gc=False):
    """``code`` is stable: ``unsafe_name``, ``size_differs``, ``hash_differs``, ``bytes_gone``, ``never_filed``, or the
    code of the error that storing the file raised; ``from_text`` where the file that was read has a sentence alone."""

    filename: str
    code: str
    text: str

    @property
    def sentence(self) -> str:
        return f"{self.filename}: {self.text}" if self.filename else self.text


def problems_of(filename: str, problems: Iterable[ArtifactProblem]) -> list[ArtifactProblem]:
    """Those about this file."""
    return [problem for problem in problems if problem.filename == filename]
