"""The pages of build sessions over the service of the library: what they show, and what their forms ask for."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from services.console.web.builds.build_reader import BuildReader
from services.console.web.desk import Desk
from services.console.web.guard import Guard, WebSessions
from services.console.web.new_run.drafts import DraftOptions, Drafts, RunDraft
from services.console.web.page_origin import PageOrigin
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from services.workflows.build_handlers import build_actor
from services.workflows.builds.build_sessions import BuildSessions
from shared.client import Client
from shared.contracts.questions import Question
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import (
    ActionRecorded,
    BuildEvent,
    CompilerTold,
    FlowWritten,
    MessageWritten,
    QuestionsAsked,
    RowBegun,
    SessionOpened,
    TodoAdded,
    Told,
    ValueRecorded,
)
from shared.contracts.workflows.build_outcomes import BuildOutcome
from shared.settings import Settings
from shared.streams import BUILD_EVENTS, BUILD_FILES, BUILDS
from shared.testing.bus import MemoryBus
from tests.handlers.planner.scripted_pool import ScriptedPool, pool
from tests.handlers.workflows.build_asker import GO, READ, SPEC, Asker, record
from tests.unit.console.asked_pages import HOST, SentPage, ask_page

HOSTILE = "</bdi><script>alert(1)</script>\u202e{{1234*4321}}"
SHOWN = "&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
AT = "2026-11-29T10:00:00.000+00:00"
STATIC = static_files()
PNG = b"PNG"
SPEC_FIELDS = tuple(SPEC["output_schema"])


class Library:
    """What the part of the actor that is asked here has."""

    def __init__(self, sessions: BuildSessions) -> None:
        self.builds = sessions


@dataclass
class BuildRoom:
    """The console of bob over a library with build sessions."""

    folder: Path
    bus: Any = field(default_factory=MemoryBus)
    reader: BuildReader = field(default_factory=BuildReader)
    drafts: Drafts = field(default_factory=Drafts)
    web: WebSessions = field(default_factory=WebSessions)
    processes: list[BuildSessions] = field(default_factory=list)

    def start(self) -> None:
        """Start a process of the library; the one that was started last answers."""
        self.processes.append(BuildSessions(self.bus, f"process{len(self.processes) + 1}"))
        self.bus.host(build_actor, Library(self.processes[-1]))

    async def ask(self, path: str, form: dict[str, str] | None = None) -> SentPage:
        settings = Settings(evidence_dir=self.folder, state_dir=self.folder, nats_url=None)
        desk = Desk(Client(self.bus), settings, "bob", STATIC, PageOrigin("http://p", (), settings))
        app = make_app(desk, self.drafts)
        app.state.builds = self.reader
        return await ask_page(Guard(app, self.web, {HOST}), self.web, path, form)

    async def order(self, act: str, **fields: str) -> SentPage:
        """Send a form of the session `one`, and return the page that it leads to."""
        sent = await self.ask("/builds/one/do", {"act": act, **fields})
        if sent.status == 303:
            return await self.ask(sent.headers["location"])
        return sent

    async def keep(self, events: list[BuildEvent], files: dict[str, bytes], spec: dict[str, Any]) -> None:
        """Have a session `one` be kept that no process has open."""
        names = {path: f"{number:064x}" for number, path in enumerate(files)}
        for path, data in files.items():
            await self.bus.put(BUILD_FILES, f"one.{names[path]}", data)
        rows = (builds.BuildRow(sample_id=HOSTILE, number=1, fields={"number": "A"}),)
        kept = builds.BuildRecord(build_id="one", owner="gone", spec=spec, rows=rows, by=HOSTILE, files=names)
        await self.bus.create(BUILDS, "one", kept)
        await self.bus.create(BUILD_EVENTS, "one.1", builds.BuildBatch(first=1, events=tuple(events)))


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[BuildRoom]:
    one = BuildRoom(tmp_path)
    one.bus.host(pool, ScriptedPool({f"http://site/{number}": [record(number)] for number in "AB"}))
    one.start()
    yield one
    for process in one.processes:
        await process.close()


async def begun(room: BuildRoom) -> Asker:
    """Return a client of ann, who has begun the session `one`."""
    ann = Asker(room.bus, "one")
    await ann.open()
    await ann.do(builds.BeginWork())
    return ann


HOSTILE_EVENTS: list[BuildEvent] = [
    SessionOpened(at=AT, task_id=HOSTILE, by=HOSTILE),
    TodoAdded(at=AT, number=1, title=HOSTILE, fields=(HOSTILE,)),
    RowBegun(at=AT, sample_id=HOSTILE, row={"number": HOSTILE}),
    ActionRecorded(at=AT, todo=1, step=1, action=HOSTILE, by=HOSTILE, message=HOSTILE, url=HOSTILE, title=HOSTILE),
    ValueRecorded(at=AT, todo=1, field=HOSTILE, shown=HOSTILE, by=HOSTILE),
    MessageWritten(at=AT, by=HOSTILE, text=HOSTILE),
    Told(at=AT, text=HOSTILE, refused=True),
    FlowWritten(at=AT, seen=3, version=HOSTILE, problems=(HOSTILE,), diff=f"+{HOSTILE}"),
    CompilerTold(at=AT, kind="problem", text=HOSTILE, version=HOSTILE),
    QuestionsAsked(at=AT, questions=(Question(text=HOSTILE, options=(HOSTILE, "no")),)),
]


async def test_hostile_text_is_text_on_each_page_about_builds(room: BuildRoom):
    source = f'async def main():\n    note = "{HOSTILE}"  # {HOSTILE}\n'
    await room.keep(
        HOSTILE_EVENTS, {"workspace/flow.py": source.encode()}, {**SPEC, "task_id": HOSTILE, "goal": HOSTILE}
    )
    for path, least in {"/builds": 2, "/builds/one": 20}.items():
        page = await room.ask(path)
        assert page.status == 200, page.text
        assert page.text.count(SHOWN) >= least, path
        for never in ("<script>", "\u202e", "5332114"):
            assert never not in re.sub(r"[0-9a-f]{12,}", "", page.text), (path, never)


async def test_what_the_model_alone_is_told_is_folded_as_a_note_to_it(room: BuildRoom):
    outcome = BuildOutcome(code="act_not_wanted", details=(HOSTILE,))
    told = Told(at=AT, text=f"Not done: {HOSTILE}.", refused=True, outcome=outcome, to_model=True)
    await room.keep([*HOSTILE_EVENTS[:3], told], {}, SPEC)
    page = await room.ask("/builds/one")
    [note] = re.findall(r'<li class="talk t-note">.*?</li>', page.text, re.DOTALL)
    assert "<summary>A note to the model</summary>" in note
    assert f"the person does not want this to be done: {SHOWN}" in note
    assert "Not done: " not in page.text


async def test_a_session_that_nobody_has_open_is_read_as_it_is_kept_and_nothing_is_opened(room: BuildRoom):
    await room.keep(HOSTILE_EVENTS[:3], {}, SPEC)
    page = await room.ask("/builds/one")
    assert "No process has this session open" in page.text
    refused = await room.order("undo")
    assert (refused.status, "not open" in refused.text) == (409, True)
    kept = await room.bus.read(BUILDS, "one", builds.BuildRecord)
    assert kept is not None
    assert kept.owner == "gone"


async def test_what_is_said_and_done_in_the_browser_is_done_in_the_session_by_who_looks(room: BuildRoom):
    ann = await begun(room)
    page = await room.order("say", text="Read the status.\nNot the number.")
    assert "Read the status.\nNot the number." in page.text
    page = await room.order("open")
    assert re.search(r"step 1: .*by hand", page.text, re.DOTALL) or "step 1:" in page.text
    page = await room.order("line", line="read status beside Status")
    assert re.search(r'class="read-value"><bdi>Open</bdi>', page.text)
    await ann.follow()
    said = [one for one in ann.events if isinstance(one, MessageWritten)]
    assert [(one.by, one.text) for one in said] == [("bob", "Read the status.\nNot the number.")]
    await ann.do(builds.SayText(text="I am back."))
    assert [one.by for one in ann.events if isinstance(one, MessageWritten)] == ["bob", "ann"]
    lines = (await room.ask("/builds")).text
    assert "/builds/one" in lines
    assert "0 of" in lines


async def test_todos_are_added_renamed_moved_and_deleted(room: BuildRoom):
    ann = await begun(room)
    [first] = ann.state.todos[:1]
    await room.order("todo_add", title="  Look  at it ")
    await ann.follow()
    added = ann.state.todos[-1]
    assert added.title == "Look at it"
    await room.order("todo_rename", number=str(added.number), title="Look twice")
    await room.order("todo_move", number=str(added.number), before=str(first.number))
    while ann.state.todos[0].title != "Look twice":
        await ann.follow()
    page = await room.order("todo_delete", number=str(added.number))
    assert "was deleted" in page.text
    assert '<input name="title" id="title-1"' in page.text


async def test_a_refusal_is_told_in_the_words_of_the_session(room: BuildRoom):
    await begun(room)
    page = await room.order("next")
    assert re.search(r'class="talk t-refused".*is not finished', page.text, re.DOTALL), page.text
    for act, fields, words in (
        ("say", {"text": " "}, "Nothing was said"),
        ("line", {"line": "fly"}, "there is no &#39;fly&#39;"),
        ("line", {"line": "log"}, "is on this page"),
        ("answer", {"chosen.0": "0"}, "answered meanwhile"),
        ("fly", {}, "no such act"),
    ):
        refused = await room.order(act, **fields)
        assert (refused.status, words in refused.text) == (409, True), refused.text


async def test_a_question_is_answered_by_a_button_or_in_own_words_once(room: BuildRoom):
    ann = await begun(room)
    for command in (GO, READ, builds.FinishTodo(), builds.CloseBuild()):
        await ann.do(command)
    again = await room.ask("/builds/one/go-on", {})
    assert again.status == 303
    bob = Asker(room.bus, "one")
    await bob.open()
    await bob.until(lambda: bool(bob.state.asking))
    page = await room.ask("/builds/one")
    assert "A question waits" in page.text
    asked = dict(re.findall(r'name="(asked)" value="([^"]*)"', page.text))
    other = await room.order("answer", asked="0", **{"chosen.0": "1"})
    assert (other.status, "answered meanwhile" in other.text) == (409, True)
    empty = await room.order("answer", **asked)
    assert empty.status == 409
    await room.order("answer", **asked, **{"chosen.0": "1"})
    await bob.until(lambda: not bob.state.asking)
    page = await room.ask("/builds/one")
    assert re.search(r'class="talk t-answered".*I go there by hand', page.text, re.DOTALL)


async def test_a_picture_is_sent_by_its_hash_and_nothing_else_of_the_workspace_is(room: BuildRoom):
    files = {"samples/captures/A/01.png": PNG, "samples/captures/A/page.html": b"<script>alert(1)</script>"}
    await room.keep(HOSTILE_EVENTS[:3], files, SPEC)
    sent = await room.ask(f"/builds/one/pictures/{0:064x}")
    assert (sent.status, sent.headers["content-type"]) == (200, "image/png")
    assert "sandbox" in sent.headers["content-security-policy"]
    for sha256 in (f"{1:064x}", f"{2:064x}", "x"):
        assert (await room.ask(f"/builds/one/pictures/{sha256}")).status == 404


async def test_what_is_not_there_is_said(room: BuildRoom):
    assert (await room.ask("/builds/none")).status == 404
    assert (await room.ask("/builds/a.b")).status == 404
    assert "Nothing has been built yet" in (await room.ask("/builds")).text


async def test_a_session_is_begun_once_with_the_task_and_the_rows_of_a_draft(room: BuildRoom):
    rows = b"Number,Note\nA,x\nB,y\n"
    draft = RunDraft("d", {**SPEC, "sample_id": "{number}"}, "rows.csv", rows, DraftOptions())
    room.drafts.put(draft)
    page = await room.ask("/new/d")
    assert "Build a flow" in page.text
    form = {"once": "key_1", "column.0": "Number"}
    for _ in range(2):  # it is sent twice
        sent = await room.ask("/new/d/build", form)
        assert (sent.status, sent.headers["location"]) == (303, "/builds/key_1")
    record_of = await room.bus.read(BUILDS, "key_1", builds.BuildRecord)
    assert record_of is not None
    assert [(one.sample_id, one.fields["number"]) for one in record_of.rows] == [("A", "A"), ("B", "B")]
    assert (record_of.by, record_of.agent) == ("bob", False)
    bob = Asker(room.bus, "key_1", spec={**SPEC, "sample_id": "{number}"})
    await bob.open()
    await bob.until(lambda: bool(bob.state.todos))
    assert sum(isinstance(one, SessionOpened) for one in bob.events) == 1
    refused = await room.ask("/new/d/build", {"once": "key_2", "column.0": ""})
    assert refused.status == 409
    assert await room.bus.read(BUILDS, "key_2", builds.BuildRecord) is None


async def test_an_element_is_meant_by_a_number_of_the_look_that_was_shown_and_of_no_other(room: BuildRoom):
    ann = await begun(room)
    await room.order("open")
    page = await room.order("page")
    [look] = re.findall(r'name="look" value="([^"]+)"', page.text)
    number = "3"  # of the status, the third element of the page
    at = SPEC_FIELDS.index("status")
    for fields, words in (
        ({"look": "another", "ref": number, "verb": "click"}, "another look at the page"),
        ({"look": look, "ref": "x", "verb": "click"}, "which element"),
        ({"look": look, "ref": number, "verb": "read.9"}, "what is to be done"),
    ):
        refused = await room.order("element", **fields)
        assert (refused.status, words in refused.text) == (409, True), refused.text
    page = await room.order("element", look=look, ref=number, verb=f"read.{at}")
    assert '<span class="read-value"><bdi>Open</bdi>' in page.text
    await room.order("line", line='click "Show all"')
    await ann.follow()
    page = await room.ask("/builds/one")
    assert 'name="look"' not in page.text  # the numbers would be of another look by now
