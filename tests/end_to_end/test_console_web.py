"""The console in a real browser: a run that works, beside its site's hostile text, by mouse, keyboard and phone."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from getpass import getuser
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from services.console.web.finding.saved_views import save_view
from services.console.web.web_server import serve_console
from shared.client import Client, connect
from shared.client.person_keys import load_person_key
from shared.client.workflow_calls import create_workflow
from shared.contracts.evidence import RunFinished, RunLoaded
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.sessions.events import EventsLoaded
from shared.contracts.sessions.status import RunStatus
from shared.settings import Settings
from tests.end_to_end.conftest import System
from tests.end_to_end.held_site import STARTED_S, HeldSite, Records
from tests.end_to_end.owner_tasks import owner_spec
from tests.end_to_end.page_barriers import barriers_of
from tests.practice_sites.site_browser import a_browser
from tests.typed import expect as typed
from tests.waiting import until_asked

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = '<img src=x onerror="document.title=1">\u202e{{7*7}}'
ELSEWHERE = "http://127.0.0.1:9/out"
SHOWN = '<img src=x onerror="document.title=1">'
WORKFLOW = f'async def run() -> str:\n    """Say it."""\n    return {HOSTILE!r}\n'
DOUBTFUL = ("R-1", "R-2")
"""Records that show two owners, so that a person decides."""
NUMBERS = (*DOUBTFUL, "A-1", "A-2", "A-3", "A-4")
HELD, GATE = "H-1", "G-1"
BOUND_MS = STARTED_S * 1000


class HostileRecords(Records):
    """The owner of each record is text that would run, or turn what stands around it."""

    def answer(
        self, body: str, media_type: str = "text/html; charset=utf-8", status: int = 200, **headers: str
    ) -> None:
        out = f'<p><a href="{ELSEWHERE}">elsewhere</a></p>'
        if any(f"<h1>{number}</h1>" in body for number in DOUBTFUL):
            out = f"<dl><dt>Owner</dt><dd>Bob {escape(HOSTILE)}</dd></dl>{out}"
        if f"<h1>{GATE}</h1>" in body:
            body = "<title>Check</title><form action=/records/A-1><label>Answer <input name=a></label>"
            body += " <button>Go on</button></form>"
        super().answer(body.replace("Ann ", f"{escape(HOSTILE)} ") + out, media_type, status, **headers)


@dataclass
class Looked:
    """The console over a run that has ended. ``site`` holds the record ``HELD`` back, which another run may ask for."""

    url: str
    run_id: str
    state: Any
    browser: Browser
    client: Client
    site: HeldSite
    ways_in: list[str]
    draft: str = ""
    """The path of a run that is prepared."""

    @asynccontextmanager
    async def page(self, path: str, **how: Any) -> AsyncGenerator[Page]:
        """A page of the console. Nothing may be written to the browser's console, nor asked of another host."""
        context = await self.browser.new_context(storage_state=self.state, **how)
        page = await context.new_page()
        page.set_default_timeout(BOUND_MS)
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda one: None if self._is_own(one.url) else said.append(one.url))
        await page.goto(self.url + path)
        yield page
        assert "Exhibit" in await page.title()
        await context.close()
        assert said == []

    @asynccontextmanager
    async def another_session(self, url: str) -> AsyncGenerator[Page]:
        """A page of a session of its own, as in the browser of somebody else."""
        context = await self.browser.new_context()
        page = await context.new_page()
        await page.goto(self.ways_in[-1])
        await page.goto(url)
        yield page
        await context.close()

    def _is_own(self, url: str) -> bool:
        stored = rf"http://127\.0\.0\.1:\d+/[0-9a-f]{{64}}/{self.run_id}/[\w./-]+\.mhtml\.zst"
        return url.startswith(f"{self.url}/") or re.fullmatch(stored, url) is not None

    @property
    def run_path(self) -> str:
        return f"/runs/{self.run_id}"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def looked(system: System, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Looked]:
    state = tmp_path_factory.mktemp("person")
    settings = Settings(evidence_dir=system.evidence, nats_url=system.url, state_dir=state)
    load_person_key(getuser(), settings)
    assert save_view(settings, HOSTILE, "q=looked") == ""
    with HeldSite(held=[HELD], missing=["A-4"]) as site:
        site.RequestHandlerClass = HostileRecords
        async with (
            connect(system.url) as client,
            serve_console(client, settings, 0, (ways := []).append) as way_in,
            a_browser() as browser,
        ):
            spec = owner_spec("looked_at", f"{site.url}/records") | {
                "goal": f"the owner {HOSTILE}",
                "required_artifacts": ["screenshot:record"],
            }
            rows = [{"number": number} for number in NUMBERS]
            run_id = (await client.submit(spec, rows=rows, concurrency=2, requested_by=HOSTILE)).run_id
            await create_workflow(client.bus, "looked_at_flow", WORKFLOW, description=HOSTILE, author=HOSTILE)
            await client.result(run_id)
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(way_in)
            base = way_in.partition("/enter")[0]
            assert page.url == f"{base}/"
            draft = await begin_draft(page, f"{base}/new", owner_spec("drafted", site.url) | {"goal": HOSTILE})
            yield Looked(base, run_id, await context.storage_state(), browser, client, site, ways, draft)


