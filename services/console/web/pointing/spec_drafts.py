"""Specs that somebody makes by pointing at a page: the fields, what proves the record, and the spec that comes of it.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit

from services.console.web.pointing.list_drafts import ListDraft
from services.console.web.pointing.list_trials import ListTrial
from services.console.web.pointing.page_looks import PageLook, PageShot
from services.console.web.pointing.trials import SpecTrial, tried_part
from shared.contracts.browser_pool import Element
from shared.contracts.discovery import Sample
from shared.field_types import base_type, nullable
from shared.hosts import host_of
from shared.pages.elements import is_heading, is_input, text_of
from shared.pages.entries.guessed_types import TypeGuess
from shared.pages.entries.pointed import (
    MOST_ENTRIES,
    PLACE_KEYS,
    PointedEntry,
    PointedText,
    can_be_pointed_at,
    pointed_entries,
)
from shared.pages.identity.identity import read_anew
from shared.pages.read.fields import FieldFound, Reading
from shared.tables.csv_cells import csv_line
from shared.task.output_field import OutputField
from shared.task.spec import FIELD_NAME, TaskSpec
from shared.text.names import safe_label
from shared.text.normal import bare_key, fold
from shared.text.record_words import find_mention

MAX_NAME_CHARS, MAX_GOAL_CHARS = 60, 2000
PLACES = {
    "heading": "in a heading",
    "text": "in a text",
    "input": "in a form field",
    "title": "in the title of the page",
    "tooltip": "in a tooltip",
    "link": "in the address of a link",
    "address": "as the address of a link",
}


@dataclass(frozen=True)
class PointedField:
    """A field that was named. ``entry``: its entry in ``output_schema``. ``shown``: what the page gives with it.
    ``headline``: the level of the heading that it is; 0: it is none. ``others``: further entries that read it."""

    name: str
    ref: int
    shown: str
    entry: Mapping[str, Any]
    headline: int = 0
    others: tuple[PointedEntry, ...] = ()

    @property
    def code(self) -> str:
        """What tells its type from others, as `TypeGuess.code`."""
        order = self.entry.get("date_order")
        return f"{base_type(self.entry['type'])}{f':{order}' if order else ''}"


@dataclass(frozen=True)
class FoundIn:
    """A list that the record is an item of. ``draft_id``: where it was pointed at; ``spec``: the task that finds it.
    ``cells``: the item as a row; ``others``: some more. ``found``: how many there are; 0: not known, since the
    list was not read to a proven end."""

    draft_id: str
    spec: Mapping[str, Any]
    cells: Mapping[str, str]
    others: tuple[Mapping[str, str], ...] = ()
    found: int = 0


@dataclass(frozen=True)
class LearnedOf:
    """The records that a flow was learned of: those of a trial that were done, and the one that was pointed at."""

    trial_id: str
    records: int


@dataclass(frozen=True)
class SpecDraft:
    """A spec before it is one.

    ``key``: the field that proves the record; empty: none yet. ``by_address``: the address of each row is made of its
    key; else each row has its own. ``guessed``: the key is the first field that the address of the page has.
    ``trial``: what came of it on other records. ``learned``: the spec that a flow was learned of; ``learned_of``: its
    records. ``listing``: the page is that of a list, and ``list_trial`` what came of it; ``found_in``: it is that of an
    item of a list.
    ``not_found_texts``: what the site says where there is no such record. ``person``: who has begun it.
    """

    draft_id: str
    url: str
    profile: str
    look: PageLook
    task_id: str
    goal: str = ""
    fields: tuple[PointedField, ...] = ()
    key: str = ""
    by_address: bool = False
    guessed: bool = False
    trial: SpecTrial | None = None
    listing: ListDraft | None = None
    list_trial: ListTrial | None = None
    found_in: FoundIn | None = None
    learned: Mapping[str, Any] | None = None
    learned_of: LearnedOf | None = None
    not_found_texts: tuple[str, ...] = ()
    person: str = ""

    @property
    def has_flow(self) -> bool:
        """Whether a flow was learned of the spec as it is, under its name and for its purpose: its runs use it."""
        return self.learned is not None and self.learned == self.spec()

    @property
    def is_learned_of_trial(self) -> bool:
        """Whether the flow was learned of the records that are shown."""
        of = self.learned_of
        return self.has_flow and of is not None and self.trial is not None and of.trial_id == self.trial.trial_id

    @property
    def shots(self) -> tuple[PageShot, ...]:
        """All pictures that are kept with it."""
        records = self.trial.records if self.trial is not None else ()
        return (*self.look.shots, *(shot for one in records for shot in one.shots))

    @property
    def is_tried(self) -> bool:
        """Whether the spec as it is was tried on other records."""
        return self.trial is not None and self.trial.spec == tried_part(self.spec())

    @property
    def key_value(self) -> str:
        """What the page shows of the key."""
        return next((one.shown for one in self.fields if one.name == self.key), "")

    @property
    def key_without_mark(self) -> str:
        """The key without the mark that the page writes before it, such as that of `#3`; empty where it has none."""
        bare = bare_key(self.key_value)
        return bare if bare != self.key_value else ""

    @property
    def guessed_from(self) -> str:
        """What of the page the key was guessed from, for people; empty: it was not guessed."""
        key = next((one for one in self.fields if one.name == self.key), None)
        return key_place(self, key) if self.guessed and key is not None else ""

    @property
    def address_template(self) -> str:
        """The address with the key in the place of its value; empty where it is not in it once."""
        return address_with(self.url, self.key, self.key_value) if self.key else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """What a row has."""
        if not self.key:
            return ("url",)
        return (self.key,) if self.by_address else (self.key, "url")

    @property
    def sample(self) -> Sample:
        """The record that the page shows, as a row."""
        cells = {"url": self.url, **({self.key: self.key_value} if self.key else {})}
        return Sample(sample_id="pointed", key=self.key_value, row=1, url=self.url, fields=cells)

    def element(self, ref: int) -> Element | None:
        return next((one for one in self.look.page.elements if one.ref == ref), None)

    def spec(self) -> dict[str, Any]:
        """Return the spec as it is written."""
        needed = [one.name for one in self.fields if not nullable(one.entry["type"])]
        names = ", ".join(one.name.replace("_", " ") for one in self.fields)
        spec: dict[str, Any] = {
            "task_id": self.task_id,
            "goal": self.goal or f"Open the record, take a screenshot of it, and report its {names}.",
            "start_url": self.address_template if self.by_address else "{url}",
            "allowed_hosts": [host_of(self.url)],
        }
        if self.profile:
            spec["auth_profile"] = self.profile
        if self.key:
            spec |= {"sample_id": f"{{{self.key}}}", "identity": {self.key: f"{{{self.key}}}"}}
        if route := [{"headline": one.name, "level": one.headline} for one in self.fields if one.headline]:
            spec["route"] = route
        if self.not_found_texts:
            spec["not_found_texts"] = list(self.not_found_texts)
        return spec | {
            "input_schema": dict.fromkeys(self.columns, "string"),
            "output_schema": {one.name: _written(one.entry) for one in self.fields},
            "required_fields": needed,
            "required_artifacts": ["screenshot"],
        }

    def task(self, **fields: Mapping[str, Any]) -> TaskSpec:
        """Return the task, unchecked, with these entries besides or instead."""
        entries = {one.name: one.entry for one in self.fields} | fields
        schema = {name: OutputField.model_validate(dict(entry)) for name, entry in entries.items()}
        key = {self.key: f"{{{self.key}}}"} if self.key in schema else {}
        return TaskSpec.model_construct(task_id=self.task_id, goal="", output_schema=schema, identity=key)


def _written(entry: Mapping[str, Any]) -> Any:
    """Return an entry as people write it: one that says its type alone is that type."""
    return entry["type"] if set(entry) == {"type"} else dict(entry)


def address_with(url: str, name: str, value: str) -> str:
    """Return the address as a template of a column; empty where the value is not in its path or query exactly once, or
    is a number within a word that has other digits, such as a hash."""
    text = quote(bare_key(value), safe="")
    if not text or not FIELD_NAME.fullmatch(name):
        return ""
    parts = urlsplit(url)
    head = f"{parts.scheme}://{parts.netloc}"
    rest = url.removeprefix(head).replace("{", "%7B").replace("}", "%7D")
    edge = r"\d" if text.isdigit() else r"\w"
    found = list(re.finditer(rf"(?<!{edge}){re.escape(text)}(?!{edge})", rest))
    if len(found) != 1 or not url.startswith(head):
        return ""
    before, after = rest[: found[0].start()], rest[found[0].end() :]
    beside = re.split(r"\W", before)[-1] + re.split(r"\W", after)[0]
    if any(map(str.isdigit, beside)):
        return ""
    return f"{head}{before}{{{name}}}{after}"


def task_id_of(url: str) -> str:
    """Return a name for a task about an address: its host and the first word of its path."""
    parts = urlsplit(url)
    words = [one for one in parts.path.split("/") if one.isalpha()][:1]
    name = safe_label("_".join([(parts.hostname or "page").removeprefix("www."), *words]), max_length=40)
    name = name.replace("-", "_")
    return name if name[0].isalpha() else f"site_{name}"


def entry_words(one: PointedEntry | PointedField) -> str:
    """Return how an entry finds its value, for people."""
    if one.headline:
        return "the title of the page" if one.headline == 1 else f"the one heading of level {one.headline}"
    return place_words(one.entry)


def place_words(entry: Mapping[str, Any]) -> str:
    """Return where an entry of ``output_schema`` finds its value, for people."""
    under = f", in the part {_quoted(entry['under'])}" if entry.get("under") else ""
    form = f", of the form {entry['pattern']}" if entry.get("pattern", ".+") != ".+" else ""
    if entry.get("labels"):
        return f"beside the label {_quoted(entry['labels'][0])}{under}{form}"
    if entry.get("shown_in"):
        before = f", after {_quoted(entry['preceded_by'])}" if entry.get("preceded_by") else ""
        after = f", before {_quoted(entry['followed_by'])}" if entry.get("followed_by") else ""
        return f"{PLACES[entry['shown_in']]}{before}{after}{under}{form}"
    return "where the page names its record"


def _quoted(text: Any) -> str:
    return f"“{text}”"


# --- what the page shows


@dataclass(frozen=True)
class PointableText:
    """A text that can be pointed at. ``field``: the field that it is the value of; empty: none."""

    ref: int
    text: str
    label: str
    role: str
    area: str
    field: str = ""


def learned_of(draft: SpecDraft) -> LearnedOf:
    """Return which records a flow is learned of that is learned of the draft as it is."""
    if draft.trial is None:
        return LearnedOf("", 1)
    return LearnedOf(draft.trial.trial_id, 1 + sum(one.done for one in draft.trial.records))


def shown_values(draft: SpecDraft) -> list[PointableText]:
    """Return what can be pointed at, in the order of the page."""
    fields = {one.ref: one.name for one in draft.fields}
    return [
        PointableText(
            one.ref,
            text_of(one),
            one.header or (one.name if is_input(one) else ""),
            one.role,
            one.area,
            fields.get(one.ref, ""),
        )
        for one in draft.look.page.elements
        if can_be_pointed_at(one)
    ]


@dataclass(frozen=True)
class FieldState:
    """A field of a draft. ``problem``: why the page does not give its value with the spec as it is; empty: it does."""

    field: PointedField
    words: str
    problem: str = ""


@dataclass(frozen=True)
class DraftState:
    """What the page gives with the spec as it is. ``proof``: whether it proves that it is the record's."""

    fields: tuple[FieldState, ...]
    proof: str
    proof_words: str = ""

    @property
    def is_ready(self) -> bool:
        return bool(self.fields) and self.proof == "proven" and not any(one.problem for one in self.fields)


