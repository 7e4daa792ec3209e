"""The bus on a real NATS server. What handlers may use of it is in `shared.bus.ports`."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import json
import logging
import ssl
import time
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar, get_args

import msgspec
import nats
import nats.errors
import nats.js.errors
from nats.aio.client import Client as NatsClient
from nats.js import JetStreamContext
from nats.js.api import (
    PubAck,
)
from nats.nuid import NUID
from nats.protocol.parser import AUTHORIZATION_VIOLATION, PERMISSIONS_ERR

from shared.aio import run_unless
from shared.bus.access.credentials import NO_ACCESS, BusAccess, ConnectOptions, connect_options
from shared.bus.access.refusals import Refusals
from shared.bus.blob_io import NatsBlobs
from shared.bus.connection.connection_loss import ConnectionLoss, run_again_after_loss
from shared.bus.connection.nats_connection import NatsConnection
from shared.bus.connection.streams import await_streams, consumer_config, create_streams
from shared.bus.event_reader import NatsEvents
from shared.bus.floods import LETTERS_S, LetterLimit
from shared.bus.instance_use import InstanceUse, InstanceUseOf
from shared.bus.records import NatsRecords
from shared.bus.runner import Delivery
from shared.bus.signing.signatures import SIGNATURE, UNSIGNED, Signing
from shared.bus.wire import map_nats_errors, parse_reply, run_while_alive
from shared.contracts.base import Failure, Message
from shared.contracts.error_codes import SignatureCode
from shared.errors import DeadlineExceeded, PermanentError, Unavailable
from shared.streams import (
    INBOX,
    Consumer,
    Stream,
)
from shared.subjects import DEAD_LETTERS, Ask, Stored, is_token, message_id, subject_for
from shared.telemetry.about import about_headers
from shared.telemetry.events import publishing
from shared.telemetry.tracing import trace_headers

log = logging.getLogger(__name__)

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
MsgT = TypeVar("MsgT", bound=Message)
ResultT = TypeVar("ResultT")

MESSAGE_ID = "Nats-Msg-Id"
PUBLISH_BOUND_S = 30.0
"""Of one message, however often the connection is lost meanwhile."""
RECONNECT_EVERY_S = 0.25
UNBELIEVED: frozenset[str] = frozenset(get_args(SignatureCode))


class AskGate:
    """Whether a gated ask is listened to, with both changes to be waited for. It starts open."""

    def __init__(self) -> None:
        self._open, self._closed = asyncio.Event(), asyncio.Event()
        self._open.set()

    def set(self, is_open: bool) -> None:
        (self._open if is_open else self._closed).set()
        (self._closed if is_open else self._open).clear()

    async def wait_open(self) -> None:
        await self._open.wait()

    async def wait_closed(self) -> None:
        await self._closed.wait()


class AskSeats:
    """The subjects of one held ask that this process answers, and whether they have changed since they were read."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self.changed = asyncio.Event()

    def add(self, subject: str, count: int) -> None:
        self._counts[subject] = max(self._counts[subject] + count, 0)
        self.changed.set()

    def read(self) -> frozenset[str]:
        self.changed.clear()
        self._counts = +self._counts
        return frozenset(self._counts)


