"""A site with a login: recorded once, used by every sample, and the run pauses when it has expired."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.end_to_end.conftest import Cli
from tests.end_to_end.owner_tasks import SIGN_IN_FORM, sign_in_steps, write_owner_task
from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect


class Desk(SmallSite):
    """``served`` lists the tickets that were shown, ``walls`` those that were answered with the form."""

    def __init__(self) -> None:
        super().__init__(DeskAnswers)
        self.valid: set[str] = set()
        self.served: list[str] = []
        self.walls: list[str] = []
        self.expires_after = 10**6


class DeskAnswers(Answers):
    @property
    def site(self) -> Desk:
        return expect(self.server, Desk)

    def do_GET(self) -> None:
        who = self.headers.get("cookie", "").partition("who=")[2].partition(";")[0]
        number = self.path.rsplit("/", 1)[-1]
        if who not in self.site.valid or len(self.site.served) >= self.site.expires_after:
            self.site.walls += [number] if self.path.startswith("/tickets/") else []
            return self.page(SIGN_IN_FORM)
        self.site.served += [number] if self.path.startswith("/tickets/") else []
        if self.path == "/missing":
            return self.send_error(404)
        return self.page(f"<h1>Ticket {number}</h1><dl><dt>Number</dt><dd>{number}</dd><dt>Owner</dt><dd>Ann</dd></dl>")

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        if form.get("password") != ["right"]:
            return self.page(SIGN_IN_FORM)
        token = f"token{len(self.site.valid)}"
        self.site.valid = {token}
        self.site.expires_after = 10**6
        return self.page("<h1>Welcome</h1>", set_cookie=f"who={token}; Path=/; HttpOnly")

    def page(self, html: str, set_cookie: str = "") -> None:
        body = f"<!doctype html><title>Desk</title>{html}"
        if set_cookie:
            self.answer(body, set_cookie=set_cookie)
        else:
            self.answer(body)


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Desk() as site:
        yield site


def written(cli: Cli, desk: Desk, samples: int) -> list[str]:
    write_owner_task(cli, "desk", f"{desk.url}/tickets", [f"T-{n}" for n in range(samples)], auth_profile="desk")
    return ["--evidence", str(cli.folder / "evidence"), "--concurrency", "1"]


def test_a_login_state_from_its_recording_to_its_renewal(cli: Cli, desk: Desk) -> None:
    options = written(cli, desk, 6)
    run = ["run", str(cli.folder / "spec.json"), "--input", str(cli.folder / "in.csv"), *options]

    lacking = cli.run(*run)
    assert lacking.returncode == 2
    assert "spec.auth_profile" in lacking.stderr
    assert "exhibit login desk URL" in lacking.stderr
    assert desk.walls == []

    wrong = cli.run("login", "desk", desk.url, "--steps", "-", stdin=sign_in_steps("wrong"))
    assert wrong.returncode == 1
    assert "nothing was recorded" in wrong.stderr

    unchecked = "\n".join(sign_in_steps("wrong").splitlines()[:-1])
    closed = cli.run("login", "desk", desk.url, "--steps", "-", stdin=unchecked)
    assert closed.returncode == 1
    assert "the door did not open, the page still asks for a password" in closed.stderr
    assert f'"Desk" at {desk.url}/login' in closed.stderr

    recorded = cli.run("login", "desk", desk.url, "--steps", "-", stdin=sign_in_steps("right"))
    assert recorded.returncode == 0, recorded.stderr + recorded.stdout
    assert "1 cookie" in recorded.stderr
    assert f'the door opened: the page is "Desk" at {desk.url}' in recorded.stderr
    assert "token" not in recorded.stderr + recorded.stdout
    assert "right" not in recorded.stderr + recorded.stdout, "a password that was typed is not read out"
    kept = cli.folder / "state" / "auth" / "desk.json"
    assert kept.stat().st_mode & 0o777 == 0o600

    desk.expires_after = 2
    ended = cli.run(*run, "--json")
    assert ended.returncode == 1, ended.stderr
    finished = json.loads(ended.stdout)
    assert {o["status"]: o["samples"] for o in finished["outcomes"]} == {"done": 2, "auth_required": 4}
    assert len(desk.walls) >= 1
    assert set(desk.walls) == {"T-2"}, "the others were not even tried"

    assert cli.run("login", "desk", desk.url, "--steps", "-", stdin=sign_in_steps("right")).returncode == 0
    resumed = cli.run("run", "--resume", finished["run_id"], *options[:2])
    assert resumed.returncode == 0, resumed.stderr
    assert sorted(set(desk.served)) == [f"T-{n}" for n in range(6)]
    assert len(desk.served) == 6
    for path in (cli.folder / "evidence").rglob("*"):
        assert not path.is_file() or b"token1" not in path.read_bytes(), path


def test_where_no_window_can_be_opened_it_says_what_to_do(cli: Cli, desk: Desk) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        cli.env.pop(name, None)
    ended = cli.run("login", "desk", desk.url)
    assert ended.returncode == 3
    assert "--steps FILE" in ended.stderr
    assert str((cli.folder / "state" / "auth").resolve()) in ended.stderr


@pytest.mark.parametrize("name", ["../desk", "a b", "desk.json"])
def test_a_name_that_cannot_be_one_is_refused_before_anything_starts(cli: Cli, desk: Desk, name: str) -> None:
    ended = cli.run("login", name, desk.url, "--steps", "-", stdin=sign_in_steps("right"))
    assert ended.returncode == 3
    assert "letters, digits" in ended.stderr
    assert desk.valid == set()


def test_steps_that_cannot_be_read_are_bad_input(cli: Cli, tmp_path: Path) -> None:
    ended = cli.run("login", "desk", "http://127.0.0.1:1", "--steps", str(tmp_path / "none"))
    assert ended.returncode == 2
    assert "cannot be read" in ended.stderr
    assert sys.executable not in ended.stderr


def test_what_is_wrong_with_the_steps_is_told_at_once_and_nothing_begins(cli: Cli, desk: Desk) -> None:
    steps = '{"action": "typ"}\n\n{"action": "click", "target": "css=button"}\nclick\n'
    ended = cli.run("login", "desk", desk.url, "--steps", "-", stdin=steps)
    assert ended.returncode == 2
    assert "2 problems; nothing was started" in ended.stderr
    assert "line 1, " in ended.stderr
    assert "line 4, " in ended.stderr


def test_a_secret_of_the_steps_is_typed_and_one_that_nobody_has_is_named_before_the_first_step(
    cli: Cli, desk: Desk
) -> None:
    secret = {"action": "type_secret", "target": "css=[name=password]", "secret": "desk_password"}
    steps = sign_in_steps().splitlines()
    steps[1] = json.dumps(secret)
    lacking = cli.run("login", "desk", desk.url, "--steps", "-", stdin="\n".join(steps))
    assert lacking.returncode == 2
    assert "EXHIBIT_SECRET_DESK_PASSWORD" in lacking.stderr
    assert lacking.stdout == "", "no step was taken"
    cli.env["EXHIBIT_SECRET_DESK_PASSWORD"] = "right"
    recorded = cli.run("login", "desk", desk.url, "--steps", "-", stdin="\n".join(steps))
    assert recorded.returncode == 0, recorded.stderr + recorded.stdout


def test_no_step_is_taken_after_one_that_failed(cli: Cli, desk: Desk) -> None:
    steps = ['{"action": "click", "target": "css=#no_such"}', *sign_in_steps().splitlines()]
    ended = cli.run("login", "desk", desk.url, "--steps", "-", stdin="\n".join(steps))
    assert ended.returncode == 1
    assert "a step failed, and those after it were not taken" in ended.stderr
    assert desk.valid == set(), "nobody has signed in"
    assert "begin at the address of a login" not in ended.stderr


def test_a_login_that_leads_to_a_page_that_is_missing_says_how_to_begin(cli: Cli, desk: Desk) -> None:
    steps = [*sign_in_steps().splitlines(), json.dumps({"action": "goto", "url": f"{desk.url}/missing"})]
    ended = cli.run("login", "desk", desk.url, "--steps", "-", stdin="\n".join(steps))
    assert ended.returncode == 1
    assert "begin at the address of a login that leads to a page that there is" in ended.stderr