async def begin_draft(page: Page, address: str, spec: dict[str, Any]) -> str:
    """Prepare a run of rows with hostile cells, column and file name; return the path of its page."""
    cell = f'"{HOSTILE.replace(chr(34), chr(34) * 2)}"'
    table = f"{cell},{cell}\n{cell},{cell}\n"
    await page.goto(address)
    for label, name, text in (("The file of a task", "a.json", json.dumps(spec)), ("A table", f"{HOSTILE}.csv", table)):
        file: Any = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        await page.get_by_label(label).set_input_files(file)
    await page.get_by_role("button", name="Look at it").click()
    await page.wait_for_url("**/new/*")
    return urlsplit(page.url).path


async def test_a_run_is_followed_and_steered_while_it_works(looked: Looked):
    rows = [{"number": "A-1"}, {"number": HELD}]
    spec = owner_spec("steered", f"{looked.site.url}/records")
    run_id = (await looked.client.submit(spec, rows=rows, concurrency=2)).run_id
    await asyncio.to_thread(looked.site.wait_until_asked, HELD)
    async with looked.page("/?q=steered") as page:
        await page.get_by_role("checkbox", name=f"Choose steered, {run_id}").check()
        await page.get_by_role("button", name="Pause …").click()
        await page.get_by_role("button", name="Pause 1 run").click()
        await expect(page.get_by_role("heading", name="1 run paused")).to_be_visible()
        await page.get_by_role("link", name=run_id).click()
        grid = page.locator("sample-grid")
        assert await page.title() == "steered · Exhibit"
        await expect(page.get_by_text("Paused by a person")).to_be_visible()
        assert typed(await looked.client.status(run_id), RunStatus).paused
        looked.site.let_go()
        await expect(grid.get_by_label(f"{HELD}: At work")).to_be_visible(timeout=BOUND_MS)
        await page.get_by_label("Message to whoever decides").fill(HOSTILE)
        await page.get_by_role("button", name="Send …").click()
        await expect(page.get_by_role("textbox", name="Message")).to_have_value(HOSTILE)
        await page.get_by_role("button", name="Send the message").click()
        await looked.client.ask_user(run_id, [Question(text=HOSTILE, options=(f"{HOSTILE} one", "two"))])
        await expect(page.get_by_text("1 question waits for an answer.")).to_be_visible(timeout=BOUND_MS)
        await page.get_by_role("link", name="Answer").click()
        await expect(page.locator(".asked strong")).to_contain_text(SHOWN, timeout=BOUND_MS)
        await page.get_by_role("button", name=f"{SHOWN}U+202E{{{{7*7}}}} one").click()
        await expect(page.locator(".asked")).to_have_count(0)
        await until_asked(lambda: answers_of(looked, run_id), "the answer is in the log")
        await page.get_by_role("button", name="Resume …").click()
        await page.get_by_role("button", name="Resume", exact=True).click()
        await expect(page.get_by_text("Paused by a person")).to_be_hidden()
        await expect(grid.get_by_label(f"{HELD}: Done")).to_be_visible(timeout=BOUND_MS)
        assert not typed(await looked.client.status(run_id), RunStatus).paused
        await looked.client.result(run_id)
        await expect(page.locator('[data-fact="state"]')).to_have_text("ended", timeout=BOUND_MS)