def state_of(draft: SpecDraft) -> DraftState:
    """Read the page with the spec as it is."""
    if not draft.fields:
        return DraftState((), "none")
    read = read_anew(draft.task(), draft.sample, draft.look.page)
    states: list[FieldState] = []
    for one in draft.fields:
        same = one.headline > 0 or _is_read(read.readings[one.name], one)
        problem = (
            "" if same else "with what proves the record, the page does not give this value: point at another place"
        )
        states.append(FieldState(one, entry_words(one), problem))
    return DraftState(tuple(states), read.proof.state if draft.key else "none", read.proof.wrong)


def _is_read(reading: Reading, one: PointedField) -> bool:
    shown = reading.candidate.shown if isinstance(reading, FieldFound) else None
    return shown is not None and fold(bare_key(shown)) == fold(bare_key(one.shown))


def other_entries(draft: SpecDraft) -> dict[str, tuple[dict[str, Any], ...]]:
    """Return for each field the entries that find its value in another way, and say all else of it as its own does."""
    found = {one.name: tuple(_found_as(other, one) for other in one.others) for one in draft.fields if not one.headline}
    own = {one.name: dict(one.entry) for one in draft.fields}
    kept = {name: tuple(one for one in entries if one != own[name]) for name, entries in found.items()}
    return {name: entries for name, entries in kept.items() if entries}


