"""The rights of every user, on a real nats-server: refused on each subject that is not its own, in both directions."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.aio.transport import TcpTransport
from nats.js.api import AckPolicy, ConsumerConfig
from nats.micro.request import ERROR_CODE_HEADER

from services.console.commands.bus_config import write_bus_config
from shared import subjects
from shared.bus.access.credentials import BusAccess
from shared.bus.access.keys import new_seed
from shared.bus.access.rights import BusUser, buckets_of, streams_of
from shared.bus.actor import Actor
from shared.bus.connection import streams as connection_streams
from shared.bus.nats_bus import connect_bus
from shared.bus.serving import serve
from shared.bus.wire import flush, ping_subject
from shared.contracts.evidence import EvidenceBlocked, FindRuns, RunsFound
from shared.errors import ExhibitError, PermanentError, Unavailable
from shared.host.bus_users import bus_users, rights_by_name
from shared.streams import EVENTS_STREAM, KEY_VALUE_BUCKETS, OBJECT_BUCKETS, OUTAGES, STREAMS
from shared.subjects import DEAD_LETTERS, FIND_RUNS, PREFIX, Ask, Stored
from tests.bus_with_users import BusWithUsers, bus_with_users, is_refused
from tests.certificates import Authority
from tests.raising import raises_code
from tests.typed import expect

pytestmark = pytest.mark.system
USERS = {user.name: user for user in bus_users()}
SERVICES = {"evidence", "browser_pool", "workflows", "vision", "planner", "discovery"}
ASKS: list[Ask[Any, Any]] = [one for one in vars(subjects).values() if isinstance(one, Ask)]
STORED: list[Stored[Any]] = [one for one in vars(subjects).values() if isinstance(one, Stored)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bus(own_state_folder: None, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BusWithUsers]:
    async with bus_with_users(tmp_path_factory.mktemp("users")) as served:
        async with connect_bus(served.url, name="evidence", access=served.access, makes_streams=True):
            pass
        yield served


def concrete(subject: Ask[Any, Any] | Stored[Any]) -> str:
    return ".".join((subject.pattern, *("x" for _ in subject.keys)))


def answered(user: BusUser) -> set[str]:
    return {one.pattern for one in user.use.answers} | set(user.actor.asks if user.actor else ())


def emitted(user: BusUser) -> set[str]:
    routes = user.actor.stored.values() if user.actor else ()
    return {one.pattern for one in user.use.publishes} | {one.emits.pattern for one in routes if one.emits is not None}


async def flushed(nc: NatsClient) -> None:
    """Return once the server has told what it refuses: it answers a ping after that."""
    await nc.flush()
    await nc.flush()


async def refused_to_publish(bus: BusWithUsers, user: str, names: list[str]) -> set[str]:
    async with bus.raw(user) as (nc, told):
        for name in names:
            await nc.publish(name, b"{}")
        await flushed(nc)
        return {name for name in names if any(f'publish to "{name}"'.lower() in one for one in told)}


async def refused_to_listen(bus: BusWithUsers, user: str, names: list[str]) -> set[str]:
    async with bus.raw(user) as (nc, told):
        for name in names:
            await nc.subscribe(name)
        await flushed(nc)
        return {name for name in names if any(f'subscription to "{name}"'.lower() in one for one in told)}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", sorted(USERS))
async def test_a_user_publishes_what_it_declares_and_nothing_else(bus: BusWithUsers, name: str):
    user = USERS[name]
    asked, told = {one.pattern for one in user.use.asks}, emitted(user)
    own = {concrete(one) for one in ASKS if one.pattern in asked} | {
        concrete(one) for one in STORED if one.pattern in told
    }
    tried = [concrete(one) for one in (*ASKS, *STORED)]
    assert len(tried) > 55
    assert await refused_to_publish(bus, name, tried) == set(tried) - own


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", sorted(USERS))
async def test_a_user_hears_what_it_answers_and_nothing_else(bus: BusWithUsers, name: str):
    """Events and commands come by consumers, but for the one by which a worker learns of a new queue."""
    user = USERS[name]
    queues = [
        route.queues.opened_by.pattern for route in (user.actor.stored.values() if user.actor else ()) if route.queues
    ]
    own = {concrete(one) for one in ASKS if one.pattern in answered(user)}
    own |= {concrete(one) for one in STORED if one.pattern in queues}
    if user.use.hears_runs:
        own |= {concrete(one) for one in STORED if one.pattern.startswith(f"{PREFIX}.evt.")}
    tried = [concrete(one) for one in (*ASKS, *STORED)]
    everything = [">", "*.>", "exhibit.>", "exhibit.v1.ask.>", "exhibit.v1.evt.>", "$JS.>", "$KV.>", "$O.>", "_INBOX.>"]
    assert await refused_to_listen(bus, name, tried + everything) == {*tried, *everything} - own


WHO = {
    subjects.SUBMIT_RUN: {"client", "operator"},
    subjects.LEASE: {"planner", "workflows", "operator"},
    subjects.ACT: {"planner", "workflows", "operator"},
    subjects.SAVE_PROFILE: {"operator"},
    subjects.SETTLE_SAMPLE: {"operator"},
    subjects.TAG_RUN: {"client", "reviewer", "operator"},
    subjects.DECIDE_REVIEW: {"reviewer", "operator"},
    subjects.LOAD_REVIEW: {"reviewer", "operator"},
    subjects.DELETE_WORKFLOW: {"operator"},
    subjects.DECIDE: {"planner"},
    subjects.CLAIM_PRESS: {"planner"},
    subjects.RUN_STARTED: {"discovery"},
    subjects.WORK_SAMPLE: {"discovery", "planner"},
    subjects.POPULATION_CLOSED: {"discovery"},
    subjects.STEP_TAKEN: {"planner"},
    subjects.SAMPLE_FINISHED: {"planner", "evidence"},
    subjects.RUN_FINISHED: {"evidence"},
    subjects.SAMPLE_SETTLED: {"evidence"},
    subjects.REVIEW_SIGNED_OFF: {"evidence"},
    subjects.DELIVER_WEBHOOK: {"evidence"},
}
"""Written by hand: who may send what decides something."""


@pytest.mark.asyncio(loop_scope="module")
async def test_what_decides_is_sent_by_those_whose_decision_it_is(bus: BusWithUsers):
    tried = [concrete(one) for one in WHO]
    refused = {name: await refused_to_publish(bus, name, tried) for name in USERS}
    may = {one.pattern: {name for name in USERS if concrete(one) not in refused[name]} for one in WHO}
    assert may == {one.pattern: names for one, names in WHO.items()}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", sorted(USERS))
async def test_buckets_are_closed_to_those_who_have_nothing_to_do_with_them(bus: BusWithUsers, name: str):
    use, takes_work = USERS[name].use, name in {"planner", "evidence"}
    writes = {f"$KV.{one.name}.x" for one in use.records} | ({"$KV.INBOX.x"} if takes_work else set())
    writes |= {f"$O.{one.name}.C.x" for one in use.puts}
    writes |= {f"$O.{one.name}.M.x" for one in (*use.puts, *use.removes)}
    reads = {f"$JS.API.STREAM.MSG.GET.KV_{one.name}" for one in (*use.reads, *use.records, *use.lists, *use.watches)}
    reads |= {"$JS.API.STREAM.MSG.GET.KV_INBOX"} if takes_work else set()
    reads |= {f"$JS.API.STREAM.MSG.GET.OBJ_{one.name}" for one in (*use.gets, *use.puts, *use.removes)}
    tried = [f"$KV.{one.name}.x" for one in KEY_VALUE_BUCKETS]
    tried += [f"$O.{one.name}.{part}.x" for one in OBJECT_BUCKETS for part in "CM"]
    tried += [f"$JS.API.STREAM.MSG.GET.KV_{one.name}" for one in KEY_VALUE_BUCKETS]
    tried += [f"$JS.API.STREAM.MSG.GET.OBJ_{one.name}" for one in OBJECT_BUCKETS]
    assert await refused_to_publish(bus, name, tried) == set(tried) - writes - reads


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", sorted(name for name, user in USERS.items() if user.use.lists))
async def test_a_user_reads_all_records_of_the_buckets_that_it_lists(
    bus: BusWithUsers, name: str, caplog: pytest.LogCaptureFixture
):
    async with connect_bus(bus.url, name=name, access=bus.access, streams=buckets_of(USERS[name])) as connected:
        for bucket in USERS[name].use.lists:
            key = f"{name}-reads"
            assert await connected.create(bucket, key, {"stored": True})
            assert (await connected.read_all(bucket, dict[str, bool]))[key] == {"stored": True}
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", sorted(USERS))
async def test_nobody_changes_or_deletes_a_stream_and_nobody_makes_a_foreign_one(bus: BusWithUsers, name: str):
    streams = [one.name for one in STREAMS]
    streams += [f"KV_{one.name}" for one in KEY_VALUE_BUCKETS] + [f"OBJ_{one.name}" for one in OBJECT_BUCKETS]
    tried = [
        f"$JS.API.STREAM.{verb}.{one}" for one in streams for verb in ("UPDATE", "DELETE", "MSG.DELETE", "RESTORE")
    ]
    tried += ["$JS.API.STREAM.CREATE.STOLEN", "$JS.API.INFO", "$SYS.REQ.SERVER.PING", "$SYS.REQ.SERVER.PING.CONNZ"]
    if name != "evidence":
        tried += [f"$JS.API.STREAM.CREATE.{one}" for one in streams]
    assert await refused_to_publish(bus, name, tried) == set(tried)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", sorted(USERS))
async def test_nobody_reads_the_events_of_a_service_in_its_place(bus: BusWithUsers, name: str):
    """Whoever took them from its consumer, or changed that, would hide what has happened from it."""
    followers = sorted({"evidence", "discovery", "workflows"} - {name})
    tried = [
        f"$JS.API.CONSUMER.{verb}.{EVENTS_STREAM.name}.{one}"
        for one in followers
        for verb in ("CREATE", "DURABLE.CREATE", "MSG.NEXT", "DELETE")
    ]
    tried += [f"$JS.ACK.{EVENTS_STREAM.name}.{one}.1.2.3.4.5" for one in followers]
    tried += [f"{DEAD_LETTERS}.x", f"{DEAD_LETTERS}.evt.planner.unknown.x"]
    assert await refused_to_publish(bus, name, tried) == set(tried)


SERVER_FILE = Path(sys.executable).parent / "nats-server"
IN_SERVER = re.compile(rb"\$JS\.API\.([A-Z.]+)(?:\.[*>%]|\b)?")
OF_ACCOUNT = (
    "INFO", "ACCOUNT.PURGE.x", "ACCOUNT.STREAM.MOVE.x.x", "ACCOUNT.STREAM.CANCEL", "SERVER.REMOVE", "SERVER.EVACUATE",
    "META.LEADER.STEPDOWN", "META.RESCUE", "STREAM.LIST", "STREAM.NAMES", "STREAM.CANCEL", "DIRECT.GET",
)  # fmt: skip
OF_STREAM = (
    "CREATE", "UPDATE", "INFO", "DELETE", "PURGE", "SNAPSHOT", "RESTORE", "MSG.GET", "MSG.DELETE", "PEER.REMOVE",
    "PEER.EVACUATE", "LEADER.STEPDOWN",
)  # fmt: skip
OF_CONSUMER = (
    "CREATE", "DURABLE.CREATE", "INFO", "DELETE", "MSG.NEXT", "PAUSE", "UNPIN", "RESET", "PEER.REMOVE",
    "PEER.EVACUATE", "LEADER.STEPDOWN",
)  # fmt: skip
"""Every call of JetStream's API; that these are all is read in the server."""