class Bus(NatsRecords, NatsBlobs, NatsEvents):
    """The connection of one process. Open one with :func:`connect_bus`."""

    def __init__(
        self,
        nc: NatsClient,
        name: str,
        losses: ConnectionLoss,
        refusals: Refusals | None = None,
        signing: Signing = UNSIGNED,
    ) -> None:
        """``refusals``: None on a server without users, which refuses nothing."""
        self.nc = nc
        self._losses, self._refusals, self.signing = losses, refusals, signing
        self.js: JetStreamContext = nc.jetstream(timeout=10)
        self.name = name
        self.instance_id = NUID().next().decode()
        NatsRecords.__init__(self, nc, self.js)
        NatsBlobs.__init__(self, nc, self.js)
        NatsEvents.__init__(self, self.js, signing.known)
        self._gates: dict[str, AskGate] = {}
        self.uses: dict[str, InstanceUse] = {}
        self._seats: dict[str, AskSeats] = {}
        self._letters = LetterLimit()
        self._telling: asyncio.TimerHandle | None = None

    # --- asking and publishing

    async def ask(self, subject: Ask[ReqT, RepT], request: ReqT, *, timeout_s: float = 30.0) -> RepT:
        """See :class:`shared.bus.ports.Asks`."""

        async def ask_within(left_s: float) -> RepT:
            return await self._ask_once(subject, request, left_s)

        try:
            if subject.repeatable:
                return await run_again_after_loss(ask_within, timeout_s)
            return await ask_within(timeout_s)
        except TimeoutError as exc:
            raise DeadlineExceeded(f"no answer to {subject.pattern} within {timeout_s:g} s") from exc

    async def _ask_once(self, subject: Ask[ReqT, RepT], request: ReqT, timeout_s: float) -> RepT:
        where = subject_for(subject, request)
        asking = self.nc.request(
            where,
            msgspec.json.encode(request),
            timeout=timeout_s,
            headers={**about_headers(), **trace_headers()} or None,
        )
        if subject.keys and not subject.held:
            asking = run_while_alive(self.nc, str(getattr(request, subject.keys[-1])), asking)
        try:
            msg = await self._run(where, asking)
        except nats.errors.NoRespondersError as exc:
            raise Unavailable(f"nobody answers {subject.pattern}", code="no_responders", retry_after_s=0.2) from exc
        except nats.errors.ConnectionClosedError as exc:
            raise Unavailable("the connection to the bus is closed", code="bus_closed") from exc
        return parse_reply(subject, msg)

    async def publish(self, subject: Stored[MsgT], message: MsgT) -> None:
        """See :class:`shared.bus.ports.Publishes`. Repeated where the connection is lost: the server counts it once."""
        where, data = subject_for(subject, message), msgspec.json.encode(message)
        with publishing(subject.pattern, message), map_nats_errors():
            headers = {**trace_headers(), MESSAGE_ID: message_id(subject, message)}
            if subject.signers and self.signing.signer is not None:
                headers[SIGNATURE] = self.signing.signer.header(where, data)

            async def publish_within(left_s: float) -> PubAck:
                return await self._run(where, self.js.publish(where, data, headers=headers))

            await run_again_after_loss(publish_within, PUBLISH_BOUND_S)

    async def _run(self, where: str, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Return the result of ``work``, which publishes to ``where`` and waits for an answer."""
        if self._refusals is not None:
            work = self._refusals.run(where, work)
        return await self._losses.run(work)

    # --- what the runner needs

    async def is_handled(self, message_id: str) -> bool:
        """See :class:`shared.bus.runner.Outbox`."""
        return await self.read(INBOX, message_id, bool) is not None

    async def mark_handled(self, message_id: str) -> None:
        """See :class:`shared.bus.runner.Outbox`."""
        await self.create(INBOX, message_id, True)

    async def dead_letter(self, original: Delivery, failure: Failure) -> None:
        """See :class:`shared.bus.runner.Outbox`. The reason is in a header. Of events that nobody has signed a few are
        kept a minute: a flood of them is no flood of dead letters, and each stays in the stream of events."""
        if failure.code in UNBELIEVED and not self._letters.take(time.monotonic()):
            self._tell_later()
            return
        log.warning("dead letter from %s: %s; its reason is with it in the stream DLQ", original.subject, failure.code)
        kind = ".".join(original.subject.split(".")[2:])
        reason = json.dumps(msgspec.to_builtins(failure), separators=(",", ":"))  # in ASCII, as headers are
        await self.js.publish(f"{DEAD_LETTERS}.{kind}", original.data, headers={"Exhibit-Failure": reason})

    def _tell_later(self) -> None:
        if self._telling is None:
            log.warning("events that no known service has signed are many: those that follow are counted only")
            self._telling = asyncio.get_running_loop().call_later(LETTERS_S, self._tell_left_out)

    def _tell_left_out(self) -> None:
        self._telling = None
        log.warning(
            "%d more events that no known service has signed are no dead letters; they are in the stream of events",
            self._letters.tell(),
        )

    # --- queues and gates

    async def open_queue(self, consumer: Consumer) -> None:
        """Create the consumer, or leave it as it is where it exists."""
        with map_nats_errors():
            await self.js.add_consumer(consumer.stream, consumer_config(consumer))

    async def close_queue(self, consumer: Consumer) -> None:
        """Remove the consumer with all messages that it still had; idempotent.

        A consumer of another name on the same subjects, opened meanwhile, loses nothing.
        """
        with map_nats_errors():
            try:
                await self.js.delete_consumer(consumer.stream, consumer.name)
            except nats.js.errors.NotFoundError:
                return
            for subject in consumer.subjects:
                await self.js.purge_stream(consumer.stream, subject=subject)

    async def is_queued(self, stream: Stream, subject: Stored[Any], message: Message) -> bool:
        """Whether the work-queue stream still has a message on the subject of this one."""
        try:
            with map_nats_errors():
                await self.js.get_last_msg(stream.name, subject_for(subject, message))
        except nats.js.errors.NotFoundError:
            return False
        return True

    async def set_open(self, subject: Ask[Any, Any], is_open: bool) -> None:
        """Start or stop listening to a gated ask; requests then go to the instances that listen."""
        self.gate(subject).set(is_open)

    def tell_use(self, what: InstanceUseOf, in_use: int, most: int) -> None:
        """Note how much of what this process can do at a time is in use: nats.micro tells it with its stats."""
        self.uses[what] = InstanceUse(in_use, most)

    def gate(self, subject: Ask[Any, Any]) -> AskGate:
        return self._gates.setdefault(subject.pattern, AskGate())

    def take_seat(self, subject: Ask[Any, Any], *keys: str) -> None:
        """See :class:`shared.bus.ports.Seats`. Keys that are no parts of a subject are passed over: nobody can ask."""
        if all(is_token(key) for key in keys):
            self.seats(subject).add(".".join((subject.pattern, *keys)), 1)

    def leave_seat(self, subject: Ask[Any, Any], *keys: str) -> None:
        """See :class:`shared.bus.ports.Seats`."""
        self.seats(subject).add(".".join((subject.pattern, *keys)), -1)

    def seats(self, subject: Ask[Any, Any]) -> AskSeats:
        return self._seats.setdefault(subject.pattern, AskSeats())


@asynccontextmanager
async def connect_bus(
    url: str,
    *,
    name: str,
    access: BusAccess = NO_ACCESS,
    user: str = "",
    streams: Collection[str] = (),
    makes_streams: bool = False,
    replicas: int = 1,
    signing: Signing = UNSIGNED,
) -> AsyncGenerator[Bus]:
    """Connect to the server at ``url`` and create the streams and buckets that it lacks.

    ``user``: whose seed is used where ``access`` has several, else that of ``name``. On a server with users they are
    created by whom ``makes_streams`` says, for nobody else has the right; others wait until ``streams``, those of their
    buckets, are there (`shared.bus.connection.streams`). ``replicas``: servers that hold each of them; a bus whose
    streams are held by another number is refused (``bus_refused``). ``signing``: of a service; whoever has none sends
    nothing that is signed, and believes nobody.

    Raises Unavailable, naming the URL, when no server answers; PermanentError (``bus_refused``) when it refuses us.
    """

    refusals, losses = Refusals(), ConnectionLoss()

    async def note_loss() -> None:
        losses.note()

    async def log_error(error: Exception) -> None:
        refusals.note(error)
        level = logging.ERROR if PERMISSIONS_ERR in str(error).lower() else logging.INFO
        # Words of the server, which name subjects. What a callback has raised may quote a message.
        words = str(error) if isinstance(error, nats.errors.Error) else ""
        log.log(level, "bus: %s: %s", name, words or type(error).__name__)

    options = connect_options(url, user or name, access)
    await check_server(url, options)
    nc = NatsConnection()
    await nc.connect(
        url,
        name=f"exhibit-{name}",
        error_cb=log_error,
        disconnected_cb=note_loss,
        max_reconnect_attempts=-1,
        reconnect_time_wait=RECONNECT_EVERY_S,  # pyright: ignore[reportArgumentType]  a float will do
        connect_timeout=5,
        **options.named,
    )
    try:
        bus = Bus(nc, name, losses, refusals if options.is_user else None, signing)
        if makes_streams or not options.is_user:
            await create_streams(bus.js, replicas)
        else:
            await await_streams(bus.js, streams)
        yield bus
    finally:
        with suppress(OSError):  # the server may be gone
            await nc.close()


async def check_server(url: str, options: ConnectOptions) -> None:
    """Connect once: a client that reconnects for ever would wait for ever for a server that never was."""
    told: list[str] = []
    untrusted = asyncio.Event()

    async def note(error: Exception) -> None:
        told.append(str(error))
        if isinstance(error, ssl.SSLError):  # nats-py then waits for ever for the end of the connection
            untrusted.set()

    connecting = nats.connect(
        url, max_reconnect_attempts=1, reconnect_time_wait=0.05, connect_timeout=5, error_cb=note, **options.named
    )
    try:
        nc = await run_unless(connecting, untrusted.wait(), OSError())
    except (nats.errors.Error, OSError) as exc:
        if any(AUTHORIZATION_VIOLATION in error.lower() for error in told):
            # Without its cause, which holds nothing more.
            raise PermanentError(_refusal(url, has_key=options.has_key), code="bus_refused") from None
        if untrusted.is_set():
            raise PermanentError(
                f"the certificate of the NATS server at {url} is not trusted ({told[-1]}): EXHIBIT_NATS_CA names those "
                f"that are",
                code="bus_refused",
            ) from exc
        detail = f" ({exc})" if str(exc) else ""
        raise Unavailable(
            f"no NATS server answers at {url}{detail}; is it running, with JetStream on?", code="no_bus"
        ) from exc
    await nc.close()


def _refusal(url: str, *, has_key: bool) -> str:
    if has_key:
        return f"the NATS server at {url} does not take the key of this process"
    return (
        f"the NATS server at {url} takes only who has a key, and there is none for it here: only the user who started "
        f"it with `exhibit up` finds one; on a server with users EXHIBIT_NATS_SEED names it"
    )