def _found_as(other: PointedEntry, one: PointedField) -> dict[str, Any]:
    """Return the entry of a field with the place of another entry."""
    said = {key: value for key, value in one.entry.items() if key not in PLACE_KEYS}
    return said | {key: value for key, value in other.entry.items() if key in PLACE_KEYS}


def entries_of(
    draft: SpecDraft, name: str, type_keys: Mapping[str, Any], pointed: PointedText, most: int = MOST_ENTRIES
) -> tuple[PointedEntry, ...]:
    """Return the entries that read the text as a field of this type, the best first."""
    if not FIELD_NAME.fullmatch(name):
        return ()
    task = draft.task(**{name: type_keys})
    return pointed_entries(task, draft.sample, draft.look.page, name, pointed, most)


def ways_of(
    draft: SpecDraft,
    had: PointedField | None,
    name: str,
    kind: TypeGuess,
    pointed: PointedText,
    most: int = MOST_ENTRIES,
) -> tuple[PointedEntry, ...]:
    """Return the ways to find a value as a field of this type, the best first. ``had``: the field that it is the value
    of; while its value and its type stay, the way that was taken comes first, as it was taken.

    ``draft``: without that field, where it is to have another name."""
    found = entries_of(draft, name, kind.keys, pointed, most)
    if had is None or had.shown != pointed.shown or had.code != kind.code:
        return found
    if had.name != name and not any(key in had.entry for key in PLACE_KEYS):  # it was found by its name
        return found
    taken = PointedEntry(had.entry, had.shown, had.headline)
    others = [one for one in found if entry_words(one) != entry_words(taken)]
    return (taken, *others)[:most]


