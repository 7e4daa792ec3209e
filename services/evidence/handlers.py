"""The actor: writes events as evidence in the order in which they happened, and answers questions about runs.

Each handler is idempotent. It may run twice for one event, after a crash between writing and acknowledging, and leaves
the same files.
"""

from __future__ import annotations

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.ingest.admit import (
    admit_population,
    admit_result,
    admit_sample,
    admit_start,
    admit_step,
    refuse,
)
from services.evidence.ingest.filing import (
    note_pause,
    remove_stored_blobs,
    store_artifact,
    store_lessons,
    store_register,
)
from services.evidence.ingest.presses import hold_press
from services.evidence.ingest.review_decisions import close_review, take_decision
from services.evidence.lifecycle import attempt_log, close_run_if_complete
from services.evidence.read_api.read_handlers import reads
from services.evidence.read_api.review_state import load_review_state
from services.evidence.read_api.run_status import read_status
from services.evidence.seal.run_seal import archive_sealed_round, remark_if_unsealed
from services.evidence.seal.sample_seal import seal_sample
from services.evidence.settlements import file_settlement, take_settlement
from services.evidence.state.file_contents import AttemptLog, listed_result_file, result_file, sample_file, samples_csv
from services.evidence.state.run_state import RunState, parse_sample_end
from services.evidence.step_files import merge_step_files, write_step
from shared.bus.actor import Actor
from shared.contracts.comparing import CompareRuns, ComparisonTold
from shared.contracts.discovery import PopulationClosed, RunStarted, SampleFound
from shared.contracts.evidence import (
    ClaimPress,
    PressHeld,
    RunFinished,
)
from shared.contracts.planner import SampleFinished
from shared.contracts.sessions.control import RunControlled
from shared.contracts.sessions.reviewing import (
    DecideReply,
    DecideReview,
    LoadReview,
    ReviewReply,
    ReviewSignedOff,
)
from shared.contracts.sessions.settling import SampleSettled, SettleReply, SettleSample
from shared.contracts.sessions.tagging import TagReply, TagRun
from shared.contracts.sessions.webhooks import DeliverWebhook
from shared.contracts.steps import StepTaken
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
from shared.errors import InvalidMessage, PermanentError
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.log_codec import chain_entry, entry_of
from shared.streams import DELIVERY_QUEUES
from shared.subjects import (
    CLAIM_PRESS,
    COMPARE_RUNS,
    DECIDE_REVIEW,
    DELETE_ARTIFACT,
    DELIVER_WEBHOOK,
    LIST_ARTIFACTS,
    LOAD_ARTIFACT,
    LOAD_REVIEW,
    POPULATION_CLOSED,
    REVIEW_SIGNED_OFF,
    RUN_CONTROLLED,
    RUN_FINISHED,
    RUN_STARTED,
    SAMPLE_FINISHED,
    SAMPLE_FOUND,
    SAMPLE_SETTLED,
    SAVE_ARTIFACT,
    SETTLE_SAMPLE,
    STEP_TAKEN,
    TAG_RUN,
)

UNLIMITED_ATTEMPTS = None
"""Writing evidence is never given up: it waits until a full disk has room again."""
BIG_FILE_DEADLINE_S = 120.0
CLOSE_RUN_DEADLINE_S = 1800.0
"""Deadline of events that may close a run: tables, report and seal cover all samples, up to 10,000 with screenshots."""
WEBHOOK_DEADLINE_S = 60.0
"""One attempt has 30 s."""

actor: Actor[EvidenceDeps] = Actor("evidence")
actor.include(reads)


