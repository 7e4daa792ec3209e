"""The bus suite, on a real nats-server and in memory."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import nats.errors
import pytest
import pytest_asyncio
from nats.js import JetStreamContext
from nats.js.api import ObjectStoreConfig
from nats.js.errors import NotFoundError, ServiceUnavailableError
from nats.js.kv import KeyValue

from shared.bus import records
from shared.bus.actor import Actor
from shared.bus.nats_bus import connect_bus
from shared.bus.serving import serve
from shared.contracts.base import Usage
from shared.contracts.browser_pool import ReleaseSession, SessionReleased
from shared.contracts.discovery import PopulationClosed
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.errors import PermanentError, Unavailable
from shared.host.nats_server import nats_server
from shared.streams import ANSWERS, ARTIFACTS, EVENTS_STREAM, INPUTS, SPENDING, Bucket, object_stream, samples_of
from shared.subjects import LOAD_RUN, POPULATION_CLOSED, RELEASE
from shared.testing.bus import MemoryBus
from tests.handlers.shared.bus_suite import BusSuite, one_call_more, unique
from tests.raising import raises_code


class TestRealBus(BusSuite):
    @pytest_asyncio.fixture
    async def served(self, nats_url):
        async with AsyncExitStack() as stack:
            stop = asyncio.Event()
            tasks = []

            async def start(actor, deps):
                bus = await stack.enter_async_context(connect_bus(nats_url, name=actor.name))
                ready = asyncio.Event()
                tasks.append(asyncio.create_task(serve(bus, actor, deps, capacity=1, stop=stop, ready=ready)))
                await ready.wait()
                return bus

            yield start
            stop.set()
            await asyncio.gather(*tasks)

    @pytest.fixture
    def published(self):
        async def read(bus, run_id):
            subject = f"{POPULATION_CLOSED.pattern}.{run_id}"
            info = await bus.js.stream_info(EVENTS_STREAM.name, subjects_filter=subject)
            last = await bus.js.get_msg(EVENTS_STREAM.name, subject=subject, seq=1, next=True)
            assert info.state.subjects == {subject: 1}
            return [msgspec.json.decode(last.data, type=PopulationClosed)]

        return read

    @pytest.fixture
    def new_bucket(self):
        async def create(bus):
            bucket = Bucket(unique("bucket"))
            await bus.js.create_key_value(bucket=bucket.name)
            return bucket

        return create


class TestMemoryBus(BusSuite):
    @pytest.fixture
    def served(self):
        async def start(actor, deps):
            bus = MemoryBus()
            bus.host(actor, deps)
            return bus

        return start

    @pytest.fixture
    def published(self):
        async def read(bus, run_id):
            return bus.events(PopulationClosed)

        return read

    @pytest.fixture
    def new_bucket(self):
        async def create(bus):
            return Bucket(unique("bucket"))

        return create


class Overtaken(KeyValue):
    """A key-value bucket in which another process stores a record behind each of the first ``times`` reads."""

    def __init__(self, bucket: KeyValue, times: int) -> None:
        self._bucket, self.times = bucket, times

    async def get(self, key: str, *args: Any, **options: Any) -> KeyValue.Entry:
        try:
            return await self._bucket.get(key, *args, **options)
        finally:
            if self.times:
                self.times -= 1
                await self._bucket.put(key, msgspec.json.encode(Usage(llm_calls=100)), **options)

    async def update(self, key: str, value: bytes, *args: Any, **options: Any) -> int:
        return await self._bucket.update(key, value, *args, **options)


async def test_a_change_that_was_overtaken_is_made_of_what_is_there_now(nats_url):
    async with connect_bus(nats_url, name="test") as bus:
        key, known = unique("run"), []

        def change(usage: Usage | None) -> Usage:
            known.append(usage)
            return one_call_more(usage)

        await bus.read(SPENDING, key, Usage)
        bus._kv[SPENDING.name] = Overtaken(bus._kv[SPENDING.name], times=2)
        assert await bus.modify(SPENDING, key, Usage, change) == Usage(llm_calls=101)
        assert known == [None, Usage(llm_calls=100), Usage(llm_calls=100)]


async def test_a_change_that_is_always_overtaken_is_given_up(nats_url, monkeypatch):
    monkeypatch.setattr(records, "MODIFY_TRIES", 3)
    async with connect_bus(nats_url, name="test") as bus:
        key = unique("run")
        await bus.read(SPENDING, key, Usage)
        bus._kv[SPENDING.name] = Overtaken(bus._kv[SPENDING.name], times=99)
        with raises_code(Unavailable, "record_contended", match=f"the record {key} in SPENDING changes too fast"):
            await bus.modify(SPENDING, key, Usage, one_call_more)
        assert await bus.read(SPENDING, key, Usage) == Usage(llm_calls=100)


async def test_processes_that_change_one_record_at_once_lose_nothing(nats_url):
    async with AsyncExitStack() as stack:
        buses = [await stack.enter_async_context(connect_bus(nats_url, name="test")) for _ in range(4)]
        key = unique("run")
        await asyncio.gather(*(bus.modify(SPENDING, key, Usage, one_call_more) for bus in buses * 10))
        assert await buses[0].read(SPENDING, key, Usage) == Usage(llm_calls=40)


async def test_no_server_is_said_with_its_address_and_what_to_do():
    with pytest.raises(Unavailable, match=r"no NATS server answers at nats://127\.0\.0\.1:1.*JetStream"):
        async with connect_bus("nats://127.0.0.1:1", name="lost"):
            pass


async def test_bytes_that_a_server_of_the_cluster_does_not_have_yet_are_asked_of_its_leader(nats_url, monkeypatch):
    async with connect_bus(nats_url, name="test") as bus:
        await bus.put(ARTIFACTS, "behind", b"x" * 300_000)
        ask = bus.js.get_msg

        async def behind(*args: Any, direct: bool = False, **more: Any) -> Any:
            if direct:
                raise NotFoundError
            return await ask(*args, **more)

        monkeypatch.setattr(bus.js, "get_msg", behind)
        assert await bus.get(ARTIFACTS, "behind") == b"x" * 300_000


async def test_events_are_read_where_their_consumer_is_not_known_to_all_servers_yet(nats_url, monkeypatch):
    """As in a cluster: at first nobody answers who asks for its messages."""
    asked: list[int] = []
    fetch = JetStreamContext.PullSubscription.fetch

    async def late(self: Any, *args: Any, **more: Any) -> Any:
        asked.append(1)
        if len(asked) < 3:
            raise ServiceUnavailableError
        return await fetch(self, *args, **more)

    async with connect_bus(nats_url, name="test") as bus:
        run = unique("run")
        await bus.publish(POPULATION_CLOSED, PopulationClosed(run_id=run, samples=1))
        monkeypatch.setattr(JetStreamContext.PullSubscription, "fetch", late)
        read = await bus.read_events((f"{POPULATION_CLOSED.pattern}.{run}",), 1, 10)
    assert (len(read), len(asked)) == (1, 3)


@pytest.mark.parametrize("of_js", ["key_value", "object_store", "delete_consumer"])
async def test_a_server_that_does_not_answer_is_no_bug(nats_url, monkeypatch, of_js):
    """As while a cluster chooses another leader: whoever asked may ask again."""

    async def late(*_: Any, **__: Any) -> Any:
        raise nats.errors.TimeoutError

    async with connect_bus(nats_url, name="test") as bus:
        monkeypatch.setattr(bus.js, of_js, late)
        with raises_code(Unavailable, "bus_slow"):
            if of_js == "key_value":
                await bus.read(SPENDING, "key", Usage)
            elif of_js == "object_store":
                await bus.get(ARTIFACTS, "name")
            else:
                await bus.close_queue(samples_of("run", 1))


async def test_more_replicas_than_the_bus_has_servers_are_refused_and_named(nats_url):
    with pytest.raises(PermanentError, match="EXHIBIT_NATS_REPLICAS is 3") as caught:
        async with connect_bus(nats_url, name="test", replicas=3):
            pass
    assert caught.value.code == "bus_refused"


async def test_an_ask_may_be_published_by_a_client_that_waits_for_no_reply(nats_url):
    heard: asyncio.Queue[str] = asyncio.Queue()
    actor: Actor[None] = Actor("listening")

    @actor.answers(LOAD_RUN)
    async def load(request: LoadRun, deps: None) -> LoadReply:
        heard.put_nowait(request.run_id)
        return RunUnknown(run_id=request.run_id, message="")

    stop, ready = asyncio.Event(), asyncio.Event()
    async with connect_bus(nats_url, name="listening") as bus:
        serving = asyncio.create_task(serve(bus, actor, None, capacity=1, stop=stop, ready=ready))
        await ready.wait()
        await bus.nc.publish(LOAD_RUN.pattern, b'{"type":"LoadRun","run_id":"r"}')
        assert await asyncio.wait_for(heard.get(), 60) == "r"
        assert await bus.ask(LOAD_RUN, LoadRun(run_id="still there")) == RunUnknown(run_id="still there", message="")
        stop.set()
        await serving


async def test_an_instance_that_dies_while_it_is_asked_is_said_to_be_gone(nats_url):
    """What would be waited for is the whole timeout of the ask: minutes, for a page."""
    actor: Actor[asyncio.Event] = Actor("slow")

    @actor.answers(RELEASE, deadline_s=60)
    async def release(request: ReleaseSession, asked: asyncio.Event) -> SessionReleased:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError("it is never answered")

    asked, stop, ready = asyncio.Event(), asyncio.Event(), asyncio.Event()
    async with connect_bus(nats_url, name="asker") as bus:
        async with connect_bus(nats_url, name="slow") as other:
            serving = asyncio.create_task(serve(other, actor, asked, capacity=1, stop=stop, ready=ready))
            await ready.wait()
            request = ReleaseSession(session_id="s", instance_id=other.instance_id)
            asking = asyncio.create_task(bus.ask(RELEASE, request, timeout_s=60))
            await asked.wait()
            await other.nc.close()
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
        with raises_code(Unavailable, "instance_gone"):
            await asking
        with raises_code(Unavailable, "no_responders"):
            await bus.ask(RELEASE, request, timeout_s=60)


async def test_a_bucket_that_is_full_refuses_what_is_put_until_there_is_room(nats_url):
    async with connect_bus(nats_url, name="evidence") as bus:
        for bucket in (INPUTS, ANSWERS):
            info = await bus.js.stream_info(object_stream(bucket.name))
            assert (info.config.max_bytes, info.config.max_age) == (bucket.max_bytes, bucket.max_age_s)
        small = Bucket(unique("SMALL"))
        await bus.js.create_object_store(small.name, ObjectStoreConfig(max_bytes=300_000))
        await bus.put(small, "first", b"x" * 200_000)
        with raises_code(Unavailable, "bus_unavailable", "maximum bytes"):
            await bus.put(small, "second", b"y" * 200_000)
        assert await bus.get(small, "first") == b"x" * 200_000
        await bus.remove(small, "first")
        await bus.put(small, "second", b"y" * 200_000)


@pytest.mark.system
async def test_a_bucket_that_was_made_with_other_limits_stays_as_it_is(tmp_path):
    async with nats_server(tmp_path) as url:
        async with connect_bus(url, name="evidence") as bus:
            await bus.js.delete_object_store(INPUTS.name)
            await bus.js.create_object_store(INPUTS.name, ObjectStoreConfig(max_bytes=1_000_000))
        async with connect_bus(url, name="evidence") as bus:
            info = await bus.js.stream_info(object_stream(INPUTS.name))
            assert info.config.max_bytes == 1_000_000
            await bus.put(INPUTS, "a", b"1")