def with_field(draft: SpecDraft, one: PointedField) -> SpecDraft:
    """Return the draft with the field, in the place of one of its name. The first whose value the address, the title or
    a heading of the page has is taken to prove the record, until somebody says otherwise."""
    kept = tuple(one if known.name == one.name else known for known in draft.fields)
    draft = replace(draft, fields=kept if one in kept else (*draft.fields, one))
    if draft.key or not _may_be_key(draft, one):
        return draft
    named = replace(draft, key=one.name, guessed=True)
    return replace(named, by_address=bool(named.address_template))


def _may_be_key(draft: SpecDraft, one: PointedField) -> bool:
    if base_type(one.entry["type"]) not in ("string", "number") or not any(map(str.isdigit, one.shown)):
        return False
    return bool(key_place(draft, one))


def key_place(draft: SpecDraft, one: PointedField) -> str:
    """Return what of the page has the value of a field, for people: its address, a heading or its title; empty: none
    of them."""
    page, value = draft.look.page, bare_key(one.shown)
    heads = [known.name for known in page.elements if is_heading(known)]
    if address_with(draft.url, one.name, one.shown):
        return "the address"
    if any(find_mention(at, value) for at in heads):
        return "a heading"
    return "the title" if find_mention(page.title, value) else ""


def without_field(draft: SpecDraft, name: str) -> SpecDraft:
    """Return the draft without a field; if that proved the record, nothing does."""
    draft = replace(draft, fields=tuple(one for one in draft.fields if one.name != name))
    return replace(draft, key="", by_address=False, guessed=False) if draft.key == name else draft


def other_rows(draft: SpecDraft) -> str:
    """Return other items of the list that the record is of as rows to try the spec on, one a line; empty: none."""
    others = draft.found_in.others if draft.found_in is not None and draft.key else ()
    rows = [[one.get(name, "") for name in draft.columns] for one in others]
    return "\n".join(csv_line(row).rstrip("\r\n") for row in rows if all(row))


def with_key(draft: SpecDraft, name: str, *, by_address: bool) -> SpecDraft:
    """Return the draft with what proves the record."""
    named = replace(draft, key=name, guessed=False)
    return replace(named, by_address=by_address and bool(named.address_template))
