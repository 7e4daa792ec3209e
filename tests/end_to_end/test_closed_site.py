"""A site that sends who is not signed in to its login page. The task has no identity and no login state."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.end_to_end.conftest import Cli
from tests.end_to_end.owner_tasks import SIGN_IN_FORM, write_owner_task
from tests.end_to_end.small_site import Answers, SmallSite

TITLE = {"type": "string", "shown_in": "title", "pattern": ".+"}
BOX = '<header><form method="post"><input name="user"><input name="password" type="password"></form></header>'


class ClosedAnswers(Answers):
    """`/tickets/server...` is answered with a redirect, `/tickets/script...` with a page that goes on by a script, and
    `/tickets/open...` with a record that has a form to sign in above it."""

    def do_GET(self) -> None:
        if self.path.startswith("/tickets/server"):
            self.answer("", status=302, location=f"/login/?next={self.path}")
        elif self.path.startswith("/tickets/script"):
            self.answer(
                f"<!doctype html><title>Desk</title><script>location.replace('/in#/login?{self.path}')</script>"
            )
        elif self.path.startswith("/tickets/"):
            record = "<h1>Printer</h1><dl><dt>Owner</dt><dd>Ann</dd></dl>"
            self.answer(f"<!doctype html><title>Desk</title>{BOX}<main>{record}</main>")
        else:
            self.answer(f"<!doctype html><title>Desk</title><main>{SIGN_IN_FORM}<p>Access is Denied</p></main>")


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with SmallSite(ClosedAnswers) as site:
        yield site


def test_its_login_page_is_no_record_whatever_the_task_reads_of_it(online: Cli, site: SmallSite) -> None:
    cli = online
    write_owner_task(cli, "desk", f"{site.url}/tickets", ["server1", "script1", "open1"])
    path = cli.folder / "spec.json"
    spec = json.loads(path.read_text())
    spec |= {
        "identity": {},
        "output_schema": {"title": TITLE, "owner": "string | null"},
        "required_fields": ["title"],
        "required_artifacts": ["screenshot"],
    }
    path.write_text(json.dumps(spec))
    ran = cli.run("run", str(path), "--input", str(cli.folder / "in.csv"), "--json")
    outcomes = json.loads(ran.stdout)["outcomes"]
    assert {(one["status"], one["reason"]): one["samples"] for one in outcomes} == {
        ("done", ""): 1,
        ("auth_required", "login_required"): 2,
    }
