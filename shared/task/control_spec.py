"""The key ``controls`` of a task spec: which controls of which frameworks the evidence of a run is for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from shared.task.output_field import Strict

MOST_CONTROLS = 50
_Word = Annotated[str, StringConstraints(pattern=r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$")]
"""A text on one line, without blanks at its ends."""


class ControlSpec(Strict):
    """A control that the evidence is for. Nothing is decided by it: papers, tables and exports name it."""

    id: Annotated[_Word, Field(max_length=80)] = Field(
        description='As its framework, or whoever has written it, calls it: "CC6.1", "A.5.15", "ITGC-AC-03".'
    )
    framework: Annotated[_Word, Field(max_length=80)] | None = Field(
        default=None, description='What the control is of: "SOC 2", "ISO/IEC 27001:2022".'
    )
    title: Annotated[_Word, Field(max_length=300)] | None = Field(
        default=None, description="What the control asks for, in one line."
    )


def control_problems(controls: Sequence[ControlSpec]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield which controls are named twice."""
    given = [(one.framework or "", one.id) for one in controls]
    for at, one in enumerate(given):
        if given.index(one) != at:
            yield ("controls", at, "id"), f"{one[1]!r} of the same framework is named before"