async def answers_of(looked: Looked, run_id: str) -> bool:
    """Whether the first option of the one question is the only answer in the log."""
    events = typed(await looked.client.events(run_id, 0, 1000), EventsLoaded).events
    given = [one.answers for one in events if one.answers]
    return given == [(QuestionAnswer(question=HOSTILE, chosen=(f"{HOSTILE} one",)),)]


async def test_events_go_on_after_the_last_one_that_was_heard(looked: Looked):
    async with looked.page("/") as page:
        heard = """async ([path, last]) => {
            const answer = await fetch(path, { headers: last === null ? {} : { "Last-Event-ID": String(last) } });
            const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
            let text = "";
            while (!text.includes("RunCompleted")) text += (await reader.read()).value;
            await reader.cancel();
            return [...text.matchAll(/^id: (\\d+)$/gm)].map((found) => Number(found[1]));
        }"""
        path = f"{looked.run_path}/events"
        whole = await page.evaluate(heard, [path, None])
        assert whole == sorted(set(whole))
        assert len(whole) > 10
        assert await page.evaluate(heard, [path, whole[4]]) == whole[5:]


async def test_the_page_of_a_sample_is_seen_while_it_is_worked_on(looked: Looked):
    spec = owner_spec("seen_live", f"{looked.site.url}/records") | {"goal": HOSTILE}
    run_id = (await looked.client.submit(spec, rows=[{"number": "A-1"}], planner="operator", mode="agent")).run_id
    async with looked.page(f"/runs/{run_id}") as page:
        await page.get_by_role("link", name="its page now").click()
        picture = page.locator("canvas[data-number]")
        await picture.wait_for(timeout=BOUND_MS)
        await expect(page.locator(".live-address")).to_contain_text("/records/A-1", timeout=BOUND_MS)
        await expect(page.locator(".live-state")).to_have_text("Live")
        dark = """one => one.getContext("2d").getImageData(0, 0, one.width, one.height).data
            .some((value, at) => at % 4 === 0 && value < 90)"""
        assert await picture.evaluate(dark)  # its words are on it
        first = await picture.get_attribute("data-number")
        live = page.url.removeprefix(looked.url)
        async with looked.page(live, java_script_enabled=False) as plain:
            shown = plain.locator("img.plain-picture")
            assert await shown.evaluate("one => one.naturalWidth") > 300
        await looked.client.interrupt(run_id)
        await expect(page.locator(".live-state")).to_have_text("Nobody works on this sample now", timeout=BOUND_MS)
        assert first is not None
        await looked.client.result(run_id)
        await page.reload()
        await expect(page.get_by_text("The run has ended.")).to_be_visible()


async def test_a_sample_is_taken_over_by_hand_and_handed_back(looked: Looked, system: System):
    spec = owner_spec("by_hand", f"{looked.site.url}/records")
    run_id = (await looked.client.submit(spec, rows=[{"number": GATE}], planner="operator", mode="agent")).run_id
    async with looked.page(f"/runs/{run_id}/samples/{GATE}/live") as page:
        await page.get_by_role("button", name="Take over").click(timeout=BOUND_MS)
        await expect(page.locator(".live-holder")).to_contain_text("You have it", timeout=BOUND_MS)
        field = await page.locator(".live-box").first.bounding_box()
        assert field is not None
        await page.mouse.click(field["x"] + field["width"] / 2, field["y"] + field["height"] / 2)
        text = page.get_by_label("Text to type")
        await expect(text).to_be_focused(timeout=BOUND_MS)
        await page.keyboard.type(HOSTILE)
        await page.keyboard.press("Enter")
        await expect(page.locator(".live-answer")).to_contain_text("typed into", timeout=BOUND_MS)
        async with looked.another_session(page.url) as other:
            await expect(other.locator(".live-holder")).to_contain_text("has taken it over", timeout=BOUND_MS)
            assert await other.get_by_role("button", name="Take over").count() == 0
        await page.get_by_label("What to act on").select_option(label="button Go on")
        await page.get_by_role("button", name="Press", exact=True).click()
        await expect(page.locator(".live-address")).to_contain_text("/records/A-1", timeout=BOUND_MS)
        await page.get_by_role("button", name="Hand back").click()
        await expect(page.get_by_role("button", name="Take over")).to_be_visible(timeout=BOUND_MS)
        assert await page.title() == f"{GATE}, live · Exhibit"
    await looked.client.interrupt(run_id)
    await looked.client.result(run_id)
    folder = system.evidence / run_id / GATE
    log = [one for one in json.loads((folder / "action_log.json").read_bytes()) if one.get("taken_over")]
    assert [one["action"] for one in log] == ["click", "type", "click"]
    assert {one["decided_by"] for one in log} == {f"person:{getuser()}"}
    assert log[1]["params"]["text"] == HOSTILE
    assert json.loads((folder / "result.json").read_bytes())["taken_over_by"] == [getuser()]


