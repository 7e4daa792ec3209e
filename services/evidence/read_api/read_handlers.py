"""Answers questions about runs and samples. Nothing is changed by them."""

from __future__ import annotations

from services.evidence.deps import EvidenceDeps
from services.evidence.read_api.answers import read_answer_part
from services.evidence.read_api.events import read_event_log, read_followed
from services.evidence.read_api.find_runs import find_known_runs
from services.evidence.read_api.run_status import read_status
from services.evidence.read_api.samples import copy_artifact, read_result, read_steps
from services.evidence.state.reply_pages import first_page
from services.evidence.state.run_state import asked_samples
from shared.bus.actor import Actor
from shared.contracts.evidence import (
    AnswerPart,
    AskSql,
    FindRuns,
    LoadAnswer,
    LoadReply,
    LoadResult,
    LoadRun,
    LoadSteps,
    ProvideArtifact,
    ProvideReply,
    ResultReply,
    RunLoaded,
    RunsFound,
    RunUnknown,
    SqlReply,
    StepsReply,
)
from shared.contracts.sessions.events import EventsReply, FollowRun, LoadEvents, RunFollowed
from shared.contracts.sessions.status import LoadStatus, StatusReply
from shared.errors import Unsupported
from shared.evidence_format import layout
from shared.subjects import (
    ASK_SQL,
    FIND_RUNS,
    FOLLOW_RUN,
    LOAD_ANSWER,
    LOAD_EVENTS,
    LOAD_RESULT,
    LOAD_RUN,
    LOAD_STATUS,
    LOAD_STEPS,
    PROVIDE_ARTIFACT,
)
from shared.text.names import DISCOVERY

SQL_DEADLINE_S = 600.0
"""The query itself has 120 s. Before it, the files of an unfinished run may have to be read."""
PROVIDE_DEADLINE_S = 120.0

reads: Actor[EvidenceDeps] = Actor("evidence")


@reads.answers(LOAD_STATUS, deadline_s=60.0, paced=1)
async def load_status(request: LoadStatus, deps: EvidenceDeps) -> StatusReply:
    """Return the status record of a run, with a page of what its samples brought."""
    state = await deps.ledger.find(request.run_id)
    if state is None:
        return RunUnknown(run_id=request.run_id, message=layout.no_run(request.run_id, deps.store.location("")))
    return await read_status(deps, state, request.skip)


@reads.answers(LOAD_EVENTS, deadline_s=60.0, paced=1)
async def load_events(request: LoadEvents, deps: EvidenceDeps) -> EventsReply:
    """Return a page of the event log of a run, from any index on."""
    if deps.events is None:
        raise Unsupported("this service does not read the event log")
    return await read_event_log(deps, deps.events, request)


@reads.answers(FOLLOW_RUN, deadline_s=60.0, paced=1)
async def follow_run(request: FollowRun, deps: EvidenceDeps) -> RunFollowed:
    """Return the events of a run as they are stored, after any of them."""
    if deps.events is None:
        raise Unsupported("this service does not read the events of the bus")
    return await read_followed(deps.events, request)


@reads.answers(LOAD_ANSWER, deadline_s=60.0, paced=1)
async def load_answer(request: LoadAnswer, deps: EvidenceDeps) -> AnswerPart:
    """Return a part of the answer to a query."""
    return await read_answer_part(request, deps.blobs)


@reads.answers(LOAD_RUN, deadline_s=60.0, paced=1)
async def load_run(request: LoadRun, deps: EvidenceDeps) -> LoadReply:
    """Return the state of a run and a page of its samples, for resuming it."""
    state = await deps.ledger.find(request.run_id)
    if state is None:
        return RunUnknown(run_id=request.run_id, message=layout.no_run(request.run_id, deps.store.location("")))
    samples, fitting = (iter(()), 0) if request.count_only else asked_samples(state, request)
    return RunLoaded(
        record=state.record,
        attempt_base=state.attempt_base,
        expected=state.expected,
        samples=await deps.ledger.with_attempts(request.run_id, first_page(samples)),
        total=len(state.samples),
        finished=state.finished,
        location=deps.store.location(layout.run_key(request.run_id)),
        population_complete=state.population_complete,
        latest_attempt=deps.refused_results.latest_attempt(request.run_id),
        tags=()
        if request.count_only or request.beside or (request.skip and not request.limit)
        else await deps.tags.of(request.run_id),
        fitting=fitting,
        discovery_attempt=await deps.ledger.latest_attempt(request.run_id, DISCOVERY) if state.discovers else 0,
    )


@reads.answers(FIND_RUNS, deadline_s=60.0, paced=1)
async def find_runs(request: FindRuns, deps: EvidenceDeps) -> RunsFound:
    """Find the runs of a task and an input, so that an interrupted one can be resumed."""
    return await find_known_runs(deps.store, request)


@reads.answers(LOAD_STEPS, deadline_s=60.0)
async def load_steps(request: LoadSteps, deps: EvidenceDeps) -> StepsReply:
    """Return a page of the step log of one attempt, for replaying it."""
    state = await deps.ledger.find(request.run_id)
    return await read_steps(deps, state, request)


@reads.answers(LOAD_RESULT)
async def load_result(request: LoadResult, deps: EvidenceDeps) -> ResultReply:
    """Return the result of a sample, for extracting its values again."""
    state = await deps.ledger.find(request.run_id)
    return await read_result(deps, state, request)


@reads.answers(PROVIDE_ARTIFACT, deadline_s=PROVIDE_DEADLINE_S)
async def provide_artifact(request: ProvideArtifact, deps: EvidenceDeps) -> ProvideReply:
    """Copy an artifact, as it is stored now, to the bus, for reading it again."""
    return await copy_artifact(deps, request)


# Even `SELECT 1` takes 30 times the processor time of a cheap ask: 18 ms, most of it for the process that it runs in.
@reads.answers(ASK_SQL, deadline_s=SQL_DEADLINE_S, paced=30)
async def ask_sql(request: AskSql, deps: EvidenceDeps) -> SqlReply:
    """Answer a query over the evidence. Read-only."""
    if deps.questions is None:
        raise Unsupported("this service does not answer in SQL")
    return await deps.questions.answer(request)
