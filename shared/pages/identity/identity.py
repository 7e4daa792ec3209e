"""Whether a page shows the record that the sample asks for."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as field_of
from functools import lru_cache
from typing import Generic, Literal, TypeVar, cast
from urllib.parse import unquote

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Sample
from shared.pages.elements import is_heading, is_input, is_not_found_text, says_not_found, text_of, words_of_name
from shared.pages.identity.echoes import is_searched, repeats_search
from shared.pages.identity.other_records import NamedRecords, records_named
from shared.pages.identity.related_parts import related_refs
from shared.pages.identity.scope import find_section
from shared.pages.identity.site_parts import site_refs
from shared.pages.read.candidates import Candidate
from shared.pages.read.fields import (
    FieldAmbiguous,
    FieldFound,
    FieldMissing,
    Reading,
    all_labels,
    labels_of,
    read_fields,
)
from shared.task.output_field import OutputField
from shared.task.route import texts_of, words
from shared.task.row_values import expected_identity, fill_known, template_values
from shared.task.spec import TaskSpec
from shared.text.normal import label_form, quoted
from shared.text.patterns import fits_pattern
from shared.text.record_words import find_mention, is_equal_text, is_same_id


@dataclass(frozen=True)
class Proof:
    """Whether the page shows the record. `wrong`: how the shown identity differs."""

    state: Literal["proven", "mismatch", "unproven"]
    wrong: str = ""


@dataclass(frozen=True)
class PageRead:
    """Readings of all output fields on one page, and whose record it shows. ``by_label``: what the labels alone say,
    before a field that identifies the record was looked for elsewhere."""

    readings: Mapping[str, Reading]
    proof: Proof
    by_label: Mapping[str, Reading] = field_of(default_factory=dict[str, Reading])

    @property
    def is_in_dialog(self) -> bool:
        """Whether something of the record is in what lies over the page, which is then not to be closed."""
        return any(isinstance(one, FieldFound) and one.candidate.element.in_dialog for one in self.readings.values())


ReadT = TypeVar("ReadT")
_RUN = re.compile(r"\S+")
_AROUND_KEY = ".,;:()[]"
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


def keywords(spec: TaskSpec, sample: Sample) -> tuple[str, ...]:
    """Return the texts that an observation keeps within any budget: the task's words, its labels, the record's id."""
    ids = (value for value in expected_identity(spec, sample).values() if value)
    route = (text for step in spec.route for text in texts_of(step) if len(text) > 3 and "{" not in text)
    labels = sorted({*all_labels(spec), *(label_form(name) for name in _names(spec))} - {""})
    return tuple(dict.fromkeys((*spec.keywords, *labels, *_scopes(spec, sample), *route, *ids)))


def _names(spec: TaskSpec) -> Iterator[str]:
    for name in spec.output_schema:
        yield from (name, words_of_name(name))


def _scopes(spec: TaskSpec, sample: Sample) -> Iterator[str]:
    """Yield the words of the parts of pages in which fields are read."""
    row = template_values(sample)
    for field in spec.output_schema.values():
        yield from (fill_known(word, row) for word in words(field.under))


def read_page(spec: TaskSpec, sample: Sample, page: PageObserved) -> PageRead:
    """Return the readings of the page. Identity fields without a label are looked for in headings and lone texts.

    The result is cached, because one decision reads the same page several times.
    """
    return _read_once(IdentityKey(spec), IdentityKey(sample), IdentityKey(page))


def read_anew(spec: TaskSpec, sample: Sample, page: PageObserved) -> PageRead:
    """Return the same readings without keeping them, for a spec that is only tried on the page."""
    return _read(spec, sample, page)


def parts_of(spec: TaskSpec, sample: Sample, page: PageObserved) -> dict[str, tuple[Element, ...]]:
    """Return the elements of the part in which each field with `under` is read; none if the page has no such part."""
    row = template_values(sample)
    return {
        name: find_section(page, [fill_known(word, row) for word in words(field.under)]) or ()
        for name, field in spec.output_schema.items()
        if field.under is not None
    }


def read_in_part(
    spec: TaskSpec, sample: Sample, page: PageObserved, names: Container[str], part: tuple[Element, ...]
) -> dict[str, Reading]:
    """Return the readings of these fields in one part of the page. A field's own `under` counts before it."""
    row_key = next(iter(expected_identity(spec, sample).values()), None)
    inside = {name: part for name in spec.output_schema if name in names}
    readings = read_fields(spec, page, row_key, {**inside, **parts_of(spec, sample, page)})
    return {name: reading for name, reading in readings.items() if name in names}


@lru_cache(maxsize=PAGES_READ)
def _read_once(spec: IdentityKey[TaskSpec], sample: IdentityKey[Sample], page: IdentityKey[PageObserved]) -> PageRead:
    return _read(spec.value, sample.value, page.value)


