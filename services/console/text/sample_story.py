"""The story of one sample: what was asked, who decided, what was done and read, how it ended and what to do about it.

It is made from the files of the evidence alone. Its texts are of sites, rows and models: they are text, never obeyed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from shared.contracts.actions import Judgment
from shared.contracts.base import Part, Usage, add_usage
from shared.contracts.codes import facts_of
from shared.contracts.error_codes import end_words
from shared.contracts.explained import NearValue, SettlingKey
from shared.contracts.planner import BY_FLOW, BY_OPERATOR, BY_REPLAY, BY_RULE, BY_WORKFLOW
from shared.contracts.sessions.settling import Settlement
from shared.contracts.steps import StepTaken, note_text
from shared.evidence_format.facts import ResultFacts
from shared.evidence_format.files.refused import RefusedEvent
from shared.evidence_format.files.sample import ResultFile, StoredField
from shared.evidence_format.log_codec import NO_ACTION, LogEntry
from shared.evidence_format.step_words import action_words, changes_of, heal_text, value_text

NO_FACTS_ADVICE = "Read the message, remove the cause, then resume the run."
NOT_ENDED = "It has no result: it is still worked on, or the run was cut off. `exhibit run --resume` goes on with it."
KINDS = {BY_RULE: "rules", BY_REPLAY: "replay", BY_WORKFLOW: "workflow", BY_FLOW: "flow"}


class StepStory(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One step. ``outcome``: ``ok``, ``refused`` (the planner did not do it), or the code of what the browser
    answered. ``at_s``: since the attempt began."""

    number: int
    at_s: float
    took_s: float
    words: str
    outcome: str
    decided_by: str
    driver: str
    """``rules``, ``flow``, ``workflow``, ``replay``, ``person`` or ``model``."""
    why: str = ""
    told: str = ""
    """What came of it, in the words of the step log."""
    changes: tuple[str, ...] = ()
    heals: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    saved: tuple[str, ...] = ()
    irreversible: bool = False
    """It was claimed before it was made, for it cannot be taken back."""
    files: tuple[str, ...] = ()
    llm_calls: int = 0


