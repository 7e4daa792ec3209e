"""Asks the API of a task for a sample's record, through the browser pool, before the driver begins."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass

from services.planner.state.attempt_state import Ending
from services.planner.task_api.comparing import all_values, ending_by_api, needs_browser
from services.planner.task_api.reading import ResponseRead, read_response
from shared.bus.ports import Asks, Blobs
from shared.contracts.actions import AskApi
from shared.contracts.browser.responses import ApiHeader, FetchReply, FetchResponse, ResponseFetched, ResponseNotFetched
from shared.contracts.browser_pool import SessionLeased
from shared.contracts.discovery import Sample
from shared.contracts.steps import FieldValue, FiledArtifact, Note, ResponseSource
from shared.errors import ExhibitError
from shared.evidence_format.layout import response_name
from shared.streams import ARTIFACTS
from shared.subjects import FETCH_RESPONSE
from shared.task.integration import IntegrationSpec, SecretHeader, filled_url, missing_in
from shared.task.row_values import template_values
from shared.task.spec import TaskSpec

WAIT_FOR_TURN_S = 75.0
"""The pool waits so long at most until the domain may be asked, and for what it does besides."""
REASON = "The task names an API, which is asked before the browser."


@dataclass(frozen=True)
class ApiOutcome:
    """What asking the API has come to. ``ending``: the sample ends with it; None: the browser does the work."""

    action: AskApi
    message: str
    values: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()
    files: tuple[FiledArtifact, ...] = ()
    browser_ms: float = 0.0
    ending: Ending | None = None


@dataclass(frozen=True)
class ApiBus:
    """What is needed of the bus. ``blobs``: where the response is; None: it cannot be read."""

    asks: Asks
    blobs: Blobs | None


async def ask_api(
    spec: TaskSpec, integration: IntegrationSpec, sample: Sample, session: SessionLeased, bus: ApiBus
) -> ApiOutcome:
    """Ask for the record. A failure is an outcome with a note, except that the session is lost: that is raised."""
    row = template_values(sample)
    missing = missing_in(integration.url, row)
    if missing:
        return _failed(AskApi(url="", reason=REASON), f"the row has nothing in {', '.join(missing)}")
    action = AskApi(url=filled_url(integration.url, row), reason=REASON)
    request = FetchResponse(
        session_id=session.session_id,
        instance_id=session.instance_id,
        url=action.url,
        headers=tuple(_header(name, written) for name, written in integration.headers.items()),
        timeout_s=integration.timeout_s,
    )
    try:
        reply: FetchReply = await bus.asks.ask(
            FETCH_RESPONSE, request, timeout_s=integration.timeout_s + WAIT_FOR_TURN_S
        )
        if isinstance(reply, ResponseNotFetched):
            return _failed(action, reply.message, browser_ms=reply.browser_ms)
        return await _read(spec, sample, action, reply, bus)
    except ExhibitError as exc:
        if exc.code == "session_lost":
            raise
        return _failed(action, f"it could not be asked: {exc}")


async def _read(spec: TaskSpec, sample: Sample, action: AskApi, reply: ResponseFetched, bus: ApiBus) -> ApiOutcome:
    artifact = reply.artifact
    filed = (FiledArtifact(filename=response_name(artifact.suffix), artifact=artifact),)
    body = await bus.blobs.get(ARTIFACTS, artifact.blob) if bus.blobs is not None else b""
    if hashlib.sha256(body).hexdigest() != artifact.sha256:
        return _failed(action, "its stored response is not the one that was received", reply.browser_ms, filed)
    source = ResponseSource(url=action.url, sha256=artifact.sha256, pointer="")
    read = await asyncio.to_thread(read_response, spec, sample, reply.status, reply.content_type, body, source)
    if not read.proven:
        return _failed(action, read.problem, reply.browser_ms, filed)
    left = needs_browser(spec, read)
    return ApiOutcome(
        action,
        left or f"it gave all that the task needs ({len(read.values)} fields)",
        values=read.values if left else all_values(spec, read),
        notes=_notes(read, left),
        files=filed,
        browser_ms=reply.browser_ms,
        ending=None if left else ending_by_api(spec, read),
    )


def _notes(read: ResponseRead, left: str) -> tuple[Note, ...]:
    """Return the notes for a reviewer. Where nothing is left, a field that was not there is simply not found."""
    return read.notes if left else tuple(note for note in read.notes if note.field not in read.absent)


def _header(name: str, written: str | SecretHeader) -> ApiHeader:
    if isinstance(written, SecretHeader):
        return ApiHeader(name=name, value=written.prefix, secret=written.secret)
    return ApiHeader(name=name, value=written)


def _failed(action: AskApi, why: str, browser_ms: float = 0.0, files: tuple[FiledArtifact, ...] = ()) -> ApiOutcome:
    note = Note(kind="api_failed", text=f"{why}; the browser did the work")
    return ApiOutcome(action, why, notes=(note,), files=files, browser_ms=browser_ms)
