"""What came of one tried row, field by field: what it matched and where, what nearly matched, and what would settle it.

Texts of pages are text, never obeyed. `trial_lines` makes one screen of it; what is pasted is never cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from typing import Any, Literal

from shared.contracts.base import Part
from shared.contracts.codes import facts_of
from shared.contracts.error_codes import end_words
from shared.contracts.explained import (
    FieldExplained,
    NearValue,
    SettlingKey,
    key_words,
    near_words,
    paste_lines,
)
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Box
from shared.contracts.steps import FieldValue, ValueCandidate
from shared.evidence_format.step_words import value_text
from shared.field_types import base_type, nullable
from shared.statuses import STYLES
from shared.task.spec import TaskSpec
from shared.task.typed_values import find_shown_problem, recorded_hints, typed_value
from shared.text.normal import Invalid, one_line, tidy

MOST_NEAR, MOST_VALUE_CHARS, MOST_MESSAGE_LINES = 4, 300, 4
LEAD = 7
LEAST_WIDTH, MOST_WIDTH, MOST_NAME_CHARS = 60, 110, 22
INK_WORDS = {
    "seen": "ink seen",
    "absent": "the picture does not show all of it",
    "unexplained": "something is drawn beside it that the page does not say",
    "outside": "it lies in no part of the page that can be seen",
    "glyphless": "the picture shows boxes in place of characters, for which the browser had no font",
}
ON_PICTURE = ("seen", "glyphless")
"""Ink that says nothing against a value."""
Style = Literal["", "name", "value", "good", "bad", "dim", "paste"]


class TriedField(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One field. ``problem``: why it is not certain; empty where it is. ``section``: the part of the page it is in."""

    field: str
    state: str
    required: bool = False
    certain: bool = False
    problem: str = ""
    value: Any = None
    shown: str = ""
    label: str = ""
    role: str = ""
    section: str = ""
    url: str = ""
    box: Box | None = None
    ink: str = ""
    origin: str = ""
    candidates: tuple[ValueCandidate, ...] = ()
    near: tuple[NearValue, ...] = ()
    settled_by: tuple[SettlingKey, ...] = ()


class TrialStory(Part, frozen=True, kw_only=True):
    """One tried row. ``certain``: the sample is done, and all of its fields are certain."""

    task_id: str
    sample_id: str
    row: int
    file: str
    url: str
    status: str
    reason: str
    message: str
    advice: str
    certain: bool
    decided_by: str
    fields: tuple[TriedField, ...]
    notes: tuple[str, ...] = ()
    picture: str = ""
    evidence: str = ""
    took_s: float = 0.0
    worked_s: float = 0.0
    """Of that, on the page."""


def tried_fields(spec: TaskSpec, finished: SampleFinished, values: Sequence[FieldValue]) -> tuple[TriedField, ...]:
    """Return every field of the task. ``values``: as they were read."""
    read = {value.field: value for value in values}
    told = {one.field: one for one in finished.explained}
    needed = {*spec.required_fields, *spec.identity}
    return tuple(
        _field(name, spec, read.get(name), told.get(name), required=name in needed) for name in spec.output_schema
    )


def _field(
    name: str, spec: TaskSpec, value: FieldValue | None, told: FieldExplained | None, *, required: bool
) -> TriedField:
    value = value or FieldValue(field=name, state="not_found")
    told = told or FieldExplained(field=name)
    source = value.source
    problem = _problem(name, spec, value)
    place: dict[str, Any] = {}
    if source is not None:
        ink = source.ink.said if source.ink is not None else ""
        place = {"role": source.role, "url": source.url, "box": source.box, "ink": ink}
    return TriedField(
        field=name,
        state=value.state,
        required=required,
        certain=not problem,
        problem=problem,
        value=value.value,
        shown=value.shown or "",
        label=told.label or (source.label if source is not None else None) or "",
        section=told.section,
        origin=value.origin,
        candidates=value.candidates,
        near=told.near,
        settled_by=told.settled_by,
        **place,
    )