SCREENS = {
    "runs": "/",
    "narrowed": "/?state=ended&q=looked",
    "run": "RUN",
    "samples": "RUN?status=failed",
    "sample": "RUN/samples/A-1",
    "review": "RUN/review?case=R-1.owner",
    "values": "/values?q=onerror",
    "several": f"/several/pause?run=ID&run={quote(HOSTILE)}",
    "flows": "/flows",
    "flow": "/flows/looked_at_flow",
    "fleet": "/fleet",
    "settings": "/settings",
    "new": "/new",
    "draft": "DRAFT",
    "confirm": f"RUN/control/message?text={quote(HOSTILE)}",
    "chart": "/sql?q="
    + quote("select shown, count(*) as n from fields where shown is not null group by all")
    + "&run=ID",
    "sql": "/sql?q=" + quote("select sample_id, field, shown from fields order by all") + "&run=ID",
}

IN_ORDER_OF_SIGHT = ("sample", "sql", "chart", "review", "values")
"""Screens of what was read off pages."""
NOTHING_OF_OTHERS = ("new", "fleet", "settings")
"""Screens without text of sites, models and lists here; `unit/console/test_operations_pages.py` has some on them."""


@pytest.mark.parametrize(
    "how",
    [
        {"viewport": {"width": 390, "height": 800}},
        {"color_scheme": "dark", "reduced_motion": "reduce"},
        {"java_script_enabled": False},
    ],
    ids=["phone", "dark", "without_scripts"],
)
async def test_hostile_text_is_shown_on_every_screen_and_never_runs(looked: Looked, how: dict[str, Any]):
    for name, path in SCREENS.items():
        path = path.replace("RUN", looked.run_path).replace("ID", looked.run_id).replace("DRAFT", looked.draft)
        async with looked.page(path, **how) as page:
            if name == "confirm":
                assert SHOWN in await page.get_by_role("textbox", name="Message").input_value()
            else:
                text = await page.locator("main").inner_text()
                assert (SHOWN in text) == (name not in NOTHING_OF_OTHERS), name
                # What a page shows is read in the order in which a person sees it, so no mark is left of it.
                assert ("U+202E" in text) == (name not in (*IN_ORDER_OF_SIGHT, *NOTHING_OF_OTHERS)), name
                assert "\u202e" not in text, name
                assert name != "runs" or "ended" in text
            assert "49" not in await page.locator("h1").inner_text()
            assert await page.locator("main img[onerror]").count() == 0
            if how.get("viewport"):
                assert await page.evaluate("document.documentElement.scrollWidth") <= 390, name


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_page_has_a_barrier(looked: Looked, scheme: str):
    found: dict[str, list[str]] = {}
    async with looked.page("/", color_scheme=scheme) as page:
        for name, path in SCREENS.items():
            path = path.replace("RUN", looked.run_path).replace("ID", looked.run_id).replace("DRAFT", looked.draft)
            await page.goto(looked.url + path)
            if name == "run":
                await page.locator("sample-grid .grid-cell").first.wait_for()
            found[name] = await barriers_of(page)
    assert {name: barriers for name, barriers in found.items() if barriers} == {}


