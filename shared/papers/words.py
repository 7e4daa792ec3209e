"""What papers say in words: whether the evidence stands, moments, numbers, and what people have decided. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from shared.evidence_format.review.amounts import act_words
from shared.evidence_format.review.reviewed import NO_EVIDENCE, ReviewedTarget
from shared.papers.paper import Paper, PaperComment, PaperDraw, PaperException, PaperSample, PaperValue
from shared.statuses import STYLES, StatusStyle

_STYLES: Mapping[str, StatusStyle] = {**STYLES}


def verdict(paper: Paper) -> str:
    """Return in one sentence whether the evidence of the run is what was sealed."""
    seal = paper.seal
    if not seal.sealed:
        return "NOT SEALED: the run is not finished, or its seal is missing; nothing proves this evidence"
    if seal.problems:
        count = len(seal.problems)
        return f"NOT WHAT WAS SEALED: {count} {'problem' if count == 1 else 'problems'}, listed under Exceptions"
    return f"Sealed and unchanged: all {seal.files:,} files are as they were sealed"


def moment_words(at: datetime | None) -> str:
    """Return a moment to the second in UTC; empty for None."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if at is not None else ""


def period(paper: Paper) -> str:
    """Return from when to when the evidence was collected: its review and its seal are later."""
    begin = moment_words(paper.started_at or paper.asked_at)
    return (
        f"{begin} to {moment_words(paper.finished_at)}" if paper.finished_at is not None else f"{begin}, not finished"
    )


def review_period(paper: Paper) -> str:
    """Return from when to when it was reviewed; empty for a review that is not signed off."""
    first, last = paper.first_decision_at, paper.signed_off_at
    return f"{moment_words(first or last)} to {moment_words(last)}" if last is not None else ""


def status_words(status: str) -> str:
    style = _STYLES.get(status)
    return style.words if style is not None else status


def sample_status_words(sample: PaperSample) -> str:
    """Return the status with which a sample has ended; one that was for people says that they have decided it."""
    return f"{status_words(sample.status)}, decided" if sample.was_open else status_words(sample.status)


def of_them_decided(number: int, decided: int) -> str:
    """Return how many of so many samples that were for people are decided; empty where none is."""
    if not decided:
        return ""
    return f"{decided} of them decided" if decided < number else "decided" if number == 1 else "all decided"


def decision_words(reviewed: ReviewedTarget | None) -> str:
    """Return what was decided; empty where nobody has decided."""
    return act_words(reviewed.decision) if reviewed is not None else ""


def sample_decision_words(sample: PaperSample) -> str:
    """Return what was decided of a sample, and of its values, each by its name with what was read where another value
    stands in its place; empty where nobody has decided."""
    own = [decision_words(sample.reviewed)] if sample.reviewed is not None else []
    values = [f"{one.field}: {value_decision_words(one)}" for one in sample.tested if one.reviewed is not None]
    return "; ".join([*own, *values])


def value_decision_words(value: PaperValue) -> str:
    """Return what was decided of a value, and what was read where another value stands in its place; empty where nobody
    has decided of the value."""
    instead = value.decision_instead
    told = decision_words(value.reviewed or instead)
    return told if instead is None or instead.decision in NO_EVIDENCE else f"{told} ({read_as_words(value)})"


def sample_by_words(sample: PaperSample) -> str:
    """Return who has decided it, and when; of several decisions of the same moment once."""
    return "; ".join(dict.fromkeys(by_words(one) for _, one in sample.decided))


def exception_decision_words(one: PaperException) -> str:
    """Return what was decided of an exception, of several things each by its field; empty where nobody has decided."""
    return _each([(field, decision_words(said)) for field, said in one.decisions], alone=one.where)


def exception_value_words(one: PaperException) -> str:
    """Return the values that people have given instead; empty where they have given none."""
    return _each([(field, said.value) for field, said in one.decisions if said.value], alone=one.where)


def exception_reason_words(one: PaperException) -> str:
    """Return why it was decided so; of several decisions each reason once."""
    return "; ".join(dict.fromkeys(said.reason for _, said in one.decisions if said.reason))


def exception_by_words(one: PaperException) -> str:
    """Return who has decided of it, and when; of several decisions of the same moment once."""
    return "; ".join(dict.fromkeys(by_words(said) for _, said in one.decisions))


def _each(told: Sequence[tuple[str, str]], alone: str) -> str:
    """Return texts by their fields; one that is of the field ``alone``, without it."""
    if len(told) == 1 and told[0][0] in ("", alone):
        return told[0][1]
    return "; ".join(f"{field}: {text}" if field else text for field, text in told)


def comment_words(one: PaperComment) -> str:
    """Return a comment as a remark on its sample."""
    return f"Comment by {one.by}, {moment_words(one.at)}{f', on {one.where}' if one.where else ''}: {one.text}"


def by_words(reviewed: ReviewedTarget | None) -> str:
    """Return who has decided, and when of the day; empty where nobody has."""
    return f"{', '.join(reviewed.by)}, {moment_words(reviewed.at)}" if reviewed is not None else ""


def value_words(value: PaperValue) -> str:
    """Return the value that counts, as papers show it: what people have decided, else what was read."""
    decided = value.decision_instead
    if decided is None:
        return read_words(value)
    if decided.decision == "correct":
        return decided.value.strip() or "none"
    if decided.decision == "accept":
        return value.open_texts or value.text or "not found"
    return f"{decision_words(decided)} ({read_as_words(value)})"


def read_words(value: PaperValue) -> str:
    """Return what was read: also that there is none, or that it is open."""
    if value.absent:
        return f"none ({value.shown})" if value.shown else "none"
    if value.mark == "?":
        if value.open:
            return f"open: {value.open_texts}"
        return f"not certain: {value.text}" if value.text else "not found"
    return value.text


def read_as_words(value: PaperValue) -> str:
    """Return what was read, for a value that was decided: that it was open is over."""
    if value.mark != "?" or value.absent:
        read = read_words(value)
        return f"read as {read}" if read else "read without a value"
    if value.open:
        return f"was open between {value.open_texts}"
    return f"was not certain: {value.text}" if value.text else "was not found"


def attribute(paper: Paper) -> str:
    """Return what was tested: the question of the task, or its goal."""
    return paper.question or paper.goal


def controls_words(paper: Paper) -> str:
    """Return the controls, a line each."""
    named = [f"{one.name}: {one.title}" if one.title else one.name for one in paper.controls]
    return "\n".join(named) or "none: the task names no control"


def review_words(paper: Paper) -> str:
    """Return how the review stands."""
    if paper.signed_off_at is not None:
        return f"Signed off on {moment_words(paper.signed_off_at)}"
    if paper.review_state == "damaged":
        return "Its decisions cannot be read as they were sealed: see the exceptions"
    return (
        "In review: decisions are shown once it is signed off" if paper.review_state == "in review" else "Not reviewed"
    )


def draw_words(draw: PaperDraw | None) -> str:
    """Return how samples were drawn to be looked at again."""
    if draw is None:
        return "None drawn"
    expected, tolerable, confidence = draw.rates
    rates = f"confidence {confidence:.0%}, tolerable rate {tolerable:.1%}, expected rate {expected:.1%}"
    return f"{draw.size} of {draw.population} ({draw.method}; {rates})"