def test_every_call_of_the_pinned_server_is_tried():
    """A call that a new version has must be decided on."""
    tried = {*(one.removesuffix(".x").removesuffix(".x") for one in OF_ACCOUNT), "DIRECT.GET"}
    tried |= {f"STREAM.{verb}" for verb in OF_STREAM}
    tried |= {f"CONSUMER.{verb}" for verb in (*OF_CONSUMER, "LIST", "NAMES")}
    written = {one.decode().rstrip(".") for one in IN_SERVER.findall(SERVER_FILE.read_bytes())}
    # Constants stand one behind the other in the file: letters of the next may follow.
    assert {one for one in tried if not any(found.startswith(one) for found in written)} == set()
    groups = {part for one in tried for part in (one.partition(".")[0], "H", "M")}
    assert {one for one in written if one not in groups and not any(one.startswith(call) for call in tried)} == set()


def api_calls(stream: str) -> list[str]:
    calls = [f"STREAM.{verb}.{stream}" for verb in OF_STREAM]
    calls += [f"CONSUMER.{verb}.{stream}" for verb in ("CREATE", "LIST", "NAMES")]
    calls += [f"CONSUMER.{verb}.{stream}.x" for verb in OF_CONSUMER]
    return [*calls, f"CONSUMER.CREATE.{stream}.x.x", f"DIRECT.GET.{stream}", f"DIRECT.GET.{stream}.x"]


