"""Which events are taken into a run. Whoever sends an event is not believed: it must fit the population, the round, the
log of its attempt and the files that are stored. What does not fit is refused, with the reason.

A run that is finished is closed: only a resume begins another round, and a person may settle a sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from services.evidence.state.file_contents import AttemptLog, logged_value
from services.evidence.state.run_state import RunState
from shared.contracts.codes import facts_of, is_final
from shared.contracts.discovery import PopulationClosed, RunStarted, SampleFound
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FieldValue, StepTaken
from shared.evidence_format.cells import plain_rows, with_cells
from shared.evidence_format.files.refused import RefusalCode
from shared.task.integration import pointers_of
from shared.text.names import DISCOVERY


@dataclass(frozen=True)
class Refusal:
    """Why an event is not taken. ``text``: for people."""

    code: RefusalCode
    text: str


SEALED = Refusal("run_sealed", "the run is finished; only a resume opens it again")


# --- the run and its samples


def find_start_refusal(state: RunState, message: RunStarted) -> Refusal | None:
    """Return why a start is refused. A resume keeps the task; only planner and concurrency may be others."""
    then, now = state.record, message.record
    if (then.spec, then.discovery_spec, then.created_at) != (now.spec, now.discovery_spec, now.created_at):
        return Refusal("other_run", "the run was started with another task")
    return None


def find_sample_refusal(state: RunState, message: SampleFound) -> Refusal | None:
    """Return why a sample that is not filed yet is refused."""
    if message.sample.sample_id != message.sample_id or message.sample_id == DISCOVERY:
        return Refusal("other_sample", f"its sample is {message.sample.sample_id!r}")
    if state.current_summary is not None:
        return SEALED
    if state.all_found:
        return Refusal("population_closed", f"the run has {state.expected} samples, and this is none of them")
    return None


def is_closed_so(state: RunState, message: PopulationClosed) -> bool:
    """Whether the population is closed in just this way."""
    then = (state.expected, state.population_complete, state.population_note)
    more = (state.population_reason, state.population_counted)
    return then == (message.samples, message.complete, message.note) and more == (message.reason, message.counted)


def find_population_refusal(state: RunState, message: PopulationClosed) -> Refusal | None:
    """Return why an end of the population is refused that says something new."""
    if message.attempt_base > state.attempt_base:
        return Refusal("other_round", f"it is of a round above attempt {message.attempt_base}, which has not begun")
    if state.current_summary is not None:
        return SEALED
    known = sum(sample.row > 0 for sample, _ in state.samples.values())
    """Of a sample whose file is damaged not even the row is known, and the search may have lost it."""
    if message.samples < known:
        return Refusal("population_differs", f"it counts {message.samples} samples, and {known} are known")
    if state.expected not in (None, message.samples) and message.samples != len(state.samples):
        return Refusal("population_differs", f"it counts {message.samples} samples, and {state.expected} were counted")
    return None


# --- steps and results


def check_membership(state: RunState, sample_id: str) -> Refusal | None:
    """Return why there can be no work on such a sample."""
    return None if state.has_sample(sample_id) else Refusal("unknown_sample", f"the run has no sample {sample_id!r}")


def find_step_refusal(state: RunState, log: AttemptLog, step: StepTaken) -> Refusal | None:
    """Return why a step is refused that is not filed yet, of the latest attempt or a later one. ``log``: of the latest
    attempt."""
    refusal = _attempt_refusal(state, log, step.sample_id, step.attempt)
    if refusal is not None:
        return refusal
    other = find_other_planner(log, step)
    if other is not None:
        return other
    last = max(log.steps, default=0) if step.attempt == log.attempt else 0
    if step.step != last + 1:
        return Refusal("out_of_order", f"step {step.step} cannot follow step {last} of attempt {step.attempt}")
    return None


def find_result_refusal(state: RunState, log: AttemptLog, message: SampleFinished) -> Refusal | None:
    """Return why a result is refused that is not filed yet, of the latest attempt or a later one. ``log``: of the
    latest attempt."""
    refusal = _attempt_refusal(state, log, message.sample_id, message.attempt)
    refusal = refusal or find_other_planner(log, message)
    if refusal is not None:
        return refusal
    return find_unsupported(state, log if message.attempt == log.attempt else AttemptLog(message.attempt), message)


def find_other_planner(log: AttemptLog, message: StepTaken | SampleFinished) -> Refusal | None:
    """Return why a planner has no part in an attempt: another one has taken its first step."""
    if message.attempt != log.attempt or not log.steps or message.planner_id == log.planner_id:
        return None
    return Refusal(
        "other_planner", f"the attempt is that of planner {log.planner_id!r}, and this is of {message.planner_id!r}"
    )


def _attempt_refusal(state: RunState, log: AttemptLog, sample_id: str, attempt: int) -> Refusal | None:
    if state.current_summary is not None:
        return SEALED
    if state.has_ended(sample_id):
        return Refusal("sample_ended", "the sample has its result; the first of a round counts")
    if attempt <= state.attempt_base:
        return Refusal("other_round", f"the attempts of this round are above {state.attempt_base}")
    if attempt == log.attempt and log.ended:
        return Refusal("sample_ended", "this attempt has its result")
    return None


def find_unsupported(state: RunState, log: AttemptLog, message: SampleFinished) -> Refusal | None:
    """Return what a result says that the log of its attempt does not bear out."""
    return next(_unsupported(state, log, message), None)


def _unsupported(state: RunState, log: AttemptLog, message: SampleFinished) -> Iterator[Refusal]:
    known = state.samples.get(message.sample_id)
    if known is not None and known[0].row and (known[0].key, known[0].row) != (message.sample.key, message.sample.row):
        yield Refusal("other_sample", f"it names {message.sample.key!r} in row {message.sample.row}")
    done = message.status == "done"
    shown = done or _is_of_record(message)
    given_up = message.steps == 0 and not shown
    """Whoever gives a sample up does not know its steps."""
    if (message.steps != len(log.steps) and not given_up) or (shown and not log.steps):
        yield Refusal("steps_differ", f"it counts {message.steps} steps, and {len(log.steps)} are filed")
    stored = {(one.filename, one.artifact.sha256) for one in log.artifacts}
    for one in message.artifacts:
        if (one.filename, one.artifact.sha256) not in stored:
            yield Refusal("not_filed", f"no step has filed {one.filename!r} with these bytes")
    if done:
        yield from _unbound_values(state, log, message)


def _is_of_record(message: SampleFinished) -> bool:
    """Whether a result says something about the record itself, or that it is never tried again: that takes steps."""
    facts = facts_of(message.reason)
    return is_final(message.status, message.reason) or (facts is not None and facts.fault == "record")


def _unbound_values(state: RunState, log: AttemptLog, message: SampleFinished) -> Iterator[Refusal]:
    hashes = {one.artifact.sha256 for one in log.artifacts}
    for value in message.values:
        if logged_value(value) not in log.logged:
            yield Refusal("not_logged", f"no step has logged this value of {value.field!r}")
        yield from _unanswered(state, log, value)
        if value.rows and plain_rows(value.rows) != value.value:
            yield Refusal("not_logged", f"the cells of {value.field!r} are not the rows that a step has logged")
        for one in with_cells(value):
            if any(sha256 not in hashes for sha256 in _files_named(one)):
                yield Refusal("not_filed", f"no step has filed the page that {one.field!r} names")


def _files_named(value: FieldValue) -> list[str]:
    source = value.source
    named = () if source is None else (source.page_sha256, source.observation_file_sha256, source.screenshot_sha256)
    return [sha256 for sha256 in named if sha256]


def _unanswered(state: RunState, log: AttemptLog, value: FieldValue) -> Iterator[Refusal]:
    """Yield why a value is not what the stored response of an API gave. Only such a value may name a response."""
    if value.state == "not_found":
        return
    if (value.origin == "api") != (value.response is not None):
        yield Refusal("not_filed", f"{value.field!r} must name a response where it comes from an API, and only there")
    stored = {one.artifact.sha256 for one in log.artifacts if one.artifact.kind == "response"}
    if value.response is not None and value.response.sha256 not in stored:
        yield Refusal("not_filed", f"no step has filed the response that {value.field!r} names")
    if (logged_value(value), value.response) not in log.answered:
        yield Refusal("not_logged", f"no step has logged {value.field!r} as it is said to be given")
    if value.response is not None and value.response.pointer != pointers_of(state.record.spec).get(value.field):
        yield Refusal("not_logged", f"the task names another place of the response for {value.field!r}")
