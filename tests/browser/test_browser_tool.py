"""`tools.browser`: the actions of a real browser pool as recipes, sessions leased and given, captured files."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

import pytest
import pytest_asyncio

from services.workflows.artifacts.artifact_folder import FolderArtifacts
from services.workflows.ports import HostCallError, ToolContext
from services.workflows.tools.browser.browser_recipes import ACTIONS
from services.workflows.tools.declared.declarations import BrowserDeclaration
from services.workflows.tools.toolbox import Toolbox, open_toolbox
from shared.contracts.actions import BrowserAction, ClickAt
from shared.contracts.browser_pool import LeaseSession, SessionLeased
from shared.secrets.store import SecretStore
from shared.streams import ARTIFACTS
from shared.subjects import LEASE
from shared.testing.bus import MemoryBus
from tests.browser.conftest import PASSWORD, Pool
from tests.browser.site import Site

FORM = """
<title>Ticket 7</title><h1>Broken lamp</h1>
<form action="/sent"><label>Note <input name="note"></label><label>Password <input type="password" name="p"></label>
<label>State <select name="state"><option>open</option><option>closed</option></select></label>
<button>Save</button></form>
<a href="/file.csv" download>List</a>
"""


def toolbox(pool: Pool, **declared: Any) -> Toolbox:
    own = [BrowserDeclaration(**declared)] if declared else []
    return open_toolbox(None, store=SecretStore(None, {}), bus=pool.bus, declared=own)


class Caller:
    """Calls ``tools.browser`` as one invocation."""

    def __init__(self, tools: Toolbox, context: ToolContext) -> None:
        self.tools, self.context = tools, context

    async def __call__(self, recipe: str, **arguments: Any) -> Any:
        return await self.tools.call(f"browser.{recipe}", arguments, self.context)

    async def refusal(self, recipe: str, **arguments: Any) -> str:
        with pytest.raises(HostCallError) as caught:
            await self(recipe, **arguments)
        return f"{caught.value.type}: {caught.value}"


@pytest_asyncio.fixture(loop_scope="session")
async def browse(pool: Pool, tmp_path: Path) -> AsyncIterator[Caller]:
    tools = toolbox(pool, hosts=["127.0.0.1"], secrets=["portal"])
    context = ToolContext(invocation_id="one", artifacts=FolderArtifacts(tmp_path / "artifacts"))
    yield Caller(tools, context)
    await tools.release(context)


def test_every_action_of_the_pool_is_a_recipe():
    tools = open_toolbox(None, store=SecretStore(None, {}), bus=MemoryBus())
    (facts,) = tools.list()
    assert {*get_args(BrowserAction)} - {*ACTIONS.values()} == {ClickAt}  # a person's alone
    assert set(facts.recipes) == {*ACTIONS, "observe", "capture", "read_file", "save_file"}
    assert facts.schemas["goto"]["required"] == ["url"]
    assert facts.schemas["scroll"]["properties"]["direction"] == {
        "type": "string",
        "default": "down",
        "enum": ["down", "up"],
    }
    assert set(facts.schemas["drag"]["required"]) == {"target", "onto"}
    assert "reason" not in facts.schemas["click"]["properties"]


async def test_a_page_is_opened_filled_in_and_read(browse: Caller, site: Site) -> None:
    site.add("/form", FORM)
    site.add("/sent", "<title>Sent</title><h1>Saved</h1>")
    opened = await browse("goto", url=f"{site.url}/form")
    assert (opened["url"], opened["title"], opened["http_status"]) == (f"{site.url}/form", "Ticket 7", 200)
    page = await browse("observe")
    assert "Broken lamp" in page["text"]
    note = next(one["ref"] for one in page["elements"] if one["name"] == "Note")
    assert (await browse("type", target=note, text="call me"))["effect"] == {"effect": "value_set", "value": "call me"}
    assert (await browse("pick", target="State", option="closed"))["effect"]["value"] == "closed"
    assert (await browse("extract", target="css=h1"))["text"] == "Broken lamp"
    sent = await browse("click", target="Save")
    assert sent["title"] == "Sent"
    assert "note=call+me" in sent["url"]
    assert "state=closed" in sent["url"]


async def test_a_file_that_is_captured_or_downloaded_is_read_or_saved(browse: Caller, site: Site) -> None:
    site.add("/form", FORM)
    site.add("/file.csv", b"a,b\n1,2\n", content_type="text/csv", headers={"Content-Disposition": "attachment"})
    await browse("goto", url=f"{site.url}/form")
    (picture, *others) = (await browse("screenshot", label="ticket"))["files"]
    assert (picture["kind"], picture["media_type"]) == ("screenshot", "image/png")
    assert {one["kind"] for one in others} == {"page", "observation"}
    assert {one["kind"] for one in (await browse("capture"))["files"]} >= {"page"}
    (download,) = (await browse("download", target="List"))["files"]
    read = await browse("read_file", file=download["file"])
    assert base64.b64decode(read["base64"]) == b"a,b\n1,2\n"
    entry = await browse("save_file", file=picture["file"], name="ticket.png")
    assert browse.context.artifacts is not None
    saved = await browse.context.artifacts.load("ticket.png")
    assert saved is not None
    assert hashlib.sha256(saved[1]).hexdigest() == entry["sha256"] == picture["file"]
    assert "name_taken" in await browse.refusal("save_file", file=picture["file"], name="ticket.png")
    assert "nothing was captured" in await browse.refusal("read_file", file="0" * 64)


async def test_what_was_captured_leaves_the_bus_with_the_invocation(pool: Pool, site: Site) -> None:
    site.add("/form", FORM)
    tools, context = toolbox(pool, hosts=["127.0.0.1"]), ToolContext(invocation_id="x")
    browse = Caller(tools, context)
    await browse("goto", url=f"{site.url}/form")
    await browse("screenshot", label="ticket")
    assert any(bucket == ARTIFACTS.name for bucket, _ in pool.bus._blobs)
    await tools.release(context)
    await tools.release(context)
    assert not any(bucket == ARTIFACTS.name for bucket, _ in pool.bus._blobs)
    assert pool.leased == 0


async def test_errors_of_the_pool_are_errors_of_the_call_with_their_codes(browse: Caller, site: Site) -> None:
    site.add("/form", FORM)
    assert (await browse.refusal("click", target=3)).startswith(
        "ValueError: browser.click(): argument 'target' is a ref"
    )
    await browse("goto", url=f"{site.url}/form")
    assert (await browse.refusal("click", target="Delete")).startswith("LookupError: browser.click(): not_found: ")
    assert (await browse.refusal("goto", url="http://evil.example/")).startswith(
        "PermissionError: browser.goto(): policy_denied: not opened: http://evil.example/: evil.example is none"
    )
    assert (await browse.refusal("click")) == (
        "TypeError: browser.click() missing 1 required keyword argument: 'target'"
    )
    assert (await browse.refusal("scroll", direction="left")).startswith("ValueError: browser.scroll() argument 'dir")
    assert (await browse.refusal("clik", target="x")).startswith(
        "AttributeError: the tool 'browser' has no recipe 'cli"
    )
    assert (await browse.refusal("click", target={"by": "css"})).startswith(
        "ValueError: browser.click(): argument 'tar"
    )
    await browse("observe")
    assert "not_found: the snapshot has no element" in await browse.refusal("click", target=99999)


async def test_a_secret_is_typed_by_its_name_and_not_shown(browse: Caller, site: Site) -> None:
    site.add("/form", FORM)
    await browse("goto", url=f"{site.url}/form")
    done = await browse("type_secret", target="Password", secret="portal")
    assert PASSWORD not in str(done)
    assert PASSWORD not in str(await browse("observe"))
    assert "no_such_secret" in await browse.refusal("type_secret", target="Password", secret="other")


async def test_each_invocation_has_a_session_of_its_own(pool: Pool, site: Site) -> None:
    site.add("/a", "<title>A</title>")
    site.add("/b", "<title>B</title>")
    tools = toolbox(pool, hosts=["127.0.0.1"])
    one, other = (Caller(tools, ToolContext(invocation_id=name)) for name in ("one", "other"))
    await one("goto", url=f"{site.url}/a")
    await other("goto", url=f"{site.url}/b")
    assert [(await each("observe"))["title"] for each in (one, other)] == ["A", "B"]
    assert pool.leased == 2
    await tools.close()
    assert pool.leased == 0


async def test_a_session_that_was_given_is_used_and_not_released(pool: Pool, site: Site) -> None:
    site.add("/a", "<title>A</title>")
    lease = LeaseSession(run_id="run_1", sample_id="A-1", allowed_hosts=("127.0.0.1",), private_hosts=("127.0.0.1",))
    given = await pool.bus.ask(LEASE, lease)
    assert isinstance(given, SessionLeased)
    context = ToolContext("one", "run_1", "A-1", given.instance_id, given.session_id)
    tools = toolbox(pool)
    assert (await Caller(tools, context)("goto", url=f"{site.url}/a"))["title"] == "A"
    await tools.release(context)
    assert pool.leased == 1
    await pool.deps.sessions.end(given.session_id)


async def test_without_a_declaration_no_session_is_leased(pool: Pool) -> None:
    told = await Caller(toolbox(pool), ToolContext(invocation_id="one")).refusal("observe")
    assert told.startswith("PermissionError: browser: no browser session was given, and no host is declared")
    assert pool.leased == 0


async def test_a_session_that_was_lost_is_told_and_the_next_call_has_another(pool: Pool, site: Site) -> None:
    site.add("/a", "<title>A</title>")
    tools, context = toolbox(pool, hosts=["127.0.0.1"]), ToolContext(invocation_id="one")
    browse = Caller(tools, context)
    await browse("goto", url=f"{site.url}/a")
    await pool.deps.sessions.end(next(iter(pool.deps.sessions.held)))
    assert (await browse.refusal("observe")).startswith("ConnectionError: browser.observe(): session_lost: ")
    assert (await browse("goto", url=f"{site.url}/a"))["title"] == "A"
    await tools.release(context)


async def test_without_a_pool_and_without_a_bus_it_says_so() -> None:
    declared = [BrowserDeclaration(hosts=["127.0.0.1"], wait_for_session_s=0.1)]
    store, context = SecretStore(None, {}), ToolContext(invocation_id="one")
    browse = Caller(open_toolbox(None, store=store, bus=MemoryBus(), declared=declared), context)
    assert (await browse.refusal("observe")).startswith("ConnectionError: browser.observe(): no_session: ")
    await browse.tools.release(context)
    assert "there is no bus here" in await Caller(open_toolbox(None, store=store, declared=declared), context).refusal(
        "observe"
    )
