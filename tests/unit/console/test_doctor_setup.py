"""`exhibit doctor` without a run: each fault of a set-up is found, with what to do, beside what is fine."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.browser_pool.setup_checks import check_browser, check_logins, check_memory, fonts_finding
from services.console.cli import app
from services.console.commands.doctor import result_lines
from services.console.machine_checks import (
    bus_finding,
    check_collector,
    check_model,
    check_secrets,
    check_state_folder,
)
from services.evidence.store.setup_checks import check_clock, check_key, check_place
from shared.bus.access.credentials import NO_ACCESS
from shared.bus.nats_bus import connect_bus
from shared.errors import Unavailable
from shared.host.nats_server import nats_server
from shared.settings import Settings
from shared.setup.bus_facts import BusFacts, look_at_bus
from shared.setup.check import SetupCheck, SetupFinding, fine, in_thread, run_checks
from shared.streams import DEAD_LETTER_STREAM
from shared.subjects import DEAD_LETTERS
from tests.end_to_end.small_site import Answers, SmallSite


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.chdir(tmp_path)
    return Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", nats_url=None)


def private(path: Path, text: str, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


# --- how checks run


async def test_checks_run_side_by_side_within_their_time_and_hide_no_other():
    both = asyncio.Barrier(2)

    async def meets(_: Settings) -> SetupFinding:
        await both.wait()  # one after the other they would never meet
        return fine("met")

    async def hangs(_: Settings) -> SetupFinding:
        await asyncio.Event().wait()
        raise AssertionError

    async def raises(_: Settings) -> SetupFinding:
        raise Unavailable("the server is gone", code="no_bus")

    async def breaks(_: Settings) -> SetupFinding:
        raise ValueError("a bug")

    checks = [
        SetupCheck("a", meets), SetupCheck("b", hangs, 0.05, "Wake it."), SetupCheck("c", raises),
        SetupCheck("d", breaks), SetupCheck("e", meets),
    ]  # fmt: skip
    results = await run_checks(checks, Settings())
    assert [(one.name, one.state) for one in results] == [
        ("a", "ok"), ("b", "problem"), ("c", "problem"), ("d", "problem"), ("e", "ok"),
    ]  # fmt: skip
    assert (results[1].found, results[1].mend) == ("no end within 0.05 s", "Wake it.")
    assert results[2].found == "the server is gone"
    assert "ValueError: a bug" in results[3].found
    assert result_lines(results)[-1] == "5 checks: 3 problems, no warnings"
    with pytest.raises(KeyError):
        await in_thread(lambda: {}["gone"])


@pytest.mark.system
def test_the_command_says_what_is_fine_and_what_to_mend(place: Settings):
    private(place.state_dir / "signing_key.pem", "no key")
    ended = CliRunner().invoke(app, ["doctor", "--json"], env={"EXHIBIT_STATE_DIR": str(place.state_dir)})
    checks = {one["name"]: one for one in json.loads(ended.output)["checks"]}
    assert ended.exit_code == 1
    assert checks["signing key"]["state"] == "problem"
    assert "holds no private key" in checks["signing key"]["found"]
    assert {name: one["state"] for name, one in checks.items() if name in ("browser", "bus", "evidence place")} == {
        "browser": "ok", "bus": "ok", "evidence place": "ok",
    }  # fmt: skip
    assert "workflow code is confined" in checks["sandbox"]["found"]
    assert {"versions", "secrets", "memory", "login states", "clock", "collector"} <= set(checks)
    assert sorted(path.name for path in place.state_dir.iterdir()) == ["signing_key.pem"], "it changes nothing"


# --- this machine


async def test_secrets_that_others_can_read_are_a_problem(place: Settings):
    assert (await check_secrets(place)).state == "ok"
    path = private(place.state_dir / "secrets.json", '{"portal": "hunter2"}')
    assert (await check_secrets(place)).state == "ok"
    path.chmod(0o644)
    finding = await check_secrets(place)
    assert (finding.state, finding.mend) == ("problem", f"chmod 0600 {path}")
    assert "hunter2" not in finding.found
    private(path, "{")
    assert "cannot be read as a JSON object" in (await check_secrets(place)).found


async def test_login_states_are_read_and_their_cookies_looked_at(place: Settings):
    assert (await check_logins(place)).found == "no login state is recorded"
    folder = place.state_dir / "auth"
    alive = {"cookies": [{"name": "s", "expires": -1}]}
    path = private(folder / "crm.json", json.dumps(alive))
    assert (await check_logins(place)).found == "login states: crm"
    path.chmod(0o640)
    assert (await check_logins(place)).mend == f"chmod 0600 {path}"
    private(path, json.dumps({"cookies": [{"name": "s", "expires": 1_000.0}]}))
    finding = await check_logins(place)
    assert (finding.state, finding.found) == ("warning", "all cookies of the login state crm have expired")
    private(path, "[]")
    assert (await check_logins(place)).state == "problem"


async def test_the_key_and_the_state_folder_are_where_others_do_not_get(place: Settings):
    assert (await check_key(place)).state == "ok"
    assert (await check_state_folder(place)).state == "ok"
    inside = place.model_copy(update={"state_dir": place.evidence_dir / "state"})
    assert (await check_state_folder(inside)).state == "problem"
    ended = CliRunner().invoke(app, ["key", "--new"], env={"EXHIBIT_STATE_DIR": str(place.state_dir)})
    assert ended.exit_code == 0
    assert (await check_key(place)).state == "ok"
    path = place.state_dir / "signing_key.pem"
    path.chmod(0o644)
    assert (await check_key(place)).mend == f"chmod 0600 {path}"


async def test_evidence_needs_a_folder_that_can_be_written(place: Settings):
    found = await check_place(place)
    assert found.state in ("ok", "warning")  # the disk of this machine may be nearly full
    assert not place.evidence_dir.exists(), "nothing is made"
    private(place.evidence_dir, "a file")
    assert (await check_place(place)).found.startswith(f"{place.evidence_dir} is no folder")
    place.evidence_dir.unlink()
    if os.geteuid() != 0:  # root may write anywhere
        place.evidence_dir.mkdir(mode=0o500)
        assert (await check_place(place)).state == "problem"


async def test_memory_is_compared_with_what_the_pool_wants(place: Settings):
    assert (await check_memory(place.model_copy(update={"min_free_memory_mb": 10**9}))).state == "problem"
    finding = await check_memory(place.model_copy(update={"browser_capacity": 10**6}))
    assert finding.state == "warning"
    assert "EXHIBIT_BROWSER_CAPACITY" in finding.mend


@pytest.mark.system
async def test_a_browser_that_does_not_start_is_a_problem(place: Settings):
    no_browser = private(place.state_dir / "chromium", "#!/bin/sh\nexit 1\n", 0o700)

    async def check(settings: Settings) -> SetupFinding:
        return await check_browser(settings)

    (result,) = await run_checks(
        [SetupCheck("browser", check, 30.0)], place.model_copy(update={"chromium": no_browser})
    )
    assert result.state == "problem"
    assert f"{no_browser} did not start" in result.found


async def test_a_planner_without_its_key_is_a_problem(place: Settings):
    assert (await check_model(place)).found == "there is no key for models; runs are decided by rules"
    assert (await check_model(place.model_copy(update={"planner": "anthropic"}))).state == "problem"


# --- servers


class Clock(SmallSite):
    ahead = timedelta()


class ClockAnswers(Answers):
    def do_HEAD(self) -> None:
        assert isinstance(self.server, Clock)
        self.send_response_only(403)
        self.send_header(
            "Date",
            format_datetime(datetime.now(UTC) + self.server.ahead, usegmt=True),  # clock: the machine's is compared
        )
        self.end_headers()


@pytest.fixture
def clock() -> Iterator[Clock]:
    with Clock(ClockAnswers) as served:
        yield served


@pytest.mark.parametrize(("ahead_s", "state"), [(0, "ok"), (300, "warning"), (-1200, "problem")])
async def test_the_clock_is_compared_with_that_of_the_s3_server(
    place: Settings, clock: Clock, ahead_s: int, state: str
):
    clock.ahead = timedelta(seconds=ahead_s)
    settings = place.model_copy(update={"evidence_bucket": "s3://evidence", "s3_endpoint": clock.url})
    assert (await check_clock(settings)).state == state


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def test_an_s3_server_that_is_not_there_leaves_the_clock_uncompared(place: Settings):
    gone = f"http://127.0.0.1:{free_port()}"
    finding = await check_clock(place.model_copy(update={"evidence_bucket": "s3://evidence", "s3_endpoint": gone}))
    assert finding.state == "warning"
    assert finding.found.startswith(f"not compared: {gone} cannot be asked for its time: ")


async def test_a_collector_that_is_not_there_is_a_problem(place: Settings, clock: Clock):
    assert (await check_collector(place)).state == "ok"
    assert (await check_collector(place.model_copy(update={"otlp_endpoint": clock.url}))).state == "ok"
    gone = f"http://127.0.0.1:{free_port()}"
    finding = await check_collector(place.model_copy(update={"otlp_endpoint": gone}))
    assert (finding.state, gone in finding.found) == ("problem", True)


@pytest.mark.system
async def test_a_bus_is_looked_at_without_a_change(tmp_path: Path):
    async with nats_server(tmp_path / "streams") as url:
        seen = await look_at_bus(url, "operator", NO_ACCESS)
        assert (seen.stores, seen.has_key, seen.is_user, seen.waiting, seen.dead) == (True, True, False, 0, 0)
        assert bus_finding(url, seen).found.endswith(
            "not answering: evidence, browser_pool, workflows, vision, planner, discovery"
        )
        async with connect_bus(url, name="test") as bus:
            await bus.js.publish(f"{DEAD_LETTERS}.cmd.planner.sample.work.r.s", b"{}")
            assert (await bus.js.stream_info(DEAD_LETTER_STREAM.name)).state.messages == 1
        seen = await look_at_bus(url, "operator", NO_ACCESS)
    assert "1 messages were given up" in bus_finding(url, seen).found
    with pytest.raises(Unavailable, match="no NATS server answers"):
        await look_at_bus(url, "operator", NO_ACCESS)


def test_a_bus_that_takes_everybody_or_stores_nothing_is_told():
    facts = BusFacts(version="2.15", stores=True, has_key=False, is_user=False)
    assert bus_finding("nats://x", facts).state == "warning"
    assert bus_finding("nats://x", BusFacts(version="2", stores=False, has_key=True, is_user=True)).state == "problem"


def test_scripts_that_no_font_has_are_named_with_what_to_install():
    found = fonts_finding(("中", "한"))
    assert (found.state, "no font has Chinese, Korean:" in found.found) == ("warning", True)
    assert "fonts-noto-cjk" in found.mend
    assert fonts_finding(()).state == "ok"
