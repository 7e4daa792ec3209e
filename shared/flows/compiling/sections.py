"""Planned calls and readings in order, divided into sections that a person would name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from shared.actions.table import facts_of_call
from shared.contracts.workflows.flows import ClickElement, OpenAddress, TakeScreenshot, TypeInto
from shared.flows.compiling.alignment import Column
from shared.flows.compiling.plan import Condition, Item, PlannedCall, PlannedProof, PlannedReading, Section
from shared.flows.compiling.steps import name_of_target
from shared.flows.identifiers import FLOW_NAMES

MIN_FILLS = 3
"""Fields that make a section one that fills in a form."""
MAX_WORDS = 4


def to_sections(
    calls: Sequence[PlannedCall | None],
    columns: Sequence[Column],
    readings: Mapping[int, Sequence[PlannedProof | PlannedReading]],
    conditions: Mapping[int, Condition],
) -> tuple[Section, ...]:
    """Return the sections in order. One ends where its last call leaves the page, or another condition begins.

    ``readings``: what is read before the column of this index. ``conditions``: of columns that not all samples have.
    """
    sections: list[Section] = [Section("")]
    arrived_by = ""
    for at in range(len(columns) + 1):
        before = conditions.get(at - 1)
        for reading in readings.get(at, ()):
            # What is left to a model is asked of every sample, at the end.
            of_all = not at or (isinstance(reading, PlannedReading) and reading.with_model)
            _current(sections, None if of_all else before).items.append(reading)
        if at == len(columns):
            break
        call = calls[at]
        if call is None:
            continue
        opens = isinstance(call.call, OpenAddress) and not call.call.keep
        if opens and sections[-1].items:
            sections.append(Section("", condition=conditions.get(at)))
        _current(sections, conditions.get(at)).items.append(call)
        if not opens and any(one.leaves for one in columns[at].calls.values()):
            _name(sections[-1], arrived_by)
            arrived_by = name_of_target(call.call)
            sections.append(Section("", condition=conditions.get(at)))
    _name(sections[-1], arrived_by)
    kept = [one for one in sections if one.items]
    for one in kept:
        if not one.name:
            _name(one, "")
    return tuple(_with_unique_names(kept))


def _current(sections: list[Section], condition: Condition | None) -> Section:
    if sections[-1].condition != condition:
        if sections[-1].items:
            sections.append(Section("", condition=condition))
        else:
            sections[-1].condition = condition
    return sections[-1]


def _name(section: Section, arrived_by: str) -> None:
    """Name a section by what is done there: a form filled in, something sent, something read, a page opened."""
    section.name = section.name or _identifier(_words(section.items, arrived_by))


def _words(items: Sequence[Item], arrived_by: str) -> str:
    calls = [one.call for one in items if isinstance(one, PlannedCall)]
    search = next((name_of_target(one) for one in calls if isinstance(one, TypeInto)), "")
    if all(isinstance(one, PlannedReading) and one.with_model for one in items):
        return "read the rest"
    verb, noun = _verb(items), _noun(items, arrived_by)
    if verb == "search for" and search:
        return search if search.lower().startswith(("search", "find")) else f"search by {search}"
    if noun or not calls:
        return f"{verb} {noun or 'page'}"
    last = name_of_target(calls[-1])
    return f"follow {last}" if last else "open result"


def _verb(items: Sequence[Item]) -> str:
    calls = [one.call for one in items if isinstance(one, PlannedCall)]
    if sum(facts_of_call(one).fills == "value" for one in calls) >= MIN_FILLS:
        return "fill in"
    if any(isinstance(one, ClickElement) and one.irreversible for one in calls):
        return "submit"
    if any(isinstance(one, PlannedReading) for one in items):
        return "read"
    if any(isinstance(one, TypeInto) for one in calls):
        return "search for"
    opens = any(isinstance(one, OpenAddress) for one in calls)
    return "capture" if not opens and any(isinstance(one, TakeScreenshot) for one in calls) else "open"


def _noun(items: Sequence[Item], arrived_by: str) -> str:
    calls = [one.call for one in items if isinstance(one, PlannedCall)]
    if sum(facts_of_call(one).fills == "value" for one in calls) >= MIN_FILLS:
        return "form"
    pressed = next((name_of_target(one) for one in calls if isinstance(one, ClickElement) and one.irreversible), "")
    if pressed:
        return re.sub(r"^(submit|send|press)\s+", "", pressed, flags=re.IGNORECASE)
    labels = [one.label for one in calls if isinstance(one, TakeScreenshot) and "{" not in one.label]
    if labels:
        return labels[-1]
    read = next((one.fields for one in items if isinstance(one, PlannedReading)), ())
    if arrived_by and read:
        return re.sub(r"^(open|show|view|go to)\s+", "", arrived_by, flags=re.IGNORECASE)
    return " and ".join(read[:2])


def _identifier(text: str) -> str:
    words = re.findall(r"[a-z0-9]+", text.lower().replace("_", " "))[: MAX_WORDS + 1]
    return "_".join(words) or "section"


def _with_unique_names(sections: Sequence[Section]) -> Iterator[Section]:
    taken = set(FLOW_NAMES)
    for one in sections:
        name = one.name
        numbers = count(2)
        while one.name in taken:
            one.name = f"{name}_{next(numbers)}"
        taken.add(one.name)
        yield one