class ValueStory(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One field, and where its value stands: the page, the element on it, and the picture that shows it."""

    field: str
    state: str
    required: bool = False
    value: str = ""
    shown: str = ""
    origin: str = ""
    read_by: str = ""
    url: str = ""
    role: str = ""
    label: str = ""
    picture: str = ""
    page: str = ""
    candidates: tuple[str, ...] = ()
    near: tuple[NearValue, ...] = ()
    settled_by: tuple[SettlingKey, ...] = ()
    """As in :class:`shared.contracts.explained.FieldExplained`."""


class AttemptStory(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt. ``status``: empty where it left no result."""

    number: int
    steps: int
    status: str = ""
    reason: str = ""
    message: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None


class SampleStory(Part, frozen=True, kw_only=True):
    run_id: str
    task_id: str | None
    sample_id: str
    trace_id: str
    key: str | None
    row: int | None
    input: Mapping[str, str]
    url: str | None
    status: str | None
    reason: str
    reason_words: str
    message: str
    fault: str
    advice: str
    """What to do about it; empty for done."""
    decided_by: str
    drivers: tuple[str, ...]
    """Who has worked on it, in order."""
    no_flow: str
    steps_by: Mapping[str, int]
    """Steps by who decided them."""
    attempts: tuple[AttemptStory, ...]
    duration_s: float | None
    usage: Usage
    steps: tuple[StepStory, ...]
    values: tuple[ValueStory, ...]
    artifacts: tuple[str, ...]
    judgment: Judgment | None
    settlement: Settlement | None
    notes: tuple[str, ...]
    refused_events: tuple[RefusedEvent, ...]
    problems: tuple[str, ...]
    """Files of the sample that could not be read."""


def story_of(
    run_id: str,
    trace_id: str,
    facts: ResultFacts,
    log: Sequence[LogEntry],
    earlier: Sequence[AttemptStory],
    refused: Iterable[RefusedEvent] = (),
    problems: Iterable[str] = (),
) -> SampleStory:
    """Return the story. ``log``: steps of the latest attempt; ``earlier``: the attempts before it."""
    steps = tuple(_step(entry, log[0].step.started_at) for entry in log)
    used = facts.usage
    for entry in log if used is None else ():
        used = add_usage(used or Usage(), entry.step.usage)
    return SampleStory(
        run_id=run_id,
        task_id=facts.task.task_id,
        sample_id=facts.sample_id,
        trace_id=trace_id,
        key=facts.key,
        row=facts.row,
        input=facts.input,
        url=facts.url,
        status=facts.status,
        reason=facts.reason,
        reason_words=end_words(facts.reason),
        message=facts.message,
        fault=facts.fault,
        advice=advice_for(facts.status, facts.reason),
        decided_by=facts.decided_by,
        drivers=facts.drivers,
        no_flow=facts.no_flow,
        steps_by=Counter(step.decided_by for step in steps),
        attempts=(*earlier, *_latest(facts, log)),
        duration_s=facts.duration_s,
        usage=used or Usage(),
        steps=steps,
        values=tuple(_values(facts)),
        artifacts=tuple(one.filename for one in facts.artifacts),
        judgment=facts.judgment,
        settlement=facts.settlement,
        notes=tuple(note_text(note) for note in facts.notes),
        refused_events=tuple(refused),
        problems=tuple(problems),
    )


def advice_for(status: str | None, reason: str) -> str:
    """Return what to do about the end of a sample; empty for done."""
    if status is None:
        return NOT_ENDED
    if status == "done":
        return ""
    known = facts_of(reason)
    return NO_FACTS_ADVICE if known is None else known.advice


def attempt_of(number: int, result: ResultFile | None, log: Sequence[LogEntry]) -> AttemptStory:
    """Return an attempt that was put aside, from the files in its folder."""
    if result is None:
        times = (log[0].step.started_at, log[-1].step.ended_at) if log else (None, None)
        return AttemptStory(number=number, steps=len(log), started_at=times[0], finished_at=times[1])
    return AttemptStory(
        number=number,
        steps=len(log),
        status=result.status,
        reason=result.reason,
        message=result.message,
        started_at=result.started_at,
        finished_at=result.finished_at,
    )


def _latest(facts: ResultFacts, log: Sequence[LogEntry]) -> tuple[AttemptStory, ...]:
    number = facts.attempt or (log[-1].step.attempt if log else 0)
    return (attempt_of(number, facts.result, log),) if number else ()


def _step(entry: LogEntry, began_at: datetime) -> StepStory:
    step = entry.step
    outcome = step.result
    return StepStory(
        number=step.step,
        at_s=round((step.started_at - began_at).total_seconds(), 3),
        took_s=round(step.total_ms / 1000, 3),
        words=_words(entry),
        outcome=_outcome(step),
        decided_by=step.decided_by,
        driver=driver_kind(step.decided_by),
        why=entry.reason,
        told=entry.outcome_text,
        changes=tuple(changes_of(outcome.change)) if outcome is not None else (),
        heals=tuple(map(heal_text, step.heals)),
        denied=outcome.change.denied if outcome is not None else (),
        saved=tuple(value.field for value in step.values),
        irreversible=step.claimed > 0,
        files=tuple(filed.filename for filed in step.artifacts if filed.artifact.kind != "step"),
        llm_calls=step.usage.llm_calls,
    )


def _words(entry: LogEntry) -> str:
    if entry.action == NO_ACTION:
        return "no usable answer"
    result = entry.step.result
    return action_words(entry.action, entry.params, result.target if result is not None else None)


def _outcome(step: StepTaken) -> str:
    if step.refused:
        return "refused"
    return "ok" if step.result is None or step.result.ok else step.result.code


def driver_kind(decided_by: str) -> str:
    """Return what kind of driver it is; a name that is none of ours is that of a model."""
    if decided_by == BY_OPERATOR or decided_by.startswith(f"{BY_OPERATOR} "):
        return "person"
    return KINDS.get(decided_by, "model")


def _values(facts: ResultFacts) -> Iterable[ValueStory]:
    pictures = {artifact.sha256: artifact.filename for artifact in facts.artifacts}
    required = {field.name for field in facts.task.fields if field.required}
    order = [field.name for field in facts.task.fields if field.name in facts.fields]
    for name in (*order, *(name for name in facts.fields if name not in order)):
        yield _value(name, facts.fields[name], pictures, required=name in required)


def _value(name: str, stored: StoredField, files: Mapping[str, str], *, required: bool) -> ValueStory:
    source = stored.source
    place: dict[str, Any] = {}
    if source is not None:
        place = {"url": source.url, "role": source.role, "label": source.label or ""}
        place |= {"picture": files.get(source.screenshot_sha256, ""), "page": files.get(source.page_sha256, "")}
    return ValueStory(
        field=name,
        state=stored.state,
        required=required,
        value=value_text(stored.value),
        shown=stored.shown or "",
        origin=stored.origin,
        read_by=stored.read_by,
        candidates=tuple(one.shown for one in stored.candidates or ()),
        near=stored.near or (),
        settled_by=stored.settled_by or (),
        **place,
    )
