"""Runs a handler for one message. Outermost first:

    acknowledge > span > decode > signature > inbox > deadline > handler > publish > record

Handlers contain no try, retry, span, header or ack: all of that is here.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from shared.aio import run_alongside
from shared.bus.actor import AskRoute, StoredRoute
from shared.bus.decoding import decode
from shared.bus.signing.signatures import NOBODY, KnownSigners, require_signature
from shared.bus.verdict import Nak, Term, Verdict, verdict
from shared.contracts.base import Failure
from shared.errors import DeadlineExceeded, ExhibitError, InvalidMessage, NotSigned, to_failure
from shared.subjects import PREFIX, Stored, message_id, subject_for
from shared.telemetry.about import about_from, work_about, work_on_sample
from shared.telemetry.metrics import record_ask, record_failure
from shared.telemetry.tracing import received

log = logging.getLogger(__name__)
DepsT = TypeVar("DepsT")


class Delivery(Protocol):
    """One delivery of a stored message; ``attempt`` counts from 1."""

    subject: str
    attempt: int
    data: bytes
    headers: Mapping[str, str]

    async def acknowledge(self, verdict: Verdict, /) -> None: ...
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
    """``heartbeat_s``: how often a long handler extends the server's acknowledgement deadline. ``known``: whose
    signatures are believed; what must be signed and is not by one of them reaches no handler."""

    deps: DepsT
    outbox: Outbox
    heartbeat_s: float = 4.0
    known: KnownSigners = NOBODY

    async def answer(self, route: AskRoute[DepsT], data: bytes, headers: Mapping[str, str]) -> bytes | Failure:
        """Return the encoded reply to an ask, or the failure to send instead."""
        begun_s = time.perf_counter()
        with work_about(about_from(headers)), received(route.subject.pattern, headers) as span:
            try:
                request = decode(data, route.subject.request)
                reply = await _within(route.handler(request, self.deps), route.deadline_s)
            except Exception as exc:  # noqa: BLE001  the one blanket except of the asks
                _log_error(route.subject.pattern, exc)
                failure = to_failure(exc)
                span.fail(failure.code)
                record_ask(route.subject.pattern, time.perf_counter() - begun_s, failure.code)
                return failure
            record_ask(route.subject.pattern, time.perf_counter() - begun_s, "")
        return msgspec.json.encode(reply)

    async def handle(self, route: StoredRoute[DepsT], delivery: Delivery) -> None:
        """Handle one delivery of a stored message and acknowledge it, whatever happens."""
        try:
            ruling = await self._attempt(route, delivery)
        except asyncio.CancelledError:
            # The service stops: return the message now instead of waiting for its deadline to pass.
            await delivery.acknowledge(Nak(0.0))
            raise
        await delivery.acknowledge(ruling)

    async def _attempt(self, route: StoredRoute[DepsT], delivery: Delivery) -> Verdict:
        error: Exception | None = None
        message: Any = None
        with (
            work_on_sample(*_run_and_sample(delivery.subject)),
            received(route.subject.pattern, delivery.headers, delivery=delivery.attempt) as span,
        ):
            try:
                decoded = _decode(route, delivery)
                if await self._is_trusted(route, decoded, delivery):
                    message = decoded
                    await self._handle_once(route, message, delivery)
            except Exception as exc:  # noqa: BLE001  the one blanket except of the stored messages
                _log_error(delivery.subject, exc)
                error = exc
                span.fail(to_failure(exc).code)
                record_failure("message", to_failure(exc).code)
            ruling = verdict(error, attempt=delivery.attempt, max_attempts=route.max_attempts)
            if error is not None and isinstance(ruling, Term):
                await self._give_up(route, message, delivery, error)
        return ruling

    async def _is_trusted(self, route: StoredRoute[DepsT], message: Any, delivery: Delivery) -> bool:
        """Whether a service that may send this has signed it; if not, it is refused. Raises NotSigned where nobody
        keeps what is refused."""
        try:
            require_signature(self.known, route.subject, delivery.subject, delivery.data, delivery.headers)
        except NotSigned as exc:
            if route.refuse is None:
                raise
            await _within(route.refuse(message, self.deps, exc), route.deadline_s)
            return False
        return True

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


def _decode(route: StoredRoute[Any], delivery: Delivery) -> Any:
    """Return the message. Raises InvalidMessage, also where its subject names another run or sample than the message:
    readers of one run go by the subject."""
    message = decode(delivery.data, route.subject.message)
    named = subject_for(route.subject, message)
    if named != delivery.subject:
        raise InvalidMessage(f"it names {named!r} and travels as {delivery.subject!r}")
    return message


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


def _run_and_sample(subject: str) -> list[str]:
    """Return the run of a stored subject, and the sample where it names one."""
    return subject.split(".")[6:8] or [""]


def _log_error(where: str, error: Exception) -> None:
    if isinstance(error, ExhibitError):
        log.info("%s: %s: %s", where, error.code, error)
    else:
        log.error("%s: a bug", where, exc_info=error)