ALL_STREAMS = (
    *(one.name for one in STREAMS),
    *(f"KV_{one.name}" for one in KEY_VALUE_BUCKETS),
    *(f"OBJ_{one.name}" for one in OBJECT_BUCKETS),
)
READS = frozenset({"STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET"})
MAKES_READERS = {
    "evidence": {"EVENTS", "DELIVERIES"},
    "discovery": {"SAMPLES", "KV_SUBMISSIONS", "KV_SCHEDULES"},
    "workflows": {"KV_WORKFLOWS", "KV_BUILDS"},
}
PURGES = {
    "evidence": {"DELIVERIES", "OBJ_ARTIFACTS", "OBJ_ANSWERS"},
    "discovery": {"SAMPLES", "OBJ_INPUTS", "OBJ_SCHEDULE_FILES"},
    "workflows": {"OBJ_ARTIFACTS", "OBJ_ANSWERS", "OBJ_INPUTS", "OBJ_BUILD_FILES"},
    "planner": {"OBJ_ANSWERS"},
    "operator": {"OBJ_ARTIFACTS", "OBJ_ANSWERS", "OBJ_INPUTS"},
}
TAKES_WORK = {"planner": {"SAMPLES"}, "evidence": {"DELIVERIES"}}
"""Written by hand: who may make a consumer, and so have the server send what is stored to a subject of its choice; who
may empty a stream; who may pull from the queues of others."""


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", sorted(USERS))
async def test_a_user_calls_of_the_api_of_jetstream_what_it_needs(bus: BusWithUsers, name: str):
    tried = {f"$JS.API.{call}" for call in OF_ACCOUNT} | {
        f"$JS.API.{call}" for stream in ALL_STREAMS for call in api_calls(stream)
    }
    may = tried - await refused_to_publish(bus, name, sorted(tried))
    own = streams_of(USERS[name])
    allowed = {f"$JS.API.{call}" for one in own for call in api_calls(one) if call.partition(f".{one}")[0] in READS}
    if name == "evidence":  # on a new bus whoever makes a stream says what it takes in
        allowed |= {f"$JS.API.STREAM.CREATE.{one}" for one in ALL_STREAMS}
    for stream in MAKES_READERS.get(name, ()):
        verbs = ("CREATE", "INFO", "MSG.NEXT", "DELETE")
        allowed |= {f"$JS.API.CONSUMER.{verb}.{stream}.x" for verb in verbs}
        allowed |= {f"$JS.API.CONSUMER.CREATE.{stream}", f"$JS.API.CONSUMER.CREATE.{stream}.x.x"}
    for stream in TAKES_WORK.get(name, ()):
        allowed |= {f"$JS.API.CONSUMER.{verb}.{stream}.x" for verb in ("INFO", "MSG.NEXT")}
        allowed.add(f"$JS.API.CONSUMER.LIST.{stream}")
    allowed |= {f"$JS.API.STREAM.PURGE.{stream}" for stream in PURGES.get(name, ())}
    assert may - allowed == set()
    assert {one for one in may if "CONSUMER.CREATE" in one} >= {
        f"$JS.API.CONSUMER.CREATE.{stream}.x" for stream in MAKES_READERS.get(name, ())
    }


