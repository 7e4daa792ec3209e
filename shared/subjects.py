"""Every subject, with its message types.

    exhibit.v1.<kind>.<owner>.<noun>.<verb>[.<key>...]

``ask`` is request and reply, nothing stored; ``cmd`` goes to a work-queue stream, one owner; ``evt`` is past tense on a
limits stream, many readers; ``dlq`` stores messages that were given up. The keys are attributes of the message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from shared.contracts.base import Message
from shared.contracts.browser.live import WatchReply, WatchSample
from shared.contracts.browser.logins import AccessChecked, CheckAccess, SaveProfile, SaveReply
from shared.contracts.browser.responses import FetchReply, FetchResponse
from shared.contracts.browser.stored_pages import RestorePage, RestoreReply
from shared.contracts.browser_pool import (
    ActOnPage,
    CapturePage,
    KeepSession,
    LeaseReply,
    LeaseSession,
    ObservePage,
    PageCaptured,
    PageObserved,
    ReleaseSession,
    SessionKept,
    SessionReleased,
)
from shared.contracts.building import BuildDecided, DecideBuild
from shared.contracts.comparing import CompareRuns, ComparisonTold
from shared.contracts.discovery import (
    InputStored,
    PopulationClosed,
    RunStarted,
    Sample,
    SampleFound,
    StoreInput,
    SubmissionRejected,
    SubmitReply,
    SubmitRun,
)
from shared.contracts.evidence import (
    AnswerPart,
    AskSql,
    ClaimPress,
    EvidenceBlocked,
    FindRuns,
    LoadAnswer,
    LoadReply,
    LoadResult,
    LoadRun,
    LoadSteps,
    PressHeld,
    ProvideArtifact,
    ProvideReply,
    ResultReply,
    RunFinished,
    RunsFound,
    SqlReply,
    StepsReply,
)
from shared.contracts.operator import DecisionAsked, DecisionReply
from shared.contracts.planner import (
    CheckPlanner,
    DraftReply,
    DraftTask,
    PlannerChecked,
    SampleFinished,
    SamplesListed,
    WorkSample,
)
from shared.contracts.reperform import Reperform, SampleReperformed
from shared.contracts.results import ActionResult
from shared.contracts.scheduling import AddSchedule, ChangeSchedule, ListSchedules, ScheduleReply, SchedulesListed
from shared.contracts.sessions.control import ControlReply, ControlRun, RunControlled
from shared.contracts.sessions.events import EventsReply, FollowRun, LoadEvents, RunFollowed
from shared.contracts.sessions.reviewing import (
    DecideReply,
    DecideReview,
    LoadReview,
    ReviewReply,
    ReviewSignedOff,
)
from shared.contracts.sessions.settling import SampleSettled, SettleReply, SettleSample
from shared.contracts.sessions.status import LoadStatus, StatusReply
from shared.contracts.sessions.tagging import TagReply, TagRun
from shared.contracts.sessions.taking_over import FollowSample, SampleAtWork, SteerReply, SteerSample
from shared.contracts.sessions.webhooks import DeliverWebhook
from shared.contracts.steps import StepTaken
from shared.contracts.tried import TryList, TryListReply, TryReply, TrySample
from shared.contracts.vision import AskVision, VisionAnswered
from shared.contracts.workflows import library
from shared.contracts.workflows.artifacts import (
    ArtifactDeleted,
    ArtifactLoaded,
    ArtifactSaved,
    ArtifactsListed,
    DeleteArtifact,
    ListArtifacts,
    LoadArtifact,
    SaveArtifact,
)
from shared.contracts.workflows.builds import (
    BuildsListed,
    DoInBuild,
    DoReply,
    FollowBuild,
    FollowReply,
    ListBuilds,
    LoadBuildFile,
    LoadFileReply,
    OpenBuild,
    OpenReply,
    ReadBuild,
    ReadBuildFile,
    ReadReply,
    StoreBuildFile,
    StoreReply,
)
from shared.contracts.workflows.flows import BeginFlow, EndFlow, FlowEnded, FlowReply, ResumeFlow
from shared.contracts.workflows.heals import FlowFinished, FlowNoted
from shared.contracts.workflows.invocations import InvokeWorkflow, RunCode, WorkflowRan

PREFIX = "exhibit.v1"

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
MsgT = TypeVar("MsgT", bound=Message)


@dataclass(frozen=True)
class Ask(Generic[ReqT, RepT]):
    """Request and reply. ``keys`` are attributes of the request that select the instance that answers.

    ``repeatable``: to ask twice does no more than to ask once, so that it is asked again where the connection is lost.
    ``held``: the keys name no instance but what is asked about, such as a sample at work; only who has it listens.
    """

    pattern: str
    request: type[ReqT]
    reply: Any  # the type form; a union is not a `type`
    keys: tuple[str, ...] = ()
    repeatable: bool = False
    held: bool = False


@dataclass(frozen=True)
class Stored(Generic[MsgT]):
    """A command or an event. Its message id is made of the attributes in ``identity``, so that a repeat counts once.

    ``signers``: the services that may send it, each of which signs what it sends; empty: it is not signed.
    """

    pattern: str
    message: type[MsgT]
    keys: tuple[str, ...]
    identity: tuple[str, ...]
    signers: tuple[str, ...] = ()


def subject_for(subject: Ask[Any, Any] | Stored[Any], message: Message) -> str:
    """Return the concrete subject of ``message``."""
    return ".".join((subject.pattern, *(str(getattr(message, key)) for key in subject.keys)))


def is_token(text: str) -> bool:
    """Return whether a text can be one part of a subject."""
    return bool(text) and not any(char in ".*>" or char.isspace() for char in text)


def pattern_of(where: str) -> str:
    """Return the pattern of a concrete subject."""
    return ".".join(where.split(".")[:6])


def any_of(subject: Stored[Any]) -> str:
    """Return the wildcard subject of all messages of this kind."""
    return subject.pattern + ".*" * len(subject.keys)


def message_id(subject: Stored[Any], message: Message) -> str:
    """Return the ``Nats-Msg-Id``: equal for two messages that state the same fact."""
    verb = subject.pattern.removeprefix(PREFIX + ".")
    return "/".join((verb, *(str(getattr(message, part)) for part in subject.identity)))


SUBMIT_RUN: Ask[SubmitRun, SubmitReply] = Ask(
    f"{PREFIX}.ask.discovery.run.submit", SubmitRun, SubmitReply, repeatable=True
)

STORE_INPUT: Ask[StoreInput, InputStored] = Ask(
    f"{PREFIX}.ask.discovery.input.store", StoreInput, InputStored, repeatable=True
)
CONTROL_RUN: Ask[ControlRun, ControlReply] = Ask(
    f"{PREFIX}.ask.discovery.run.control", ControlRun, ControlReply, repeatable=True
)
ADD_SCHEDULE: Ask[AddSchedule, ScheduleReply] = Ask(f"{PREFIX}.ask.discovery.schedule.add", AddSchedule, ScheduleReply)
LIST_SCHEDULES: Ask[ListSchedules, SchedulesListed] = Ask(
    f"{PREFIX}.ask.discovery.schedules.list", ListSchedules, SchedulesListed, repeatable=True
)
CHANGE_SCHEDULE: Ask[ChangeSchedule, ScheduleReply] = Ask(
    f"{PREFIX}.ask.discovery.schedule.change", ChangeSchedule, ScheduleReply
)
LEASE: Ask[LeaseSession, LeaseReply] = Ask(f"{PREFIX}.ask.browser_pool.session.lease", LeaseSession, LeaseReply)
OBSERVE: Ask[ObservePage, PageObserved] = Ask(
    f"{PREFIX}.ask.browser_pool.page.observe", ObservePage, PageObserved, ("instance_id",), repeatable=True
)
ACT: Ask[ActOnPage, ActionResult] = Ask(
    f"{PREFIX}.ask.browser_pool.page.act", ActOnPage, ActionResult, ("instance_id",)
)
CAPTURE: Ask[CapturePage, PageCaptured] = Ask(
    f"{PREFIX}.ask.browser_pool.page.capture", CapturePage, PageCaptured, ("instance_id",)
)
RESTORE: Ask[RestorePage, RestoreReply] = Ask(
    f"{PREFIX}.ask.browser_pool.page.restore", RestorePage, RestoreReply, ("instance_id",)
)
FETCH_RESPONSE: Ask[FetchResponse, FetchReply] = Ask(
    f"{PREFIX}.ask.browser_pool.response.fetch", FetchResponse, FetchReply, ("instance_id",)
)
RELEASE: Ask[ReleaseSession, SessionReleased] = Ask(
    f"{PREFIX}.ask.browser_pool.session.release", ReleaseSession, SessionReleased, ("instance_id",), repeatable=True
)
HEARTBEAT: Ask[KeepSession, SessionKept] = Ask(
    f"{PREFIX}.ask.browser_pool.session.keep", KeepSession, SessionKept, ("instance_id",), repeatable=True
)
CHECK_ACCESS: Ask[CheckAccess, AccessChecked] = Ask(
    f"{PREFIX}.ask.browser_pool.access.check", CheckAccess, AccessChecked, repeatable=True
)
WATCH_SAMPLE: Ask[WatchSample, WatchReply] = Ask(
    f"{PREFIX}.ask.browser_pool.sample.watch", WatchSample, WatchReply, ("run_id", "sample_id"), held=True
)
SAVE_PROFILE: Ask[SaveProfile, SaveReply] = Ask(
    f"{PREFIX}.ask.browser_pool.profile.save", SaveProfile, SaveReply, ("instance_id",)
)

LOAD_RUN: Ask[LoadRun, LoadReply] = Ask(f"{PREFIX}.ask.evidence.run.load", LoadRun, LoadReply, repeatable=True)
FIND_RUNS: Ask[FindRuns, RunsFound] = Ask(f"{PREFIX}.ask.evidence.runs.find", FindRuns, RunsFound, repeatable=True)
LOAD_EVENTS: Ask[LoadEvents, EventsReply] = Ask(
    f"{PREFIX}.ask.evidence.events.load", LoadEvents, EventsReply, repeatable=True
)
FOLLOW_RUN: Ask[FollowRun, RunFollowed] = Ask(
    f"{PREFIX}.ask.evidence.run.follow", FollowRun, RunFollowed, repeatable=True
)
LOAD_STATUS: Ask[LoadStatus, StatusReply] = Ask(
    f"{PREFIX}.ask.evidence.status.load", LoadStatus, StatusReply, repeatable=True
)
LOAD_STEPS: Ask[LoadSteps, StepsReply] = Ask(
    f"{PREFIX}.ask.evidence.steps.load", LoadSteps, StepsReply, repeatable=True
)
SETTLE_SAMPLE: Ask[SettleSample, SettleReply] = Ask(f"{PREFIX}.ask.evidence.sample.settle", SettleSample, SettleReply)
TAG_RUN: Ask[TagRun, TagReply] = Ask(f"{PREFIX}.ask.evidence.run.tag", TagRun, TagReply, repeatable=True)
DECIDE_REVIEW: Ask[DecideReview, DecideReply] = Ask(
    f"{PREFIX}.ask.evidence.review.decide", DecideReview, DecideReply, repeatable=True
)
LOAD_REVIEW: Ask[LoadReview, ReviewReply] = Ask(
    f"{PREFIX}.ask.evidence.review.load", LoadReview, ReviewReply, repeatable=True
)
COMPARE_RUNS: Ask[CompareRuns, ComparisonTold] = Ask(
    f"{PREFIX}.ask.evidence.runs.compare", CompareRuns, ComparisonTold, repeatable=True
)
ASK_SQL: Ask[AskSql, SqlReply] = Ask(f"{PREFIX}.ask.evidence.sql.ask", AskSql, SqlReply, repeatable=True)
LOAD_ANSWER: Ask[LoadAnswer, AnswerPart] = Ask(
    f"{PREFIX}.ask.evidence.answer.load", LoadAnswer, AnswerPart, repeatable=True
)
LOAD_RESULT: Ask[LoadResult, ResultReply] = Ask(
    f"{PREFIX}.ask.evidence.result.load", LoadResult, ResultReply, repeatable=True
)
PROVIDE_ARTIFACT: Ask[ProvideArtifact, ProvideReply] = Ask(
    f"{PREFIX}.ask.evidence.artifact.lend", ProvideArtifact, ProvideReply, repeatable=True
)

SAVE_ARTIFACT: Ask[SaveArtifact, ArtifactSaved] = Ask(
    f"{PREFIX}.ask.evidence.artifact.save", SaveArtifact, ArtifactSaved
)
LOAD_ARTIFACT: Ask[LoadArtifact, ArtifactLoaded] = Ask(
    f"{PREFIX}.ask.evidence.artifact.load", LoadArtifact, ArtifactLoaded, repeatable=True
)
LIST_ARTIFACTS: Ask[ListArtifacts, ArtifactsListed] = Ask(
    f"{PREFIX}.ask.evidence.artifact.list", ListArtifacts, ArtifactsListed, repeatable=True
)
DELETE_ARTIFACT: Ask[DeleteArtifact, ArtifactDeleted] = Ask(
    f"{PREFIX}.ask.evidence.artifact.delete", DeleteArtifact, ArtifactDeleted
)

DECIDE: Ask[DecisionAsked, DecisionReply] = Ask(f"{PREFIX}.ask.operator.decision.decide", DecisionAsked, DecisionReply)

VISION_ASK: Ask[AskVision, VisionAnswered] = Ask(f"{PREFIX}.ask.vision.question.answer", AskVision, VisionAnswered)

CHECK_PLANNER: Ask[CheckPlanner, PlannerChecked] = Ask(
    f"{PREFIX}.ask.planner.decider.check", CheckPlanner, PlannerChecked, repeatable=True
)
DRAFT_TASK: Ask[DraftTask, DraftReply] = Ask(f"{PREFIX}.ask.planner.task.draft", DraftTask, DraftReply)

DECIDE_BUILD: Ask[DecideBuild, BuildDecided] = Ask(f"{PREFIX}.ask.planner.build.decide", DecideBuild, BuildDecided)

FOLLOW_SAMPLE: Ask[FollowSample, SampleAtWork] = Ask(
    f"{PREFIX}.ask.planner.sample.follow", FollowSample, SampleAtWork, ("run_id", "sample_id"), held=True
)
STEER_SAMPLE: Ask[SteerSample, SteerReply] = Ask(
    f"{PREFIX}.ask.planner.sample.steer", SteerSample, SteerReply, ("run_id", "sample_id"), held=True
)
TRY_SAMPLE: Ask[TrySample, TryReply] = Ask(f"{PREFIX}.ask.planner.sample.try", TrySample, TryReply)
TRY_LIST: Ask[TryList, TryListReply] = Ask(f"{PREFIX}.ask.planner.list.try", TryList, TryListReply)
REPERFORM: Ask[Reperform, SampleReperformed] = Ask(
    f"{PREFIX}.ask.planner.sample.reperform", Reperform, SampleReperformed
)

CLAIM_PRESS: Ask[ClaimPress, PressHeld] = Ask(
    f"{PREFIX}.ask.evidence.press.claim", ClaimPress, PressHeld, repeatable=True
)
CREATE_WORKFLOW: Ask[library.CreateWorkflow, library.CreateReply] = Ask(
    f"{PREFIX}.ask.workflows.workflow.create", library.CreateWorkflow, library.CreateReply
)
LIST_WORKFLOWS: Ask[library.ListWorkflows, library.WorkflowsListed] = Ask(
    f"{PREFIX}.ask.workflows.workflow.list", library.ListWorkflows, library.WorkflowsListed, repeatable=True
)
GET_WORKFLOW: Ask[library.GetWorkflow, library.GetReply] = Ask(
    f"{PREFIX}.ask.workflows.workflow.get", library.GetWorkflow, library.GetReply, repeatable=True
)
SEARCH_WORKFLOWS: Ask[library.SearchWorkflows, library.WorkflowsFound] = Ask(
    f"{PREFIX}.ask.workflows.workflow.search", library.SearchWorkflows, library.WorkflowsFound, repeatable=True
)
DELETE_WORKFLOW: Ask[library.DeleteWorkflow, library.WorkflowDeleted] = Ask(
    f"{PREFIX}.ask.workflows.workflow.delete", library.DeleteWorkflow, library.WorkflowDeleted
)
LOAD_SAMPLES: Ask[library.LoadSamples, library.SamplesReply] = Ask(
    f"{PREFIX}.ask.workflows.samples.load", library.LoadSamples, library.SamplesReply, repeatable=True
)
LOAD_HISTORY: Ask[library.LoadHistory, library.HistoryLoaded] = Ask(
    f"{PREFIX}.ask.workflows.history.load", library.LoadHistory, library.HistoryLoaded, repeatable=True
)
INVOKE_WORKFLOW: Ask[InvokeWorkflow, WorkflowRan] = Ask(
    f"{PREFIX}.ask.workflows.workflow.invoke", InvokeWorkflow, WorkflowRan
)
RUN_CODE: Ask[RunCode, WorkflowRan] = Ask(f"{PREFIX}.ask.workflows.code.run", RunCode, WorkflowRan)
BEGIN_FLOW: Ask[BeginFlow, FlowReply] = Ask(f"{PREFIX}.ask.workflows.flow.begin", BeginFlow, FlowReply)
RESUME_FLOW: Ask[ResumeFlow, FlowReply] = Ask(
    f"{PREFIX}.ask.workflows.flow.resume", ResumeFlow, FlowReply, ("instance_id",)
)
END_FLOW: Ask[EndFlow, FlowEnded] = Ask(f"{PREFIX}.ask.workflows.flow.end", EndFlow, FlowEnded, ("instance_id",))

NOTE_FLOW: Ask[FlowFinished, FlowNoted] = Ask(f"{PREFIX}.ask.workflows.flow.note", FlowFinished, FlowNoted)

OPEN_BUILD: Ask[OpenBuild, OpenReply] = Ask(f"{PREFIX}.ask.workflows.build.open", OpenBuild, OpenReply, repeatable=True)
DO_IN_BUILD: Ask[DoInBuild, DoReply] = Ask(
    f"{PREFIX}.ask.workflows.build.do", DoInBuild, DoReply, ("instance_id",), repeatable=True
)
FOLLOW_BUILD: Ask[FollowBuild, FollowReply] = Ask(
    f"{PREFIX}.ask.workflows.build.follow", FollowBuild, FollowReply, ("instance_id",), repeatable=True
)
STORE_BUILD_FILE: Ask[StoreBuildFile, StoreReply] = Ask(
    f"{PREFIX}.ask.workflows.build_file.store", StoreBuildFile, StoreReply, ("instance_id",), repeatable=True
)
LOAD_BUILD_FILE: Ask[LoadBuildFile, LoadFileReply] = Ask(
    f"{PREFIX}.ask.workflows.build_file.load", LoadBuildFile, LoadFileReply, ("instance_id",), repeatable=True
)

LIST_BUILDS: Ask[ListBuilds, BuildsListed] = Ask(
    f"{PREFIX}.ask.workflows.build.list", ListBuilds, BuildsListed, repeatable=True
)
READ_BUILD: Ask[ReadBuild, ReadReply] = Ask(f"{PREFIX}.ask.workflows.build.read", ReadBuild, ReadReply, repeatable=True)
READ_BUILD_FILE: Ask[ReadBuildFile, LoadFileReply] = Ask(
    f"{PREFIX}.ask.workflows.build_file.read", ReadBuildFile, LoadFileReply, repeatable=True
)

WORK_SAMPLE: Stored[WorkSample] = Stored(
    f"{PREFIX}.cmd.planner.sample.work",
    WorkSample,
    ("run_id", "sample_id"),
    ("run_id", "sample_id", "attempt_base", "again"),
)


def work_id(run_id: str, sample: Sample, attempt_base: int) -> str:
    """Return the id under which the work on a sample is marked once it was handled in a round."""
    work = WorkSample(run_id=run_id, sample_id=sample.sample_id, sample=sample, attempt_base=attempt_base)
    return message_id(WORK_SAMPLE, work)


DELIVER_WEBHOOK: Stored[DeliverWebhook] = Stored(
    f"{PREFIX}.cmd.evidence.webhook.deliver", DeliverWebhook, ("run_id",), ("run_id", "attempt_base")
)

RUN_STARTED: Stored[RunStarted] = Stored(
    f"{PREFIX}.evt.discovery.run.started", RunStarted, ("run_id",), ("run_id", "attempt_base"), ("discovery",)
)
RUN_REJECTED: Stored[SubmissionRejected] = Stored(
    f"{PREFIX}.evt.discovery.run.rejected", SubmissionRejected, ("run_id",), ("run_id",)
)
RUN_CONTROLLED: Stored[RunControlled] = Stored(
    f"{PREFIX}.evt.discovery.run.controlled", RunControlled, ("run_id",), ("run_id", "number"), ("discovery",)
)
SAMPLE_FOUND: Stored[SampleFound] = Stored(
    f"{PREFIX}.evt.discovery.sample.found",
    SampleFound,
    ("run_id", "sample_id"),
    ("run_id", "sample_id"),
    ("discovery",),
)
POPULATION_CLOSED: Stored[PopulationClosed] = Stored(
    f"{PREFIX}.evt.discovery.population.closed",
    PopulationClosed,
    ("run_id",),
    ("run_id", "attempt_base"),
    ("discovery",),
)
STEP_TAKEN: Stored[StepTaken] = Stored(
    f"{PREFIX}.evt.planner.step.taken",
    StepTaken,
    ("run_id", "sample_id"),
    ("run_id", "sample_id", "attempt", "step"),
    ("planner",),
)
SAMPLES_LISTED: Stored[SamplesListed] = Stored(
    f"{PREFIX}.evt.planner.samples.listed", SamplesListed, ("run_id",), ("run_id", "attempt", "step"), ("planner",)
)
SAMPLE_FINISHED: Stored[SampleFinished] = Stored(
    f"{PREFIX}.evt.planner.sample.finished",
    SampleFinished,
    ("run_id", "sample_id"),
    ("run_id", "sample_id", "attempt"),
    ("planner", "evidence"),
)
RUN_FINISHED: Stored[RunFinished] = Stored(
    f"{PREFIX}.evt.evidence.run.finished",
    RunFinished,
    ("run_id",),
    ("run_id", "attempt_base", "settlements", "reviewed"),
    ("evidence",),
)
SAMPLE_SETTLED: Stored[SampleSettled] = Stored(
    f"{PREFIX}.evt.evidence.sample.settled",
    SampleSettled,
    ("run_id", "sample_id"),
    ("run_id", "sample_id", "attempt", "number"),
    ("evidence",),
)
REVIEW_SIGNED_OFF: Stored[ReviewSignedOff] = Stored(
    f"{PREFIX}.evt.evidence.review.signed_off", ReviewSignedOff, ("run_id",), ("run_id", "number"), ("evidence",)
)
EVIDENCE_BLOCKED: Stored[EvidenceBlocked] = Stored(
    f"{PREFIX}.evt.evidence.write.blocked", EvidenceBlocked, ("run_id", "sample_id"), ("run_id", "sample_id", "at")
)

EVENTS: tuple[Stored[Any], ...] = (
    RUN_STARTED,
    RUN_REJECTED,
    RUN_CONTROLLED,
    SAMPLE_FOUND,
    POPULATION_CLOSED,
    STEP_TAKEN,
    SAMPLES_LISTED,
    SAMPLE_FINISHED,
    RUN_FINISHED,
    SAMPLE_SETTLED,
    REVIEW_SIGNED_OFF,
    EVIDENCE_BLOCKED,
)
"""All events of a run."""
SIGNING = frozenset(signer for subject in EVENTS for signer in subject.signers)
"""The services that sign some of what they send."""
RunEvent = (
    RunStarted
    | SubmissionRejected
    | RunControlled
    | SampleFound
    | PopulationClosed
    | StepTaken
    | SamplesListed
    | SampleFinished
    | RunFinished
    | SampleSettled
    | ReviewSignedOff
    | EvidenceBlocked
)
"""A message of any of these subjects."""


def subjects_of_run(run_id: str, subjects: tuple[Stored[Any], ...] = EVENTS) -> list[str]:
    """Return the subjects of the events of one run."""
    return [".".join((one.pattern, run_id, *("*" for _ in one.keys[1:]))) for one in subjects]


def ends_of_run(run_id: str) -> list[str]:
    """Return the subjects of the events that say that a round of a run has ended."""
    return subjects_of_run(run_id, (RUN_FINISHED,))


def any_of_run(run_id: str) -> list[str]:
    """Return wildcard subjects of all events of one run, of kinds too that are not known here."""
    return [f"{PREFIX}.evt.*.*.*.{run_id}", f"{PREFIX}.evt.*.*.*.{run_id}.>"]


DEAD_LETTERS = f"{PREFIX}.dlq"
