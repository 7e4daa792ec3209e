"""What the planner needs from outside: drivers, the bus, clocks and helpers of a model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from services.planner.model_tasks.drafting import Draft
from services.planner.model_tasks.memory import Transcript
from services.planner.state.attempt_state import Decision, SampleView
from services.planner.state.workflow_choice import WorkflowChoice
from services.planner.taking_over.sample_hold import SampleHold
from shared.bus.access.use import BusUse
from shared.bus.ports import Asks, Blobs, Publishes, Records, Seats
from shared.contracts.base import Usage
from shared.contracts.browser_pool import LeaseSession, Politeness, ProfilePaused
from shared.contracts.building import BuildDecided, DecideBuild
from shared.contracts.discovery import Problem, RunRecord
from shared.contracts.planner import WorkSample
from shared.contracts.workflows.library import WorkflowShown
from shared.flows.files import FlowFiles
from shared.sessions import HEARTBEAT_EVERY_S, ActiveLease, lease_session
from shared.streams import (
    ANSWERS,
    ARTIFACTS,
    FLOW_HEALS,
    MEMORY,
    OUTAGES,
    RUN_CONTROL,
    RUN_FLOWS,
    RUNS,
    SPENDING,
    WORKFLOW_CHOICES,
)
from shared.subjects import (
    ACT,
    BEGIN_FLOW,
    CAPTURE,
    CLAIM_PRESS,
    CONTROL_RUN,
    CREATE_WORKFLOW,
    DECIDE,
    END_FLOW,
    FETCH_RESPONSE,
    FOLLOW_SAMPLE,
    GET_WORKFLOW,
    HEARTBEAT,
    INVOKE_WORKFLOW,
    LEASE,
    LOAD_RESULT,
    LOAD_STEPS,
    NOTE_FLOW,
    OBSERVE,
    PROVIDE_ARTIFACT,
    RELEASE,
    RESTORE,
    RESUME_FLOW,
    SAMPLES_LISTED,
    SEARCH_WORKFLOWS,
    STEER_SAMPLE,
    STEP_TAKEN,
    VISION_ASK,
    WORK_SAMPLE,
)
from shared.task.allowed_hosts import allowed_hosts, private_hosts
from shared.task.spec import TaskSpec


class Driver(Protocol):
    """Decides the next action of a sample. `name` goes into the result: `rules`, or the name of the model."""

    @property
    def name(self) -> str: ...

    @property
    def asks_model(self) -> bool:
        """Whether decisions cost money: budgets apply, and questions about pictures may be asked."""
        ...

    def check(self) -> None:
        """Raise PermanentError, with a message for people, if the driver cannot work at all, such as without a key."""
        ...

    async def decide(self, view: SampleView) -> Decision:
        """Return the next action. Raises TransientError or PermanentError; an unusable reply is an `UnusableAnswer`."""
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...


@dataclass(frozen=True)
class LoadedFlow:
    """A version of a flow. ``data``: the whole of it as it is filed with the evidence (flow.json)."""

    files: FlowFiles
    data: bytes = b""


class FlowProgress(Protocol):
    """The flow among the drivers of a sample. ``may_ask``: a model may read pictures. ``filed_as``: flow.json of its
    version."""

    @property
    def may_ask(self) -> bool: ...
    @property
    def filed_as(self) -> bytes: ...


class Teacher(Protocol):
    """Derives lessons from the transcript of a sample."""

    async def distil(self, transcript: Transcript, /) -> tuple[object, Usage]:
        """Return the model's unchecked arguments and what the call cost. Raises TransientError or PermanentError."""
        ...


class Drafter(Protocol):
    """Drafts a task from a sentence."""

    @property
    def name(self) -> str: ...

    async def draft(self, request: str, /) -> tuple[Draft | None, tuple[Problem, ...], Usage]:
        """Return a valid draft or the problems of the last one, and the usage.

        Raises TransientError, or PermanentError without a key.
        """
        ...


class Librarian(Protocol):
    """Asks a model about workflows. ``name``: of the model."""

    @property
    def name(self) -> str: ...

    async def choose(
        self, spec: TaskSpec, candidates: Sequence[WorkflowShown], problems: Sequence[str], before: object, /
    ) -> tuple[object, Usage]:
        """Return the model's unchecked arguments and what the call cost. ``problems``: of its last answer, ``before``.
        Raises TransientError or PermanentError."""
        ...

    async def write(
        self, spec: TaskSpec, row: Mapping[str, str], steps: str, problems: Sequence[str], before: object, /
    ) -> tuple[object, Usage]:
        """Return the model's unchecked workflow. ``problems``: of its last answer, ``before``."""
        ...


class ElementFinder(Protocol):
    """Asks a model which element of a page a step of a flow means. ``name``: of the model."""

    @property
    def name(self) -> str: ...

    async def find_element(self, request: str, /) -> tuple[object, Usage]:
        """Return the model's unchecked arguments and what the call cost. Raises TransientError or PermanentError."""
        ...


class Builder(Protocol):
    """Decides the next move of a build session."""

    async def decide_build(self, asked: DecideBuild, spec: TaskSpec, /) -> BuildDecided:
        """Return the move, or why the answer could not be used. Raises TransientError or PermanentError."""
        ...