@pytest.mark.asyncio(loop_scope="module")
async def test_a_client_asks_and_does_nothing_else(bus: BusWithUsers):
    """The server does not check the subject of a reply: who may call the API, or store anything, has what it answers
    sent anywhere, such as into the records of a bucket."""
    rights = rights_by_name({name: new_seed() for name in USERS})["client"][1]
    assert {one.rpartition(".")[0].split(".")[2] for one in rights.publish} == {"ask"}
    assert not rights.replies


# --- what comes as an ask and is none


@dataclass
class Answered:
    """What an actor with one ask was asked."""

    asked: list[FindRuns] = field(default_factory=list[FindRuns])


def answering() -> Actor[Answered]:
    actor: Actor[Answered] = Actor("evidence")

    @actor.answers(FIND_RUNS, paced=1)
    async def find(request: FindRuns, deps: Answered) -> RunsFound:
        deps.asked.append(request)
        return RunsFound(latest=None, unfinished=None)

    return actor


async def test_what_the_server_sends_to_an_ask_is_none(nats_url: str):
    """On a bus without rights: a consumer that pushes to the ask, a stored message whose reply goes there, and an ask
    whose reply would be a call of the API."""
    deps, stop, ready = Answered(), asyncio.Event(), asyncio.Event()
    async with connect_bus(nats_url, name="evidence") as evidence, connect_bus(nats_url, name="client") as client:
        serving = asyncio.create_task(serve(evidence, answering(), deps, capacity=1, stop=stop, ready=ready))
        await ready.wait()
        forged = msgspec.json.encode(FindRuns(task_id="forged"))
        await client.js.publish("$O.ANSWERS.M.x", forged)
        pushing = ConsumerConfig(
            name="forger", deliver_subject=FIND_RUNS.pattern, deliver_group="exhibit", ack_policy=AckPolicy.NONE
        )
        await client.js.add_consumer("OBJ_ANSWERS", pushing)
        await client.nc.publish("$JS.API.DIRECT.GET.OBJ_ANSWERS.$O.ANSWERS.M.x", reply=FIND_RUNS.pattern)
        await client.create(OUTAGES, "kept", {"whole": True})
        for reply in ("$JS.API.STREAM.PURGE.KV_OUTAGES", "$KV.OUTAGES.kept"):
            await client.nc.publish(FIND_RUNS.pattern, forged, reply=reply)
            await client.nc.publish(ping_subject(evidence.instance_id), b"", reply=reply)
        await flush(client.nc)
        # An honest ask is answered, after all of these.
        assert await client.ask(FIND_RUNS, FindRuns(task_id="honest")) == RunsFound(latest=None, unfinished=None)
        assert [one.task_id for one in deps.asked] == ["honest"]
        assert await client.read(OUTAGES, "kept", dict[str, bool]) == {"whole": True}
        await client.js.delete_consumer("OBJ_ANSWERS", "forger")
        stop.set()
        await serving


