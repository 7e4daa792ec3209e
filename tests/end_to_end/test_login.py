"""A site with a login: recorded once, used by every sample, and the run pauses when it has expired."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Cli, System
from tests.end_to_end.login_desk import Desk
from tests.end_to_end.owner_tasks import sign_in_steps, write_owner_task


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Desk() as site:
        yield site


def logged_in(cli: Cli, desk: Desk, name: str, steps: str) -> subprocess.CompletedProcess[str]:
    return cli.run("login", name, desk.url, "--steps", "-", stdin=steps)


def test_a_login_state_from_its_recording_to_its_renewal(online: Cli, system: System, desk: Desk) -> None:
    numbers = [f"T-{n}" for n in range(4)]
    write_owner_task(online, "desk", f"{desk.url}/tickets", numbers, auth_profile="renewed")
    run = ["run", str(online.folder / "spec.json"), "--input", str(online.folder / "in.csv"), "--concurrency", "1"]

    lacking = online.run(*run)
    assert lacking.returncode == 2
    assert "spec.auth_profile" in lacking.stderr
    assert "exhibit login renewed URL" in lacking.stderr
    assert desk.walls == []

    wrong = logged_in(online, desk, "renewed", sign_in_steps("wrong"))
    assert wrong.returncode == 1
    assert "nothing was recorded" in wrong.stderr

    unchecked = "\n".join(sign_in_steps("wrong").splitlines()[:-1])
    closed = logged_in(online, desk, "renewed", unchecked)
    assert closed.returncode == 1
    assert "you are not signed in, the page still asks for a password" in closed.stderr
    assert f'"Desk" at {desk.url}/login' in closed.stderr

    recorded = logged_in(online, desk, "renewed", sign_in_steps("right"))
    assert recorded.returncode == 0, recorded.stderr + recorded.stdout
    assert "1 cookie" in recorded.stderr
    assert f'signed in: the page is "Desk" at {desk.url}' in recorded.stderr
    assert "token" not in recorded.stderr + recorded.stdout
    assert "right" not in recorded.stderr + recorded.stdout, "a password that was typed is not read out"
    kept = system.folder / "state" / "auth" / "renewed.json"
    assert kept.stat().st_mode & 0o777 == 0o600

    desk.expires_after = 2
    ended = online.run(*run, "--json")
    assert ended.returncode == 1, ended.stderr
    finished = json.loads(ended.stdout)
    assert {o["status"]: o["samples"] for o in finished["outcomes"]} == {"done": 2, "auth_required": 2}
    assert set(desk.walls) == {"T-2"}, "the others were not even tried"

    assert logged_in(online, desk, "renewed", sign_in_steps("right")).returncode == 0
    resumed = online.run("run", "--resume", finished["run_id"])
    assert resumed.returncode == 0, resumed.stderr
    assert sorted(desk.served) == numbers
    for path in Path(finished["location"]).rglob("*"):
        assert not path.is_file() or b"token1" not in path.read_bytes(), path


def test_a_secret_of_the_steps_is_typed_and_one_that_nobody_has_is_named_before_the_first_step(
    online: Cli, desk: Desk
) -> None:
    lacking, recorded = (
        logged_in(online, desk, "desk", with_secret(secret)) for secret in ("of_nobody", "desk_password")
    )
    assert lacking.returncode == 2
    assert "EXHIBIT_SECRET_OF_NOBODY" in lacking.stderr
    assert lacking.stdout == "", "no step was taken"
    assert recorded.returncode == 0, recorded.stderr + recorded.stdout


def with_secret(secret: str) -> str:
    steps = sign_in_steps().splitlines()
    steps[1] = json.dumps({"action": "type_secret", "target": "css=[name=password]", "secret": secret})
    return "\n".join(steps)


def test_no_step_is_taken_after_one_that_failed(online: Cli, desk: Desk) -> None:
    steps = ['{"action": "click", "target": "css=#no_such"}', *sign_in_steps().splitlines()]
    ended = logged_in(online, desk, "desk", "\n".join(steps))
    assert ended.returncode == 1
    assert "a step failed, and those after it were not taken" in ended.stderr
    assert desk.valid == set(), "nobody has signed in"
    assert "begin at the address of a login" not in ended.stderr


def test_a_login_that_leads_to_a_page_that_is_missing_says_how_to_begin(online: Cli, desk: Desk) -> None:
    steps = [*sign_in_steps().splitlines(), json.dumps({"action": "goto", "url": f"{desk.url}/missing"})]
    ended = logged_in(online, desk, "desk", "\n".join(steps))
    assert ended.returncode == 1
    assert "begin at the address of a login that leads to a page that there is" in ended.stderr
