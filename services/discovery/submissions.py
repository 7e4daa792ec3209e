"""Requests that are under way: one that is sent again counts once, and one whose discovery died is finished.

A record says of each request what was decided before anything of its run was published. Whoever takes the request up
again, because a client sent it again or because a discovery starts, goes on with that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import msgspec

from services.discovery.deps import DiscoveryDeps
from shared.contracts.base import Part
from shared.contracts.discovery import SubmitReply, SubmitRun
from shared.errors import ExhibitError, TransientError
from shared.streams import SUBMISSIONS
from shared.submission.request import REQUEST_ID

log = logging.getLogger(__name__)

TRY_AGAIN_S = 2.0


class Submission(Part, frozen=True, kw_only=True):
    """``request``: None once there is a ``reply``. ``run_id``: empty until it is decided, together with the rest.

    ``replaces``: the attempt base of the round before, whose queue may still exist.
    """

    request: SubmitRun | None
    run_id: str = ""
    attempt_base: int = 0
    replaces: int | None = None
    reply: SubmitReply | None = None


Start = Callable[[SubmitRun, Submission, DiscoveryDeps], Awaitable[SubmitReply]]


async def submit_once(request: SubmitRun, start: Start, deps: DiscoveryDeps) -> SubmitReply:
    """Return the reply of ``start`` to the request, or the reply to the same request before."""
    if REQUEST_ID.fullmatch(request.request_id) is None:  # none, or a problem that `start` tells
        return await start(request, Submission(request=request), deps)
    async with deps.lock(request.request_id):
        await deps.records.create(SUBMISSIONS, request.request_id, Submission(request=request))
        known: Submission | None = await deps.records.read(SUBMISSIONS, request.request_id, Submission)
        assert known is not None
        if known.reply is not None:
            return known.reply
        reply = await start(request, known, deps)

        def with_reply(stored: Submission | None) -> Submission:
            return msgspec.structs.replace(stored or known, request=None, reply=reply)

        await deps.records.modify(SUBMISSIONS, request.request_id, Submission, with_reply)
        return reply


async def decide_once(request: SubmitRun, decided: Submission, deps: DiscoveryDeps) -> Submission:
    """Store what is decided about the request; return what was decided first, by whichever process."""
    if not request.request_id:
        return decided
    stored: Submission | None = await deps.records.modify(
        SUBMISSIONS, request.request_id, Submission, lambda known: known if known and known.run_id else decided
    )
    return stored or decided


async def finish_submissions(start: Start, deps: DiscoveryDeps) -> None:
    """Take up every request that has no reply yet, until each has one."""
    open_requests = [one.request for one in (await deps.records.read_all(SUBMISSIONS, Submission)).values()]
    for request in (one for one in open_requests if one is not None):
        await _finish(request, start, deps)


async def _finish(request: SubmitRun, start: Start, deps: DiscoveryDeps) -> None:
    while True:
        try:
            reply = await submit_once(request, start, deps)
        except TransientError as exc:
            log.info("the request %s waits: %s: %s", request.request_id, exc.code, exc)
            await asyncio.sleep(TRY_AGAIN_S)
        except ExhibitError as exc:
            log.warning("the request %s was given up: %s: %s", request.request_id, exc.code, exc)
            return
        else:
            log.info("the request %s was finished: %s", request.request_id, type(reply).__name__)
            return
