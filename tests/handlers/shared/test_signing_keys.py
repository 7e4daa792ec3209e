"""Whose key is whose: of processes of one user on a bus without users, and of the users of a bus."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.console.commands.bus_config import write_bus_config
from shared.bus.access.contexts import context_folders
from shared.bus.access.credentials import BusAccess, read_seed
from shared.bus.access.keys import new_seed, public_key, secret_of
from shared.bus.access.rights import BusUser
from shared.bus.signing import registered_keys
from shared.bus.signing.choose_keys import keys_of
from shared.bus.signing.registered_keys import KEPT_S, SHOW_EVERY_S, RegisteredKeys
from shared.bus.signing.seed_keys import SIGNERS, PublicKeys, SeedKeys, signer_of
from shared.bus.signing.service_keys import KeysInMemory, checks_signatures
from shared.bus.signing.signatures import EventSigner
from shared.client import connect
from shared.errors import PermanentError
from shared.evidence_format.refused_events import read_refused
from shared.host.bus_users import bus_users
from shared.host.nats_server import nats_server
from shared.host.services import run_services, service_user
from shared.settings import Settings
from shared.subjects import EVENTS, SIGNING
from tests.handlers.evidence.evidence_desk import outcomes
from tests.raising import raises_code

USERS = {user.name: user for user in bus_users()}
SERVICES = {user.name: user for user in bus_users() if user.actor is not None}


def signer(keys: KeysInMemory | RegisteredKeys | SeedKeys, service: str = "planner") -> EventSigner:
    found = keys.signing_of(service_user(service)).signer
    assert found is not None
    return found


def registration(of: EventSigner) -> Path:
    return context_folders()[0] / registered_keys.FOLDER / f"{of.public}.json"


# --- who signs what


def sent_by(user: BusUser) -> set[str]:
    emitted = [route.emits for route in user.actor.stored.values()] if user.actor is not None else []
    return {one.pattern for one in (*user.use.publishes, *emitted) if one is not None}


def test_every_event_that_a_service_handles_is_signed_by_all_who_send_it_and_by_nobody_else():
    handled = {pattern for user in SERVICES.values() for pattern in (user.actor.stored if user.actor else ())}
    for subject in EVENTS:
        senders = {user.name for user in USERS.values() if subject.pattern in sent_by(user)}
        assert set(subject.signers) == (senders if subject.pattern in handled else set()), subject.pattern


def test_who_has_a_key_and_who_has_to_know_those_of_others():
    assert {"discovery", "planner", "evidence"} == SIGNING
    assert {name for name, user in USERS.items() if checks_signatures(user)} == {"evidence", "discovery", "workflows"}
    keys = KeysInMemory()
    assert [keys.signing_of(USERS[name]).signer for name in ("browser_pool", "client")] == [None, None]


# --- in one process


def test_keys_of_one_process_are_in_no_file_and_of_no_other_start():
    before = {path for folder in context_folders() for path in folder.rglob("*")}
    one, other = KeysInMemory(), KeysInMemory()
    assert one.service_of(signer(one).public) == "planner"
    assert signer(one) is signer(one)
    assert other.service_of(signer(one).public) is None
    assert {path for folder in context_folders() for path in folder.rglob("*")} == before


# --- processes of one user


@pytest.fixture
def registered() -> EventSigner:
    return signer(RegisteredKeys())


def test_processes_of_a_user_find_the_public_keys_of_each_other(registered: EventSigner):
    assert RegisteredKeys().service_of(registered.public) == "planner"
    assert RegisteredKeys().service_of("0" * 64) is None
    path = registration(registered)
    assert [stat.S_IMODE(one.stat().st_mode) for one in (path, path.parent)] == [0o600, 0o700]
    assert path.read_bytes() == b'{"version":1,"service":"planner"}', "and nothing secret"


def link_to_another(path: Path) -> None:
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))


@pytest.mark.parametrize(
    "spoil",
    [lambda path: path.chmod(0o644), link_to_another, lambda path: path.write_bytes(b"[]"), Path.unlink],
    ids=["open to others", "a link", "nonsense", "removed"],
)
def test_a_registration_that_another_user_may_have_made_is_none(registered: EventSigner, spoil):
    spoil(registration(registered))
    assert RegisteredKeys().service_of(registered.public) is None


def test_a_registration_is_kept_for_as_long_as_the_stream_holds_what_it_signed(
    registered: EventSigner, monkeypatch: pytest.MonkeyPatch
):
    path, now_s = registration(registered), time.time()  # clock: ages of files are told by it
    os.utime(path, (now_s, now_s - KEPT_S + 60))
    signer(RegisteredKeys())
    assert path.exists()
    later_s = time.monotonic() + SHOW_EVERY_S + 1
    monkeypatch.setattr(registered_keys.time, "monotonic", lambda: later_s)
    registered.header("a", b"b")
    assert path.stat().st_mtime > now_s - 60, "it is in use"
    os.utime(path, (now_s, now_s - KEPT_S - 60))
    signer(RegisteredKeys())
    assert not path.exists()


RUN_AND_DIE = """
import asyncio, os, signal, sys
from pathlib import Path
from shared.bus.nats_bus import connect_bus
from shared.bus.signing.registered_keys import RegisteredKeys
from shared.host.nats_server import nats_server
from shared.host.services import service_user
from shared.subjects import POPULATION_CLOSED, RUN_STARTED, SAMPLE_FINISHED, SAMPLE_FOUND, STEP_TAKEN
from tests.handlers.evidence.evidence_desk import closed, ended, found, sample, started, took