async def test_a_run_is_found_and_its_samples_walked_by_keyboard_alone(looked: Looked):
    async with looked.page("/?q=looked") as page:
        await tab_to(page, f'a[href="{looked.run_path}"]')
        await page.keyboard.press("Enter")
        await page.locator("sample-grid .grid-cell").first.wait_for()
        await tab_to(page, ".grid-cell")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator('.grid-cell[data-at="1"]')).to_be_focused()
        await page.keyboard.press("End")
        await expect(page.locator('.grid-cell[data-at="5"]')).to_be_focused()
        await expect(page.locator(".grid-told")).to_contain_text("A-4: Failed")
        await page.keyboard.press("Home")
        await expect(page.locator('.grid-cell[data-at="0"]')).to_be_focused()
        await tab_to(page, 'select[name="status"]')
        await page.keyboard.type("Failed")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.locator(".sample-list tbody tr")).to_have_count(1)
        await expect(page.locator(".sample-list tbody tr")).to_contain_text("A-4")


async def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is there; it can be reached, and is seen."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        if await page.evaluate("one => document.activeElement.matches(one)", selector):
            outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", selector
            return
    raise AssertionError(f"{selector} is not reached by Tab")


async def test_an_answer_in_sql_is_downloaded_and_has_an_address(looked: Looked):
    async with looked.page(f"/sql?run={looked.run_id}") as page:
        await page.get_by_label("Query").fill("select sample_id, status from samples order by row")
        await page.get_by_role("button", name="Ask").click()
        await expect(page.locator(".answer-table tbody tr")).to_have_count(6)
        address = page.url
        async with page.expect_download() as begun:
            await page.get_by_role("link", name="JSON").click()
        file = await (await begun.value).path()
        rows = json.loads(await asyncio.to_thread(file.read_bytes))
        assert [(row["sample_id"], row["status"]) for row in rows] == [
            ("R-1", "needs_review"), ("R-2", "needs_review"), ("A-1", "done"), ("A-2", "done"),
            ("A-3", "done"), ("A-4", "failed"),
        ]  # fmt: skip
        await page.goto(address)
        await expect(page.locator(".answer-table tbody tr")).to_have_count(6)


async def test_each_value_of_a_sample_is_shown_on_its_picture_and_each_step_played_back(looked: Looked):
    async with looked.page(f"{looked.run_path}/samples/A-1", viewport={"width": 1280, "height": 900}) as page:
        picture = page.locator(".stage img").first
        await expect(picture).to_be_visible()
        assert await picture.evaluate("async (one) => { await one.decode(); return one.naturalWidth; }") > 100
        await page.keyboard.press("2")
        await expect(page.locator(".field.chosen .field-value")).to_contain_text(SHOWN)
        await expect(page.locator(".stage .mark.chosen")).to_have_count(1)
        await page.keyboard.press("s")
        await expect(page.get_by_role("region", name="Playback")).to_be_visible()
        await page.keyboard.press("ArrowRight")
        await page.reload()
        await expect(page.locator(".step-mark[aria-current]")).to_have_attribute("data-step", "1")


async def test_a_file_is_sent_as_it_was_sealed_and_no_other_one(looked: Looked):
    finished = await looked.client.result(looked.run_id)
    context = await looked.browser.new_context(storage_state=looked.state)
    base = f"{looked.url}{looked.run_path}/samples"
    folder = Path(finished.location, "A-1")
    for path in sorted(folder.iterdir()):
        answered = await context.request.get(f"{base}/A-1/{path.name}")
        assert (answered.status, await answered.body()) == (200, path.read_bytes())
        assert answered.headers["content-security-policy"].endswith("sandbox")
        shown = path.suffix in (".png", ".jpg", ".json")
        assert ("content-disposition" not in answered.headers) == shown, path.name
    for name in ("A-1/..%2Frun.json", "A-1/none.png", "..%2FA-1/result.json", "A-1%2F..%2FA-2/result.json", ".locks/x"):
        assert (await context.request.get(f"{base}/{name}")).status == 404, name
    assert (await context.request.get(f"{base}/none")).status == 404
    await context.close()