@actor.handles(RUN_STARTED, refuse=refuse, max_attempts=UNLIMITED_ATTEMPTS)
async def open_run(message: RunStarted, deps: EvidenceDeps, attempt: int) -> None:
    """Begin a run, or the next round of a resumed run."""
    if message.record.run_id != message.run_id:
        raise InvalidMessage(f"a start of {message.run_id!r} with the record of {message.record.run_id!r}")
    state = await deps.ledger.begin_run(message.record)
    if await admit_start(deps, state, message) == "new":
        if message.attempt_base > state.attempt_base:
            await remark_if_unsealed(deps, state)
            await archive_sealed_round(deps, state)
            state.record = msgspec.structs.replace(state.record, register=message.record.register)
        state.start_round(message.attempt_base, discovering=message.discovering)
        if state.record.register is not None:
            problem = await store_register(deps.store, deps.blobs, message.run_id, state.record.register)
            state.remarks = tuple(dict.fromkeys((*state.remarks, *([problem] if problem else []))))
        await deps.ledger.save(state)
    deps.ledger.forget_finished(but=message.run_id)
    await deps.ledger.unlock_if_finished(message.run_id)


@actor.handles(SAMPLE_FOUND, refuse=refuse, max_attempts=UNLIMITED_ATTEMPTS)
async def add_sample(message: SampleFound, deps: EvidenceDeps, attempt: int) -> None:
    """Write sample.json, before any work on the sample begins."""
    state = await deps.ledger.lock_and_read(message.run_id)
    standing = await admit_sample(deps, state, message)
    if standing == "new":
        key = layout.sample_key(message.run_id, message.sample_id, layout.SAMPLE)
        await deps.store.write(key, encode_file(sample_file(message)))
    if standing in ("new", "filed") and state.current_summary is None:
        await _count_sample(deps, state, message)
    await deps.ledger.unlock_if_finished(message.run_id)


async def _count_sample(deps: EvidenceDeps, state: RunState, message: SampleFound) -> None:
    """Count a sample of which sample.json is written. In a run that only lists, it is done with that."""
    if state.lists_only:
        result = encode_file(listed_result_file(message, state.record.spec.get("output_schema", {})))
        await deps.store.write(layout.sample_key(message.run_id, message.sample_id, layout.RESULT), result)
        await seal_sample(deps, message.run_id, message.sample_id, AttemptLog(1), result)
        await deps.store.make_durable(layout.sample_key(message.run_id, message.sample_id))
        state.set_end(message.sample_id, parse_sample_end(result))
    state.add_sample(message.sample, message.found_at)


@actor.handles(
    POPULATION_CLOSED,
    refuse=refuse,
    emits=RUN_FINISHED,
    max_attempts=UNLIMITED_ATTEMPTS,
    deadline_s=CLOSE_RUN_DEADLINE_S,
)
async def close_population(message: PopulationClosed, deps: EvidenceDeps, attempt: int) -> RunFinished | None:
    """Write the population; from now on the number of samples is known."""
    state = await deps.ledger.lock_and_read(message.run_id)
    standing = await admit_population(deps, state, message)
    if standing == "refused":
        await _leave_finished(deps, state)
        return None
    if standing != "overtaken" and state.current_summary is None:
        state.expected = message.samples
        state.population_complete, state.population_note = message.complete, message.note
        state.population_reason, state.population_counted = message.reason, message.counted
        key = layout.run_key(message.run_id, layout.DISCOVERED if state.discovers else layout.SAMPLES)
        await deps.store.write(key, samples_csv(state.samples.values(), discovered=state.discovers))
        await deps.ledger.save(state)
        await deps.store.make_durable(layout.run_key(message.run_id))
    return await close_run_if_complete(deps, state)


@actor.handles(RUN_CONTROLLED, refuse=refuse, max_attempts=UNLIMITED_ATTEMPTS)
async def file_control(message: RunControlled, deps: EvidenceDeps, attempt: int) -> None:
    """Note for which outage the run pauses, and when it goes on."""
    await note_pause(message, deps)