async def run():
    keys, one = RegisteredKeys(), sample("A-1")
    async with (
        nats_server(Path(sys.argv[1])) as url,
        connect_bus(url, name="d", signing=keys.signing_of(service_user("discovery"))) as discovery,
        connect_bus(url, name="p", signing=keys.signing_of(service_user("planner"))) as planner,
    ):
        await discovery.publish(RUN_STARTED, started())
        await discovery.publish(SAMPLE_FOUND, found(one))
        await discovery.publish(POPULATION_CLOSED, closed(1))
        await planner.publish(STEP_TAKEN, took(one))
        await planner.publish(SAMPLE_FINISHED, ended(one, steps=1))
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(run())
"""


@pytest.mark.system
async def test_what_was_signed_before_a_kill_is_believed_by_the_next_start(tmp_path: Path):
    store = tmp_path / "jetstream"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", RUN_AND_DIE, str(store))
    assert await process.wait() == -signal.SIGKILL
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", nats_url=None)
    async with nats_server(store) as url, run_services(settings, url, ("evidence",)), connect(url) as client:
        assert outcomes(await asyncio.wait_for(client.result("run_1"), 60)) == {("done", ""): 1}
    assert read_refused(settings, tmp_path / "evidence" / "run_1") == []


# --- users of a bus


@pytest.fixture
def config(tmp_path: Path) -> Path:
    write_bus_config(tmp_path / "keys")
    return tmp_path / "keys"


@pytest.fixture
def evidence_alone(config: Path, tmp_path: Path) -> Path:
    """The seed of evidence as a container has it, with the public keys beside it."""
    alone = tmp_path / "run"
    alone.mkdir()
    for name, source in {"bus.seed": config / "services" / "evidence.seed", SIGNERS: config / SIGNERS}.items():
        (alone / name).write_bytes(source.read_bytes())
        (alone / name).chmod(0o600 if name.endswith("seed") else 0o644)
    return alone / "bus.seed"


def test_services_know_each_other_by_the_file_of_public_keys(config: Path, evidence_alone: Path):
    for seeds in (config, config / "services" / "evidence.seed", evidence_alone):
        known = SeedKeys(seeds).signing_of(service_user("evidence")).known
        services = {known.service_of(signer(SeedKeys(config), name).public) for name in SIGNING}
        assert services == SIGNING
    assert SeedKeys(config).signing_of(service_user("vision")).signer is None


def test_a_service_that_is_only_believed_needs_no_public_keys(config: Path):
    (config / SIGNERS).unlink()
    assert signer(SeedKeys(config / "services" / "planner.seed")).public


def put_new_keys(file: Path) -> None:
    other = file.parent / "other"
    write_bus_config(other)
    file.write_bytes((other / SIGNERS).read_bytes())


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (Path.unlink, "cannot be read"),
        (lambda file: file.chmod(0o666), "can be written by all users"),
        (lambda file: file.write_text('{"services": {}}'), "has no key of discovery, evidence, planner"),
        (lambda file: file.write_text("keys"), "holds no keys"),
        (put_new_keys, "has another key of evidence than this process"),
    ],
)
async def test_evidence_without_usable_public_keys_says_what_to_do(evidence_alone: Path, spoil, why: str):
    spoil(evidence_alone.parent / SIGNERS)
    settings = Settings(nats_seed=evidence_alone)
    with raises_code(PermanentError, "no_signers", match=why) as caught:
        async with run_services(settings, "nats://127.0.0.1:1", ("evidence",)):
            pass
    assert "exhibit bus-config" in str(caught.value)


def test_keys_that_are_replaced_are_not_believed_any_more(config: Path):
    known, before = PublicKeys(config / SIGNERS), signer(SeedKeys(config))
    assert known.service_of(before.public) == "planner"
    write_bus_config(config)
    assert known.service_of(before.public) == "planner", "an update keeps keys"
    write_bus_config(config, new_keys=True)
    assert known.service_of(before.public) is None
    assert known.service_of(signer(SeedKeys(config)).public) == "planner"
    (config / SIGNERS).unlink()
    assert known.service_of(signer(SeedKeys(config)).public) is None


def test_a_server_gets_no_event_signed_by_asking_who_is_there():
    """A process signs what any server sends it with the key of its NATS user: that must not be the key of events."""
    seed = new_seed()
    user = Ed25519PrivateKey.from_private_bytes(secret_of(seed)).public_key().public_bytes_raw().hex()
    assert signer_of(seed).public != user
    assert signer_of(seed).public == signer_of(seed).public
    assert signer_of(seed).public != signer_of(new_seed()).public


def test_the_public_keys_say_nothing_secret(config: Path):
    written = (config / SIGNERS).read_text()
    for name in SIGNING:
        seed = read_seed(config / "services" / f"{name}.seed")
        assert seed not in written
        assert secret_of(seed).hex() not in written
        assert public_key(seed) not in written


@pytest.mark.system
async def test_who_has_the_secret_of_a_bus_registers_and_a_user_has_a_seed(config: Path, tmp_path: Path):
    async with nats_server(tmp_path / "jetstream") as url:
        assert isinstance(keys_of(url, BusAccess(seeds=config)), RegisteredKeys)
    assert isinstance(keys_of(url, BusAccess(seeds=config)), SeedKeys)
    assert isinstance(keys_of(url, replace(BusAccess(seeds=config), seeds=None)), RegisteredKeys)
