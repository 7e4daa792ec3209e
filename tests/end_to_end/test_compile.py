"""`exhibit compile` and `exhibit flows check` on a site with a login, whose pages change after they were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Cli, System
from tests.end_to_end.owner_tasks import SIGN_IN_FORM, run_owner_task, sign_in_steps, write_owner_task
from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

OWNERS = ["Ann Lee", "Bert Maier", "Cleo Stone", "Dora Vale"]


class OwnersSite(SmallSite):
    """``served``: the tickets that were shown to who is signed in. ``is_open``: signed in is believed.
    ``is_gone``: nothing is answered."""

    def __init__(self) -> None:
        super().__init__(OwnersPages)
        self.owners = dict(enumerate(OWNERS))
        self.served: list[int] = []
        self.is_open = True
        self.is_gone = False


class OwnersPages(Answers):
    def do_GET(self) -> None:
        site, number = expect(self.server, OwnersSite), self.path.rsplit("-", 1)[-1]
        if site.is_gone:
            self.close_connection = True
            return None
        if "who=ann" not in self.headers.get("cookie", "") or not site.is_open or not number.isdigit():
            return self.page(SIGN_IN_FORM)
        site.served.append(int(number))
        return self.page(
            f"<h1>Ticket T-{number}</h1><dl><dt>Number</dt><dd>T-{number}</dd>"
            f"<dt>Owner</dt><dd>{site.owners[int(number)]}</dd><dt>Queue</dt><dd>Q-{int(number) % 2}</dd></dl>"
        )

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.answer("<title>Desk</title><h1>Welcome</h1>", set_cookie="who=ann; Path=/; HttpOnly")

    def page(self, html: str) -> None:
        self.answer(f"<!doctype html><title>Desk</title>{html}")


@pytest.fixture
def site() -> Iterator[OwnersSite]:
    with OwnersSite() as site:
        yield site


@pytest.fixture
def recorded(online: Cli, site: OwnersSite) -> Cli:
    """Tickets that were worked out by rules."""
    numbers = [f"T-{n}" for n in range(len(OWNERS))]
    write_owner_task(online, "desk", f"{site.url}/tickets", numbers, auth_profile="desk", workflow="off")
    assert online.run("login", "desk", site.url, "--steps", "-", stdin=sign_in_steps()).returncode == 0
    run_owner_task(online)
    return online


def compiled(cli: Cli, name: str, *options: str) -> tuple[int, dict]:
    folder = str(cli.folder / "flow")
    ended = cli.run("compile", "last", "--out", folder, "--name", name, "--json", *options)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


def checked(cli: Cli, *what: str) -> tuple[int, dict]:
    ended = cli.run("flows", "check", *what, "--json")
    return ended.returncode, json.loads(ended.stdout)


def broken(folder: Path) -> None:
    """Let the rules of a field read what stands beside another label."""
    path = folder / "workspace/fields.json"
    path.write_text(path.read_text().replace("Owner", "Queue").replace("owner:", "queue:"))


def test_a_flow_is_published_with_its_samples_and_checked_again(recorded: Cli, system: System, site: OwnersSite):
    before = len(site.served)
    code, told = compiled(recorded, "owners")
    assert (code, told["problems"]) == (0, []), told
    live = told["live"]
    assert (live["problems"], live["model_calls"]) == ([], 0)
    assert live["sample_id"] in {one["sample_id"] for one in told["checks"]}
    assert site.served[before:] == [int(live["sample_id"].removeprefix("T-"))]

    seen = len(site.served)
    for what in ("owners", f"owners@{told['version'][:12]}", str(recorded.folder / "flow")):
        code, again = checked(recorded, what)
        assert (code, again["equal"], again["differs"], again["unvaried"]) == (0, len(OWNERS), 0, [])
        uses = {one["sample_id"]: one["use"] for one in again["checks"]}
        assert {one for one, use in uses.items() if use == "compiled_from"} == set(told["compiled_from"])
        assert all(one["model_calls"] == 0 for one in again["checks"])
    assert len(site.served) == seen, "nothing is asked of the site"

    ran = recorded.run("flows", "run", "owners", "--set", "Number=T-2", "--json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    one = json.loads(ran.stdout)
    assert (one["status"], one["outputs"]) == ("done", {"number": "T-2", "owner": OWNERS[2]})
    assert (one["version"], one["drivers"]) == (told["version"], ["flow"])
    assert site.served[seen:] == [2]
    assert recorded.run("verify", one["evidence"]).returncode == 0
    refused = recorded.run("flows", "run", "owners", "--set", "Numbr=T-2")
    assert (refused.returncode, "did you mean number?" in refused.stderr) == (2, True)

    broken(system.folder / "workflows" / "owners.files")
    code, lacking = checked(recorded, "owners")
    assert code == 2
    assert f"--hash {told['version'][:12]}" in lacking["problems"][0]["message"]
    assert checked(recorded, "owners", "--hash", told["version"][:12])[0] == 0

    broken(recorded.folder / "flow")
    shown = recorded.run("flows", "check", str(recorded.folder / "flow"))
    assert shown.returncode == 1
    assert "0 of 4" in shown.stdout
    code, differs = checked(recorded, str(recorded.folder / "flow"))
    assert code == 1
    assert all("owner" in " ".join(one["problems"]) for one in differs["checks"])


def test_a_site_that_differs_or_is_not_reached_keeps_it_a_draft(recorded: Cli, site: OwnersSite):
    _, draft = compiled(recorded, "drafted", "--no-live", "--no-publish")
    live = next(n for n in range(len(OWNERS)) if f"T-{n}" not in draft["compiled_from"])
    site.owners[live] = "Zoe Hart"
    code, told = compiled(recorded, "drafted")
    assert (code, told["version"]) == (1, "")
    assert told["problems"] == [f"live, T-{live}: owner: then {OWNERS[live]!r}, now 'Zoe Hart'"]
    printed = recorded.run("compile", "last", "--out", str(recorded.folder / "flow"), "--name", "drafted")
    assert f"live: T-{live}" in printed.stdout
    assert "--no-live" in printed.stdout
    assert checked(recorded, "drafted")[0] == 2, "nothing is in the library"

    site.owners[live] = OWNERS[live]
    site.is_open = False
    code, told = compiled(recorded, "drafted")
    assert code == 1
    assert told["problems"][0].startswith(f"live, T-{live}: ")
    assert "asks for a password: the site does not accept the login state 'desk'" in told["problems"][0]

    site.is_gone = True
    code, told = compiled(recorded, "drafted")
    assert code == 1
    assert "could not be opened" in told["problems"][0]
    code, told = compiled(recorded, "drafted", "--no-live")
    assert (code, told["live"], told["problems"]) == (0, None, [])
    assert checked(recorded, "drafted")[0] == 0