@actor.handles(STEP_TAKEN, refuse=refuse, max_attempts=UNLIMITED_ATTEMPTS, deadline_s=BIG_FILE_DEADLINE_S)
async def file_step(message: StepTaken, deps: EvidenceDeps, attempt: int) -> None:
    """Write a step and its artifacts, which are hashed again on the way."""
    state = await deps.ledger.lock_and_read(message.run_id)
    standing = await admit_step(deps, state, message)
    if standing == "new":
        log = await attempt_log(deps, state, message.sample_id, message.attempt)
        checked = [await store_artifact(deps.store, deps.blobs, message, filed) for filed in message.artifacts]
        problems = [problem for problem in checked if problem is not None]
        entry = chain_entry(entry_of(message, problems), message.run_id, message.sample_id, log.head_sha256)
        await write_step(deps.store, layout.sample_key(message.run_id, message.sample_id), entry)
        log.add(entry)
    if standing in ("new", "filed"):
        log = await deps.ledger.log(message.run_id, message.sample_id)
        await remove_stored_blobs(deps.blobs, message, log.problems)
    await _leave_finished(deps, state, message.sample_id)


@actor.handles(
    SAMPLE_FINISHED, refuse=refuse, emits=RUN_FINISHED, max_attempts=UNLIMITED_ATTEMPTS, deadline_s=CLOSE_RUN_DEADLINE_S
)
async def file_result(message: SampleFinished, deps: EvidenceDeps, attempt: int) -> RunFinished | None:
    """Write the result of a sample; the last one closes the run."""
    state = await deps.ledger.lock_and_read(message.run_id)
    standing = await admit_result(deps, state, message)
    if standing == "refused":
        await _leave_finished(deps, state, message.sample_id)
        return None
    if standing != "overtaken" and state.current_summary is None:
        log = await attempt_log(deps, state, message.sample_id, message.attempt)
        await merge_step_files(deps.store, layout.sample_key(message.run_id, message.sample_id))
        result = encode_file(result_file(message, log))
        await deps.store.write(layout.sample_key(message.run_id, message.sample_id, layout.RESULT), result)
        await seal_sample(deps, message.run_id, message.sample_id, log, result)
        await deps.store.make_durable(layout.sample_key(message.run_id, message.sample_id))
        await store_lessons(deps.store, message)
        state.set_end(message.sample_id, parse_sample_end(result))
    deps.ledger.forget_log(message.run_id, message.sample_id)
    return await close_run_if_complete(deps, state)


async def _leave_finished(deps: EvidenceDeps, state: RunState, sample_id: str = "") -> None:
    """Keep nothing in memory, nor locked, of a finished run that an event has only looked at."""
    if state.current_summary is not None:
        deps.ledger.forget_log(state.record.run_id, sample_id)
    await deps.ledger.unlock_if_finished(state.record.run_id)


@actor.handles(
    SAMPLE_SETTLED, refuse=refuse, emits=RUN_FINISHED, max_attempts=UNLIMITED_ATTEMPTS, deadline_s=CLOSE_RUN_DEADLINE_S
)
async def settle(message: SampleSettled, deps: EvidenceDeps, attempt: int) -> RunFinished | None:
    """File what a person has said of an unknown outcome, and close the run anew."""
    state = await deps.ledger.lock_and_read(message.run_id)
    await file_settlement(deps, state, message)
    return await close_run_if_complete(deps, state)


@actor.handles(
    REVIEW_SIGNED_OFF,
    refuse=refuse,
    emits=RUN_FINISHED,
    max_attempts=UNLIMITED_ATTEMPTS,
    deadline_s=CLOSE_RUN_DEADLINE_S,
)
async def file_sign_off(message: ReviewSignedOff, deps: EvidenceDeps, attempt: int) -> RunFinished | None:
    """Close the run anew once its review is signed off, so that tables and report tell what was decided."""
    state = await deps.ledger.lock_and_read(message.run_id)
    await close_review(deps, state, message)
    return await close_run_if_complete(deps, state)


@actor.handles(
    RUN_FINISHED, refuse=refuse, emits=DELIVER_WEBHOOK, max_attempts=UNLIMITED_ATTEMPTS, deadline_s=BIG_FILE_DEADLINE_S
)
async def queue_webhook(message: RunFinished, deps: EvidenceDeps, attempt: int) -> DeliverWebhook | None:
    """Store the webhook of a round that has ended, and queue it, so that a slow receiver holds up no event."""
    state = await deps.ledger.find(message.run_id) if deps.webhooks is not None else None
    if deps.webhooks is None or state is None:
        return None
    follows, comparison = state.record.follows, None
    if follows and deps.comparisons is not None:
        comparison = await deps.comparisons.compare(follows, message.run_id)
    status = await read_status(deps, state)
    return await deps.webhooks.prepare(message.run_id, message.attempt_base, status, comparison)


