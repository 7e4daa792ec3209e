"""Bytes between sessions and the object store: captures are stored as artifacts, stored pages fetched and checked."""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from services.browser_pool.deps import BrowserPoolDeps
from services.browser_pool.files.captures import PackedPage, pack_page
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import (
    ApiRequest,
    BrowserSession,
    Capture,
    CaptureFailed,
    FetchRefused,
    PageCapture,
    PerformedAction,
    RestoreRefused,
    RestoreRequest,
)
from services.browser_pool.sessions import HeldSession
from shared.aio import map_concurrently
from shared.contracts.browser.responses import (
    FetchReply,
    FetchResponse,
    ResponseFetched,
    ResponseNotFetched,
    is_json_type,
)
from shared.contracts.browser.stored_pages import ElementInk, PageNotRestored, PageRestored, RestorePage, RestoreReply
from shared.contracts.results import ActionResult, Artifact, CaptureFacts
from shared.hashing import HashingReader
from shared.streams import ANSWERS, ARTIFACTS
from shared.text.names import safe_id

MAX_PACKED_BYTES = 64_000_000
AT_ONCE = 4
"""Captures of one action that are sent to the bucket side by side."""


async def store_captures(acted: PerformedAction, held: HeldSession, deps: BrowserPoolDeps) -> ActionResult:
    """Return the result of an action with its captures stored as artifacts, including the page that pictures were taken
    of.

    Files of captures are removed from the disk, also when storing fails.
    """
    if not acted.captures:
        return acted.result
    try:
        page = acted.page
        label = acted.captures[0].label
        files = await pack(page, label, held, deps) if isinstance(page, PageCapture) else PackedPage()
        captures = (*acted.captures, *files.captures)
        artifacts = await store_artifacts(captures, held, deps, files.facts)
    finally:
        for capture in acted.captures:
            discard(capture)
    notes = (page.problem,) if isinstance(page, CaptureFailed) else files.problems
    return msgspec.structs.replace(acted.result, artifacts=tuple(artifacts), notes=notes)


async def pack(page: PageCapture, label: str, held: HeldSession, deps: BrowserPoolDeps) -> PackedPage:
    """Pack the files of a page in a thread: a page may be many megabytes."""
    hidden = held.session.hidden
    return await asyncio.to_thread(pack_page, page, label, deps.new_id(), deps.sessions.browser.name, hidden)


async def store_artifacts(
    captures: Sequence[Capture], held: HeldSession, deps: BrowserPoolDeps, facts: CaptureFacts | None
) -> tuple[Artifact, ...]:
    """Store captures and return their artifacts in the same order. They are few, and sent side by side."""
    return tuple(await map_concurrently(lambda one: store_artifact(one, held, deps, facts), captures, AT_ONCE))


async def store_artifact(
    capture: Capture, held: HeldSession, deps: BrowserPoolDeps, facts: CaptureFacts | None = None
) -> Artifact:
    """Store the bytes of ``capture`` in the ARTIFACTS bucket and return the artifact that names them."""
    name = f"{safe_id(held.run_id)}/{safe_id(held.sample_id)}/{deps.new_id()}"
    with open_reader(capture.data) as source:
        await deps.blobs.put(ARTIFACTS, name, source)
    return to_artifact(capture, source, name, deps, facts)


async def store_response(request: FetchResponse, held: HeldSession, deps: BrowserPoolDeps) -> FetchReply:
    """Ask the API and store its response, byte for byte."""
    answer = await held.session.fetch(ApiRequest(request.url, request.headers, request.timeout_s))
    if isinstance(answer, FetchRefused):
        return ResponseNotFetched(code=answer.code, message=answer.message, browser_ms=held.session.spent_ms)
    media_type = answer.content_type.partition(";")[0].strip().lower()
    suffix = "json" if is_json_type(media_type) else "txt"
    capture = Capture("response", "response", media_type, suffix, answer.body, request.url)
    artifact = await store_artifact(capture, held, deps)
    return ResponseFetched(
        status=answer.status, content_type=answer.content_type, artifact=artifact, browser_ms=held.session.spent_ms
    )


def to_artifact(
    capture: Capture, source: HashingReader, name: str, deps: BrowserPoolDeps, facts: CaptureFacts | None
) -> Artifact:
    """Return the artifact for a stored capture. ``facts`` belong to captures of the page, not to downloads."""
    of_page = capture.kind not in ("download", "response")
    return Artifact(
        kind=capture.kind,
        label=capture.label,
        media_type=capture.media_type,
        suffix=capture.suffix,
        size_bytes=source.size_bytes,
        sha256=source.sha256,
        blob=name,
        source_url=capture.source_url,
        captured_at=facts.captured_at if of_page and facts is not None else deps.utc_now(),
        original_name=capture.original_name,
        text_preview=capture.text_preview,
        content=capture.content,
        part=capture.part,
        parts=capture.parts,
        area=capture.area,
        of_values=capture.of_values,
        capture=facts if of_page else None,
    )


@contextmanager
def open_reader(data: bytes | Path) -> Generator[HashingReader]:
    """Yield a reader over bytes or a file that hashes what it reads."""
    with io.BytesIO(data) if isinstance(data, bytes) else data.open("rb", buffering=0) as file:
        yield HashingReader(file)


def discard(capture: Capture) -> None:
    """Remove the capture's file, if it is one. Idempotent."""
    if isinstance(capture.data, Path):
        capture.data.unlink(missing_ok=True)


# --- stored pages


async def restore_page(request: RestorePage, session: BrowserSession, deps: BrowserPoolDeps) -> RestoreReply:
    """Open a stored page in the session and return what it shows, or the reason why it was not opened.

    Raises PermanentError (``no_blob``) when the stored page does not exist.
    """
    if request.size_bytes > MAX_PACKED_BYTES:
        told = f"the stored page has {request.size_bytes} bytes; {MAX_PACKED_BYTES} are the most that are opened"
        return PageNotRestored(code="too_large", message=told)
    packed = await deps.blobs.get(ANSWERS, request.blob)
    problem = await asyncio.to_thread(mismatch, packed, request)
    if problem:
        return PageNotRestored(code="altered", message=problem)
    asked = RestoreRequest(packed, deps.new_id(), request.keywords, request.max_tokens, request.sought)
    page = await session.restore(asked)
    if isinstance(page, RestoreRefused):
        return PageNotRestored(code=page.code, message=page.message)
    ink = tuple(ElementInk(ref=ref, ink=one) for ref, one in page.ink.items())
    return PageRestored(page=compose(page.raw, asked.snapshot_id), ink=ink)


def mismatch(packed: bytes, recorded: RestorePage) -> str:
    """Return how the bytes differ from what was recorded; an empty string when they are equal."""
    if len(packed) != recorded.size_bytes:
        return f"the stored page has {len(packed)} bytes, {recorded.size_bytes} were recorded"
    sha256 = hashlib.sha256(packed).hexdigest()
    return "" if sha256 == recorded.sha256 else f"SHA-256 of the stored page is {sha256}, recorded {recorded.sha256}"
