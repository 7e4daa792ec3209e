"""Re-performs a sample: borrows its stored files from evidence, has a browser pool open the pages, and compares the
values.

The comparison is pure and in `reperform/`; this module does the I/O.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from services.planner.deps import PlannerDeps
from services.planner.reperform.reread_rows import row_verdicts, values_to_extract
from services.planner.reperform.responses import StoredResponse, parse_stored_response, response_verdict
from services.planner.reperform.stored_page_view import parse_stored_observation, view_stored_page
from services.planner.reperform.verdicts import StoredFile, StoredPage, identity_verdict, page_verdict, value_verdict
from shared.bus.ports import Blobs
from shared.contracts.browser.stored_pages import PageRestored, RestorePage, RestoreReply, Sought
from shared.contracts.browser_pool import LeaseSession, ProfilePaused
from shared.contracts.error_codes import ErrorCode
from shared.contracts.evidence import (
    ArtifactMissing,
    ListedArtifact,
    LoadResult,
    ProvideArtifact,
    ResultLoaded,
    ResultUnknown,
)
from shared.contracts.reperform import Reperform, SampleReperformed, ValueReperformed
from shared.contracts.steps import FieldValue, ValueSource
from shared.errors import ExhibitError, TransientError, Unsupported
from shared.evidence_format.cells import with_cells
from shared.pages.identity.identity import keywords
from shared.recordings.from_bus import provided_file
from shared.streams import ANSWERS
from shared.subjects import LOAD_RESULT, RESTORE
from shared.task.output_field import OutputField
from shared.task.row_values import expected_identity
from shared.task.spec import TaskSpec, check_spec

NOWHERE = ("stored.invalid",)
"""The only host that a session for stored pages may open. It does not exist."""
NO_BROWSER: frozenset[ErrorCode] = frozenset({"no_browser", "no_session", "no_responders"})
"""Errors that no stored page can cause. They are raised, not reported."""
ASK_TIMEOUT_S = 120.0
MAX_TOKENS, FEWER_TOKENS = 20_000, 4_000


@dataclass(frozen=True)
class ReperformJob:
    """One sample to re-perform. `blobs` is where evidence puts the files that it lends."""

    result: ResultLoaded
    spec: TaskSpec
    deps: PlannerDeps
    blobs: Blobs


async def reperform_values(request: Reperform, deps: PlannerDeps) -> SampleReperformed:
    """Extract every value of the sample again. Problems of stored files are reported, not raised.

    Raises Unavailable if evidence or a browser pool does not answer.
    """
    if deps.blobs is None:
        raise Unsupported("this planner borrows nothing from evidence")
    reply = await deps.asks.ask(
        LOAD_RESULT, LoadResult(run_id=request.run_id, sample_id=request.sample_id), timeout_s=ASK_TIMEOUT_S
    )
    if isinstance(reply, ResultUnknown):
        return _problem_reply(request, reply.message)
    spec, problems = check_spec(reply.spec)
    if spec is None:
        message = "; ".join(f"{problem.where}: {problem.message}" for problem in problems)
        return _problem_reply(request, f"the task of the run cannot be read: {message}")
    return await _reperform_all(ReperformJob(reply, spec, deps, deps.blobs))


def _problem_reply(request: Reperform, problem: str) -> SampleReperformed:
    return SampleReperformed(run_id=request.run_id, sample_id=request.sample_id, problem=problem)


async def _reperform_all(job: ReperformJob) -> SampleReperformed:
    """Re-perform page by page, so that only one page is in memory."""
    result, pages = job.result, dict[tuple[str, str], StoredPage]()
    read = [one for value in result.values for one in with_cells(value)]
    for place in dict.fromkeys(_source_hashes(value) for value in read):
        if place != NO_HASHES:
            pages[place] = await _load_page(job, [value for value in read if _source_hashes(value) == place])
    verdicts = tuple(page_verdict(page) for page in pages.values())
    responses = await _load_responses(job)
    pointers = {} if job.spec.integration is None else job.spec.integration.fields

    def verdict_of(value: FieldValue, field: OutputField) -> ValueReperformed:
        if value.origin == "api" and value.response is not None:
            return response_verdict(value, field, responses[value.response.sha256], pointers.get(value.field))
        return value_verdict(value, field, pages.get(_source_hashes(value), NOTHING_STORED))

    asked = values_to_extract(result.values, job.spec.output_schema)
    values = (*row_verdicts(result.values), *(verdict_of(value, field) for value, field in asked))
    wanted = expected_identity(job.spec, result.sample)
    return SampleReperformed(
        run_id=result.run_id,
        sample_id=result.sample.sample_id,
        status=result.status,
        reason=result.reason,
        identity=identity_verdict(verdicts, values, wanted) if wanted else "not_asked",
        values=values + _removed_values(job),
        pages=verdicts,
    )


async def _load_responses(job: ReperformJob) -> dict[str, StoredResponse]:
    """Load the stored responses that values name, by their hash."""
    named = (value.response.sha256 for value in job.result.values if value.response is not None)
    return {sha256: await _load_response(job, sha256) for sha256 in dict.fromkeys(named)}


async def _load_response(job: ReperformJob, sha256: str) -> StoredResponse:
    async with _borrowed(job, "response", sha256) as lent:
        if isinstance(lent, StoredFile):
            return StoredResponse(lent.filename, sha256, lack=lent.lack, why=lent.why)
        file, blob = lent
        body = await job.blobs.get(ANSWERS, blob)
    return await asyncio.to_thread(parse_stored_response, file.filename, sha256, body)


def _removed_values(job: ReperformJob) -> tuple[ValueReperformed, ...]:
    """Return a verdict for each required field that a done sample lacks: it was removed from the result afterwards."""
    if job.result.status != "done":
        return ()
    there = {value.field for value in job.result.values}
    words = "the sample is done, and its result says nothing of this required field"
    return tuple(
        ValueReperformed(field=name, verdict="differs", state="not_found", message=words)
        for name in job.spec.required_fields
        if name not in there
    )


NO_HASHES = ("", "")
NOTHING_STORED = StoredPage(StoredFile(), StoredFile())


def _source_hashes(value: FieldValue) -> tuple[str, str]:
    """Return the hashes of the page and of the observation that the value is tied to."""
    source = value.source
    if source is None or value.origin != "page" or value.state == "not_found":
        return NO_HASHES
    return source.page_sha256, source.observation_file_sha256


async def _load_page(job: ReperformJob, values: Sequence[FieldValue]) -> StoredPage:
    """Load the stored page and the stored observation of these values, as far as they are available."""
    sources = [value.source for value in values if value.source is not None]
    shown = tuple(value.shown for value in values if value.shown)
    page = await _load_stored_page(job, sources, shown)
    return StoredPage(page, await _load_observation(job, sources[0].observation_file_sha256))


async def _load_stored_page(job: ReperformJob, sources: Sequence[ValueSource], shown: tuple[str, ...]) -> StoredFile:
    sha256 = sources[0].page_sha256
    if not sha256:
        return StoredFile(why="no page was stored")
    async with _borrowed(job, "page", sha256) as lent:
        if isinstance(lent, StoredFile):
            return lent
        file, blob = lent
        try:
            reply = await _restore_page(job, file, blob, sources, shown)
        except ExhibitError as exc:
            if exc.code in NO_BROWSER:
                raise
            return StoredFile(file.filename, sha256, None, "unreadable", f"{file.filename} could not be opened: {exc}")
    if not isinstance(reply, PageRestored):
        lack = "altered" if reply.code == "altered" else "unreadable"
        return StoredFile(file.filename, sha256, None, lack, f"{file.filename}: {reply.message}")
    witness = view_stored_page(job.spec, job.result.sample, reply.page)
    return StoredFile(file.filename, sha256, witness, ink={one.ref: one.ink for one in reply.ink})


async def _restore_page(
    job: ReperformJob, file: ListedArtifact, blob: str, sources: Sequence[ValueSource], shown: tuple[str, ...]
) -> RestoreReply:
    """Open the stored page in a session of its own, so that a page that kills its browser affects no other."""
    known = keywords(job.spec, job.result.sample)
    try:
        return await _open_in_session(job, file, blob, sources, (*known, *shown), MAX_TOKENS)
    except ExhibitError as exc:
        if exc.code == "session_lost":  # the browser may have crashed for another reason
            return await _open_in_session(job, file, blob, sources, (*known, *shown), MAX_TOKENS)
        if exc.code == "too_large":
            return await _open_in_session(job, file, blob, sources, (), FEWER_TOKENS)
        raise


async def _open_in_session(
    job: ReperformJob,
    file: ListedArtifact,
    blob: str,
    sources: Sequence[ValueSource],
    words: tuple[str, ...],
    max_tokens: int,
) -> RestoreReply:
    run_id, sample_id = job.result.run_id, job.result.sample.sample_id
    request = LeaseSession(run_id=run_id, sample_id=sample_id, allowed_hosts=NOWHERE)
    async with job.deps.lease(request) as lease:
        if isinstance(lease, ProfilePaused):
            raise TransientError(lease.reason, code="no_session")
        restore = RestorePage(
            session_id=lease.session.session_id,
            instance_id=lease.session.instance_id,
            blob=blob,
            sha256=file.sha256,
            size_bytes=file.size_bytes,
            keywords=words,
            max_tokens=max_tokens,
            sought=tuple(Sought(fingerprint=one.fingerprint, locators=one.locators) for one in sources),
        )
        return await job.deps.asks.ask(RESTORE, restore, timeout_s=ASK_TIMEOUT_S)


async def _load_observation(job: ReperformJob, sha256: str) -> StoredFile:
    if not sha256:
        return StoredFile(why="no observation was stored")
    async with _borrowed(job, "observation", sha256) as lent:
        if isinstance(lent, StoredFile):
            return lent
        file, blob = lent
        packed = await job.blobs.get(ANSWERS, blob)
    page = await asyncio.to_thread(parse_stored_observation, packed, sha256)
    if isinstance(page, str):
        return StoredFile(file.filename, sha256, None, "altered", f"{file.filename}: {page}")
    return StoredFile(file.filename, sha256, view_stored_page(job.spec, job.result.sample, page))


@asynccontextmanager
async def _borrowed(
    job: ReperformJob, kind: str, sha256: str
) -> AsyncGenerator[tuple[ListedArtifact, str] | StoredFile]:
    """Yield the file with this hash and the name of its bytes in ANSWERS, or a file that says what is wrong."""
    file = next((one for one in job.result.artifacts if (one.kind, one.sha256) == (kind, sha256)), None)
    if file is None:
        why = f"the result lists no stored {kind} with SHA-256 {sha256[:12]}..."
        yield StoredFile("", sha256, None, "altered", why)
        return
    request = ProvideArtifact(run_id=job.result.run_id, sample_id=job.result.sample.sample_id, filename=file.filename)
    async with provided_file(job.deps.asks, job.blobs, request) as lent:
        if isinstance(lent, ArtifactMissing):
            yield StoredFile(file.filename, sha256, None, "altered", f"{file.filename}: {lent.message}")
        elif lent.sha256 == sha256:
            yield file, lent.blob
        else:
            message = f"SHA-256 of {file.filename} is {lent.sha256}, recorded is {sha256}"
            yield StoredFile(file.filename, sha256, None, "altered", message)