@pytest.mark.asyncio(loop_scope="module")
async def test_replies_are_read_by_who_has_asked_and_sent_by_who_was_asked(bus: BusWithUsers):
    async with bus.raw("planner") as (asker, _), bus.raw("operator") as (asked, answers_refused):
        inbox = asker.new_inbox()
        for name in sorted(set(USERS) - {"planner"}):
            assert await refused_to_listen(bus, name, [inbox, f"{inbox.rpartition('.')[0]}.>"]) == {
                inbox,
                f"{inbox.rpartition('.')[0]}.>",
            }
            assert await refused_to_publish(bus, name, [inbox]) == {inbox}

        async def answer(message: Any) -> None:
            await message.respond(b"once")
            await message.respond(b"twice")

        await asked.subscribe(subjects.DECIDE.pattern, cb=answer)
        await flushed(asked)
        assert (await asker.request(subjects.DECIDE.pattern, b"?")).data == b"once"
        await flushed(asked)
        assert len(answers_refused) == 1
        assert "publish" in answers_refused[0]


@pytest.mark.asyncio(loop_scope="module")
async def test_who_is_no_user_is_refused(bus: BusWithUsers, tmp_path: Path):
    assert await is_refused(bus.url)
    stranger = tmp_path / "stranger.seed"
    stranger.write_text(new_seed())
    stranger.chmod(0o600)
    with raises_code(PermanentError, "bus_refused", match="does not take the key"):
        async with connect_bus(bus.url, name="client", access=BusAccess(seeds=stranger)):
            pass
    with pytest.raises(PermanentError, match="EXHIBIT_NATS_SEED"):
        async with connect_bus(bus.url, name="client"):
            pass


@pytest.mark.asyncio(loop_scope="module")
async def test_what_a_user_may_not_is_told_at_once(bus: BusWithUsers, caplog: pytest.LogCaptureFixture):
    """To whoever waits for an answer, and in the log."""
    async with connect_bus(bus.url, name="vision", access=bus.access) as vision:
        with raises_code(PermanentError, "bus_refused", match=f"no right to publish to {FIND_RUNS.pattern}"):
            await vision.ask(FIND_RUNS, FindRuns(), timeout_s=300.0)
        blocked = EvidenceBlocked(run_id="r", sample_id="s", at=datetime(2026, 1, 1, tzinfo=UTC), message="forged")
        with pytest.raises(PermanentError, match="no right to publish"):
            await vision.publish(subjects.EVIDENCE_BLOCKED, blocked)
    told = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert [subject in text for subject, text in zip((FIND_RUNS.pattern, "blocked.r.s"), told, strict=True)] == [
        True,
        True,
    ]


