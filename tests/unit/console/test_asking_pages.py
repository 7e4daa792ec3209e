"""A sentence becomes a task in the console: over the planner and the real SDK of the model, whose answers are ours."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from services.console.web.desk import Desk
from services.console.web.guard import Guard, WebSessions
from services.console.web.new_run.asked_tasks import AskedTasks
from services.console.web.new_run.drafts import Drafts, RunDraft
from services.console.web.page_origin import PageOrigin
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from services.planner.drivers.model.model_tasks import AnthropicDrafter
from services.planner.handlers import actor as planner
from shared.bus.actor import Actor
from shared.client import Client
from shared.contracts.evidence import AskSql, SqlAnswered
from shared.settings import Settings
from shared.subjects import ASK_SQL
from shared.testing.settings import isolated_settings
from tests.handlers.planner.messages_server import Answer, endpoint, error, tool_call
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.owners_task import owners_task
from tests.unit.console.asked_pages import HOST, SentPage, ask_page
from tests.waiting import until_asked

HOSTILE = "</bdi><script>alert(1)</script>\u202e{{7*7}}"
SHOWN = "&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
SENTENCE = "Go to https://host.example and get the owner of the records A-1 and A-2"
SPEC = owners_task(HOSTILE)
LIST = {
    "task_id": "records",
    "goal": "List the records.",
    "phase": "discovery",
    "start_url": "https://host.example/{org}",
    "output_schema": {"number": "string"},
}
ROWS = [{"number": "A-1"}, {"number": f"A-2 {HOSTILE}"}]
DRAFTED = tool_call(
    "task",
    {"spec": SPEC, "samples": ROWS, "explanation": f"Reads {HOSTILE}", "open_questions": [f"Which {HOSTILE}?"]},
)
STATIC = static_files()

evidence: Actor[None] = Actor("evidence")


@evidence.answers(ASK_SQL)
async def no_rows(request: AskSql, deps: None) -> SqlAnswered:
    """Answer as evidence does where there are no runs."""
    return SqlAnswered(
        columns=(), rows=0, cut=False, text="[]", size_bytes=2, sha256=sha256(b"[]").hexdigest(), runs=0, elapsed_ms=1.0
    )


@dataclass
class AskingRoom:
    """The console over a planner. ``url``: of its model; empty: it has no key."""

    folder: Path
    url: str = ""
    web: WebSessions = field(default_factory=WebSessions)
    drafts: Drafts = field(default_factory=Drafts)
    asked: AskedTasks = field(default_factory=AskedTasks)
    bus: Any = None
    drafter: AnthropicDrafter | None = None

    def __post_init__(self) -> None:
        bench = Bench(ScriptedPool({}))
        self.bus = bench.bus
        if self.url:
            keyed = isolated_settings(ANTHROPIC_API_KEY="key", ANTHROPIC_BASE_URL=self.url, model="claude-sonnet-5-5")
            bench.deps.drafter = self.drafter = AnthropicDrafter(keyed)
        self.bus.host(planner, bench.deps)
        self.bus.host(evidence, None)

    async def ask(self, path: str, form: dict[str, str] | None = None, person: str = "bob") -> SentPage:
        settings = Settings(evidence_dir=self.folder, state_dir=self.folder, nats_url=None)
        desk = Desk(Client(self.bus), settings, person, STATIC, PageOrigin("http://p", (), settings))
        app = make_app(desk, self.drafts, self.asked)
        sent = await ask_page(Guard(app, self.web, {HOST}), self.web, path, form)
        assert "<script>alert" not in sent.text
        assert "\u202e" not in sent.text
        return sent

    async def say(self, sentence: str = SENTENCE) -> str:
        """Send a sentence; return the path of its page, once something came of it."""
        sent = await self.ask("/new/ask", {"sentence": sentence})
        assert sent.status == 303
        at = sent.headers["location"]
        await self.ended(at)
        return at

    async def ended(self, at: str) -> None:
        async def is_there() -> bool:
            return (await self.ask(f"{at}/wait")).status == 200

        await until_asked(is_there, "something came of the sentence")

    async def use(self, at: str, **form: str) -> SentPage:
        return await self.ask(f"{at}/use", {"written.spec": json.dumps(SPEC), **form})

    def prepared(self, sent: SentPage) -> RunDraft:
        draft = self.drafts.get(sent.headers["location"].removeprefix("/new/"))
        assert draft is not None
        return draft


@asynccontextmanager
async def asking_room(folder: Path, *replies: Answer) -> AsyncGenerator[AskingRoom]:
    async with endpoint(*replies) as at:
        room = AskingRoom(folder, at.url)
        assert room.drafter is not None
        async with aclosing(room.drafter), aclosing(room.asked):
            yield room


@asynccontextmanager
async def silent_model() -> AsyncGenerator[str]:
    """A model that takes what it is asked and never answers."""
    ends = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ends.wait()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ends.set()


async def test_a_sentence_becomes_a_task_that_is_shown_saved_and_given_its_rows(tmp_path: Path):
    async with asking_room(tmp_path, DRAFTED) as room:
        new = await room.ask("/new")
        assert "claude-sonnet-5-5" in new.text, "which model is asked is said before"
        shown = (await room.ask(await room.say())).text
        assert re.search(r"Cost</dt><dd>\$0\.\d{4}<small>1 call, 100 tokens read and 20 written", shown)
        assert "A question is left open" in shown
        assert shown.count(SHOWN) >= 4, "the words of the model, its question, a row and the task are text"
        assert "host.example/records/{number}" in shown
        [at] = [f"/new/ask/{one.asked_id}" for one in room.asked.newest("bob")]
        assert f'href="{at}"' in (await room.ask("/new")).text, "it is found again"
        sent = await room.use(at)
        draft = room.prepared(sent)
        assert draft.spec == SPEC
        assert draft.data.decode().splitlines() == ["number", "A-1", f"A-2 {HOSTILE}"]
        assert json.loads((tmp_path / "console/specs/owners.json").read_text()) == SPEC
        assert (await room.ask(sent.headers["location"])).status == 200


async def test_a_draft_is_checked_again_as_somebody_has_left_it(tmp_path: Path):
    async with asking_room(tmp_path, DRAFTED) as room:
        at = await room.say()
        for written, words in (
            (json.dumps({**SPEC, "max_steps": 0, "colour": 1}), "max_steps"),
            ("{", "JSON"),
            ("", "spec"),
        ):
            refused = await room.use(at, **{"written.spec": written})
            assert (refused.status, words in refused.text) == (409, True), written
        assert not (tmp_path / "console/specs").exists()
        changed = {**SPEC, "goal": "Read it.", "auth_profile": "mine"}
        assert room.prepared(await room.use(at, **{"written.spec": json.dumps(changed)})).spec == changed
        refused = await room.use(
            at, **{"written.spec": json.dumps({**SPEC, "start_url": "https://other.example/{number}"})}
        )
        assert (refused.status, "saved already" in refused.text) == (409, True)
        shown = refused.text.partition("<textarea")[0]
        told = ("other.example/{number}" in shown, "host.example/records" in shown)
        assert told == (True, False), "what it would do is that of the text"
        assert room.prepared(await room.use(at, replace="1")).spec == SPEC


async def test_a_task_that_has_its_samples_found_first_is_prepared_as_that(tmp_path: Path):
    whole = {"spec": SPEC, "discovery": LIST, "discovery_row": {"org": "acme"}, "explanation": "x"}
    async with asking_room(tmp_path, tool_call("task", whole)) as room:
        at = await room.say()
        both = {"written.discovery": json.dumps(LIST)}
        same = await room.use(at, **{"written.discovery": json.dumps({**LIST, "task_id": "owners"})})
        assert (same.status, "another than the task_id" in same.text) == (409, True)
        folder = tmp_path / "console/specs"
        folder.mkdir(parents=True)
        (folder / "owners.json").write_text(json.dumps({**SPEC, "goal": "Another."}))
        taken = await room.use(at, **both)
        assert (taken.status, [one.name for one in folder.iterdir()]) == (409, ["owners.json"]), "both or none"
        (folder / "owners.json").unlink()
        draft = room.prepared(await room.use(at, **both))
        assert draft.discovery is not None
        assert (draft.spec["task_id"], draft.discovery["task_id"]) == ("owners", "records")
        assert dict(draft.row) == {"org": "acme"}
        assert {one.name for one in (tmp_path / "console/specs").iterdir()} == {"owners.json", "records.json"}


async def test_what_is_no_task_is_told_with_what_it_has_cost(tmp_path: Path):
    bad = tool_call("task", {"spec": {**SPEC, "max_steps": 0, "secrets": ["bank"]}, "explanation": "x"})
    async with asking_room(tmp_path, bad) as room:
        shown = (await room.ask(at := await room.say())).text
        for words in ("spec.max_steps", "spec.secrets", "3 calls, 300 tokens read", "No task was drafted", SENTENCE):
            assert words in shown, words
        assert (await room.use(at)).status == 404
        unasked = (await room.ask(await room.say("tickets"))).text
        assert "say in a sentence" in unasked
        assert "<dd>nothing<small>0 calls" in unasked


async def test_a_model_that_does_not_answer_as_it_should_is_told(tmp_path: Path):
    async with asking_room(tmp_path, error(401, f"bad {HOSTILE}")) as room:
        shown = (await room.ask(await room.say())).text
        assert "There is no draft" in shown
        assert "key" in shown


async def test_without_a_key_it_is_said_before_anything_is_typed(tmp_path: Path):
    room = AskingRoom(tmp_path)
    shown = (await room.ask("/new")).text
    assert "set ANTHROPIC_API_KEY" in shown
    assert 'name="sentence"' not in shown
    refused = await room.ask("/new/ask", {"sentence": SENTENCE})
    assert (refused.status, room.asked.newest("bob")) == (409, ())


async def test_one_at_a_time_for_each_person_and_nobody_sees_that_of_another(tmp_path: Path):
    async with silent_model() as url, aclosing(AskedTasks()) as asked:
        room = AskingRoom(tmp_path, url, asked=asked)
        assert room.drafter is not None
        async with aclosing(room.drafter):
            at = (await room.ask("/new/ask", {"sentence": SENTENCE})).headers["location"]
            assert "asked.js" in (await room.ask(at)).text
            second = await room.ask("/new/ask", {"sentence": f"{SENTENCE} </bdi><script>alert(1)</script>"})
            assert (second.status, "on its way" in second.text, SHOWN in second.text) == (409, True, True)
            for path in (at, f"{at}/wait"):
                assert (await room.ask(path, person="ann")).status == 404
            assert (await room.ask(f"{at}/cancel", {}, person="ann")).status == 404
            assert (await room.ask("/new/ask", {"sentence": SENTENCE}, person="ann")).status == 303
            assert (await room.ask(f"{at}/cancel", {})).status == 303
            await room.ended(at)
            assert "It was cancelled" in (await room.ask(at)).text
            assert (await room.ask("/new/ask", {"sentence": SENTENCE})).status == 303
