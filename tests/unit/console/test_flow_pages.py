"""The pages about flows and workflows over the service of the library: what they show, and what their forms publish."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from services.console.web.desk import Desk
from services.console.web.guard import CSRF, Guard, WebSessions
from services.console.web.library.flow_drift import RunDrift, SeenChange
from services.console.web.library.flow_facts import RUNG_WORDS
from services.console.web.library.heal_pictures import PicturePart
from services.console.web.library.source_lines import diff_lines
from services.console.web.markup import templates
from services.console.web.page_origin import PageOrigin
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from services.workflows.execution.in_process_executor import InProcessExecutor
from shared.client import Client
from shared.client.workflow_calls import create_workflow, delete_workflow, get_workflow, load_history
from shared.client.workflow_samples import lent_samples
from shared.contracts.discovery import RunRecord
from shared.contracts.results import Box
from shared.contracts.workflows.library import WorkflowCreated, WorkflowShown
from shared.flows.files import FlowFiles
from shared.flows.healing.drift import DriftedSubject
from shared.flows.healing.proposals import HealedSubject, HealProposal
from shared.recordings.from_run import RunRecordings
from shared.settings import Settings
from tests.handlers.workflows.flow_samples import packed
from tests.handlers.workflows.service_bench import open_service
from tests.typed import expect
from tests.unit.console.asked_pages import HOST, SentPage, ask_page

HOSTILE = "</code><script>alert(1)</script>\u202e{{1234*4321}}"
SHOWN = "&lt;/code&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
SOURCE = '''"""Read the queue of an order."""


async def run(order: str) -> dict:
    """Read it."""
    found = {"order": order}
    return found
'''
FILES = {
    "workspace/locators.json": json.dumps({f"role=button[name={HOSTILE}]": {"role": "button"}}),
    "data/variables_schema.json": json.dumps({"order!": {"type": "string", "description": HOSTILE}}),
}


@dataclass
class FlowRoom:
    """The console of ann over a library."""

    bus: Any
    folder: Path
    sessions: WebSessions = field(default_factory=WebSessions)
    has_services: bool = True

    def app(self) -> Guard:
        settings = Settings(
            evidence_dir=self.folder / "evidence",
            state_dir=self.folder / "state",
            workflows_dir=self.folder / "none",
            nats_url=None,
        )
        client = Client(self.bus)
        desk = Desk(client, settings, "ann", static_files(), PageOrigin("http://p", (), settings))
        if not self.has_services:

            async def opens() -> Any:
                raise AssertionError("nothing is opened for it")

            desk = Desk(client, settings, "ann", desk.static, desk.pages, opens, opens)
        return Guard(make_app(desk), self.sessions, {HOST})

    async def ask(self, path: str, form: dict[str, str] | None = None) -> SentPage:
        return await ask_page(self.app(), self.sessions, path, form)

    async def create(self, source: str = SOURCE, replace: str = "", **more: Any) -> str:
        """Create a version of `orders`; return its hash."""
        made = await create_workflow(self.bus, "orders", source, replace=replace, **more)
        return expect(made, WorkflowCreated).workflow.hash

    async def current(self) -> str:
        return expect(await get_workflow(self.bus, "orders"), WorkflowShown).workflow.hash


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[FlowRoom]:
    async with open_service(tmp_path, InProcessExecutor()) as service:
        yield FlowRoom(service.bus, tmp_path)


def hidden(page: SentPage) -> dict[str, str]:
    """Return what the form of a page that changes something sends."""
    form = re.search(r'<form method="post".*?</form>', page.text, re.DOTALL)
    assert form is not None, page.text
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form[0])
    return {name: unescape(value) for name, value in fields if name != CSRF}


async def test_hostile_text_is_text_on_each_page_about_flows(room: FlowRoom):
    source = SOURCE.replace("found =", f"note = {HOSTILE!r}  # {HOSTILE}\n    found =")
    first = await room.create()
    await room.create(source, replace=first, description=HOSTILE, author=HOSTILE, files=FILES)
    pages = {
        "/flows": 1,
        "/flows/orders": 5,
        f"/flows/orders/diff?old={first}": 2,
        f"/flows/orders/rollback?version={first}": 1,
    }
    for path, least in pages.items():
        page = await room.ask(path)
        assert page.status == 200, page.text
        assert page.text.count(SHOWN) >= least, path
        assert "<script>" not in page.text, path
        assert "\u202e" not in page.text, path
        assert "5332114" not in page.text, path


def test_hostile_text_is_text_where_it_is_told_what_has_moved():
    record = RunRecord(
        run_id=HOSTILE, spec={}, created_at=datetime(2026, 1, 1, tzinfo=UTC), concurrency=1, planner=None
    )
    ways = ((HOSTILE, 2),)
    subject = DriftedSubject(
        kind="field",
        subject=HOSTILE,
        samples=2,
        of=2,
        rungs=("agreeing", HOSTILE),
        lost=ways,
        matched=ways,
        witnesses=ways,
    )
    box = Box(x=1, y=1, width=5, height=5)
    part = PicturePart(HOSTILE, HOSTILE, HOSTILE, box, box, box)
    drift = RunDrift(HOSTILE, "ab" * 32, RunRecordings(record, (), ()), {"a": []}, (subject,))
    change = HealedSubject(
        kind="field",
        subject=HOSTILE,
        rungs=("agreeing",),
        dropped=(HOSTILE,),
        kept=(HOSTILE,),
        samples=("a",),
        evidence=(),
    )
    facts: dict[str, Any] = {
        "form_key": "k", "path": "/", "address": "/", "static": str, "can_open": bool, "signed_in": None,
        "run_id": HOSTILE, "drift": drift,
        "kept": (),
        "seen": [SeenChange(subject, HOSTILE, part, PicturePart(HOSTILE, HOSTILE, HOSTILE))], "is_current": True,
        "now": "", "rung_words": RUNG_WORDS, "lines": diff_lines(f"+{HOSTILE}"), "problems": (HOSTILE,),
        "proposal": HealProposal("", FlowFiles(), (change,), HOSTILE), "shown_sha": "", "person": HOSTILE,
    }  # fmt: skip
    for name, least in {"drift.html": 12, "approve.html": 5, "not_approved.html": 2}.items():
        text = templates().get_template(name).render(facts)
        assert text.count(SHOWN) >= least, name
        assert "<script>" not in text.replace('<script type="module" src=', ""), name
        assert "\u202e" not in re.sub(r'value="[^"]*"', "", text), name


async def test_a_flow_shows_what_it_consists_of_and_which_samples_are_kept_with_it(room: FlowRoom):
    kept = packed("R1", "R2")
    async with lent_samples(room.bus, kept.samples, kept.data) as lent:
        await room.create(files={**FILES, "data/notes.txt": "a note"}, samples=lent)
    page = await room.ask("/flows/orders")
    for words in ("Read the queue of an order.", "order: str", "role=button", "data/notes.txt", "a note", "current"):
        assert words in page.text, words
    assert re.search(r"R1.*it was made from it.*R2.*held out", page.text, re.DOTALL)
    assert '<span class="c-keyword">async</span>' in page.text


async def test_a_run_of_a_task_whose_flow_is_in_the_library_says_so_and_the_flow_leads_to_it(room: FlowRoom):
    spec = {
        "task_id": "orders", "goal": "Read the queue.", "start_url": "http://site/{order}", "sample_id": "{order}",
        "input_schema": {"order": "string"}, "output_schema": {"queue": "string"},
    }  # fmt: skip
    saved = room.folder / "state/console/specs/orders.json"
    saved.parent.mkdir(parents=True)
    saved.write_text(json.dumps(spec))
    app = room.app()

    async def draft(**more: Any) -> str:
        form = {"written": json.dumps({**spec, **more}), "pasted": "order\n1\n2"}
        sent = await ask_page(app, room.sessions, "/new", form)
        return (await ask_page(app, room.sessions, sent.headers["location"])).text

    told = "2 rows are done by the flow"
    before = await draft()
    assert (told in before, "Or build a flow of it" in before) == (False, True)
    await room.create(files=FILES)
    after = await draft()
    assert (told in after, "Or build a flow of it" in after, "Build another flow of it" in after) == (True, False, True)
    assert told not in await draft(workflow="off")
    assert told not in await draft(task_id="others")
    assert '<a href="/new?saved=orders">Run it</a>' in (await room.ask("/flows/orders")).text
    saved.unlink()
    assert "Run it" not in (await room.ask("/flows/orders")).text


async def test_a_search_that_finds_nothing_says_so(room: FlowRoom):
    await room.create()
    page = await room.ask("/flows?q=anything")
    assert "Nothing in the library does that" in page.text


async def test_an_old_version_is_used_again_when_that_is_confirmed(room: FlowRoom):
    first = await room.create()
    second = await room.create(SOURCE + "\n", replace=first)
    old = await room.ask(f"/flows/orders?version={first}")
    assert "This is an old version" in old.text
    assert f"/flows/orders/rollback?version={first}" in (await room.ask("/flows/orders")).text
    asked = await room.ask(f"/flows/orders/rollback?version={first}")
    assert await room.current() == second
    assert (await room.ask(f"/flows/orders/rollback?version={second}")).status == 409
    done = await room.ask(f"/flows/orders/rollback?version={first}", hidden(asked))
    assert (done.status, done.headers["location"]) == (303, "/flows/orders")
    assert await room.current() == first
    assert (await load_history(room.bus, "orders"))[-1].author == "ann"


async def test_a_version_that_was_published_meanwhile_is_not_rolled_over(room: FlowRoom):
    first = await room.create()
    second = await room.create(SOURCE + "\n", replace=first)
    asked = hidden(await room.ask(f"/flows/orders/rollback?version={first}"))
    third = await room.create(SOURCE + "\n\n", replace=second)
    refused = await room.ask(f"/flows/orders/rollback?version={first}", asked)
    assert refused.status == 409
    assert "published meanwhile" in refused.text
    assert await room.current() == third


async def test_what_was_deleted_keeps_its_history(room: FlowRoom):
    hash = await room.create()
    await delete_workflow(room.bus, "orders")
    page = await room.ask("/flows/orders")
    assert "It was deleted" in page.text
    assert (await room.ask(f"/flows/orders?version={hash}")).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/flows/none",
        "/flows/orders?version=ffffffffffff",
        "/flows/orders/diff",
        "/flows/orders/rollback?version=ffffffffffff",
        "/runs/run_none/drift",
        "/runs/run_none/drift/approve",
    ],
)
async def test_what_is_not_there_is_said(room: FlowRoom, path: str):
    await room.create()
    assert (await room.ask(path)).status == 404


async def test_an_empty_library_says_how_a_flow_is_made_in_the_browser(room: FlowRoom):
    page = (await room.ask("/flows")).text
    assert page.index('href="/specs"') < page.index('href="/new">Choose') < page.index("exhibit compile")


async def test_a_library_that_does_not_exist_is_empty_and_starts_nothing(room: FlowRoom):
    room.has_services = False
    page = await room.ask("/flows")
    assert (page.status, "The library is empty" in page.text, "Build a flow" in page.text) == (200, True, False)
    assert (await room.ask("/flows/orders")).status == 404


async def test_a_flow_that_has_no_rules_is_one_in_the_list_and_on_its_page(room: FlowRoom):
    await room.create(
        '"""Press it."""\n\nfrom exhibit.flow import click\n\n\nasync def run() -> None:\n    await click("text=Go")\n'
    )
    assert '<td data-label="Kind">flow</td>' in (await room.ask("/flows")).text
    assert "does its task without a model" in (await room.ask("/flows/orders")).text
