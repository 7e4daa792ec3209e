"""What people are told about the samples of a run: whether all were found, of how many, and what to do if not."""

from __future__ import annotations

from shared.contracts.codes import facts_of
from shared.contracts.evidence import RunFinished

GO_ON = "Go on with --resume."
START_ANEW = "Then start a new run: a resumed run keeps the spec that it began with."


def population_headline(finished: RunFinished) -> str:
    """Return `Complete`, `Complete: 36, as many as the site counts`, `Incomplete: 25 of 120`, or `Incomplete: 25 found`
    where no page says how many there are."""
    counted = finished.population_counted
    if finished.population_complete:
        return f"Complete: {counted}, as many as the site counts" if counted == finished.samples else "Complete"
    if counted is None or counted <= finished.samples:
        return f"Incomplete: {finished.samples} found"
    return f"Incomplete: {finished.samples} of {counted}"


def population_advice(finished: RunFinished) -> str:
    """Return what to do about a population that is not complete; empty if it is."""
    if finished.population_complete:
        return ""
    facts = facts_of(finished.population_reason)
    if facts is None:
        return GO_ON
    return f"{facts.advice} {START_ANEW if facts.fault == 'us' else GO_ON}"
