"""Events that happened already, read back from the stream of a NATS server."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import nats.errors
import nats.js.errors
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.nuid import NUID

from shared.bus.ports import StoredEvent
from shared.bus.signing.signatures import SIGNATURE, KnownSigners, is_believed
from shared.bus.wire import map_nats_errors
from shared.streams import EVENTS_STREAM

READ_TIMEOUT_S = 30.0
KNOWN_WITHIN_S, PAUSE_S = 5.0, 0.05
"""In a cluster a consumer that was just made is not known to every server at once, and who asks for its messages
meanwhile is told that nobody answers."""
IDLE_S = 60.0
"""The server drops the consumer of a reader that has died."""


def reader_name() -> str:
    """Return a new name of a consumer. The server checks rights by names; where it gives one itself it checks none."""
    return f"reader_{NUID().next().decode()}"


class NatsEvents:
    """See :class:`shared.bus.ports.EventReader`."""

    def __init__(self, js: JetStreamContext, known: KnownSigners) -> None:
        self._stream_of_events, self._known_signers = js, known

    async def read_events(self, subjects: Sequence[str], start: int, limit: int) -> list[StoredEvent]:
        """See :class:`shared.bus.ports.EventReader`."""
        js, found = self._stream_of_events, list[StoredEvent]()
        config = ConsumerConfig(
            name=reader_name(),
            filter_subjects=list(subjects),
            ack_policy=AckPolicy.NONE,
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE if start > 1 else DeliverPolicy.ALL,
            opt_start_seq=start if start > 1 else None,
            inactive_threshold=IDLE_S,
            mem_storage=True,  # it lives for one page: a file for it costs the server twice the time
        )
        with map_nats_errors():
            consumer = await js.add_consumer(EVENTS_STREAM.name, config)
            reading = await js.pull_subscribe_bind(consumer=consumer.name, stream=EVENTS_STREAM.name)
            try:
                left = min(consumer.num_pending or 0, limit)
                while len(found) < left:
                    for msg in await _fetch(reading, left - len(found)):
                        facts = msg.metadata
                        headers = msg.headers or {}
                        found.append(
                            StoredEvent(
                                facts.sequence.stream,
                                facts.timestamp,
                                msg.data,
                                msg.subject,
                                headers.get(SIGNATURE, ""),
                                partial(is_believed, self._known_signers, msg.subject, msg.data, headers),
                            )
                        )
            finally:
                await reading.unsubscribe()
                with suppress(nats.js.errors.NotFoundError, nats.errors.Error):
                    await js.delete_consumer(EVENTS_STREAM.name, consumer.name)
        return found


async def _fetch(reading: JetStreamContext.PullSubscription, count: int) -> list[Msg]:
    clock = asyncio.get_running_loop().time
    known_s = clock() + KNOWN_WITHIN_S
    while True:
        try:
            return await reading.fetch(count, timeout=READ_TIMEOUT_S)
        except nats.js.errors.ServiceUnavailableError:
            if clock() > known_s:
                raise
            await asyncio.sleep(PAUSE_S)