@dataclass(frozen=True)
class CheckedRun:
    """The record of a run with its checked specs."""

    record: RunRecord
    spec: TaskSpec
    discovery: TaskSpec | None = None

    def spec_of(self, message: WorkSample) -> TaskSpec:
        """Return the spec for this sample: the discovery spec for the sample that finds the others."""
        return self.discovery if message.discover and self.discovery is not None else self.spec


@dataclass
class PlannerDeps:
    """What the handlers need. `now` is aware UTC, `elapsed_s` a monotonic clock, `wait` a pause in seconds."""

    asks: Asks
    publishes: Publishes
    records: Records
    driver: Callable[[str], Driver]
    """Returns the driver of that name. Raises Unsupported if there is none."""
    default_planner: str
    now: Callable[[], datetime]
    elapsed_s: Callable[[], float]
    wait: Callable[[float], Awaitable[None]]
    blobs: Blobs | None = None
    """Where evidence puts the files that it lends. None: stored pages cannot be borrowed."""
    teacher: Teacher | None = None
    """None: no lessons are derived."""
    drafter: Drafter | None = None
    """None: no task can be drafted."""
    librarian: Librarian | None = None
    """None: no model is asked about workflows."""
    finder: ElementFinder | None = None
    """None: no model is asked about elements that a flow has lost."""
    builder: Builder | None = None
    """None: no model is asked in build sessions."""
    planner_id: str = ""
    """Instance id of this process, by which its steps and results name it."""
    lease_bound_s: float = 120.0
    """Timeout of the wait for a browser session."""
    seats: Seats | None = None
    """Where samples at work can be followed and taken over. None: they cannot."""
    at_work: dict[tuple[str, str], SampleHold] = field(default_factory=dict[tuple[str, str], SampleHold])
    """Run id and sample id to the hold of the attempt that is at work."""
    heartbeat_every_s: float = HEARTBEAT_EVERY_S
    """Interval between heartbeats of a leased browser session."""
    runs: dict[str, CheckedRun] = field(default_factory=dict[str, CheckedRun])
    choices: dict[str, WorkflowChoice] = field(default_factory=dict[str, WorkflowChoice])
    """Run id to its workflow, of runs in `runs`."""
    compiled: dict[str, WorkflowChoice] = field(default_factory=dict[str, WorkflowChoice])
    """Run id to the flow that was compiled of its first samples, of runs in `runs`."""
    flows: dict[str, LoadedFlow] = field(default_factory=dict[str, LoadedFlow])
    """The flows of runs, by the hash of their version."""
    choosing: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])
    """Run id to the lock that is held while its workflow is chosen."""

    @contextmanager
    def work_on(self, work: WorkSample, hold: SampleHold) -> Generator[None]:
        """Answer within the block who follows the sample, or takes it over."""
        key = (work.run_id, work.sample_id)
        self.at_work[key] = hold
        for subject in (FOLLOW_SAMPLE, STEER_SAMPLE):
            if self.seats is not None:
                self.seats.take_seat(subject, *key)
        try:
            yield
        finally:
            hold.end()
            if self.at_work.get(key) is hold:
                del self.at_work[key]
            for subject in (FOLLOW_SAMPLE, STEER_SAMPLE):
                if self.seats is not None:
                    self.seats.leave_seat(subject, *key)

    def lease(self, request: LeaseSession) -> AbstractAsyncContextManager[ActiveLease | ProfilePaused]:
        """Lease a browser session, see :func:`shared.sessions.lease_session`."""
        return lease_session(
            self.asks,
            request,
            wait_bound_s=self.lease_bound_s,
            heartbeat_every_s=self.heartbeat_every_s,
            sleep=self.wait,
        )


def lease_request(spec: TaskSpec, work: WorkSample) -> LeaseSession:
    """Return the request for a browser session that may do what the task may do."""
    return LeaseSession(
        run_id=work.run_id,
        sample_id=work.sample_id,
        auth_profile=spec.auth_profile,
        auth_concurrency=spec.auth_concurrency if spec.auth_profile is not None else 0,
        allowed_hosts=allowed_hosts(spec, work.sample),
        private_hosts=private_hosts(spec),
        secrets=tuple(spec.secrets),
        politeness=Politeness(**spec.politeness.model_dump()),
        guarded=True,
    )


BUS_USE = BusUse(
    asks=(
        LEASE,
        HEARTBEAT,
        RELEASE,
        OBSERVE,
        ACT,
        CAPTURE,
        RESTORE,
        FETCH_RESPONSE,
        CLAIM_PRESS,
        CONTROL_RUN,
        DECIDE,
        VISION_ASK,
        LOAD_RESULT,
        LOAD_STEPS,
        PROVIDE_ARTIFACT,
        NOTE_FLOW,
        CREATE_WORKFLOW,
        GET_WORKFLOW,
        SEARCH_WORKFLOWS,
        INVOKE_WORKFLOW,
        BEGIN_FLOW,
        RESUME_FLOW,
        END_FLOW,
    ),
    publishes=(
        STEP_TAKEN,
        SAMPLES_LISTED,
        WORK_SAMPLE,
    ),
    reads=(
        RUNS,
        RUN_CONTROL,
    ),
    records=(
        MEMORY,
        SPENDING,
        OUTAGES,
        RUN_FLOWS,
        FLOW_HEALS,
        WORKFLOW_CHOICES,
    ),
    gets=(ANSWERS, ARTIFACTS),
    puts=(ARTIFACTS,),
    removes=(ANSWERS,),
)
"""What the service does on the bus besides what its actor says; its rights follow from it."""