async def test_a_stored_page_is_shown_in_a_sandbox_and_leads_nowhere(looked: Looked):
    context = await looked.browser.new_context(storage_state=looked.state)
    page = await context.new_page()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    await page.goto(f"{looked.url}{looked.run_path}/samples/A-1")
    await page.locator(".stored-page summary").first.click()
    frame = page.frame_locator(".stored-page iframe").first
    await expect(frame.get_by_role("heading", name="A-1")).to_be_visible()
    await expect(frame.locator("dd").last).to_contain_text(SHOWN)
    await frame.get_by_role("link", name="elsewhere").click()
    await expect(frame.get_by_role("heading", name="A-1")).to_be_hidden()  # the frame leads nowhere, and shows that
    assert [url for url in asked if url.startswith(ELSEWHERE)] == []

    address = await page.locator(".stored-page iframe").first.get_attribute("src")
    assert address is not None
    assert urlsplit(address).netloc != urlsplit(looked.url).netloc
    sent = await context.request.get(address)
    assert sent.headers["content-security-policy"].endswith("; sandbox")
    assert "script-src" not in sent.headers["content-security-policy"]
    for other in (
        address.replace("A-1", "A-2"),
        address.replace(".mhtml.zst", ".png"),
        f"{address}x",
    ):
        assert (await context.request.get(other)).status == 404
    await context.close()


async def test_ten_thousand_samples_are_drawn_a_screen_at_a_time(looked: Looked):
    cells = [[f"S-{n}", "", "done" if n % 7 else "failed"] for n in range(10_000)]
    async with looked.page("/") as page:

        async def many(route: Any) -> None:
            await route.fulfill(json={"cells": cells})

        await page.route(f"**{looked.run_path}/cells", many)
        await page.goto(f"{looked.url}{looked.run_path}")
        await page.locator(".grid-cell").first.focus()
        await page.keyboard.press("End")
        await expect(page.locator('.grid-cell[data-at="9999"]')).to_be_focused()
        await expect(page.locator(".grid-told")).to_contain_text("S-9999")
        assert await page.locator(".grid-cell").count() < 1500


async def test_what_is_not_there_is_said_with_a_way_on(looked: Looked):
    context = await looked.browser.new_context(storage_state=looked.state)
    page = await context.new_page()
    for path, status, says in (
        ("/runs/run_none", 404, "There is no such run"),
        ("/nowhere", 404, "not there"),
        ("/new/none", 404, "This draft is not there any more"),
        ("/sql?q=drop+table+x", 400, "Refused"),
    ):
        answered = await page.goto(looked.url + path)
        assert answered is not None
        assert answered.status == status
        await expect(page.locator("main")).to_contain_text(says)
        assert "trusted-types 'none'" in answered.headers["content-security-policy"]
    assert urlsplit(page.url).path == "/sql"
    await context.close()


async def test_a_review_is_decided_and_signed_by_keyboard_alone(looked: Looked):
    async with looked.page(looked.run_path, viewport={"width": 1280, "height": 900}) as page:
        why = page.locator("input[name=reason]:focus")
        await tab_to(page, 'a[data-fact="review"]')
        await page.keyboard.press("Enter")
        await at_case(page, "R-1.owner")
        await expect(page.locator(".stage .mark")).to_have_count(2)
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog")).to_contain_text("accept")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.keyboard.press("j")
        await at_case(page, "R-2.owner")
        await page.keyboard.press("k")
        await at_case(page, "R-1.owner")
        await page.keyboard.press("g")
        await expect(page.get_by_text("One decision on 2 equal cases")).to_be_visible()
        await at_case(page, "R-1.owner")
        await page.keyboard.press("g")
        await expect(page.get_by_text("One decision on 2 equal cases")).to_be_hidden()
        await at_case(page, "R-1.owner")

        await page.keyboard.press("2")
        await expect(page.locator(".stage .mark.chosen")).to_have_attribute("data-candidate", "1")
        await expect(why).to_have_count(1)
        await page.keyboard.type("as the register has it")
        await page.keyboard.press("Enter")
        await at_case(page, "R-2.owner")
        await page.keyboard.press("e")
        await page.keyboard.type("Bob")
        await page.keyboard.press("Escape")
        await page.keyboard.press("r")
        await expect(why).to_have_count(1)
        await page.keyboard.type(HOSTILE)
        await page.keyboard.press("Enter")
        await at_case(page, "A-4")
        await page.keyboard.press("a")
        await expect(page.locator('[data-fact="decided"]')).to_have_text("3 of 3")

        await tab_to(page, f'form[action="{looked.run_path}/review/sign"] button')
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Sign the review?")).to_be_visible()
        await tab_to(page, 'form[method="post"] button')
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("It is signed off")).to_be_visible(timeout=BOUND_MS)
    for sample, act, words in (("R-1", "Corrected to", f"Bob {SHOWN}"), ("R-2", "Rejected", SHOWN)):
        async with looked.page(f"{looked.run_path}/samples/{sample}") as page:
            told = page.locator(".field .reviewed")
            await expect(told).to_contain_text(f"by {getuser()}")
            assert act in await told.inner_text()
            assert words in await told.inner_text()
            assert await page.locator("main img[onerror]").count() == 0
    loaded = typed(await looked.client.load(looked.run_id), RunLoaded)
    assert typed(loaded.finished, RunFinished).reviewed == 4


