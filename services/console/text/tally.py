"""The state of a run, added up from its events."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from services.console.text.session_lines import outage_line
from shared.contracts.actions import Action, UseWorkflow
from shared.contracts.base import Usage, add_usage
from shared.contracts.codes import OpenCode, Status
from shared.contracts.discovery import FileReading, PopulationClosed, RunStarted, SampleFound
from shared.contracts.error_codes import EndCode
from shared.contracts.evidence import EvidenceBlocked, OutcomeCount, ReconciliationCounts, RunFinished, uses_flows
from shared.contracts.explained import keys_text
from shared.contracts.planner import LONG_WAY_STEPS, SampleFinished
from shared.contracts.sessions.control import CloseRun, InterruptRun, PauseRun, ResumePaused, RunControlled
from shared.contracts.steps import StepTaken
from shared.contracts.workflows.flow_uses import does_worse
from shared.evidence_format.files.reconciliation import RECORD_VERDICTS
from shared.statuses import urgency_of
from shared.subjects import RunEvent
from shared.text.names import DISCOVERY
from shared.text.normal import tidy

TroubleKey = tuple[OpenCode[Status], OpenCode[EndCode], str]
MOST_KEYS_TOLD = 3
LEAST_OWN_CHARS = 3
"""A shorter value of a row may be part of any word."""


@dataclass(frozen=True)
class ActiveSample:
    """A sample in progress, with its latest step."""

    sample_id: str
    attempt: int
    step: int
    last: str


@dataclass(frozen=True)
class Trouble:
    """Samples that ended in the same way for the same reason. ``message``: of the only one, or of all of them, with
    ``{column}`` where each has its own value."""

    status: OpenCode[Status]
    reason: OpenCode[EndCode]
    message: str
    sample_ids: tuple[str, ...]


@dataclass(frozen=True)
class Settling:
    """Keys of the spec that would settle a field in so many samples; of several, which one is meant is open."""

    field: str
    keys: tuple[str, ...]
    samples: int
    others: int = 0
    """Further fields that keys would settle."""


@dataclass
class Tally:
    """The sums so far, updated in place: a run of 10,000 samples has 50,000 events.

    Events of attempts up to ``attempt_base`` belong to earlier rounds of the run and are ignored.
    """

    run_id: str
    attempt_base: int = 0
    already_done: int = 0
    """Samples of earlier rounds that this one does not work on; ``expected`` is without them."""
    expected: int | None = None
    found: int = 0
    discovering: bool = False
    """Whether samples are still being searched for."""
    lists_only: bool = False
    readings: tuple[FileReading, ...] = ()
    """How the input and the register were read."""
    discovery: SampleFinished | None = None
    """How the search for the samples ended; it is not counted as a sample."""
    results: dict[str, SampleFinished] = field(default_factory=dict[str, SampleFinished])
    _alike: dict[TroubleKey, dict[str, SampleFinished]] = field(
        default_factory=dict[TroubleKey, dict[str, SampleFinished]]
    )
    active: dict[str, ActiveSample] = field(default_factory=dict[str, ActiveSample])
    counts: Counter[str] = field(default_factory=Counter[str])
    on_workflows: set[str] = field(default_factory=set[str])
    """Samples for which a workflow was used."""
    saves_workflow: bool = False
    """Whether the task has a workflow written of the first long way."""
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    blocked: str = ""
    paused: str = ""
    """What the run is paused for; empty: it is not, or a person has paused it."""
    finished: RunFinished | None = None

    @property
    def ended(self) -> int:
        """Number of samples that need no more work."""
        return self.found if self.lists_only else len(self.results)

    @property
    def troubles(self) -> list[Trouble]:
        """How samples ended that are not done, each way once; the one that ended last is last."""
        return [
            Trouble(status, reason, shared if len(found) > 1 else next(iter(found.values())).message, tuple(found))
            for (status, reason, shared), found in self._alike.items()
        ]

    @property
    def settling(self) -> Settling | None:
        """What would settle the same field in most samples: one key, or several that do so in as many."""
        ended = [one for one in self.results.values() if one.status != "done"]
        counts: dict[str, Counter[str]] = {}
        for told in (told for one in ended for told in one.explained if told.settled_by):
            counts.setdefault(told.field, Counter()).update({keys_text(key.keys) for key in told.settled_by})
        found = [_settling(field, keys) for field, keys in counts.items()]
        first = min(found, key=lambda one: (-one.samples, len(one.keys)), default=None)
        return None if first is None else replace(first, others=len(found) - 1)

    @property
    def long_ways(self) -> int:
        """Number of done samples that a model took many steps for, each of which could be a workflow."""
        return sum(
            one.status == "done" and one.steps > LONG_WAY_STEPS and one.usage.llm_calls > 0
            for one in self.results.values()
            if one.sample_id not in self.on_workflows
        )

    def add(self, event: RunEvent) -> None:
        if isinstance(event, SampleFound):
            self.found += 1
        elif isinstance(event, RunStarted) and event.attempt_base == self.attempt_base:
            self.discovering = event.discovering
            self.lists_only = event.record.spec.get("phase") == "discovery"
            given = (event.record.input_reading, event.record.register_reading)
            self.readings = tuple(reading for reading in given if reading is not None)
            self.saves_workflow = bool(event.record.spec.get("save_workflow"))
        elif isinstance(event, PopulationClosed) and event.attempt_base == self.attempt_base:
            self.expected, self.discovering = event.samples - self.already_done, False
        elif isinstance(event, StepTaken) and event.attempt > self.attempt_base:
            self._step(event)
        elif isinstance(event, SampleFinished) and event.attempt > self.attempt_base:
            self._end(event)
        elif isinstance(event, RunControlled):
            self._control(event)
        elif isinstance(event, EvidenceBlocked):
            self.blocked = event.message
        elif isinstance(event, RunFinished) and event.attempt_base == self.attempt_base:
            self.finished, self.blocked, self.paused = event, "", ""
            self.active.clear()

    def _control(self, event: RunControlled) -> None:
        if isinstance(event.control, PauseRun) and event.control.outage is not None:
            self.paused = outage_line(event.control.outage, event.run_id)
        elif isinstance(event.control, ResumePaused | CloseRun | InterruptRun):
            self.paused = ""

    def _step(self, event: StepTaken) -> None:
        self.steps += 1
        if isinstance(event.action, UseWorkflow):
            self.on_workflows.add(event.sample_id)
        self.active[event.sample_id] = ActiveSample(event.sample_id, event.attempt, event.step, describe(event))

    def _end(self, event: SampleFinished) -> None:
        """Add a result. A sample may end twice, when a lost attempt was not lost; the later attempt counts."""
        if event.sample_id == DISCOVERY:
            self.discovery = event
            self.usage = add_usage(self.usage, event.usage)
            self.active.pop(event.sample_id, None)
            return
        earlier = self.results.pop(event.sample_id, None)
        if earlier is not None:
            self.counts[earlier.status] -= 1
            self._forget_trouble(earlier)
            if earlier.attempt > event.attempt:
                event = earlier
        self.results[event.sample_id] = event
        self.counts[event.status] += 1
        self._add_trouble(event)
        self.usage = add_usage(self.usage, event.usage)
        self.active.pop(event.sample_id, None)
        self.blocked = ""

    def _add_trouble(self, result: SampleFinished) -> None:
        if result.status == "done":
            return
        key = trouble_key(result)
        alike = self._alike[key] = self._alike.pop(key, {})
        alike[result.sample_id] = result

    def _forget_trouble(self, result: SampleFinished) -> None:
        key = trouble_key(result)
        if (alike := self._alike.get(key)) is not None:
            alike.pop(result.sample_id, None)
            if not alike:
                del self._alike[key]


def trouble_key(result: SampleFinished) -> TroubleKey:
    """Return by what results are alike: status, reason, and the message without what is the sample's own."""
    own = {**result.sample.fields, "key": result.sample.key, "url": result.sample.url or "", "id": result.sample_id}
    names = {text: name for name, text in reversed(own.items()) if len(text) >= LEAST_OWN_CHARS}
    if not names:
        return result.status, result.reason, result.message
    texts = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return result.status, result.reason, re.sub(texts, lambda found: f"{{{names[found[0]]}}}", result.message)


