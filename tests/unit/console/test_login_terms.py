"""What `exhibit login` may do, and what it refuses before anything starts. (The tests may not start a process.)"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from services.console.cli import app
from services.console.commands.login import has_display
from shared.host.connections import ManualSessionTerms
from shared.hosts import EVERY_HOST, Origin, fits_any


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always one")
@pytest.mark.parametrize(
    ("environment", "there_is"),
    [({}, False), ({"DISPLAY": ""}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "wayland-0"}, True)],
)
def test_whether_a_window_can_be_opened(environment: dict[str, str], there_is: bool) -> None:
    assert has_display(environment) is there_is


def test_who_types_an_address_may_open_it_private_or_not_and_what_he_names_besides() -> None:
    lease = ManualSessionTerms("http://me:pw@127.0.0.1:8000/x", allow=("*.idp.example",)).lease()
    assert lease.allowed_hosts == lease.private_hosts == ("127.0.0.1:8000", "*.idp.example")


def test_who_sees_the_window_goes_where_he_likes_but_to_no_private_address_he_has_not_named() -> None:
    lease = ManualSessionTerms("https://desk.example/", allow=(EVERY_HOST,)).lease()
    elsewhere = Origin("https", "idp.example", 443)
    assert fits_any(elsewhere, lease.allowed_hosts)
    assert not fits_any(elsewhere, lease.private_hosts)


# --- refusals

URL = "http://127.0.0.1:9/"


def logged_in(name: str, *options: str, steps: str = "") -> Result:
    return CliRunner().invoke(app, ["login", name, URL, *options], input=steps, catch_exceptions=False)


def test_where_no_window_can_be_opened_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EXHIBIT_STATE_DIR", str(tmp_path))
    ended = logged_in("desk")
    assert ended.exit_code == 3
    assert "--steps FILE" in ended.stderr
    assert str((tmp_path / "auth").resolve()) in ended.stderr


@pytest.mark.parametrize("name", ["../desk", "a b", "desk.json"])
def test_a_name_that_cannot_be_one_is_refused(name: str) -> None:
    ended = logged_in(name, "--steps", "-", steps='{"action": "click", "target": "css=button"}')
    assert ended.exit_code == 3
    assert "letters, digits" in ended.stderr


def test_steps_that_cannot_be_read_are_bad_input(tmp_path: Path) -> None:
    ended = logged_in("desk", "--steps", str(tmp_path / "none"))
    assert ended.exit_code == 2
    assert "cannot be read" in ended.stderr


def test_what_is_wrong_with_the_steps_is_told_at_once() -> None:
    steps = '{"action": "typ"}\n\n{"action": "click", "target": "css=button"}\nclick\n'
    ended = logged_in("desk", "--steps", "-", steps=steps)
    assert ended.exit_code == 2
    assert "2 problems; nothing was started" in ended.stderr
    assert "line 1: typ" in ended.stderr
    assert "line 4: click needs target" in ended.stderr
