"""Whether a page shows the record that the sample asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, Literal, TypeVar, cast
from urllib.parse import quote

from services.planner.page.fields import Candidate, FieldFound, FieldMissing, Reading, all_labels, read_fields
from services.planner.page.text import (
    find_mention,
    id_pattern,
    is_heading,
    is_input,
    is_not_found_text,
    says_not_found,
    text_of,
)
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Sample
from shared.task.route import texts_of
from shared.task.spec import PLACEHOLDER, TaskSpec, fill, placeholders
from shared.text.normal import fold, quoted


@dataclass(frozen=True)
class Proof:
    """Whether the page shows the record. `wrong`: how the shown identity differs."""

    state: Literal["proven", "mismatch", "unproven"]
    wrong: str = ""


@dataclass(frozen=True)
class PageRead:
    """Readings of all output fields on one page, and whose record it shows."""

    readings: Mapping[str, Reading]
    proof: Proof


ReadT = TypeVar("ReadT")
PAGES_READ = 32
"""Cached page readings: one for each sample at work, and a few of pages just left."""


class IdentityKey(Generic[ReadT]):
    """A cache key that compares by identity, because comparing two pages takes as long as reading one."""

    __slots__ = ("value",)

    def __init__(self, value: ReadT) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self.value is cast("IdentityKey[object]", other).value


def template_values(sample: Sample) -> dict[str, str]:
    """Return what templates may name: the sample's columns, and its id, key and URL unless a column has that name."""
    own = {"sample_id": sample.sample_id, "key": sample.key}
    return {**own, **({"url": sample.url} if sample.url is not None else {}), **sample.fields}


def missing_columns(spec: TaskSpec, sample: Sample) -> tuple[str, ...]:
    """Return the columns that the start URL or the identity needs and that the row lacks."""
    templates = (spec.start_url, *spec.identity.values())
    wanted = dict.fromkeys(name for template in templates for name in placeholders(template))
    row = template_values(sample)
    return tuple(name for name in wanted if not row.get(name, "").strip())


def start_url(spec: TaskSpec, sample: Sample) -> str:
    """Return the filled template. Values are URL-encoded, except those of a column `url`."""
    row = template_values(sample)
    return PLACEHOLDER.sub(
        lambda m: row[m[1]].strip() if m[1] == "url" else quote(row[m[1]].strip(), safe=""), spec.start_url
    )


def expected_identity(spec: TaskSpec, sample: Sample) -> dict[str, str]:
    """Return what each identity field must show."""
    row = template_values(sample)
    return {name: fill(template, row).strip() for name, template in spec.identity.items()}


def keywords(spec: TaskSpec, sample: Sample) -> tuple[str, ...]:
    """Return the texts that an observation keeps within any budget: the task's words, its labels, the record's id."""
    ids = (value for value in expected_identity(spec, sample).values() if value)
    route = (text for step in spec.route for text in texts_of(step) if len(text) > 3 and "{" not in text)
    return tuple(dict.fromkeys((*spec.keywords, *sorted(all_labels(spec)), *route, *ids)))


def is_equal_text(one: str, other: str) -> bool:
    """Return whether two texts are equal but for case and white space."""
    return fold(one) == fold(other)


def read_page(spec: TaskSpec, sample: Sample, page: PageObserved) -> PageRead:
    """Return the readings of the page. Identity fields without a label are looked for in headings and lone texts.

    The result is cached, because one decision reads the same page several times.
    """
    return _read_once(IdentityKey(spec), IdentityKey(sample), IdentityKey(page))


@lru_cache(maxsize=PAGES_READ)
def _read_once(spec: IdentityKey[TaskSpec], sample: IdentityKey[Sample], page: IdentityKey[PageObserved]) -> PageRead:
    return _read(spec.value, sample.value, page.value)