async def at_case(page: Page, words: str) -> None:
    """Wait until a case is shown, and keys are heard."""
    await expect(page.locator("#case-title")).to_have_text(words)
    await page.locator("review-desk:defined").wait_for(state="attached")


async def test_a_run_is_begun_with_a_few_rows_and_then_with_the_rest(looked: Looked, tmp_path: Path):
    spec = tmp_path / "owners.json"
    spec.write_text(json.dumps(owner_spec("begun_here", f"{looked.site.url}/records")))
    numbers = [f"B-{number}" for number in range(1, 6)]
    rows = tmp_path / "rows.csv"
    rows.write_text("\n".join(["Asset no,Note", *(f"{one},{HOSTILE}" for one in numbers)]))
    async with looked.page("/new", java_script_enabled=False) as page:
        await page.get_by_label("The file of a task").set_input_files(spec)
        await page.get_by_label("A table").set_input_files(rows)
        await page.get_by_role("button", name="Look at it").click()
        await expect(page.get_by_role("alert")).to_contain_text("number")
        await page.get_by_label("number").select_option("Asset no")
        await page.get_by_text("How it is read and run").click()
        await page.get_by_label("Who decides").select_option("rules")
        await page.get_by_label("Samples at a time").press("Enter")  # it starts nothing
        await expect(page.get_by_role("alert")).to_have_count(0)
        await expect(page.get_by_role("cell", name=SHOWN).first).to_be_visible()
        address = page.url
        sent: dict[str, str | float | bool] = {
            name: await page.locator(f"#draft [name={name}]").input_value() for name in ("form_key", "once")
        }
        await page.get_by_role("button", name="Try 3 rows first").click()
        await page.wait_for_url("**/runs/*")
        pilot = urlsplit(page.url).path.rpartition("/")[2]
        again = await page.context.request.post(
            f"{address}/pilot", form=sent, headers={"Origin": looked.url}, max_redirects=0
        )
        assert again.headers["location"] == f"/runs/{pilot}", "a form that is sent twice begins one run"
        assert {one.sample.sample_id for one in (await samples_of(looked, pilot)).samples} == set(numbers[:3])
        await page.get_by_role("link", name="run the rest").click()
        await page.get_by_role("button", name="Run the other 2 rows").click()
        await page.wait_for_url("**/runs/*")
        rest = urlsplit(page.url).path.rpartition("/")[2]
        assert {one.sample.sample_id for one in (await samples_of(looked, rest)).samples} == set(numbers[3:])
        await page.goto(f"{looked.url}/runs/{rest}")
        await page.get_by_role("link", name="Run it again").click()
        await expect(page.get_by_label("That of an earlier run")).to_have_value(rest)


async def samples_of(looked: Looked, run_id: str) -> RunLoaded:
    finished = await looked.client.result(run_id)
    assert {one.status for one in finished.outcomes} == {"done"}
    return typed(await looked.client.load(run_id), RunLoaded)
