"""The console in a real browser: a run that works, beside its site's hostile text, by mouse, keyboard and phone."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from getpass import getuser
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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
from shared.contracts.workflows.library import WorkflowCreated
from shared.settings import Settings
from tests.end_to_end.conftest import System
from tests.end_to_end.console_screens import HOSTILE, IN_ORDER_OF_SIGHT, NOTHING_OF_OTHERS, SCREENS
from tests.end_to_end.held_request import held_request
from tests.end_to_end.held_site import STARTED_S, HeldSite, Records
from tests.end_to_end.owner_tasks import owner_spec
from tests.end_to_end.page_barriers import barriers_of
from tests.end_to_end.page_checks import cut_off, motion_of, out_of_reach, settled
from tests.practice_sites.site_browser import a_browser
from tests.typed import expect as typed
from tests.waiting import until_asked

pytestmark = pytest.mark.asyncio(loop_scope="session")

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
    pointed: str = ""
    """The path of a spec that is made by pointing at a record."""
    earlier: str = ""
    """The hash of the first of two versions of a workflow."""

    def path_of(self, screen: str) -> str:
        """Return the path of one of the screens."""
        path = screen.replace("RUN", self.run_path).replace("ID", self.run_id)
        return path.replace("DRAFT", self.draft).replace("POINTED", self.pointed).replace("EARLIER", self.earlier)

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
            create = partial(create_workflow, client.bus, "looked_at_flow", description=HOSTILE, author=HOSTILE)
            earlier = typed(await create(WORKFLOW), WorkflowCreated).workflow.hash
            await create(f"{WORKFLOW}# again\n", replace=earlier)
            await client.result(run_id)
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(way_in)
            base = way_in.partition("/enter")[0]
            assert page.url == f"{base}/"
            draft = await begin_draft(page, f"{base}/new", owner_spec("drafted", site.url) | {"goal": HOSTILE})
            pointed = await begin_spec(page, f"{base}/specs", f"{site.url}/records/A-1")
            state = await context.storage_state()
            yield Looked(base, run_id, state, browser, client, site, ways, draft, pointed, earlier)


async def begin_spec(page: Page, address: str, record: str) -> str:
    """Open a record to point at; return the path of its page."""
    page.set_default_timeout(BOUND_MS)
    await page.goto(address)
    await page.get_by_label("Its address").fill(record)
    await page.get_by_role("button", name="Open it").click()
    await page.wait_for_url("**/specs/*")
    return urlsplit(page.url).path


async def begin_draft(page: Page, address: str, spec: dict[str, Any]) -> str:
    """Prepare a run of rows with hostile cells, column and file name; return the path of its page."""
    cell = f'"{HOSTILE.replace(chr(34), chr(34) * 2)}"'
    table = f"{cell},{cell}\n{cell},{cell}\n"
    await page.goto(address)
    for field, name, text in (("spec", "a.json", json.dumps(spec)), ("rows", f"{HOSTILE}.csv", table)):
        file: Any = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        await page.locator(f'input[type="file"][name="{field}"]').set_input_files(file)
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
        await expect(page.locator('a[data-fact="fleet"]')).to_contain_text("1 browser pool, ", timeout=BOUND_MS)
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
        for width in (640, 390, 1280):
            await page.set_viewport_size({"width": width, "height": 720})
            assert [*await barriers_of(page), *await cut_off(page)] == []
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
        assert await barriers_of(page) == []
        for width in (640, 390, 1280):
            await page.set_viewport_size({"width": width, "height": 720})
            assert await cut_off(page) == []
        await page.get_by_label("What to act on").select_option(label="button Go on")
        async with held_request(page, "**/steer", lambda one: "action=click" in str(one.post_data)) as held:
            await page.get_by_role("button", name="Press", exact=True).click()
            await held.wait()
            await page.get_by_role("button", name="Scroll down").click()
            await page.get_by_role("button", name="Hand back").click()  # done once the press is
        await expect(page.locator(".live-address")).to_contain_text("/records/A-1", timeout=BOUND_MS)
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


WITHOUT_ZONES = """() => [...document.querySelectorAll("main time")].map((one) => one.textContent)
    .filter((text) => !/ GMT\\+5:30 \\(.*\\sUTC\\)$/.test(text))"""
"""The times of a page that do not say the zone of the reader with UTC beside."""


@pytest.mark.parametrize(
    "how",
    [
        {"viewport": {"width": 390, "height": 800}, "timezone_id": "Asia/Kolkata"},
        {"viewport": {"width": 640, "height": 450}, "device_scale_factor": 2},
        {"color_scheme": "dark"},
        {"java_script_enabled": False},
    ],
    ids=["phone", "zoomed", "dark", "without_scripts"],
)
async def test_each_page_shows_hostile_text_as_text_whole_and_without_a_barrier(looked: Looked, how: dict[str, Any]):
    found: dict[str, list[str]] = {}
    async with looked.page("/", **how) as page:
        for name, path in SCREENS.items():
            await page.goto(looked.url + looked.path_of(path))
            if how.get("java_script_enabled", True):
                await settled(page)
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
            found[name] = await cut_off(page)
            if "timezone_id" in how:
                found[name] += await page.evaluate(WITHOUT_ZONES)
                assert name not in ("runs", "run", "sample", "review", "flow") or await page.locator(".utc").count()
            if "viewport" not in how or "device_scale_factor" in how:
                found[name] += await barriers_of(page) if how.get("java_script_enabled", True) else []
    assert {name: one for name, one in found.items() if one} == {}


async def test_a_list_without_anything_says_what_to_do(looked: Looked):
    async with looked.page("/") as page:
        for path in (
            "/?q=zzz",
            "/values?q=zzz",
            "RUN?q=zzz",
            "RUN/table?q=zzz",
            "POINTED?find=zzz",
            "/sql?q=select+1+limit+0",
        ):
            await page.goto(looked.url + looked.path_of(path))
            await expect(page.locator("main .empty a, main li.muted a").first, path).to_be_visible()


async def test_each_page_is_read_by_keyboard_at_rest_by_two_at_once_and_keeps_its_place(looked: Looked):
    found: dict[str, list[str]] = {}
    async with (
        looked.page("/", reduced_motion="reduce") as page,
        looked.another_session(looked.url) as other,
    ):
        for name, path in SCREENS.items():
            address = looked.url + looked.path_of(path)
            await page.goto(address)
            await settled(page)
            await other.goto(address)
            found[name] = [*await motion_of(page), *await out_of_reach(page)]
            heading = await page.locator("h1").inner_text()
            assert await other.locator("h1").inner_text() == heading, name
            await page.reload()
            await page.goto(f"{looked.url}/static/icon.svg")
            await page.go_back()
            assert (page.url, await page.locator("h1").inner_text()) == (address, heading), name
    assert {name: one for name, one in found.items() if one} == {}


async def test_a_run_is_found_and_its_samples_walked_by_keyboard_alone(looked: Looked):
    async with looked.page("/?q=looked") as page:
        await tab_to(page, f'a[href="{looked.run_path}"]')
        await page.keyboard.press("Enter")
        await page.locator("sample-grid .grid-cell").first.wait_for()
        await tab_to(page, ".grid-cell")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator('.grid-cell[data-place="1"]')).to_be_focused()
        await page.keyboard.press("End")
        await expect(page.locator('.grid-cell[data-place="5"]')).to_be_focused()
        await expect(page.locator(".grid-told")).to_contain_text("A-4: Failed")
        await page.keyboard.press("Home")
        await expect(page.locator('.grid-cell[data-place="0"]')).to_be_focused()
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
        editor = page.get_by_role("textbox", name="Query")
        await editor.focus()
        await page.keyboard.type("select sample_id, status\nfrom samples order by row")
        await page.keyboard.press("Tab")  # it leaves the text, as of any field
        await expect(page.get_by_label("Run", exact=True)).to_be_focused()
        await editor.focus()
        await page.keyboard.press("Control+Enter")
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
        await page.locator(".field.chosen details summary").click()
        ends = "(one) => [one, one.closest('.field')].map((each) => each.getBoundingClientRect().right)"
        source, field = await page.locator(".field.chosen dl.source").evaluate(ends)
        assert source <= field  # it does not run under the picture
        await page.keyboard.press("s")
        await expect(page.get_by_role("region", name="Playback")).to_be_visible()
        await page.keyboard.press("j")  # a key of report.html, which has other samples to go to
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


async def show_ten_thousand(page: Page, looked: Looked) -> None:
    """Go to the run as if it had so many samples, each seventh of them failed."""
    cells = [[f"S-{n}", "", "done" if n % 7 else "failed"] for n in range(10_000)]

    async def many(route: Any) -> None:
        await route.fulfill(json={"cells": cells})

    await page.route(f"**{looked.run_path}/cells", many)
    await page.goto(f"{looked.url}{looked.run_path}")


async def test_ten_thousand_samples_are_drawn_a_screen_at_a_time(looked: Looked):
    async with looked.page("/") as page:
        await show_ten_thousand(page, looked)
        await page.locator(".grid-cell").first.focus()
        await page.keyboard.press("End")
        await expect(page.locator('.grid-cell[data-place="9999"]')).to_be_focused()
        await expect(page.locator(".grid-told")).to_contain_text("S-9999")
        assert await page.locator(".grid-cell").count() < 1500


async def test_the_grid_shows_the_samples_of_one_status_alone(looked: Looked):
    async with looked.page("/") as page:
        await show_ten_thousand(page, looked)
        failed = page.locator("sample-grid").get_by_role("button", name="Failed 1\u2009429")
        await failed.press("Enter")
        await expect(failed).to_have_attribute("aria-pressed", "true")
        await expect(page.locator(".grid-told")).to_contain_text("1\u2009429 of 10\u2009000 are shown")
        await expect(page.locator('.grid-cell[data-place="1"]')).to_have_attribute("aria-label", "S-7: Failed")
        await expect(page.locator(".grid-cell.st-done")).to_have_count(0)
        await page.locator(".grid-cell").first.focus()
        await page.keyboard.press("End")
        await expect(page.locator('.grid-cell[data-place="1428"]')).to_be_focused()
        await expect(page.locator(".grid-told")).to_contain_text("S-9996")
        await failed.press("Enter")
        await expect(page.locator('.grid-cell[data-place="1"]')).to_have_attribute("aria-label", "S-1: Done")


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


async def test_each_cell_of_a_table_opens_its_crop_and_is_decided_by_keyboard_alone(looked: Looked, system: System):
    spec = owner_spec("in_a_table", f"{looked.site.url}/records") | {"required_artifacts": ["screenshot:record"]}
    run_id = (await looked.client.submit(spec, rows=[{"number": "R-1"}, {"number": "A-1"}])).run_id
    await looked.client.result(run_id)
    async with looked.page(f"/runs/{run_id}", viewport={"width": 1280, "height": 900}) as page:
        await tab_to(page, f'a[href="/runs/{run_id}/table"]')
        await page.keyboard.press("Enter")
        await page.locator("evidence-table:defined").wait_for()
        await tab_to(page, ".cell")
        await page.keyboard.press("End")
        await page.keyboard.press("Enter")
        pane, cell = page.locator(".cell-pane"), page.locator(".cell:focus")
        await expect(pane.locator("#cell-title")).to_have_text("R-1 owner", timeout=BOUND_MS)
        await expect(pane.locator(".heal-box")).to_have_count(2)
        await page.keyboard.press("ArrowDown")
        await expect(pane.locator("#cell-title")).to_have_text("A-1 owner", timeout=BOUND_MS)
        await expect(pane.locator(".heal-box")).to_have_count(1)
        picture = await pane.locator("image").get_attribute("href")
        assert (await page.context.request.get(f"{looked.url}{picture}")).headers["content-type"] == "image/png"
        await page.keyboard.press("a")
        await expect(cell).to_contain_text(f"accepted by {getuser()}", timeout=BOUND_MS)
        await page.keyboard.press("u")
        await expect(cell).not_to_contain_text("accepted by", timeout=BOUND_MS)
        await page.keyboard.press("a")
        await expect(cell).to_contain_text(f"accepted by {getuser()}", timeout=BOUND_MS)
        await page.keyboard.press("ArrowLeft")
        await expect(pane.locator("#cell-title")).to_have_text("A-1 number", timeout=BOUND_MS)
        for key, told in (("r", "rejected"), ("c", "comment")):
            await page.keyboard.press(key)
            await expect(pane.locator("input[name=reason]:focus")).to_have_count(1)
            await page.keyboard.type(HOSTILE)
            await page.keyboard.press("Enter")
            await expect(cell).to_contain_text(f"{told} by {getuser()}", timeout=BOUND_MS)
        await expect(pane.locator(".decisions li")).to_have_count(2)
        assert await pane.locator("img[onerror]").count() == 0
        assert await barriers_of(page) == []
        await page.keyboard.press("Escape")
        await expect(pane).to_be_hidden()
        await expect(cell).to_have_attribute("id", "A-1.number")
    filed = sorted((system.evidence / run_id / "review.rounds").rglob("*.json"))
    decided = [json.loads(file.read_bytes())["signed"]["decision"] for file in filed]
    assert [(one["act"], one["targets"][0]["target"]["field"]) for one in decided] == [
        ("accept", "owner"), ("withdraw", "owner"), ("accept", "owner"), ("reject", "number"), ("comment", "number"),
    ]  # fmt: skip


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
        await expect(page.get_by_text("One decision on 2 cases without a certain value")).to_be_visible()
        await at_case(page, "R-1.owner")
        await page.keyboard.press("g")
        await expect(page.get_by_text("One decision on 2 cases without a certain value")).to_be_hidden()
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
        await expect(page.locator('[data-fact="decided"]')).to_have_text("3 of 3 samples")
        await page.keyboard.press("u")
        await expect(page.locator('[data-fact="decided"]')).to_have_text("2 of 3 samples")
        await at_case(page, "A-4")
        await page.keyboard.press("a")
        await expect(page.locator('[data-fact="decided"]')).to_have_text("3 of 3 samples")

        await tab_to(page, f'form[action="{looked.run_path}/review/sign"] button')
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Sign the review?")).to_be_visible()
        await expect(page.locator('[data-fact="covers"]')).to_have_text(
            "1 sample accepted, 1 value corrected, 1 value rejected"
        )
        assert await barriers_of(page) == []
        await tab_to(page, 'form[method="post"] button')
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("It is signed off")).to_be_visible(timeout=BOUND_MS)
    for path in (looked.run_path, f"{looked.run_path}/table", f"{looked.run_path}/samples/R-1", "/"):
        async with looked.page(path, viewport={"width": 390, "height": 800}) as page:
            assert await barriers_of(page) == [], path
    async with looked.page(looked.run_path) as page:
        await expect(page.get_by_text("Nothing is open.")).to_be_visible()
        await expect(page.locator(".grid-legend")).to_contain_text("Reviewed")
        await expect(page.locator(".outcomes")).to_contain_text("corrected")
    for sample, act, words in (("R-1", "Corrected to", f"Bob {SHOWN}"), ("R-2", "Rejected", SHOWN)):
        async with looked.page(f"{looked.run_path}/samples/{sample}") as page:
            told = page.locator(".field .reviewed")
            await expect(told).to_contain_text(f"by {getuser()}")
            assert act in await told.inner_text()
            assert words in await told.inner_text()
            assert await page.locator("main img[onerror]").count() == 0
    loaded = typed(await looked.client.load(looked.run_id), RunLoaded)
    assert typed(loaded.finished, RunFinished).reviewed == 6


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
        await page.get_by_label("Written, or pasted").fill(spec.read_text())
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
        await page.get_by_role("link", name="papers and seal").wait_for()  # the page has shown by itself how it ended
        await page.get_by_role("link", name="Run it again").click()
        await expect(page.get_by_label("That of an earlier run")).to_have_value(rest)


async def samples_of(looked: Looked, run_id: str) -> RunLoaded:
    finished = await looked.client.result(run_id)
    assert {one.status for one in finished.outcomes} == {"done"}
    return typed(await looked.client.load(run_id), RunLoaded)
