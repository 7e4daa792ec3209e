"""What a person says of a tried record changes the entries of a spec: a key that settles a field, a word for none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from services.console.text.trial_story import TriedField
from services.console.web.pointing.spec_drafts import PointedField, SpecDraft, place_words, state_of
from services.console.web.pointing.trials import TriedRecord
from shared.contracts.discovery import Problem
from shared.contracts.explained import SettlingKey, key_words
from shared.contracts.steps import FieldValue
from shared.field_types import nullable
from shared.pages.elements import text_of
from shared.pages.entries.absence_words import of_any_record
from shared.task.typed_values import as_shown
from shared.text.normal import fold, quoted, tidy

MAX_SHOWN_CHARS, MOST_OFFERS = 80, 6


def take_key(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft | Problem:
    """Return the draft with a key that was offered for a field of a tried record, or why it is not taken."""
    one = _tried(draft, form)
    number = _number(form.get("key", ""))
    if one is None or number >= len(one.settled_by):
        return ANOTHER_TRIAL
    return _with_entry(draft, one.field, one.settled_by[number].entry)


def take_none(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft | Problem:
    """Return the draft in which the text that a tried record shows of a field says that there is none."""
    one = _tried(draft, form)
    entry = next((known.entry for known in draft.fields if one is not None and known.name == one.field), None)
    if one is None or entry is None or not one.shown:
        return ANOTHER_TRIAL
    kind = entry["type"] if nullable(entry["type"]) else f"{entry['type']} | null"
    words = list(dict.fromkeys([*entry.get("not_present", ()), tidy(one.shown)]))
    return _with_entry(draft, one.field, {**entry, "type": kind, "not_present": words})


@dataclass(frozen=True)
class RuleOffer:
    """Another way to find the value of a field, which finds exactly one on each tried page. ``number``: of its entry.
    ``words``: where it finds it, ``values``: what it reads, for people."""

    number: int
    words: str
    values: str


def rule_offers(draft: SpecDraft, name: str) -> tuple[RuleOffer, ...]:
    """Return the other ways to find a field that was not read for certain on a tried page, where each of them is. One
    that reads another value than a certain one is none."""
    trial = draft.trial
    entries = trial.others.get(name, ()) if trial is not None else ()
    records = [one for one in trial.records if not one.elsewhere and not one.absent] if trial is not None else []
    found: list[RuleOffer] = []
    for number, entry in enumerate(entries):
        read = [_value_of(one, name, number) for one in records]
        values = [one for one in read if one is not None]
        if values and len(values) == len(read) and all(_agrees(one, name, number) for one in records):
            said = ", ".join(_said(one) for one in values)
            found.append(RuleOffer(number, place_words(entry), said))
    return tuple(found)


def _value_of(record: TriedRecord, name: str, number: int) -> FieldValue | None:
    values = record.others.get(name, ())
    return values[number] if number < len(values) else None


def _said(value: FieldValue) -> str:
    shown = tidy(value.shown or "")[:MAX_SHOWN_CHARS]
    return f"“{shown}”" if value.state == "value" else "none"


def _agrees(record: TriedRecord, name: str, number: int) -> bool:
    """Return whether an entry reads what the field's own does, where that is certain."""
    own = next((one.field for one in record.fields if one.field.field == name), None)
    value = _value_of(record, name, number)
    if own is None or not own.certain:
        return True
    return value is not None and (value.state, value.value) == (own.state, own.value)


def take_rule(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft | Problem:
    """Return the draft in which a field is found in another way that was offered, or why it is not."""
    name, number = form.get("field", ""), _number(form.get("number", ""))
    if draft.trial is None or not is_of_trial(draft, form):
        return ANOTHER_TRIAL
    if number not in {one.number for one in rule_offers(draft, name)}:
        return ANOTHER_TRIAL
    return _with_entry(draft, name, draft.trial.others[name][number])


def absence_offers(draft: SpecDraft, record: TriedRecord) -> tuple[str, ...]:
    """Return the texts of the page of a tried record that a person may say of that there is no such record: those that
    the page that was pointed at does not show, without what the row says."""
    page = draft.look.page
    shown = [page.title, *(text_of(one) for one in page.elements)]
    values = [value for name, value in record.sample.fields.items() if name != "url"]
    offers = of_any_record(record.says, values, shown)
    return tuple(one for one in offers if one not in draft.not_found_texts)[:MOST_OFFERS]


def take_absence(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft | Problem:
    """Return the draft in which a text of a tried record says that there is no such record."""
    records = draft.trial.records if draft.trial is not None and is_of_trial(draft, form) else ()
    row = _number(form.get("row", ""))
    offers = absence_offers(draft, records[row]) if row < len(records) else ()
    text = form.get("says", "")
    if text not in offers:
        return ANOTHER_TRIAL
    return replace(draft, not_found_texts=(*draft.not_found_texts, text))


def leave_absence(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft:
    """Return the draft in which a text does not say any more that there is no such record."""
    kept = [one for at, one in enumerate(draft.not_found_texts) if at != _number(form.get("number", ""))]
    return replace(draft, not_found_texts=tuple(kept))


def key_offer(key: SettlingKey) -> str:
    """Return what a key does, as a button says it."""
    shown = f"“{tidy(key.shown)[:MAX_SHOWN_CHARS]}”"
    if key.why == "words_for_none":
        return f"{shown} says that there is none"
    if key.why == "may_be_empty":
        return "Some records have none"
    if key.why == "other_type":
        return f"Read {shown} as {key.entry['type']}"
    if key.state != "value":
        return key_words(key.why)
    value = as_shown(key.value)[:MAX_SHOWN_CHARS]
    read = f"Read {shown}" if not value or fold(value) == fold(key.shown) else f"Read {shown} as {value}"
    return f"{read}: {key_words(key.why)}"


ANOTHER_TRIAL = Problem(where="", message="this is of an earlier try: look at the records as they are now")


def is_of_trial(draft: SpecDraft, form: Mapping[str, str]) -> bool:
    """Return whether what a person says is about the trial that the draft has now, and the spec is as it was tried."""
    return draft.trial is not None and draft.is_tried and form.get("tried", "") == draft.trial.trial_id


def _tried(draft: SpecDraft, form: Mapping[str, str]) -> TriedField | None:
    records = draft.trial.records if draft.trial is not None and is_of_trial(draft, form) else ()
    row = _number(form.get("row", ""))
    fields = [one.field for one in records[row].fields] if row < len(records) else []
    return next((one for one in fields if one.field == form.get("field", "")), None)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 10_000


def _with_entry(draft: SpecDraft, name: str, entry: Mapping[str, Any]) -> SpecDraft | Problem:
    """Return the draft with the entry, if the page that was pointed at still gives its value with it."""

    def changed(one: PointedField) -> PointedField:
        return replace(one, entry=dict(entry)) if one.name == name else one

    after = replace(draft, fields=tuple(map(changed, draft.fields)))
    wrong = [one.field for one in state_of(after).fields if one.problem]
    if wrong:
        shown = quoted(wrong[0].shown)
        told = f"with this, the page that you have pointed at does not give {shown} as {wrong[0].name} any more"
        return Problem(where=name, message=told)
    return after
