"""The pages about what runs and how this set-up is; `exhibit fleet`, which tells the same."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from services.console.cli import app as commands
from services.console.text.fleet_lines import fleet_lines, fleet_sentence
from services.console.web.desk import Desk
from services.console.web.guard import Guard, WebSessions
from services.console.web.operations import fleet_web
from services.console.web.page_origin import PageOrigin
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from shared.bus.access.credentials import NO_ACCESS
from shared.bus.actor import Actor
from shared.bus.instance_use import InstanceUse, use_of
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.client import Client
from shared.client.person_keys import load_person_key
from shared.contracts.base import Failure
from shared.contracts.evidence import FindRuns, RunsFound, RunUnknown
from shared.errors import PermanentError, Unavailable
from shared.host.nats_server import nats_server
from shared.secrets.store import SecretStore
from shared.settings import Settings
from shared.setup.fleet_facts import FleetFacts, FleetInstance, instance_of
from shared.setup.fleet_look import look_at_fleet
from shared.setup.login_facts import read_logins
from shared.streams import samples_of
from shared.subjects import FIND_RUNS, LIST_WORKFLOWS, LOAD_STATUS
from shared.testing.bus import MemoryBus
from tests.unit.console.asked_pages import HOST, SentPage, ask_page
from tests.waiting import until_asked

HOSTILE = "<script>alert(1)</script>\u202e{{7*7}}\u00e9"
SHOWN = "&lt;script&gt;alert(1)&lt;/script&gt;"
VALUE = "hunter2-the-value"


@dataclass
class Machine:
    """The console of ann on a machine with its state in a folder."""

    folder: Path
    nats_url: str | None = None
    bus: Any = field(default_factory=MemoryBus)
    sessions: WebSessions = field(default_factory=WebSessions)
    checking: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def settings(self) -> Settings:
        return Settings(evidence_dir=self.folder / "evidence", state_dir=self.folder / "state", nats_url=self.nats_url)

    async def ask(self, path: str) -> SentPage:
        pages = PageOrigin("http://p", (), self.settings)
        desk = Desk(Client(self.bus), self.settings, "ann", static_files(), pages, checking=self.checking)
        page = await ask_page(Guard(make_app(desk), self.sessions, {HOST}), self.sessions, path)
        assert "<script>" not in page.text
        assert "\u202e" not in page.text
        return page


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def private(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)


# --- what runs


actor: Actor[None] = Actor("evidence")


@actor.answers(FIND_RUNS)
async def find_runs(request: FindRuns, deps: None) -> RunsFound:
    return RunsFound(latest=None, unfinished=None)


class Letter:
    """What `Bus.dead_letter` takes of a message."""

    subject = "exhibit.v1.evt.planner.step.taken.run_1.A-1"
    data = b"{}"


@pytest.mark.system
async def test_what_answers_what_waits_and_what_was_given_up_is_shown(tmp_path: Path):
    stop, ready = asyncio.Event(), asyncio.Event()
    async with nats_server(tmp_path / "streams") as url, connect_bus(url, name="evidence") as bus:
        bus.tell_use("sessions", 3, 8)
        serving = asyncio.create_task(serve(bus, actor, None, capacity=1, stop=stop, ready=ready))
        await ready.wait()
        await bus.ask(FIND_RUNS, FindRuns(task_id="a"))
        await bus.open_queue(samples_of("run_1", 5))
        await give_up(bus, Failure(code="invalid_message", message=HOSTILE, retry=False))
        # One look waits half a second for answers, which a machine under load may need more than.
        facts = await until_asked(lambda: with_instances(url), "the service answers")
        page = await until_asked(lambda: page_with(tmp_path, url, "3 of 8 sessions"), "the page shows the service")
        told = await asyncio.to_thread(CliRunner().invoke, commands, ["fleet", "--nats", url, "--json"])
        stop.set()
        await serving
    [instance] = facts.instances
    assert (instance.service, instance.instance_id, instance.asks) == ("evidence", bus.instance_id, 1)
    assert instance.uses == {"sessions": InstanceUse(3, 8)}
    assert [(one.run_id, one.attempt_base, one.waiting, one.most) for one in facts.queues] == [("run_1", 0, 0, 5)]
    [letter] = facts.letters
    assert (facts.dead, letter.kind, letter.code) == (1, "evt.planner.step.taken.run_1.A-1", "invalid_message")
    assert letter.message == HOSTILE
    assert page.status == 200
    for words in ("3 of 8 sessions", "/runs/run_1", SHOWN, "exhibit serve planner", bus.instance_id):
        assert words in page.text, words
    assert told.exit_code == 1
    assert json.loads(told.output)["queues"][0]["run_id"] == "run_1"


async def with_instances(url: str) -> FleetFacts | None:
    facts = await look_at_fleet(url, "operator", NO_ACCESS)
    return facts if facts.instances else None


async def page_with(folder: Path, url: str, words: str) -> SentPage | None:
    page = await Machine(folder, url).ask("/fleet")
    return page if words in page.text else None


async def give_up(bus: Bus, failure: Failure) -> None:
    letter: Any = Letter()
    await bus.dead_letter(letter, failure)


async def test_a_console_without_services_says_how_to_have_them(machine: Machine):
    assert "exhibit up" in (await machine.ask("/fleet")).text
    assert CliRunner().invoke(commands, ["fleet"], env={"EXHIBIT_NATS_URL": ""}).exit_code == 2


def test_a_bus_with_users_shows_nothing_of_others():
    [_, told] = fleet_lines(FleetFacts("2.12.1", is_user=True), "nats://x")
    assert "administrator" in told


@dataclass
class AskedByRight(MemoryBus):
    """Evidence answers, the library is away, and the rest is refused by the server."""

    async def ask(self, subject: Any, request: Any, timeout_s: float = 0.0, **_: Any) -> Any:
        if subject is LOAD_STATUS:
            return RunUnknown(run_id="run_none", message="there is no such run")
        if subject is LIST_WORKFLOWS:
            raise Unavailable(HOSTILE, code="no_responders")
        raise PermanentError("no right", code="bus_refused")


async def test_a_bus_with_users_shows_what_the_rights_allow_and_says_what_they_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def look(*_: Any) -> FleetFacts:
        return FleetFacts("2.12.1", is_user=True)

    monkeypatch.setattr(fleet_web, "look_at_fleet", look)
    text = (await Machine(tmp_path, "nats://x", AskedByRight()).ask("/fleet")).text
    rows = dict(
        re.findall(r'<th scope="row">([\w ]+)<small>.*?<span class="run-state[^>]*>([\w ]+)</span>', text, re.S)
    )
    assert rows == {
        "evidence": "answers", "workflows": "not answering", "browser pool": "not seen", "vision": "not seen",
        "planner": "not seen", "discovery": "not seen",
    }  # fmt: skip
    assert SHOWN in text
    assert "nats micro stats" in text


def test_lines_say_what_does_not_answer_and_what_is_in_use():
    pool = FleetInstance(service="browser_pool", instance_id="i", asks=4, uses={"sessions": InstanceUse(1, 8)})
    lines = [*fleet_lines(FleetFacts("2.12.1", instances=(pool,)), "nats://x")]
    assert "  i: 4 asks taken, 1 of 8 sessions" in lines
    assert any(line.startswith("planner ") and "exhibit serve planner" in line for line in lines)


def test_the_fleet_is_told_in_a_sentence():
    pools = [
        FleetInstance(service="browser_pool", instance_id=str(n), asks=4, uses={"sessions": InstanceUse(n, 8)})
        for n in (1, 2)
    ]
    planner = FleetInstance(service="planner", instance_id="p", asks=1, uses={"samples": InstanceUse(3, 5)})
    facts = FleetFacts("2.12.1", instances=(*pools, planner))
    assert fleet_sentence(facts) == (
        "2 browser pools, 3 of 16 sessions in use; 1 planner, 3 of 5 samples in use; "
        "not answering: evidence, workflows, vision, discovery"
    )


@pytest.mark.parametrize("data", [None, [], {"sessions": 3}, {"sessions": [1]}, {"sessions": [-1, 2]}, {"x": [1, 2]}])
def test_what_another_program_answers_is_no_use(data: Any):
    assert use_of(data) == {}


def test_an_answer_of_another_program_is_told_as_far_as_it_goes():
    assert instance_of({"name": HOSTILE, "id": "x"}).asks == 0
    with pytest.raises(KeyError):
        instance_of({"id": "x"})


# --- how this set-up is


async def test_secrets_and_login_states_are_shown_by_name_and_never_their_contents(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EXHIBIT_SECRET_PORTAL", json.dumps({"value": VALUE, "hosts": ["desk.example"]}))
    private(
        machine.settings.state_dir / "secrets.json", json.dumps({HOSTILE: VALUE, "codes": {"totp": "JBSWY3DPEHPK3PXP"}})
    )
    cookie = {"name": "sid", "value": VALUE, "expires": 1_900_000_000}
    login = {"cookies": [cookie], "origins": [], "hosts": ["desk.example", HOSTILE]}
    private(machine.settings.state_dir / "auth/desk.json", json.dumps(login))
    private(machine.settings.state_dir / "auth/broken.json", "{")
    key = load_person_key("ann", machine.settings)
    page = await machine.ask("/settings")
    assert page.status == 200
    for words in ("portal", "codes that change", "desk.example", SHOWN, key.public.fingerprint, "it is no login state"):
        assert words in page.text, words
    assert "2030" in page.text
    for never in (VALUE, "JBSWY3DPEHPK3PXP", "PRIVATE KEY"):
        assert never not in page.text


async def test_a_file_with_secrets_that_others_can_read_is_told(machine: Machine):
    private(machine.settings.state_dir / "secrets.json", "{}")
    (machine.settings.state_dir / "secrets.json").chmod(0o644)
    assert "chmod 600" in (await machine.ask("/settings")).text


async def test_a_set_up_is_checked_by_one_at_a_time(machine: Machine):
    async with machine.checking:
        assert (await machine.ask("/settings/checks")).status == 409


@pytest.mark.system
async def test_what_the_checks_found_is_shown_with_what_to_mend(machine: Machine):
    private(machine.settings.state_dir / "signing_key.pem", "no key")
    page = await machine.ask("/settings/checks")
    assert page.status == 200
    first, _, rest = page.text.partition('class="check-problem"')[2].partition("</li>")
    assert "signing key" in first
    assert "holds no private key" in first
    assert 'class="mend"' in first
    assert 'class="check-ok"' in rest


def test_names_of_secrets_are_those_of_all_three_places(tmp_path: Path):
    private(tmp_path / "secrets.json", '{"c": "3"}')
    store = SecretStore(tmp_path / "secrets.json", {"EXHIBIT_SECRET_A": "1", "OTHER": "x"}, {"EXHIBIT_SECRET_B": "2"})
    assert store.names() == ("a", "b", "c")


def test_a_machine_without_login_states_has_none(machine: Machine):
    assert read_logins(machine.settings) == []