def describe(event: StepTaken) -> str:
    """Return one short line on a step: the action and its result."""
    if event.action is None:
        return event.message
    return f"{action_name(event.action)}: {event.message or event.action.reason}"


def action_name(action: Action) -> str:
    """Return the tag of the action in messages."""
    return str(action.__struct_config__.tag)


def headline(outcomes: tuple[OutcomeCount, ...], samples: int) -> str:
    """Return a line such as ``60 samples: 58 done, 2 failed (not found)``, ordered by status."""
    ordered = sorted(outcomes, key=lambda o: (urgency_of(o.status), o.reason))
    parts = [f"{o.samples} {to_words(o.status)}" + (f" ({to_words(o.reason)})" if o.reason else "") for o in ordered]
    noun = "1 sample" if samples == 1 else f"{samples} samples"
    return f"{noun}: {', '.join(parts)}" if parts else noun


def driver_lines(finished: RunFinished) -> list[str]:
    """Return who has worked on how many samples, with calls and cost of each, and why no flow did them; none where no
    flow was used, and none could have been."""
    if not uses_flows(finished):
        return []
    lines: list[str] = []
    for one in finished.worked:
        who = drivers_text(one.drivers)
        lines.append(f"{who}: {_samples(one.samples)}, {one.llm_calls} calls, ${one.cost_usd:.4f}")
        lines += [f"    {why.samples} of them: {tidy(why.text)}" for why in one.reasons]
    counts = {one.drivers: one.done for one in finished.worked}
    done, taken_over = counts.get(("flow",), 0), counts.get(("flow", "rules"), 0)
    if does_worse(done, taken_over):
        lines.append(
            f"The flow did {_samples(done)}, and stopped at {taken_over} that the rules did. "
            "Such a flow is set aside: see `exhibit flows show`"
        )
    return lines


