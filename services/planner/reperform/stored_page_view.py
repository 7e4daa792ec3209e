"""Reads what a stored page or observation shows: whose record, and a value of an element that was found again.

The rules are the same as during the run.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import msgspec

from services.planner.judge.reported_values import is_same_value, is_shown_at, is_shown_on, reported_value
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Sample
from shared.contracts.steps import FieldValue, ValueSource
from shared.field_types import base_type
from shared.pages.elements import is_input, text_of, title_of
from shared.pages.identity.identity import PageRead, Proof, identity_proof, read_page
from shared.pages.locate.findings import Ambiguous, Found, Located
from shared.pages.read.dates import date_hints
from shared.pages.read.fields import FieldAmbiguous, FieldFound
from shared.recordings.stored_pages import as_observed, unpack_observation
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown, recorded_hints, typed_value
from shared.text.normal import Normal, quoted, tidy
from shared.text.record_words import find_mention
from shared.text.written_dates import Order

MOST_BYTES = 128_000_000
ADDRESS = re.compile(r"https?://\S+$")
ExtractionOutcome = Literal["same", "differs", "not_found", "ambiguous"]


@dataclass(frozen=True)
class StoredPageView:
    """One stored page or observation, read by the rules: whose record it shows, and its fields."""

    page: PageObserved
    read: PageRead
    proof: Proof
    order: Order
    identity: frozenset[str] = frozenset()
    """The fields that prove the record."""


@dataclass(frozen=True)
class Extraction:
    """One value as a witness shows it."""

    outcome: ExtractionOutcome
    shown: str | None = None
    value: Any = None
    found_by: tuple[str, ...] = ()
    form: bool = False
    """The element is a form field, whose state no stored page holds."""
    message: str = ""
    shown_elsewhere: bool = False
    """The page shows the recorded text, whichever element it is."""
    ref: int = 0
    """The element that was read; 0: none."""


def view_stored_page(spec: TaskSpec, sample: Sample, page: PageObserved) -> StoredPageView:
    """Read a stored page or observation."""
    proof = identity_proof(spec, sample, page)
    return StoredPageView(page, read_page(spec, sample, page), proof, date_hints(page), frozenset(spec.identity))


def extract_value(value: FieldValue, field: OutputField, witness: StoredPageView, found: Located) -> Extraction:
    """Return whether the element shows the recorded text and value."""
    if not isinstance(found, Found):
        return Extraction("ambiguous" if isinstance(found, Ambiguous) else "not_found", message=found.message)
    return replace(_extract_at(value, field, witness, found), ref=found.element.ref)


def _extract_at(value: FieldValue, field: OutputField, witness: StoredPageView, found: Found) -> Extraction:
    element = found.element
    shown = _shown(value, field, witness, found)
    same_text = tidy(shown) == tidy(value.shown or "")
    if not same_text and found.unchanged and _was_accepted(value, field, witness, element):
        shown, same_text = value.shown or "", True
    if value.state == "not_present":
        return Extraction("same" if same_text else "differs", shown, None, found.found_by, is_input(element))
    read, doubt = _read(shown, value, field, witness, element)
    if same_text and not _equal(read, value.value) and _is_as_reported(value, field):
        read, doubt = value.value, ""
    same = same_text and _equal(read, value.value)
    if same_text and not same:
        doubt = (
            doubt or f"{quoted(shown)} reads as {quoted(as_shown(read))}, recorded is {quoted(as_shown(value.value))}"
        )
    return Extraction("same" if same else "differs", shown, read, found.found_by, is_input(element), doubt)


def _shown(value: FieldValue, field: OutputField, witness: StoredPageView, found: Found) -> str:
    """Return the part of the element that is the value.

    That is all of its text, its title, what the rules take from it, or, only if its words are unchanged, its address
    or the recorded part.
    """
    text, recorded = text_of(found.element), tidy(value.shown or "")
    if found.element.title and recorded != tidy(text) and recorded == tidy(found.element.title):
        return found.element.title
    if found.element.url and found.unchanged and recorded != tidy(text) and ADDRESS.match(recorded):
        return found.element.url
    ruled = _by_rule(value.field, witness, found.element.ref)
    ruled = text if ruled is None else ruled
    if recorded in (tidy(text), tidy(ruled)):
        return text if recorded == tidy(text) else ruled
    whole_only = base_type(field.type) == "enum" or is_input(found.element) or not found.unchanged
    piece = None if whole_only or not recorded else find_mention(text, recorded)
    return ruled if piece is None else piece


def _by_rule(field: str, witness: StoredPageView, ref: int) -> str | None:
    """Return what the rules take from this element for the field, if anything. Other elements may compete with it:
    without scripts some have other roles. Which element it was is known."""
    reading = witness.read.readings.get(field)
    found = (reading.candidate,) if isinstance(reading, FieldFound) else ()
    found = reading.candidates if isinstance(reading, FieldAmbiguous) else found
    shown = {one.shown for one in found if one.element.ref == ref}
    return shown.pop() if len(shown) == 1 else None


def _was_accepted(value: FieldValue, field: OutputField, witness: StoredPageView, element: Element) -> bool:
    """Return whether the gates accept the recorded value at this element, whose words are the recorded ones.

    They accept more than its whole text: a part of it, other capitals, a number or a date in another form, nothing
    beside a label.
    """
    reading = witness.read.readings.get(value.field)
    page, raw = witness.page, reported_value(value)
    if not as_shown(raw).strip():
        empty = not isinstance(reading, FieldFound) or not reading.candidate.shown
        return empty and value.state == "not_present" and not is_input(element)
    if isinstance(raw, list):
        items = cast("list[object]", raw)
        return all(is_shown_on(page, item, field, reading) for item in items)
    return is_shown_at(element, raw, field, page, reading) and _is_as_reported(value, field, shown_too=True)


def _is_as_reported(value: FieldValue, field: OutputField, *, shown_too: bool = False) -> bool:
    """Return whether the recorded text is the recorded value as a driver reports it."""
    shown = value.shown or ""
    if value.state == "not_present" or tidy(as_shown(value.value)) == tidy(shown):
        return True
    hints = recorded_hints(value.source)
    return shown_too and is_same_value(value.value, field, shown, order=hints)


def _read(
    shown: str, value: FieldValue, field: OutputField, witness: StoredPageView, element: Element
) -> tuple[Any, str]:
    """Return the typed value, and what is assumed about it.

    If the page does not settle the order of a date, the recorded order counts, and the message says so.
    """
    title = title_of(element, shown)
    recorded = recorded_hints(value.source)
    orders: tuple[Order, ...] = (None, witness.order, recorded)
    for order in dict.fromkeys(orders):
        normal = typed_value(field, shown, title=title, order=order)
        if isinstance(normal, Normal):
            assumed = order is not None and order is recorded and order is not witness.order
            return normal.value, _assumed(value.source) if assumed else ""
    return None, f"{quoted(shown)} does not read as {base_type(field.type)}"


def _assumed(source: ValueSource | None) -> str:
    if source is not None and source.date_language:
        return f"in the recorded language of the page, {source.date_language}"
    return f"in the recorded order of day and month, {source.date_order if source is not None else None}"


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal; True is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


# --- a stored observation: the file is untrusted, because a few compressed bytes can expand without limit


def parse_stored_observation(packed: bytes, sha256: str, most_bytes: int = MOST_BYTES) -> PageObserved | str:
    """Return the page as it was observed, or what is wrong with the file."""
    if hashlib.sha256(packed).hexdigest() != sha256:
        return "its SHA-256 is not the recorded one"
    try:
        stored = unpack_observation(packed, most_bytes)
    except (msgspec.MsgspecError, ValueError) as exc:
        return f"it cannot be read: {exc}"
    facts = stored.capture
    observed = as_observed(
        stored.elements, facts.observation_sha256, url=facts.url, title=facts.title, snapshot_id=facts.capture_id,
        http_status=facts.http_status,
    )  # fmt: skip
    return msgspec.structs.replace(observed, lang=stored.lang)