def _read(spec: TaskSpec, sample: Sample, page: PageObserved) -> PageRead:
    wanted = expected_identity(spec, sample)
    row_key = next(iter(wanted.values()), None)
    related = related_refs(spec, wanted, page)
    by_label = read_fields(spec, page, row_key, parts_of(spec, sample, page), related, site_refs(page, wanted))
    readings = dict(by_label)
    others = any(isinstance(reading, FieldFound) for name, reading in readings.items() if name not in wanted)
    not_found = tuple(spec.not_found_texts)
    heads = [e for e in page.elements if is_heading(e) and (others or not is_not_found_text(e.name, not_found))]
    heads = [e for e in heads if not _is_echo(page, e, wanted)]
    proofs: list[Proof] = []
    rows: set[tuple[str, int | None]] = set()
    for name, value in wanted.items():
        shown = readings[name]
        if isinstance(shown, FieldFound) and _is_echo(page, shown.candidate.element, wanted):
            readings[name] = FieldMissing()
        named = records_named(name, value, spec, page, heads)
        labelled = not isinstance(readings[name], FieldMissing)
        labels = labels_of(name, spec.output_schema[name])
        if not labelled and spec.output_schema[name].under is None:
            # Among labels that name columns of texts, a lone text may be the value of any of them.
            alone = not any(one.like_next and label_form(one.name) in labels for one in page.elements)
            found = _unlabelled(value, page, heads, named, alone=alone)
            readings[name] = _with_mark(found, spec.output_schema[name], value)
        reading = readings[name]
        listed = labelled and isinstance(reading, FieldFound) and _is_in_list(reading.candidate.element, page, labels)
        proofs.append(_proof(name, value, reading, named, labelled=labelled, listed=listed))
        if listed and isinstance(reading, FieldFound) and not _is_named_above(value, page, heads, named):
            element = reading.candidate.element
            rows.add((element.frame, element.row))
    proof = _proof_of_all(proofs)
    blank = _blank_fields(readings, wanted)
    if blank:
        readings |= dict.fromkeys(blank, FieldMissing())
        proof = proof if proof.state == "mismatch" or not wanted else Proof("unproven")
    if proof.state == "proven" and rows:
        readings = {name: _within(rows, reading) for name, reading in readings.items()}
    return PageRead(readings, proof, by_label)


