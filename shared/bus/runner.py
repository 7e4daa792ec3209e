"""Runs a handler for one message. Outermost first:

    settle > span > decode > inbox > deadline > handler > publish > record

Handlers contain no try, retry, span, header or ack: all of that is here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from shared.aio import run_alongside
from shared.bus.actor import AskRoute, StoredRoute
from shared.bus.verdict import Nak, Term, Verdict, verdict
from shared.contracts.base import Failure
from shared.errors import DeadlineExceeded, ExhibitError, InvalidMessage, to_failure
from shared.subjects import PREFIX, Stored, message_id
from shared.telemetry.logs import log_context
from shared.telemetry.tracing import span

log = logging.getLogger(__name__)
DepsT = TypeVar("DepsT")


class Delivery(Protocol):
    """One delivery of a stored message; ``attempt`` counts from 1."""

    subject: str
    attempt: int
    data: bytes
    headers: Mapping[str, str]

    async def settle(self, verdict: Verdict, /) -> None: ...
    async def in_progress(self) -> None: ...


class Outbox(Protocol):
    """What the runner uses of the bus."""

    async def publish(self, subject: Stored[Any], message: Any) -> None: ...

    async def is_handled(self, message_id: str) -> bool:
        """Whether a delivery of this message was handled before, by any process."""
        ...

    async def mark_handled(self, message_id: str) -> None: ...

    async def dead_letter(self, original: Delivery, failure: Failure) -> None:
        """Store the bytes of a message that is not retried any more, with the reason."""
        ...


@dataclass(frozen=True)
class Runner(Generic[DepsT]):
    """``heartbeat_s``: how often a long handler extends the server's acknowledgement deadline."""

    deps: DepsT
    outbox: Outbox
    heartbeat_s: float = 4.0

    async def answer(self, route: AskRoute[DepsT], data: bytes, headers: Mapping[str, str]) -> bytes | Failure:
        """Return the encoded reply to an ask, or the failure to send instead."""
        with span(route.subject.pattern, headers):
            try:
                request = decode(data, route.subject.request)
                reply = await _within(route.handler(request, self.deps), route.deadline_s)
            except Exception as exc:  # noqa: BLE001  the one blanket except of the asks
                _log_error(route.subject.pattern, exc)
                return to_failure(exc)
        return msgspec.json.encode(reply)

    async def handle(self, route: StoredRoute[DepsT], delivery: Delivery) -> None:
        """Handle one delivery of a stored message and settle it, whatever happens."""
        try:
            ruling = await self._attempt(route, delivery)
        except asyncio.CancelledError:
            # The service stops: return the message now instead of waiting for its deadline to pass.
            await delivery.settle(Nak(0.0))
            raise
        await delivery.settle(ruling)

    async def _attempt(self, route: StoredRoute[DepsT], delivery: Delivery) -> Verdict:
        error: Exception | None = None
        message: Any = None
        with (
            span(delivery.subject, delivery.headers, attempt=delivery.attempt),
            log_context(_run_and_sample(delivery.subject)),
        ):
            try:
                message = decode(delivery.data, route.subject.message)
                await self._handle_once(route, message, delivery)
            except Exception as exc:  # noqa: BLE001  the one blanket except of the stored messages
                _log_error(delivery.subject, exc)
                error = exc
            ruling = verdict(error, attempt=delivery.attempt, max_attempts=route.max_attempts)
            if error is not None and isinstance(ruling, Term):
                await self._give_up(route, message, delivery, error)
        return ruling

    async def _handle_once(self, route: StoredRoute[DepsT], message: Any, delivery: Delivery) -> None:
        identity = message_id(route.subject, message)
        # Handlers of events are idempotent. A command has effects outside, so a redelivered one is skipped where its
        # result was already published.
        command = route.subject.pattern.startswith(f"{PREFIX}.cmd.")
        if command and delivery.attempt > 1 and await self.outbox.is_handled(identity):
            return
        if route.max_attempts is not None and delivery.attempt > route.max_attempts:
            raise ExhibitError(f"given up after {route.max_attempts} attempts", code="retries_exhausted")
        async with run_alongside(_send_heartbeats(delivery, self.heartbeat_s)):
            event = await _within(route.handler(message, self.deps, delivery.attempt), route.deadline_s)
        # Publish before marking: after a crash in between, the stream's duplicate window drops the second publish.
        if event is not None and route.emits is not None:
            await self.outbox.publish(route.emits, event)
        if command:
            await self.outbox.mark_handled(identity)

    async def _give_up(self, route: StoredRoute[DepsT], message: Any, delivery: Delivery, error: Exception) -> None:
        """Account for a message that is not retried any more: publish its event, and dead-letter it."""
        known = error if isinstance(error, ExhibitError) else ExhibitError(to_failure(error).message)
        if message is not None and route.give_up is not None and route.emits is not None:
            await self.outbox.publish(route.emits, route.give_up(message, self.deps, delivery.attempt, known))
        await self.outbox.dead_letter(delivery, to_failure(error))


def decode(data: bytes, type_: type[Any]) -> Any:
    """Return the message. Raises InvalidMessage, naming the field that does not fit."""
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise InvalidMessage(f"not a {type_.__name__}: {exc}") from exc


async def _within(work: Awaitable[Any], deadline_s: float) -> Any:
    scope = asyncio.timeout(deadline_s)
    try:
        async with scope:
            return await work
    except TimeoutError as exc:
        if not scope.expired():  # raised by the handler itself
            raise
        raise DeadlineExceeded(f"handler ran past {deadline_s:g} s") from exc


async def _send_heartbeats(delivery: Delivery, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        await delivery.in_progress()


def _run_and_sample(subject: str) -> str:
    """Return run and sample of a stored subject, for log lines."""
    return "/".join(subject.split(".")[6:]) or subject


def _log_error(where: str, error: Exception) -> None:
    if isinstance(error, ExhibitError):
        log.info("%s: %s: %s", where, error.code, error)
    else:
        log.error("%s: a bug", where, exc_info=error)
