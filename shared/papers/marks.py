"""How a value is supported by evidence, and what of a run is an exception. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from shared.contracts.steps import note_text
from shared.evidence_format.files.reconciliation import ReconciledRecord
from shared.evidence_format.files.sample import StoredField
from shared.evidence_format.review.items import difference_item, doubt_of, is_settled_by_values
from shared.evidence_format.review.reviewed import DEVIATIONS, ReviewedTarget
from shared.evidence_view.sample_facts import SampleFacts
from shared.papers.paper import EXCEPTION_KINDS, MarkCode, PaperException, PaperPopulation, PaperSample, PaperValue
from shared.papers.words import read_as_words

_BY_ORIGIN: Mapping[str, MarkCode] = {"api": "A", "derived": "D", "vision": "M", "person": "H"}


def mark_of(stored: StoredField | None, *, page: bool, picture: bool) -> MarkCode:
    """Return the tickmark of a value. ``page``, ``picture``: whether the sample has the stored page that it was read
    off, and a picture of it on which its box lies."""
    if stored is None:
        return "-"
    if doubt_of(stored):
        return "?"
    if stored.origin in _BY_ORIGIN:
        return _BY_ORIGIN[stored.origin]
    if stored.state == "not_present":
        return "N"
    if not page:
        return "U"
    ink = stored.source.ink if stored.source is not None else None
    return "T" if picture and (ink is None or ink.state == "seen") else "P"


def notes_of(facts: SampleFacts) -> tuple[str, ...]:
    """Return the notes of a sample as sentences."""
    return tuple(note_text(note) for note in facts.notes)


def exceptions_of_sample(sample: PaperSample) -> Iterator[PaperException]:
    """Yield why a sample is not simply done, and what of it was not accepted as it was read.

    A value that is open is a part of the exception of its sample: who has decided the sample has decided it too. Where
    the sample is for review for another reason, a value that was decided by itself is an exception of its own.
    """
    sample_id = sample.sample_id
    parts = list(_parts_of(sample))
    if sample.group != "done":
        between = (_between(one) for one in parts if one.open)
        told = "; ".join(part.rstrip(".") for part in (sample.why, sample.message, *between) if part) or sample.status
        where = ", ".join(one.field for one in parts)
        whole = (("", sample.reviewed),) if sample.reviewed is not None else ()
        decided = (*whole, *((one.field, one.reviewed) for one in parts if one.reviewed is not None))
        yield PaperException(
            "sample", sample_id, where, sample.reason or sample.status, told, sample.settled_as, decided
        )
    elif sample.flagged or _deviates(sample.reviewed):
        told = "; ".join(sample.notes) or "done, and decided otherwise by a person"
        yield PaperException("flag", sample_id, "", "flagged" if sample.flagged else "decided", told, sample.reviewed)
    for value in sample.values:
        if value in parts:
            continue
        if value.mark == "?":
            told = f"open between: {value.open_texts}" if value.open else "not found, or not certain"
            yield PaperException("value", sample_id, value.field, "open", told, value.reviewed)
        elif _deviates(value.reviewed):
            yield PaperException("value", sample_id, value.field, "decided", read_as_words(value), value.reviewed)
    judged = sample.judgment
    if judged is not None and _deviates(judged.reviewed):
        yield PaperException("judgment", sample_id, judged.field, "decided", read_as_words(judged), judged.reviewed)


def _parts_of(sample: PaperSample) -> Iterator[PaperValue]:
    """Yield the values that are told with the sample, which is not done."""
    of_values = is_settled_by_values(sample.reason)
    for one in sample.values if sample.group != "done" else ():
        if one.mark == "?" and (of_values or one.reviewed is None):
            yield one


def _between(value: PaperValue) -> str:
    if value.decision_instead is not None:
        return f"{value.field} {read_as_words(value)}"
    return f"{value.field} is open between: {value.open_texts}"


def exceptions_of_run(
    problems: Iterable[str], population: PaperPopulation, decided: ReviewedTarget | None
) -> Iterator[PaperException]:
    """Yield what is wrong with the evidence itself, and with the population. ``decided``: of the population."""
    for problem in problems:
        yield PaperException("seal", "", "", "changed", problem)
    if not population.complete:
        told = f"{population.headline}. {population.why_not}".strip()
        yield PaperException("population", "", "", "incomplete", told, decided)
    elif _deviates(decided):
        yield PaperException("population", "", "", "decided", population.headline, decided)


def exceptions_of_register(
    records: Iterable[ReconciledRecord], decided: Mapping[str, ReviewedTarget]
) -> Iterator[PaperException]:
    """Yield the records that differ from the register. ``decided``: by the key of the record."""
    for record in records:
        item = difference_item(record)
        if item is not None:
            key = item.target.key
            sample_id = record.samples[0] if len(record.samples) == 1 else ""
            yield PaperException("difference", sample_id, key, str(record.verdict), item.value, decided.get(key))


def exception_order(one: PaperException) -> int:
    """For sorting: what concerns the whole run first."""
    return list(EXCEPTION_KINDS).index(one.kind) if one.kind in ("seal", "population", "difference") else 2


def _deviates(reviewed: ReviewedTarget | None) -> bool:
    return reviewed is not None and reviewed.decision in DEVIATIONS