def _read(spec: TaskSpec, sample: Sample, page: PageObserved) -> PageRead:
    wanted = expected_identity(spec, sample)
    row_key = next(iter(wanted.values()), None)
    readings = read_fields(spec, page, row_key)
    others = any(isinstance(reading, FieldFound) for name, reading in readings.items() if name not in wanted)
    for name, value in wanted.items():
        if isinstance(readings[name], FieldMissing):
            readings[name] = _unlabelled(value, page, tuple(spec.not_found_texts), others)
    return PageRead(readings, _proof(wanted, readings))


def identity_proof(spec: TaskSpec, sample: Sample, page: PageObserved) -> Proof:
    """Return whether the page shows the record, for deciders that read the page themselves.

    A labelled value or a heading decides. Without them the value as a word of its own is enough, outside of lists,
    links and other labels, unless a heading or the title names another record.
    """
    proof = read_page(spec, sample, page).proof
    if proof.state != "unproven":
        return proof
    lone = [e.name for e in page.elements if _is_lone(e)]
    heads = [page.title, *(e.name for e in page.elements if is_heading(e))]
    wanted = expected_identity(spec, sample).values()
    shown = all(
        any(find_mention(text, value) for text in lone) and not _names_another(value, heads) for value in wanted
    )
    return Proof("proven") if shown else proof


def shows_record(spec: TaskSpec, sample: Sample, page: PageObserved) -> bool:
    """Return whether the page plainly shows the record.

    A page that says "not found" may repeat the id, so there another field of the record must be shown too.
    """
    if not spec.identity or identity_proof(spec, sample, page).state != "proven":
        return False
    if says_not_found(page, tuple(spec.not_found_texts)) is None:
        return True
    read = read_page(spec, sample, page)
    others = [reading for name, reading in read.readings.items() if name not in spec.identity]
    return read.proof.state == "proven" and any(
        isinstance(r, FieldFound) and not is_input(r.candidate.element) for r in others
    )


def _proof(wanted: dict[str, str], readings: Mapping[str, Reading]) -> Proof:
    for name, value in wanted.items():
        reading = readings[name]
        if not isinstance(reading, FieldFound):
            return Proof("unproven")
        if not is_equal_text(reading.candidate.shown, value):
            return Proof(
                "mismatch",
                f"the page shows {name} {quoted(reading.candidate.shown)} where {quoted(value)} was asked for",
            )
    return Proof("proven")


def _unlabelled(value: str, page: PageObserved, not_found: tuple[str, ...], others: bool) -> Reading:
    """Return the first heading with an id of this shape, else a text that is exactly the value.

    A heading such as "TCK-9 not found" proves nothing on a page without a field of the record.
    """
    headings = [e for e in page.elements if is_heading(e) and (others or not is_not_found_text(e.name, not_found))]
    by_heading = _first_of_shape(value, headings)
    if by_heading is not None:
        return FieldFound(by_heading)
    for element in page.elements:
        if _is_lone(element) and not is_input(element) and is_equal_text(text_of(element), value):
            return FieldFound(Candidate(text_of(element), element))
    return FieldMissing()


def _is_lone(element: Element) -> bool:
    """Return whether the text may be the record's own id. Under another label, such as "Duplicate of", it is not."""
    return element.row is None and element.header is None and element.role not in ("link", "button", "option")


def _names_another(value: str, heads: Iterable[str]) -> bool:
    """Return whether headings hold an id of the same shape, or a number of the same length, and never this one."""
    alike = _alike(value.strip())
    found = [text for text in heads if alike is not None and alike.search(text) is not None]
    return bool(found) and not any(find_mention(text, value) for text in heads)


def _alike(value: str) -> re.Pattern[str] | None:
    if value.isdecimal():
        return re.compile(rf"(?<![\w-])\d{{{len(value)}}}(?![\w-])")
    return id_pattern(value)


def _first_of_shape(value: str, headings: Iterable[Element]) -> Candidate | None:
    """Return the first id of this shape. Of several ids in one heading the first is the record's own."""
    shape = id_pattern(value)
    for element in headings:
        written = shape.search(element.name) if shape is not None else None
        own = written[0] if written is not None else find_mention(element.name, value)
        if own is not None:
            return Candidate(own, element)
    return None