def identity_proof(spec: TaskSpec, sample: Sample, page: PageObserved) -> Proof:
    """Return whether the page shows the record, for drivers that read the page themselves.

    A labelled value or a heading decides. Without them the value as a word of its own is enough, outside of lists,
    links and other labels, unless a heading or the title names another record.
    """
    proof = read_page(spec, sample, page).proof
    if proof.state != "unproven":
        return proof
    asked = expected_identity(spec, sample)
    own = [e for e in page.elements if not _is_echo(page, e, asked)]
    absent = tuple(spec.not_found_texts)  # a text with the site's own words for no such record may name the record
    lone = [e.name for e in own if _is_lone(e) and not (absent and is_not_found_text(e.name, absent))]
    heads = [e for e in own if is_heading(e)]
    wanted = asked.items()
    shown = all(
        any(find_mention(text, value) for text in lone) and not records_named(name, value, spec, page, heads).disagrees
        for name, value in wanted
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


def _blank_fields(readings: Mapping[str, Reading], wanted: Container[str]) -> tuple[str, ...]:
    """Return the fields of an empty form: nothing of a record is shown but controls without a value.

    Sites show it for a record that does not exist, with the id in the heading. It is no record and proves no absence.
    """
    shown = {name: reading.candidate for name, reading in readings.items() if isinstance(reading, FieldFound)}
    others = {name: one for name, one in shown.items() if name not in wanted}
    ambiguous = any(isinstance(reading, FieldAmbiguous) for reading in readings.values())
    identified = any(name in wanted and is_input(one.element) and text_of(one.element) for name, one in shown.items())
    if ambiguous or identified or not others:
        return ()
    blank = all(is_input(one.element) and text_of(one.element) in ("", "false") for one in others.values())
    typed = any(one.element.role not in ("checkbox", "switch") for one in others.values())
    return tuple(others) if blank and typed else ()


def _within(rows: Container[tuple[str, int | None]], reading: Reading) -> Reading:
    """Return the reading if it is in one of these rows. Where only a row of a list shows the record, all else may be
    another's."""
    if not isinstance(reading, FieldFound):
        return reading
    element = reading.candidate.element
    return reading if (element.frame, element.row) in rows else FieldMissing()


def _proof_of_all(proofs: Iterable[Proof]) -> Proof:
    """Return the first mismatch, else the first that is unproven, else proven."""
    ordered = sorted(proofs, key=lambda proof: ("mismatch", "unproven", "proven").index(proof.state))
    return ordered[0] if ordered else Proof("proven")


def _proof(name: str, value: str, reading: Reading, named: NamedRecords, *, labelled: bool, listed: bool) -> Proof:
    """Return what one identity field proves. A page that names another record as its own is never proven.

    `labelled`: a label names the value. `listed`: it is in a row of a list.
    """
    if isinstance(reading, FieldFound) and not is_same_id(reading.candidate.shown, value):
        return _mismatch(f"the page shows {name} {quoted(reading.candidate.shown)}", value)
    labels_own = labelled and isinstance(reading, FieldFound) and not listed
    other = named.other_than_asked(labelled=labels_own)
    if other is not None:
        return _mismatch(f"the {other.where} of the page shows {name} {quoted(other.shown)}", value)
    if not isinstance(reading, FieldFound):
        return Proof("unproven")
    if labelled or (named.heading is not None and named.heading.is_main):
        return Proof("proven")
    head = reading.candidate.element if is_heading(reading.candidate.element) else None
    vague = named.heading is not None and named.heading.element is head and not named.is_confirmed
    return Proof("unproven") if vague or named.disagrees else Proof("proven")


def _is_in_list(element: Element, page: PageObserved, labels: frozenset[str]) -> bool:
    """Return whether the element is in a table row with values of other columns, as rows of lists are.

    A row whose first cell is the label of the value is one field of a record, also under headings such as "Column" and
    "Value".
    """
    row = [e for e in page.elements if element.row is not None and (e.row, e.frame) == (element.row, element.frame)]
    if any(e.column == 0 and e is not element and label_form(e.name) in labels for e in row):
        return False
    return len({e.header for e in row if e.header is not None}) > 1


def _mismatch(shown: str, value: str) -> Proof:
    return Proof("mismatch", f"{shown} where {quoted(value)} was asked for")


def _unlabelled(
    value: str, page: PageObserved, heads: Sequence[Element], named: NamedRecords, *, alone: bool
) -> Reading:
    """Return the heading that names a record of the asked kind, else one that mentions the value, else a text that is
    exactly the value. `alone`: whether such a text counts.

    A heading such as "TCK-9 not found" proves nothing on a page without a field of the record.
    """
    head = named.heading
    counts = head is not None and (head.is_asked or named.other_than_asked(labelled=False) is head)
    if head is not None and head.element is not None and counts:
        return FieldFound(Candidate(head.shown, head.element))
    written = [(find_mention(e.name, value), e) for e in heads] if head is None else []
    for shown, element in written:
        if shown is not None and _is_own_heading(element, value, page, heads):
            return FieldFound(Candidate(shown, element))
    for element in page.elements if alone else ():
        if not _is_lone(element) or is_input(element) or repeats_search(page, element, ()):
            continue
        if is_same_id(text_of(element), value):
            return FieldFound(Candidate(text_of(element), element))
    return FieldMissing()


def _with_mark(reading: Reading, field: OutputField, value: str) -> Reading:
    """Return the reading with the mark before the key, as of `#3`, where the pattern of the field asks for it: the text
    begins with the key, or with what the field says, and nothing else of it has this form."""
    if not isinstance(reading, FieldFound) or fits_pattern(field.value_pattern, reading.candidate.shown):
        return reading
    text = reading.candidate.element.name
    runs = [(text[: at.start()].strip(), at[0].strip(_AROUND_KEY)) for at in _RUN.finditer(text)]
    of_form = [(before, run) for before, run in runs if fits_pattern(field.value_pattern, run)]
    if len(of_form) != 1 or not is_equal_text(of_form[0][1], value):
        return reading
    [(before, run)] = of_form
    stands_so = any(fits_pattern(one, before) for one in words(field.preceded_by)) if before else not field.preceded_by
    return FieldFound(replace(reading.candidate, shown=run)) if stands_so else reading


def _is_own_heading(element: Element, value: str, page: PageObserved, heads: Sequence[Element]) -> bool:
    """Return whether a heading that mentions the value is the record's own. One of lower rank may be that of a related
    record, unless it is the value itself, or title or address name the record too."""
    highest = min(e.level or 2 for e in heads)
    named_elsewhere = any(find_mention(text, value) is not None for text in _around(page, value))
    return (element.level or 2) == highest or is_equal_text(element.name, value) or named_elsewhere


def _is_named_above(value: str, page: PageObserved, heads: Sequence[Element], named: NamedRecords) -> bool:
    """Return whether the page as a whole names the record: its title, its address, or a heading of its own."""
    if any(find_mention(text, value) is not None for text in _around(page, value)):
        return True
    begins = named.heading is not None and named.heading.is_asked and named.heading.begins
    return begins or any(find_mention(e.name, value) and _is_own_heading(e, value, page, heads) for e in heads)


def _around(page: PageObserved, value: str) -> tuple[str, ...]:
    """Return the title and the address of the page; nothing where both may repeat that this was searched for."""
    return () if is_searched(page, value) else (page.title, unquote(page.url))


def _is_echo(page: PageObserved, element: Element, names: Iterable[str]) -> bool:
    return bool(page.searched) and repeats_search(page, element, names)


def _is_lone(element: Element) -> bool:
    """Return whether the text may be the record's own id. Under another label, such as "Duplicate of", it is not."""
    return element.row is None and element.header is None and element.role not in ("link", "button", "option")
