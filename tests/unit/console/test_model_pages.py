"""The page of what a model was asked word for word, over evidence that has kept it, and its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from services.console.web.desk import Desk as WebDesk
from services.console.web.guard import Guard, WebSessions
from services.console.web.page_origin import PageOrigin
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from services.evidence.handlers import actor
from shared.client import Client
from shared.contracts.base import Usage
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.prompt import PromptCall, PromptFile, parse_prompt_file
from shared.settings import Settings
from shared.zstd import pack_zstd
from tests.handlers.evidence.evidence_desk import Desk, closed, ended, found, sample, started, took
from tests.unit.console.asked_pages import HOST, SentPage, ask_page

HOSTILE = "<script>alert(1)</script>\u202e{{7*7}}"
ASKED = PromptFile(
    model="model-1",
    instructions="You work for an audit.",
    task=f"row {HOSTILE}",
    page=f"line one {HOSTILE}\nline two",
    tools=("click", "done"),
    text=f"said {HOSTILE}",
    calls=(PromptCall(name="done", arguments={"reason": HOSTILE}),),
    stop_reason="tool_use",
    usage=Usage(llm_calls=1, input_tokens=9, output_tokens=3, cost_usd=0.5),
)
MODEL = "/runs/run_1/samples/A-1/model"


class Console:
    """A console over `run_1`, whose one sample A-1 a model did in one step."""

    def __init__(self, folder: Path) -> None:
        self.desk, self.sessions = Desk(folder / "evidence", products=()), WebSessions()
        self.settings = Settings(evidence_dir=folder / "evidence", state_dir=folder / "state", nats_url=None)

    async def begin(self) -> None:
        one, data = sample("A-1"), pack_zstd(encode_file(ASKED))
        kind: dict[str, Any] = {"kind": "prompt", "suffix": ".json.zst"}
        filed = await self.desk.capture(one, data, filename="prompt_001.json.zst")
        filed = msgspec.structs.replace(filed, artifact=msgspec.structs.replace(filed.artifact, **kind))
        step = msgspec.structs.replace(took(one, filed), decided_by="model-1", usage=ASKED.usage)
        await self.desk.tell(started(), found(one), closed(1), step, ended(one, filed, usage=ASKED.usage))
        self.desk.bus.host(actor, self.desk.deps)

    async def ask(self, path: str) -> SentPage:
        pages = PageOrigin("http://p", (), self.settings)
        web = WebDesk(Client(cast("Any", self.desk.bus)), self.settings, "ann", static_files(), pages)
        return await ask_page(Guard(make_app(web), self.sessions, {HOST}), self.sessions, path)


@pytest.fixture
async def console(tmp_path: Path) -> Console:
    console = Console(tmp_path)
    await console.begin()
    return console


async def test_what_was_asked_and_answered_is_shown_as_text_and_is_sealed_with_the_sample(console: Console):
    assert 'href="?step=1">Word for word' in (await console.ask(MODEL)).text
    shown = (await console.ask(f"{MODEL}?step=1")).text
    for words in ("You work for an audit.", "line two", "9 tokens in, 3 out", "tool_use", "$0.5000"):
        assert words in shown, words
    assert shown.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 4
    for never in ("<script>alert", "\u202e", "49"):
        assert never not in shown.partition("<main")[2], never
    assert console.desk.check().problems == []


async def test_a_prompt_that_was_changed_or_is_gone_is_said_to_be(console: Console):
    file = console.desk.root / "run_1/A-1/prompt_001.json.zst"
    file.unlink()
    for written in (None, b"", pack_zstd(encode_file(msgspec.structs.replace(ASKED, text="forged")))):
        if written is not None:
            file.write_bytes(written)
        shown = await console.ask(f"{MODEL}?step=1")
        assert (shown.status, "not as it was filed" in shown.text) == (200, True)


@pytest.mark.parametrize("step", ["2", "0", "x", "-1", "9" * 40])
async def test_a_step_whose_prompt_was_not_kept_has_no_page(console: Console, step: str):
    assert (await console.ask(f"{MODEL}?step={step}")).status == 404


@pytest.mark.parametrize("data", [b"", b"{}", pack_zstd(b"{}"), pack_zstd(b"[" * 100_000)])
def test_what_is_no_prompt_is_none(data: bytes):
    assert parse_prompt_file(data) is None