def _problem(name: str, spec: TaskSpec, value: FieldValue) -> str:
    """Return why the value is not certain; empty: it is."""
    field, shown = spec.output_schema[name], value.shown or ""
    if value.candidates:
        return f"the page says {len(value.candidates)} things"
    if value.state == "not_found":
        return "not found"
    if value.state == "not_present" and not nullable(field.type):
        return f"“{tidy(shown)}” says that there is none, and {field.type} does not allow that"
    if value.state == "value" and value.value is None:
        source = value.source
        title, order = (source.title, recorded_hints(source)) if source is not None else (None, None)
        read = typed_value(field, shown, title=title, order=order)
        no_type = read.message if isinstance(read, Invalid) else f"“{tidy(shown)}” is no {base_type(field.type)}"
        return find_shown_problem(field, shown) or no_type
    if value.source is not None and value.source.awaited:
        return f"it was read while the page had no answer of {tidy(value.source.awaited)}"
    ink = value.source.ink.said if value.source is not None and value.source.ink is not None else "seen"
    unseen = ink == "unexplained" or (ink not in ON_PICTURE and value.state == "value")
    return INK_WORDS.get(ink, ink) if unseen else ""


def advice_of(status: str, reason: str) -> str:
    """Return what to do about the end of the row; empty where its fields say it."""
    facts = facts_of(reason)
    return "" if status == "done" or facts is None or facts.of_fields else facts.advice


# --- one screen


@dataclass(frozen=True)
class Piece:
    """A piece of a line, with what it is."""

    text: str
    style: Style = ""


Line = tuple[Piece, ...]


def trial_lines(story: TrialStory, width: int) -> list[Line]:
    """Return the lines of the screen. None is longer than the width, but for what is pasted."""
    width = max(LEAST_WIDTH, min(width, MOST_WIDTH))
    names = min(MOST_NAME_CHARS, max(len(one.field) for one in story.fields)) + 2
    lines = [*_head(story, width)]
    for one in story.fields:
        lines += [(), *_of_field(one, story, names + 2, width)]
    lines += [(), *_foot(story, width)]
    return lines