def drivers_text(drivers: Sequence[str]) -> str:
    """Return who has worked, such as ``flow, then rules``."""
    return ", then ".join(drivers)


def reconciliation_line(counts: ReconciliationCounts) -> str:
    """Return how the population and the register agree. Verdicts that no record has are left out, but for those that
    are missing on a side."""
    told = {verdict: int(getattr(counts, verdict)) for verdict in RECORD_VERDICTS}
    shown = [f"{number} {to_words(verdict)}" for verdict, number in told.items() if number or "missing" in verdict]
    rows = "1 row" if counts.rows == 1 else f"{counts.rows} rows"
    return f"{_samples(counts.samples)} and {rows}: {', '.join(shown)}"


def settling_line(settling: Settling) -> str:
    """Return which keys of the spec would settle a field in most samples."""
    keys = " or ".join(settling.keys[:MOST_KEYS_TOLD])
    more = len(settling.keys) - MOST_KEYS_TOLD
    others = f", or {more} more" if more > 0 else ""
    fields = f", {settling.others} more field{'s' if settling.others > 1 else ''}" if settling.others else ""
    told = f"{_samples(settling.samples)}{fields}; `exhibit explain last SAMPLE` tells each"
    return f"{settling.field}: {keys}{others} ({told})"


def _settling(field: str, counts: Counter[str]) -> Settling:
    most = max(counts.values())
    return Settling(field, tuple(sorted(keys for keys, count in counts.items() if count == most)), most)


def _samples(count: int) -> str:
    return "1 sample" if count == 1 else f"{count} samples"


def workflow_offer(long_ways: int) -> str:
    """Return what could be saved for later runs."""
    who = "1 sample took" if long_ways == 1 else f"{long_ways} samples took"
    key = '"save_workflow": true'
    return (
        f"{who} more than {LONG_WAY_STEPS} steps: with {key} in the spec the model writes a workflow of the first one, "
        "and later runs use that"
    )


def to_words(code: str) -> str:
    """Return a code such as ``not_found`` as words."""
    return code.replace("_", " ")
