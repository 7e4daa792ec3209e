"""What the events of a run add up to, for a screen to show. No I/O, no clock."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from shared.contracts.actions import Action
from shared.contracts.base import Usage, add_usage
from shared.contracts.discovery import PopulationClosed, RunStarted, SampleFound
from shared.contracts.evidence import EvidenceBlocked, OutcomeCount, RunFinished
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import StepTaken
from shared.statuses import urgency_of
from shared.subjects import RunEvent
from shared.text.names import DISCOVERY


@dataclass(frozen=True)
class Active:
    """A sample that is being worked on, and the last that was heard of it."""

    sample_id: str
    attempt: int
    step: int
    last: str


@dataclass
class Tally:
    """Grows event by event, in place: a run of 10,000 samples has 50,000 of them.

    Events of attempts up to ``attempt_base`` belong to earlier rounds of the run and count nothing.
    """

    run_id: str
    attempt_base: int = 0
    expected: int | None = None
    found: int = 0
    discovering: bool = False
    """Samples are looked for by navigating, and that is not over."""
    lists_only: bool = False
    discovery: SampleFinished | None = None
    """How the search for the samples ended; it is none of them."""
    results: dict[str, SampleFinished] = field(default_factory=dict[str, SampleFinished])
    active: dict[str, Active] = field(default_factory=dict[str, Active])
    counts: Counter[str] = field(default_factory=Counter[str])
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    blocked: str = ""
    finished: RunFinished | None = None

    @property
    def ended(self) -> int:
        """Samples about which nothing is left to be done."""
        return self.found if self.lists_only else len(self.results)

    @property
    def troubles(self) -> list[SampleFinished]:
        """What did not end as done, in the order in which it ended."""
        return [result for result in self.results.values() if result.status != "done"]

    def add(self, event: RunEvent) -> None:
        if isinstance(event, SampleFound):
            self.found += 1
        elif isinstance(event, RunStarted) and event.attempt_base == self.attempt_base:
            self.discovering = event.discovering
            self.lists_only = event.record.spec.get("phase") == "discovery"
        elif isinstance(event, PopulationClosed) and event.attempt_base == self.attempt_base:
            self.expected, self.discovering = event.samples, False
        elif isinstance(event, StepTaken) and event.attempt > self.attempt_base:
            self._step(event)
        elif isinstance(event, SampleFinished) and event.attempt > self.attempt_base:
            self._end(event)
        elif isinstance(event, EvidenceBlocked):
            self.blocked = event.message
        elif isinstance(event, RunFinished) and event.attempt_base == self.attempt_base:
            self.finished, self.blocked = event, ""
            self.active.clear()

    def _step(self, event: StepTaken) -> None:
        self.steps += 1
        self.active[event.sample_id] = Active(event.sample_id, event.attempt, event.step, describe(event))

    def _end(self, event: SampleFinished) -> None:
        """A sample may end twice (an attempt thought dead that was not); the later attempt counts."""
        if event.sample_id == DISCOVERY:
            self.discovery = event
            self.usage = add_usage(self.usage, event.usage)
            self.active.pop(event.sample_id, None)
            return
        earlier = self.results.pop(event.sample_id, None)
        if earlier is not None:
            self.counts[earlier.status] -= 1
            if earlier.attempt > event.attempt:
                event = earlier
        self.results[event.sample_id] = event
        self.counts[event.status] += 1
        self.usage = add_usage(self.usage, event.usage)
        self.active.pop(event.sample_id, None)
        self.blocked = ""


def describe(event: StepTaken) -> str:
    """One short line on a step: the action, and what came of it."""
    if event.action is None:
        return event.message
    return f"{action_name(event.action)}: {event.message or event.action.reason}"


def action_name(action: Action) -> str:
    """The name an action bears on the wire."""
    return str(action.__struct_config__.tag)


def headline(outcomes: tuple[OutcomeCount, ...], samples: int) -> str:
    """``60 samples: 58 done, 2 failed (not found)``; the same words whatever the order of the outcomes."""
    ordered = sorted(outcomes, key=lambda o: (urgency_of(o.status), o.reason))
    parts = [f"{o.samples} {words(o.status)}" + (f" ({words(o.reason)})" if o.reason else "") for o in ordered]
    noun = "1 sample" if samples == 1 else f"{samples} samples"
    return f"{noun}: {', '.join(parts)}" if parts else noun


def words(code: str) -> str:
    """``not_found`` as people write it."""
    return code.replace("_", " ")