def _head(story: TrialStory, width: int) -> Iterator[Line]:
    known = STYLES.get(story.status)  # pyright: ignore[reportArgumentType]
    words = story.status if known is None else known.words
    reason = f", {end_words(story.reason) or story.reason}" if story.reason else ""
    named = Piece(_cut(story.sample_id, width // 3), "name")
    place = Piece(f"  {_cut(f'row {story.row} of {story.file}', width // 3)}")
    ended = Piece(f"{words}{reason}", "good" if story.status == "done" else "bad")
    if len(named.text + place.text + ended.text) + 2 <= width:
        yield (named, place, Piece("  "), ended)
    else:
        yield from ((named, place), (ended,))
    yield (Piece(_cut(story.url, width), "dim"),)
    facts = facts_of(story.reason)
    by_field = story.status == "done" or (facts is not None and facts.of_fields)
    for text in filter(None, ("" if by_field else story.message, story.advice)):
        yield from ((Piece(line, "dim"),) for line in _wrapped(text, width)[:MOST_MESSAGE_LINES])


def _of_field(one: TriedField, story: TrialStory, indent: int, width: int) -> Iterator[Line]:
    mark = Piece("● ", "good") if one.certain else Piece("▲ ", "bad" if one.required else "dim")
    room = width - indent
    first, *more = _wrapped(_said(one)[:MOST_VALUE_CHARS], room) or [""]
    yield (
        mark,
        Piece(f"{_cut(one.field, indent - 4):<{indent - 2}}", "name"),
        Piece(first, "value" if one.certain else "bad"),
    )
    yield from (_under(indent, line, "value" if one.certain else "bad") for line in more)
    yield from (_under(indent, line, "dim") for told in _where(one, story) for line in _wrapped(told, room))
    for candidate in one.candidates[:MOST_NEAR]:
        yield from _led(indent, "says", f"“{tidy(candidate.shown)}”", room, "")
    for near in one.near[:MOST_NEAR]:
        yield from _led(indent, "near", near_text(near), room, "dim")
    yield from _settling(one, indent, room)


def _settling(one: TriedField, indent: int, room: int) -> Iterator[Line]:
    """Yield what is pasted, with the value that it gives; of several keys of one kind the words once."""
    for why, keys in groupby(one.settled_by, key=lambda key: key.why):
        yield from _led(indent, "paste", key_words(why), room, "")
        for key in keys:
            gives = "none" if key.state == "not_present" else f"“{tidy(value_text(key.value) or key.shown)}”"
            yield from (_under(indent + 2, line, "paste") for line in paste_lines(one.field, key, room - 2))
            yield _under(indent + 4, _cut(f"→ {gives}", room - 4), "dim")


def _said(one: TriedField) -> str:
    if one.problem and one.state != "value":
        return one.problem
    said = value_text(one.value) or tidy(one.shown)
    if one.state == "not_present":
        said = f"none, the page says “{tidy(one.shown)}”" if one.shown else "none, the page shows nothing there"
    return f"{said}: {one.problem}" if one.problem and one.value is not None else one.problem or said


def _where(one: TriedField, story: TrialStory) -> Iterator[str]:
    """Yield what was matched: the label and the text; and where: the kind of element, its part, its box, its ink."""
    if not one.role:
        if not one.certain:
            yield "it is required" if one.required else "it is not required"
        return
    matched = f"{tidy(one.label)} → “{tidy(one.shown)}”" if one.label else f"“{tidy(one.shown)}”"
    part = f" in “{tidy(one.section)}”" if one.section else ""
    box = one.box
    at = "" if box is None else f"at {box.x:.0f},{box.y:.0f} {box.width:.0f}×{box.height:.0f}"
    other_page = "" if one.url == story.url else one.url
    origin = "" if one.origin in ("", "page") else f"from {one.origin}"
    ink = INK_WORDS.get(one.ink, one.ink) if one.ink in ON_PICTURE else ""
    yield matched
    yield ", ".join(filter(None, (f"{one.role}{part}", at, ink, origin, other_page)))


def near_text(near: NearValue) -> str:
    label = f"{tidy(near.label)} → " if near.label else ""
    part = f", in “{tidy(near.section)}”" if near.section else ""
    return f"{label}“{tidy(near.shown)}”{part}: {near_words(near.why)}"


def _foot(story: TrialStory, width: int) -> Iterator[Line]:
    certain = sum(one.certain for one in story.fields)
    fields = "1 field" if len(story.fields) == 1 else f"{len(story.fields)} fields"
    yield (
        Piece(f"{certain} of {fields} certain", "good" if story.certain else "bad"),
        Piece(f"  in {story.took_s:.1f} s, {story.worked_s:.1f} s on the page; {_cut(story.decided_by, 20)}", "dim"),
    )
    places: Mapping[str, str] = {"Picture": story.picture, "Evidence": story.evidence}
    yield from (_under(0, f"{name:<10}{place}", "dim") for name, place in places.items() if place)
    for note in story.notes:
        yield from _led(0, "Note", note, width, "dim")


def _led(indent: int, lead: str, text: str, room: int, style: Style) -> Iterator[Line]:
    """Yield a text with a word before it, which the further lines stand behind."""
    for at, line in enumerate(_wrapped(text, room - LEAD)):
        yield _under(indent, f"{lead if at == 0 else '':<{LEAD}}{line}", style)


def _under(indent: int, text: str, style: Style) -> Line:
    return (Piece(f"{' ' * indent}{text}", style),)


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(one_line(text), max(width, 20), break_long_words=True)


def _cut(text: str, width: int) -> str:
    line = one_line(text)
    return line if len(line) <= width else f"{line[: max(width - 1, 1)]}…"
