"""report.html in a real browser: opened from disk, searched and read; it requests nothing else."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image
from playwright.async_api import Browser, Page, expect
from pypdf import PdfReader

from shared.contracts.discovery import FileReading, InputFile, Register, SheetReading
from shared.contracts.evidence import DriversCount, NoFlowCount
from shared.contracts.explained import NEAR_WORDS
from shared.evidence_format.files.reconciliation import FieldDifference, ReconciledRecord
from shared.evidence_format.review.reviewed import ReviewedTarget, RunReview, SampleReview
from tests.browser.report_world import AT, COLOURS, Pictured, Told, pictured, reconciliation_bytes, spec, write
from tests.practice_sites.site_browser import a_browser

pytestmark = pytest.mark.asyncio(loop_scope="session")

VALUES = {"number": "TCK-1", "assignee": "Ada Lovelace", "closed": "2026-02-27"}
Opened = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with a_browser() as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def picture(browser: Browser) -> Pictured:
    return await pictured(browser, VALUES)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tall(browser: Browser) -> Pictured:
    return await pictured(browser, VALUES, above_px=2600)


@asynccontextmanager
async def opened(browser: Browser, report: Path, **how: Any) -> AsyncGenerator[Page]:
    """The report from disk. Nothing may be written to the console, and nothing asked for but what lies on disk."""
    context = await browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **how})
    page = await context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda one: None if one.url.startswith(("file:", "data:")) else said.append(one.url))
    await page.goto(report.as_uri())
    yield page
    missing = [line for line in said if "ERR_FILE_NOT_FOUND" not in line]
    await context.close()
    assert missing == []


async def rows(page: Page) -> list[str]:
    return await page.locator(".rows .c-id a").all_inner_texts()


async def open_sample(page: Page, sample_id: str) -> None:
    await page.locator(f'.rows a[href="#sample={sample_id}"]').click()
    await page.locator("#sample .sample-title").wait_for()


def told_many(count: int) -> list[Told]:
    return [Told(f"TCK-{n}", {"number": f"TCK-{n}", "assignee": f"Person {n % 7}"}) for n in range(1, count + 1)]


# --- what stands where


async def colours_in_marks(page: Page) -> dict[str, bool]:
    """Of each mark on the picture: whether it encloses the colour that its value stands on, and nothing around it."""
    stage = page.locator(".right > figure > .stage")
    await expect(page.locator(".right > figure > .stage img")).to_have_js_property("complete", True)
    assert await page.locator(".right > figure > .stage img").evaluate("image => image.naturalWidth") > 0
    shot = Image.open(io.BytesIO(await page.screenshot())).convert("RGB")
    frame = await stage.bounding_box()
    assert frame is not None
    found: dict[str, bool] = {}
    for name, at in zip(COLOURS, range(3), strict=True):
        box = await page.locator(f'.right > figure > .stage [data-mark="{at}"]').bounding_box()
        assert box is not None
        inside = shot.getpixel((round(box["x"] + 3), round(box["y"] + box["height"] - 3)))
        right = shot.getpixel((round(box["x"] + box["width"] - 3), round(box["y"] + 3)))
        beyond = shot.getpixel((round(box["x"] + box["width"] + 7), round(box["y"] + 3)))
        found[name] = near(inside, name) and near(right, name) and not near(beyond, name)
    return found


def near(pixel: Any, name: str) -> bool:
    wanted = [int(part) for part in COLOURS[name].removeprefix("rgb(").removesuffix(")").split(",")]
    return all(abs(one - other) <= 40 for one, other in zip(pixel, wanted, strict=True))


async def test_a_list_that_was_not_read_to_its_end_is_told_first(browser: Browser, tmp_path: Path) -> None:
    ended = {"population_complete": False, "population_reason": "incomplete_list", "population_counted": 12}
    report = write(tmp_path / "run", told_many(5), population={**ended, "population_note": "the list says 1 - 5 of 12"})
    async with opened(browser, report) as page:
        note = await page.locator(".population .note.warn").inner_text()
        assert "Incomplete: 5 of 12. the list says 1 - 5 of 12." in " ".join(note.split())
        assert "Go on with --resume." in note
    async with opened(browser, write(tmp_path / "whole", told_many(5))) as page:
        await page.locator(".population").wait_for()
        assert await page.locator(".population .note.warn").count() == 0


async def test_each_mark_lies_where_the_value_stood(browser: Browser, picture: Pictured, tmp_path: Path) -> None:
    report = write(tmp_path / "run", [Told("TCK-1", VALUES, picture=picture)])
    async with opened(browser, report) as page:
        await open_sample(page, "TCK-1")
        assert await colours_in_marks(page) == dict.fromkeys(VALUES, True)
        assert await page.locator(".right > figure > .stage img").get_attribute("src") == "TCK-1/01_ticket.png"


async def test_of_a_tall_page_the_small_copy_is_the_part_with_the_values(
    browser: Browser, tall: Pictured, tmp_path: Path
) -> None:
    report = write(tmp_path / "run", [Told("TCK-1", VALUES, picture=tall)], pictures=False)
    async with opened(browser, report, viewport={"width": 1440, "height": 1600}) as page:
        await open_sample(page, "TCK-1")
        await page.get_by_text("this is the small copy").wait_for()
        assert await colours_in_marks(page) == dict.fromkeys(VALUES, True)


async def test_a_chosen_field_comes_into_view_on_its_picture(browser: Browser, tall: Pictured, tmp_path: Path) -> None:
    report = write(tmp_path / "run", [Told("TCK-1", VALUES, picture=tall)])
    async with opened(browser, report, reduced_motion="reduce") as page:
        await open_sample(page, "TCK-1")
        button = page.get_by_role("button", name="closed show it on the picture")
        await button.focus()
        assert await button.get_attribute("aria-pressed") == "true"
        mark = await page.locator(".right > figure > .stage .mark.chosen").bounding_box()
        stage = await page.locator(".right > figure > .stage").bounding_box()
        assert mark is not None
        assert stage is not None
        assert stage["y"] <= mark["y"]
        assert mark["y"] + mark["height"] <= stage["y"] + stage["height"]


def apart(one: Any, other: Any) -> bool:
    """Whether two boxes share no pixel; edges are rounded."""
    across = one["x"] + one["width"] <= other["x"] + 0.5 or other["x"] + other["width"] <= one["x"] + 0.5
    down = one["y"] + one["height"] <= other["y"] + 0.5 or other["y"] + other["height"] <= one["y"] + 0.5
    return across or down


async def test_candidates_are_boxed_and_no_number_covers_the_picture_or_another_number(
    browser: Browser, picture: Pictured, tmp_path: Path
) -> None:
    """All three values stand in one line, and the second field is open between two of them."""
    line = {name: {**box, "y": picture.boxes["number"]["y"]} for name, box in picture.boxes.items()}
    values = {name: value for name, value in VALUES.items() if name != "assignee"}
    open_between = {"assignee": ("assignee", "closed")}
    told = Told("TCK-1", values, picture=replace(picture, boxes=line), candidates=open_between, status="needs_review")
    report = write(tmp_path / "run", [told])
    async with opened(browser, report, reduced_motion="reduce") as page:
        await open_sample(page, "TCK-1")
        numbers = page.locator(".stage .number-of")
        await expect(numbers).to_have_count(4)
        assert sorted(await numbers.all_inner_texts()) == ["1", "2a", "2b", "3"]
        assert await page.locator('.stage [data-mark="1"]').count() == 2
        whole = await page.locator(".right > figure > .stage img").bounding_box()
        places = [await one.bounding_box() for one in await numbers.all()]
        for at, place in enumerate(places):
            assert apart(place, whole)
            assert all(apart(place, other) for other in places[at + 1 :])
        await page.get_by_role("button", name="closed").first.click()
        chosen = page.locator(".stage .mark.chosen")
        assert await chosen.get_attribute("data-candidate") == "1"


async def test_what_would_settle_a_field_stands_beside_it_and_is_copied(browser: Browser, tmp_path: Path) -> None:
    entry = {"type": "string | null", "labels": ["<b>Owner</b>"]}
    key = {"keys": {}, "entry": entry, "why": "label_alike", "state": "value", "value": "Ann <i>Lee</i>"}
    none = {"keys": {}, "entry": {"type": "string | null"}, "why": "may_be_empty", "state": "not_present"}
    near = [{"shown": "Bo", "why": "past", "label": "Old owner"}]
    explained = {"assignee": {"near": near, "settled_by": [key, none]}}
    told = Told("TCK-1", {"number": "TCK-1"}, status="needs_review", reason="missing_fields", explained=explained)
    async with opened(browser, write(tmp_path / "run", [told])) as page:
        await open_sample(page, "TCK-1")
        (assignee,) = await page.locator(".explained").all()
        assert f"Old owner: Bo – {NEAR_WORDS['past']}" in (await assignee.inner_text()).replace("“", "").replace(
            "”", ""
        )
        pasted = f'"assignee": {json.dumps(entry)}'
        assert await assignee.locator("code").all_inner_texts() == [pasted, '"assignee": {"type": "string | null"}']
        await expect(assignee.locator("q").last).to_have_text("Ann <i>Lee</i>")
        await page.evaluate("navigator.clipboard.writeText = (words) => { window.copiedWords = words; }")
        await assignee.get_by_role("button", name="Copy this entry of assignee").first.click()
        assert await page.evaluate("window.copiedWords") == pasted


async def test_what_people_have_decided_stands_beside_what_was_read(browser: Browser, tmp_path: Path) -> None:
    decided = ReviewedTarget(decision="correct", value="<b>Bo</b>", reason="it moved", by=("ann", "ben"), at=AT)
    samples = {"TCK-1": SampleReview(values={"assignee": decided})}
    review = RunReview(round=1, signed_off_at=AT, signed_off_number=3, samples=samples, rows=())
    async with opened(browser, write(tmp_path / "run", told_many(1), review=review)) as page:
        await open_sample(page, "TCK-1")
        field = page.locator(".fields .field", has_text="Person 1")
        told = " ".join((await field.locator(".reviewed").inner_text()).split())
        assert told.startswith("Corrected to <b>Bo</b> by ann, ben, ")
        assert told.endswith(": it moved")


async def test_the_reader_chooses_which_fields_the_list_shows(browser: Browser, tmp_path: Path) -> None:
    report = write(tmp_path / "run", [Told("TCK-1", VALUES)])
    async with opened(browser, report) as page:
        heads = page.locator(".row.heads [data-sort^=f]")
        before = await heads.all_inner_texts()
        chooser = page.locator("summary", has_text="Fields")
        assert await chooser.inner_text() == "Fields 3 of 3"
        await chooser.click()
        await page.get_by_role("group", name="Fields in the list").get_by_label("Number").uncheck()
        assert await chooser.inner_text() == "Fields 2 of 3"
        assert await heads.all_inner_texts() == [name for name in before if name != "Number"]
        assert "TCK-1" not in await page.locator(".rows .c-value").all_inner_texts()
        await page.get_by_role("group", name="Fields in the list").get_by_label("Number").check()
        assert sorted(await heads.all_inner_texts()) == sorted(before)
        assert "TCK-1" in (await page.locator(".rows .c-value .value").all_inner_texts())[-1]


async def test_no_box_is_drawn_on_a_picture_that_is_not_known_to_show_it(
    browser: Browser, picture: Pictured, tmp_path: Path
) -> None:
    report = write(tmp_path / "run", [Told("TCK-1", VALUES, picture=picture, on_picture=False)])
    async with opened(browser, report) as page:
        await open_sample(page, "TCK-1")
        assert await page.locator(".right > figure > .stage .mark").count() == 0
        await page.locator(".field summary").first.click()
        await page.get_by_text("no picture is known to show this state of the page").first.wait_for()


async def test_a_value_that_was_scrolled_to_is_marked_on_the_picture_that_was_taken_for_it(
    browser: Browser, picture: Pictured, tmp_path: Path
) -> None:
    report = write(tmp_path / "run", [Told("TCK-1", VALUES, picture=picture, scrolled=True)])
    async with opened(browser, report) as page:
        await open_sample(page, "TCK-1")
        await page.locator(".field summary").first.click()
        assert "01_ticket.png" in await page.locator(".field").first.inner_text()
        assert await page.locator(".right > figure > .stage img").get_attribute("src") == "TCK-1/01_ticket.png"
        assert await colours_in_marks(page) == dict.fromkeys(VALUES, True)
        await page.get_by_text("This picture was taken for the values").wait_for()


# --- finding


async def test_search_filters_and_order_narrow_the_list(browser: Browser, tmp_path: Path) -> None:
    told = [
        Told("TCK-2", {"number": "TCK-2", "assignee": "Zoë Ångström"}, flagged=True),
        Told("TCK-10", {"number": "TCK-10"}, not_present=("assignee",), shown={"assignee": "Unassigned"}),
        Told("TCK-7", {}, status="failed", reason="not_found", message="the site has no such ticket"),
    ]
    async with opened(browser, write(tmp_path / "run", told)) as page:
        search = page.get_by_role("searchbox")
        await search.fill("zoe angstrom")
        assert await rows(page) == ["TCK-2"]
        await search.fill("no such")
        assert await rows(page) == ["TCK-7"]
        await search.fill("nowhere")
        await page.get_by_text("No sample fits").wait_for()
        await search.fill("")
        await page.get_by_label("Filter by status").select_option("failed")
        assert await rows(page) == ["TCK-7"]
        await page.get_by_role("button", name="Clear", exact=True).click()
        await page.get_by_label("Filter by field state").select_option("1:p")
        assert await rows(page) == ["TCK-10"]
        await page.get_by_role("button", name="Clear", exact=True).click()
        await page.get_by_role("checkbox", name="Flagged").check()
        assert await rows(page) == ["TCK-2"]
        await page.get_by_role("button", name="Clear", exact=True).click()
        await page.get_by_label("Sort by").select_option("id")
        assert await rows(page) == ["TCK-2", "TCK-7", "TCK-10"]
        await page.get_by_role("button", name="Sample", exact=True).click()
        assert await rows(page) == ["TCK-10", "TCK-7", "TCK-2"]


async def test_a_count_on_the_cover_shows_its_samples(browser: Browser, tmp_path: Path) -> None:
    told = [*told_many(3), Told("TCK-9", {}, status="failed", reason="not_found")]
    async with opened(browser, write(tmp_path / "run", told)) as page:
        await page.get_by_role("button", name="Show the 1 samples: Failed not found").click()
        assert await rows(page) == ["TCK-9"]
        assert await page.locator(".counted").inner_text() == "1 of 4"
        assert await page.get_by_role("heading", name="How the samples were done").count() == 0


async def test_the_cover_says_who_has_worked_on_the_samples_and_why(browser: Browser, tmp_path: Path) -> None:
    why = (NoFlowCount(text="no flow was compiled: <b>this</b>", samples=2),)
    worked = (
        DriversCount(drivers=("flow",), samples=8, llm_calls=0, cost_usd=0.0),
        DriversCount(drivers=("flow", "model"), samples=2, llm_calls=14, cost_usd=0.21, reasons=why),
    )
    async with opened(browser, write(tmp_path / "run", told_many(10), worked=worked)) as page:
        card = page.get_by_role("region", name="How the samples were done")
        assert [await one.inner_text() for one in await card.get_by_role("row").all()] == [
            "Driver\tSamples\tModel calls\tCost",
            "By a flow\t8\t0\t$0",
            "By a flow, then a model\t2\t14\t$0.2100",
        ]
        assert await card.get_by_role("listitem").all_inner_texts() == ["2 samples: no flow was compiled: <b>this</b>"]


HOSTILE = "<img src=x onerror=\"document.title='owned'\">\x1b[31m"


async def test_the_cover_tells_how_the_run_and_the_register_agree(browser: Browser, tmp_path: Path) -> None:
    differs = FieldDifference(field="assignee", verdict="differs", here="Person 1", there=HOSTILE, why="")
    records = (
        ReconciledRecord(verdict="missing_here", key=HOSTILE, near="TCK-9", rows=(1,)),
        ReconciledRecord(verdict="differs", key="TCK-1", samples=("TCK-1",), rows=(2,), fields=(differs,)),
        ReconciledRecord(verdict="same", key="TCK-2", samples=("TCK-2",), rows=(3,)),
    )
    file = InputFile(name=f"{HOSTILE}.csv", blob="", size_bytes=1, sha256="0" * 64)
    made = tmp_path / "reconciliation.json"
    made.write_bytes(reconciliation_bytes(records, file.name))
    register = Register(file=file, key="number")
    report = write(tmp_path / "run", told_many(2), register=register, reconciliation=str(made))
    async with opened(browser, report) as page:
        card = page.get_by_role("region", name="Reconciliation")
        assert await card.get_by_role("row", name="Missing here").first.inner_text() == (
            "Missing here\tin the register, and not in the run\t1"
        )
        listed = card.locator("table.disagreements tbody tr")
        assert await listed.count() == 2
        assert "assignee (another value): Person 1 here, <img" in await listed.first.inner_text()
        assert "U+001B" in await listed.first.inner_text()
        assert "differs only in form from TCK-9" in await listed.last.inner_text()
        assert await page.title() != "owned"
        await listed.first.get_by_role("link", name="TCK-1").click()
        await page.locator("#sample .sample-title").wait_for()


async def test_a_comparison_that_could_not_be_made_is_told(browser: Browser, tmp_path: Path) -> None:
    file = InputFile(name="out.csv", blob="", size_bytes=1, sha256="0" * 64)
    report = write(tmp_path / "run", told_many(1), register=Register(file=file, key="number"))
    async with opened(browser, report) as page:
        assert "Not compared." in await page.get_by_role("region", name="Reconciliation").inner_text()


async def test_a_thousand_samples_are_a_few_rows_at_a_time(browser: Browser, tmp_path: Path) -> None:
    async with opened(browser, write(tmp_path / "run", told_many(1000))) as page:
        assert await page.locator(".rows .row").count() < 60
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        await page.locator('a[href="#sample=TCK-1000"]').wait_for()
        assert await page.locator(".rows .row").count() < 60


async def test_everything_is_done_from_the_keyboard(browser: Browser, picture: Pictured, tmp_path: Path) -> None:
    told = [Told(f"TCK-{n}", VALUES, picture=picture) for n in (1, 2, 3)]
    async with opened(browser, write(tmp_path / "run", told)) as page:
        press = page.keyboard.press
        await press("/")
        await expect(page.get_by_role("searchbox")).to_be_focused()
        await page.keyboard.type("TCK")
        await press("ArrowDown")
        await press("j")
        await press("Enter")
        await page.get_by_role("heading", name="TCK-2").wait_for()
        await press("2")
        assert await page.locator(".field.chosen .field-name").inner_text() == "assignee"
        await press("n")
        assert await page.locator(".field.chosen .field-name").inner_text() == "closed"
        await press("k")
        await page.get_by_role("heading", name="TCK-1").wait_for()
        await press("Escape")
        await expect(page.locator('.rows a[href="#sample=TCK-1"]')).to_be_focused()
        await press("?")
        await page.get_by_role("dialog").wait_for()
        await press("Escape")
        await page.get_by_role("dialog").wait_for(state="hidden")


# --- hostile, and odd


EVIL = (
    "</script><script>document.title='owned'</script>"
    "<img src=x onerror=\"document.title='owned'\">\u2028\u202eevil\u2066"
)


async def test_what_a_page_said_is_shown_and_never_run(browser: Browser, picture: Pictured, tmp_path: Path) -> None:
    judged = {"question": EVIL, "answer": EVIL, "confidence": 0.5, "reasoning": EVIL, "evidence_refs": [EVIL]}
    told = Told(
        "TCK-1",
        dict.fromkeys(VALUES, EVIL),
        key=EVIL,
        message=EVIL,
        notes=(EVIL,),
        url="javascript:document.title='owned'",
        judgment=judged,
        picture=picture,
        flagged=True,
    )
    report = write(tmp_path / "run", [told], spec=_spec_with(EVIL), requested_by=EVIL)
    async with opened(browser, report) as page:
        await open_sample(page, "TCK-1")
        text = await page.locator("#sample").inner_text()
        assert "<script>" in text
        assert "U+202E" in text
        assert "\u202e" not in text
        for summary in await page.locator("#sample summary").all():
            await summary.click()
        links = await page.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
        assert [link for link in links if link.lower().startswith(("javascript", "data"))] == []
        assert "owned" not in (await page.title()).replace(EVIL, "")
        assert await page.evaluate("document.title !== 'owned' && document.querySelectorAll('script').length") == 7 - 1


async def test_rows_are_a_table_with_what_is_open_and_never_markup(browser: Browser, tmp_path: Path) -> None:
    source = {"snapshot_id": "s", "observation_sha256": "", "ref": 1, "role": "cell", "label": "L", "box": None}
    cell = {"state": "value", "value": EVIL, "shown": EVIL, "source": {**source, "url": EVIL, "frame": "main"}}
    open_cell = {"state": "not_found", "candidates": [{"shown": "7"}, {"shown": EVIL}]}
    told = Told(
        "TCK-1", {}, rows={"assignee": [{EVIL: cell, "qty": open_cell}, {EVIL: cell, "qty": {"state": "not_present"}}]}
    )
    async with opened(browser, write(tmp_path / "run", [told])) as page:
        await open_sample(page, "TCK-1")
        table = page.locator("#sample .field-rows table")
        lines = [await line.locator("th, td").all_inner_texts() for line in await table.locator("tr").all()]
        assert [line[0] for line in lines] == ["#", "1", "2"]
        assert [line[2] for line in lines] == ["qty", lines[1][2], "none"]
        assert "7" in lines[1][2]
        assert "<img" in lines[1][1]
        assert await table.locator("img, script, a").count() == 0
        assert "1 of 2" in await page.locator("#sample").inner_text()


async def test_a_file_that_would_run_in_a_browser_is_named_and_not_linked(browser: Browser, tmp_path: Path) -> None:
    names = ("02_bill.pdf", "03_page.html", "04_seal.svg", "05_feed.xml", "06_none", "07_list.CSV")
    report = write(tmp_path / "run", [Told("TCK-1", VALUES, downloads=names)])
    async with opened(browser, report) as page:
        await open_sample(page, "TCK-1")
        shown = await page.locator("#sample").inner_text()
        links = await page.locator("#sample a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert [name for name in names if name not in shown] == []
    assert [name for name in names if f"TCK-1/{name}" in links] == ["02_bill.pdf", "07_list.CSV"]


async def test_the_tables_beside_the_report_are_linked(browser: Browser, tmp_path: Path) -> None:
    left = SheetReading(name="Old", hidden=True, left_out="hidden")
    reading = FileReading(name="in.xlsx", form="xlsx", sheets=(SheetReading(name="List", rows=1), left))
    controls = [{"id": "CC6.1", "framework": "SOC 2", "title": "Logical access"}, {"id": "ITGC-03"}]
    run = write(
        tmp_path / "run",
        told_many(1),
        spec=spec(controls=controls),
        input_columns=("Number", "URL"),
        input_reading=reading,
    )
    async with opened(browser, run) as page:
        links = await page.locator(".beside a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
        cover = await page.locator("#cover").inner_text()
    assert links == ["combined.csv", "combined.xlsx", "combined.parquet", "enriched.csv", "samples.csv"]
    assert "in.xlsx: 1 row read, of the sheet List" in cover
    assert "left out: the sheet Old: it is hidden" in cover
    assert [words for words in ("SOC 2 CC6.1", "Logical access", "ITGC-03") if words not in cover] == []


def _spec_with(text: str) -> dict[str, Any]:
    return spec(goal=text, start_url=text, judgment_question=text)


async def test_the_browser_runs_no_other_script_and_loads_nothing(browser: Browser, tmp_path: Path) -> None:
    report = write(tmp_path / "run", told_many(1))
    policy = "document.querySelector('meta[http-equiv=Content-Security-Policy]').content"
    async with opened(browser, report) as page:
        assert "default-src 'none'" in await page.evaluate(policy)
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(report.as_uri())
    refused = await page.evaluate(MARKUP)
    await context.close()
    assert refused == "refused"


MARKUP = """() => {
  const made = document.createElement('div');
  try { made.innerHTML = '<img>'; return 'taken' } catch (error) { return 'refused' }
}"""


async def test_any_value_and_the_address_below_a_picture_stay_within_a_phone(
    browser: Browser, picture: Pictured, tmp_path: Path
) -> None:
    told = [
        Told(f"TCK-{n}", {"number": text, "assignee": text}, key=text[:300], message=text)
        for n, text in enumerate(("مرحبا بالعالم", "e\u0301" * 300, "字" * 5000, "👩‍👩‍👧 " * 40))
    ]
    for n in (7, 8, 9):
        told.append(Told(f"TCK-{n}", VALUES, picture=picture, url=f"https://tickets.example/{'long/' * n}TCK-1"))
    async with opened(browser, write(tmp_path / "run", told), viewport={"width": 390, "height": 844}) as page:
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        for one in told:
            await open_sample(page, one.sample_id)
            assert await page.evaluate("document.documentElement.scrollWidth") <= 390
            await page.keyboard.press("Escape")


async def test_runs_that_are_not_like_others(browser: Browser, tmp_path: Path) -> None:
    async with opened(browser, write(tmp_path / "none", [])) as page:
        await page.get_by_text("This run has no samples.").wait_for()
    failed = [Told(f"TCK-{n}", {}, status="failed", reason="unreachable") for n in range(3)]
    async with opened(browser, write(tmp_path / "failed", failed)) as page:
        await open_sample(page, "TCK-1")
        await page.get_by_text("No file was captured.").wait_for()
    found = {"goal": "List the tickets.", "start_url": "https://tickets.example/"}
    async with opened(browser, write(tmp_path / "found", told_many(2), discovery_spec=found)) as page:
        await page.get_by_text("Found by navigating").wait_for()
        assert await page.get_by_role("link", name="discovered_samples.csv").count() == 1
    differs = [Told("TCK-1", VALUES, status="needs_review", reason="replay_differs", notes=("differs: closed",))]
    async with opened(browser, write(tmp_path / "replay", differs, replay_run_id="run_2026-02-01_080000")) as page:
        await page.get_by_text("1 sample was not as recorded.").wait_for()
        await open_sample(page, "TCK-1")
        await page.locator("#sample").get_by_text("Not as recorded:").wait_for()


async def test_an_address_of_a_sample_that_is_not_there_says_so(browser: Browser, tmp_path: Path) -> None:
    report = write(tmp_path / "run", told_many(2))
    async with opened(browser, report) as page:
        await page.evaluate("location.hash = 'sample=TCK-99'")
        await page.get_by_role("heading", name="No such sample").wait_for()
        await page.get_by_role("link", name="All samples").click()
        assert len(await rows(page)) == 2


# --- for everybody


CHECKS = Path(__file__).with_name("report_checks.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_texts_can_be_read_and_controls_have_names(
    browser: Browser, picture: Pictured, tmp_path: Path, scheme: str
) -> None:
    judged = {"question": "In time?", "answer": "yes", "confidence": 0.9, "reasoning": "It was.", "decided_by": "rules"}
    told = [
        Told("TCK-1", VALUES, picture=picture, judgment=judged, flagged=True, notes=("look twice",)),
        Told("TCK-2", {}, status="failed", reason="not_found", message="no such ticket"),
        Told("TCK-3", {}, status="needs_review", reason="ambiguous_value", not_present=("closed",)),
        Told("TCK-4", {}, status="auth_required", reason="login_required"),
        Told("TCK-5", {"number": "5"}, status="partial_success", reason="missing_fields"),
    ]
    report = write(tmp_path / "run", told, spec=_spec_with("In time?"))
    async with opened(browser, report, color_scheme=scheme) as page:
        assert await page.evaluate(f"{CHECKS}.poor()") == []
        assert await page.evaluate(f"{CHECKS}.nameless()") == []
        for sample_id in ("TCK-1", "TCK-3"):
            await page.evaluate(f"location.hash = 'sample={sample_id}'")
            await page.get_by_role("heading", name=sample_id).wait_for()
            assert await page.evaluate(f"{CHECKS}.poor()") == []
            assert await page.evaluate(f"{CHECKS}.nameless()") == []


# --- on paper


async def printed(page: Page) -> list[str]:
    data = await page.pdf(prefer_css_page_size=True)
    read = await asyncio.to_thread(lambda: [one.extract_text() for one in PdfReader(io.BytesIO(data)).pages])
    return [" ".join(text.split()) for text in read]


async def test_on_paper_are_the_cover_the_table_and_each_sample(
    browser: Browser, picture: Pictured, tmp_path: Path
) -> None:
    told = [Told(f"TCK-{n}", VALUES, picture=picture) for n in range(1, 5)]
    async with opened(browser, write(tmp_path / "run", told)) as page:
        await expect(page.locator(".printed-sample")).to_have_count(4)
        pages = await printed(page)
        assert "Population" in pages[0]
        assert f"1 / {len(pages)}" in pages[0]
        (table,) = [at for at, text in enumerate(pages) if "Samples all 4" in text]
        assert all(f"TCK-{n}" in pages[table] for n in range(1, 5))
        begins = [next(at for at, text in enumerate(pages) if f"TCK-{n} Done · row {n}" in text) for n in range(1, 5)]
        assert begins == sorted(set(begins))
        assert begins[0] > table
        assert all("Ada Lovelace" in pages[at] and picture.sha256 in " ".join(pages) for at in begins)
        assert "Search ids" not in " ".join(pages)


async def test_print_in_the_page_prepares_any_number_of_samples(browser: Browser, tmp_path: Path) -> None:
    async with opened(browser, write(tmp_path / "run", told_many(90))) as page:
        await page.evaluate("() => { window.print = () => { document.body.dataset.printed = 1 } }")
        await page.get_by_role("searchbox").fill("Person 3")
        await page.get_by_role("button", name="Print").click()
        await page.locator("body[data-printed]").wait_for()
        titles = await page.locator(".printed-sample h2").all_text_contents()
        assert titles == [f"TCK-{n}" for n in range(1, 91) if n % 7 == 3 or "3" in str(n)]


async def test_what_is_printed_is_what_is_shown_now(browser: Browser, tmp_path: Path) -> None:
    """Two choices that are as long, and begin and end with the same samples."""
    statuses = ["failed", "failed", "needs_review", "failed"]
    told = [Told(f"TCK-{n}", {}, status=status, flagged=n != 2) for n, status in enumerate(statuses, 1)]
    async with opened(browser, write(tmp_path / "run", told)) as page:
        await page.evaluate("() => { window.print = () => { document.body.dataset.printed = 1 } }")

        async def printed_now() -> list[str]:
            await page.get_by_role("button", name="Print").click()
            await page.locator("body[data-printed]").wait_for()
            await page.evaluate("() => { delete document.body.dataset.printed }")
            return await page.locator(".printed-sample h2").all_text_contents()

        await page.get_by_label("Filter by status").select_option("failed")
        assert await printed_now() == ["TCK-1", "TCK-2", "TCK-4"]
        await page.get_by_label("Filter by status").select_option("")
        await page.locator("#flagged").check()
        assert await printed_now() == ["TCK-1", "TCK-3", "TCK-4"]
