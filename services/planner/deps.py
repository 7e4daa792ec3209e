"""What the planner needs of the world."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from services.planner.model_tasks.drafting import Draft
from services.planner.model_tasks.memory import Transcript
from services.planner.state.attempt_state import Decision, SampleView
from shared.bus.ports import Asks, Blobs, Publishes, Records
from shared.contracts.base import Usage
from shared.contracts.browser_pool import LeaseSession, ProfilePaused
from shared.contracts.discovery import Problem, RunRecord
from shared.contracts.planner import WorkSample
from shared.sessions import HEARTBEAT_EVERY_S, ActiveLease, lease_session
from shared.task.spec import TaskSpec


class Decider(Protocol):
    """A brain. ``name`` goes into the result: ``rules``, or the name of the model."""

    @property
    def name(self) -> str: ...

    @property
    def asks_model(self) -> bool:
        """Whether it costs: budgets bind it, and it may be helped by questions about pictures."""
        ...

    def check(self) -> None:
        """Raises PermanentError, in words for people, where this decider cannot work at all (a key is missing)."""
        ...

    async def decide(self, view: SampleView) -> Decision:
        """The next action. Raises TransientError or PermanentError; a reply that makes no sense is `Unusable`."""
        ...

    async def aclose(self) -> None:
        """Lets go of connections."""
        ...


class Teacher(Protocol):
    """Says what a sample has taught."""

    async def distil(self, transcript: Transcript, /) -> tuple[object, Usage]:
        """What it says, unchecked, and what that cost. Raises TransientError or PermanentError."""
        ...


class Drafter(Protocol):
    """Makes a task of a sentence."""

    @property
    def name(self) -> str: ...

    async def draft(self, request: str, /) -> tuple[Draft | None, tuple[Problem, ...], Usage]:
        """A draft that validates, or what was wrong with the last one; and what it cost. Raises TransientError, or
        PermanentError where there is no key."""
        ...


@dataclass(frozen=True)
class CheckedRun:
    """A run as the planner keeps it: its record, and the specs in it, checked."""

    record: RunRecord
    spec: TaskSpec
    discovery: TaskSpec | None = None

    def spec_of(self, message: WorkSample) -> TaskSpec:
        """The spec for this sample: that of the discovery for the one that finds the others."""
        return self.discovery if message.discover and self.discovery is not None else self.spec


@dataclass
class PlannerDeps:
    """``now`` is aware UTC, ``elapsed_s`` a clock that only runs forward, ``wait`` a pause in seconds."""

    asks: Asks
    publishes: Publishes
    records: Records
    decider: Callable[[str], Decider]
    """The decider of that name; Unsupported where there is none."""
    default_planner: str
    now: Callable[[], datetime]
    elapsed_s: Callable[[], float]
    wait: Callable[[float], Awaitable[None]]
    blobs: Blobs | None = None
    """Where evidence puts what it lends. None: nothing is borrowed."""
    teacher: Teacher | None = None
    """None: nothing is learned."""
    drafter: Drafter | None = None
    """None: no task can be drafted."""
    lease_bound_s: float = 120.0
    """The longest that is waited for a browser session."""
    heartbeat_every_s: float = HEARTBEAT_EVERY_S
    """Between two heartbeats of a browser session that is held."""
    runs: dict[str, CheckedRun] = field(default_factory=dict[str, CheckedRun])

    def lease(self, request: LeaseSession) -> AbstractAsyncContextManager[ActiveLease | ProfilePaused]:
        """See :func:`shared.sessions.lease_session`."""
        return lease_session(
            self.asks,
            request,
            wait_bound_s=self.lease_bound_s,
            heartbeat_every_s=self.heartbeat_every_s,
            sleep=self.wait,
        )
