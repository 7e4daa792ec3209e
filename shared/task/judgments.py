"""The answers that a task allows to its question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from shared.text.normal import fold

ANSWERS = ("yes", "no", "inconclusive")


def answers_of(schema: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the answers that a task allows: `"yes | no"`, an `enum` or a list in its `answer`; else the default."""
    written: object = (schema or {}).get("answer")
    if isinstance(written, dict):
        written = written.get("enum")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(written, str):
        written = re.split(r"\s*\|\s*", written.strip())
    if not isinstance(written, list):
        return ANSWERS
    named = tuple(str(one) for one in written if str(one).strip())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return named or ANSWERS


def find_answer(answers: Iterable[str], said: str) -> str | None:
    """Return the answer that ``said`` is, in the task's spelling; None if it is none of them."""
    return next((one for one in answers if fold(one) == fold(said)), None)