async def test_a_server_is_checked_by_its_certificate(tmp_path: Path):
    authority = Authority(tmp_path / "ours")
    pem, private, _ = authority.issue("bus")
    tls = f'tls {{ cert_file: "{pem}", key_file: "{private}" }}'
    async with bus_with_users(tmp_path, tls) as bus:
        url = bus.url.replace("nats://", "tls://")
        trusting = replace(bus.access, ca=authority.pem)
        async with connect_bus(url, name="evidence", access=trusting, makes_streams=True) as evidence:
            writer = expect(expect(evidence.nc._transport, TcpTransport)._io_writer, asyncio.StreamWriter)
            assert writer.get_extra_info("ssl_object").version() in {"TLSv1.2", "TLSv1.3"}
        with pytest.raises(PermanentError, match=r"is not trusted.*EXHIBIT_NATS_CA"):
            async with connect_bus(url, name="evidence", access=bus.access, makes_streams=True):
                pass


async def test_a_server_may_ask_for_a_certificate_besides_the_key(tmp_path: Path):
    ours, others = Authority(tmp_path / "ours"), Authority(tmp_path / "others")
    pem, private, _ = ours.issue("bus")
    tls = f'tls {{ cert_file: "{pem}", key_file: "{private}", ca_file: "{ours.pem}", verify: true }}'
    async with bus_with_users(tmp_path, tls) as bus:
        url = bus.url.replace("nats://", "tls://")

        async def connects(**shown: Path) -> None:
            access = replace(bus.access, ca=ours.pem, **shown)
            async with connect_bus(url, name="evidence", access=access, makes_streams=True) as evidence:
                assert evidence.nc.is_connected

        mine, theirs = ours.issue("evidence"), others.issue("evidence")
        await connects(cert=mine.pem, key=mine.key)
        for refused in ({}, {"cert": theirs.pem, "key": theirs.key}):
            with pytest.raises(ExhibitError):
                await connects(**refused)
        with pytest.raises(PermanentError, match="set together"):
            await connects(cert=mine.pem)
        with pytest.raises(PermanentError, match="cannot be used"):
            await connects(cert=mine.pem, key=theirs.key)


def test_the_written_configuration_is_one_of_nats_server(tmp_path: Path):
    write_bus_config(tmp_path)
    told = subprocess.run(
        [Path(sys.executable).parent / "nats-server", "-t", "-c", tmp_path / "nats.conf"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert "is valid" in told.stdout + told.stderr


async def test_a_flood_of_asks_is_refused_and_holds_up_nobody_else(nats_url: str):
    deps, stop, ready = Answered(), asyncio.Event(), asyncio.Event()
    async with (
        connect_bus(nats_url, name="evidence") as evidence,
        connect_bus(nats_url, name="client") as flooder,
        connect_bus(nats_url, name="client") as client,
    ):
        serving = asyncio.create_task(serve(evidence, answering(), deps, capacity=1, stop=stop, ready=ready))
        await ready.wait()
        refused, inbox = asyncio.Event(), flooder.nc.new_inbox()

        async def on_reply(msg: Msg) -> None:
            if (msg.headers or {}).get(ERROR_CODE_HEADER) == "rate_limited":
                refused.set()

        await flooder.nc.subscribe(inbox, cb=on_reply)
        for _ in range(1_000):
            await flooder.nc.publish(FIND_RUNS.pattern, msgspec.json.encode(FindRuns(task_id="flood")), reply=inbox)
        await asyncio.wait_for(refused.wait(), 60)
        assert await client.ask(FIND_RUNS, FindRuns(task_id="honest")) == RunsFound(latest=None, unfinished=None)
        assert FindRuns(task_id="honest") in deps.asked
        assert len(deps.asked) < 1_000
        stop.set()
        await serving


async def test_a_service_waits_for_the_streams_of_a_new_bus_and_says_who_makes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    wanted = buckets_of(USERS["browser_pool"])
    async with bus_with_users(tmp_path) as new:
        connecting = connect_bus(new.url, name="browser_pool", access=new.access, streams=wanted)
        waiting = asyncio.create_task(connecting.__aenter__())
        async with connect_bus(new.url, name="evidence", access=new.access, makes_streams=True):
            assert (await waiting).nc.is_connected
        await connecting.__aexit__(None, None, None)
    monkeypatch.setattr(connection_streams, "AWAIT_S", 0.0)
    (tmp_path / "other").mkdir()
    async with bus_with_users(tmp_path / "other") as new:
        with raises_code(Unavailable, "bus_unavailable", "the evidence service makes them"):
            async with connect_bus(new.url, name="browser_pool", access=new.access, streams=wanted):
                pass
