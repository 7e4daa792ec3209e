"""What a flow does, before it is written: sections of calls, proofs and readings, each with its condition."""

from __future__ import annotations

from dataclasses import dataclass, field

from shared.contracts.workflows.flows import FlowCall
from shared.flows.files import FlowFiles


@dataclass(frozen=True)
class Condition:
    """``kind``: ``variable`` (``text`` is the identifier of a boolean) or ``shown`` (a selector that the page has)."""

    kind: str
    text: str


@dataclass(frozen=True)
class PlannedCall:
    """A call with templates in place of literals. ``mapping``: key of the dropdown mapping of its option.

    ``step``: number of the recorded step that it comes from, of the first sample that took it; 0: of none. ``sample``:
    the index of that sample."""

    call: FlowCall
    condition: Condition | None = None
    mapping: str = ""
    step: int = field(default=0, compare=False)
    sample: int = field(default=0, compare=False)


@dataclass(frozen=True)
class PlannedProof:
    """Prove the record: output fields to identifiers of the variables that they must equal."""

    expected: dict[str, str]


@dataclass(frozen=True)
class PlannedReading:
    """Read these fields here. ``with_model``: no rule expresses them. ``rows``: it is one field, and it has rows."""

    fields: tuple[str, ...]
    with_model: bool = False
    rows: bool = False


Item = PlannedCall | PlannedProof | PlannedReading


@dataclass
class Section:
    """A part of the flow that a person would name. ``items``: in order. ``condition``: of all of it."""

    name: str
    items: list[Item] = field(default_factory=list[Item])
    condition: Condition | None = None


@dataclass(frozen=True)
class Variable:
    """``name``: as written in the rows. ``identifier``: of the parameter. ``hint``: its Python type."""

    name: str
    identifier: str
    hint: str


@dataclass(frozen=True)
class FlowPlan:
    """``title``: what the flow does, one sentence. ``problems``: why it stays a draft; ``of_whole``: those of them that
    say nothing of a part of the work alone. ``untold``: fields of a draft of which one row does not tell where they
    stand. ``remarks``: what a reader should know."""

    name: str
    title: str
    variables: tuple[Variable, ...]
    sections: tuple[Section, ...]
    files: FlowFiles
    samples: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    of_whole: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def fields_left_to_model(plan: FlowPlan) -> tuple[str, ...]:
    """Return the fields that no rule of the flow expresses."""
    return tuple(
        name
        for section in plan.sections
        for item in section.items
        if isinstance(item, PlannedReading) and item.with_model
        for name in item.fields
    )