@actor.handles(DELIVER_WEBHOOK, queues=DELIVERY_QUEUES, max_attempts=UNLIMITED_ATTEMPTS, deadline_s=WEBHOOK_DEADLINE_S)
async def deliver_webhook(message: DeliverWebhook, deps: EvidenceDeps, attempt: int) -> None:
    """Make one attempt at a webhook; its own record counts the attempts and says when it is given up."""
    if deps.webhooks is None:
        raise PermanentError("the settings name no receiver of webhooks any more", code="webhook_refused")
    await deps.webhooks.deliver(message)


@actor.answers(CLAIM_PRESS)
async def claim_press(request: ClaimPress, deps: EvidenceDeps) -> PressHeld:
    """Return which attempt has claimed an irreversible press; claim it for this one if it is free, or give it back.

    What is written is durable before the reply is sent. A lock makes reading and writing it one step. A claim that a
    person has released by a settlement is none any more.
    """
    async with deps.ledger.claiming:
        return PressHeld(pressed=await hold_press(deps, request))


@actor.answers(SETTLE_SAMPLE, deadline_s=60.0)
async def settle_sample(request: SettleSample, deps: EvidenceDeps) -> SettleReply:
    """Take what a person says of a press whose outcome is not known, or refuse it with the reason."""
    return await take_settlement(deps, request)


@actor.answers(DECIDE_REVIEW, deadline_s=60.0)
async def decide_review(request: DecideReview, deps: EvidenceDeps) -> DecideReply:
    """File a decision of a person who reviews the run, or refuse it with the reason."""
    return await take_decision(deps, request)


@actor.answers(TAG_RUN, deadline_s=60.0, paced=1)
async def tag_run(request: TagRun, deps: EvidenceDeps) -> TagReply:
    """Set and remove tags of a run, which change nothing of its evidence, or refuse that with the reason."""
    return await deps.tags.change(request)


@actor.answers(COMPARE_RUNS, deadline_s=BIG_FILE_DEADLINE_S, paced=10)
async def compare_two_runs(request: CompareRuns, deps: EvidenceDeps) -> ComparisonTold:
    """Return what has changed from one finished run of a task to another one."""
    if deps.comparisons is None:
        return ComparisonTold(run_a=request.run_a, run_b=request.run_b, refused="runs are not compared here")
    return await deps.comparisons.compare(request.run_a, request.run_b)


@actor.answers(LOAD_REVIEW, deadline_s=120.0, paced=1)
async def load_review(request: LoadReview, deps: EvidenceDeps) -> ReviewReply:
    """Return how the review of a run stands, with a page of what is for review."""
    return await load_review_state(deps, request)


# --- artifacts of workflows


@actor.answers(SAVE_ARTIFACT, deadline_s=BIG_FILE_DEADLINE_S)
async def save_artifact(request: SaveArtifact, deps: EvidenceDeps) -> ArtifactSaved:
    """Keep bytes of the bus under a name of the library. A name is never overwritten."""
    return await deps.library.save(request)


@actor.answers(LOAD_ARTIFACT, deadline_s=BIG_FILE_DEADLINE_S)
async def load_artifact(request: LoadArtifact, deps: EvidenceDeps) -> ArtifactLoaded:
    """Copy an artifact of the library to the bus."""
    return await deps.library.load(request.name)


@actor.answers(LIST_ARTIFACTS, deadline_s=60.0)
async def list_artifacts(request: ListArtifacts, deps: EvidenceDeps) -> ArtifactsListed:
    """Return a page of the artifacts of the library."""
    return await deps.library.list(request.skip)


@actor.answers(DELETE_ARTIFACT, deadline_s=60.0)
async def delete_artifact(request: DeleteArtifact, deps: EvidenceDeps) -> ArtifactDeleted:
    """Remove an artifact of the library."""
    return await deps.library.delete(request.name)
