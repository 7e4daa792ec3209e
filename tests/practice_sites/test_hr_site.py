"""The portal over plain HTTP and in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import FrameLocator, Locator, Page, expect

from practice.hr_portal import files, words
from practice.hr_portal.data import departments_of, ground_truth, shown_date
from practice.hr_portal.demo import expected_cells, input_rows, report_sha256, request_of
from practice.hr_portal.leave import confirmation_number, day_of
from practice.hr_portal.server import PORT, serve
from practice.hr_portal.site import Options
from practice.sign_in import PASSWORD, USER
from tests.practice_sites.site_browser import Visitor, hosts_asked, run_as_program

pytestmark = pytest.mark.asyncio(loop_scope="module")
EMPLOYEES = ground_truth()
ROWS = input_rows(EMPLOYEES)
QUICK = Options(latency_ms=10, report_ms=50)
EVERY_DRIFT = "rename,reorder,wrap,popup,combobox,iframe,lookalike"
Row = dict[str, str]


@pytest_asyncio.fixture(loop_scope="module")
async def url() -> AsyncGenerator[str]:
    """A portal of its own for each test: what is sent is remembered."""
    async with serve(options=QUICK) as base_url:
        yield base_url


async def submissions(url: str) -> list[dict[str, Any]]:
    return json.loads((await Visitor(url).get("/api/submissions")).text)["submissions"]


def named(row: Row) -> str:
    return f"{row['employee_name']} ({row['employee_id']})"


# --- over HTTP


async def _sent(visitor: Visitor, row: Row) -> tuple[int, dict[str, Any]]:
    reply = await visitor.post("/api/drafts", json.dumps(asdict(request_of(row))).encode())
    return reply.status, json.loads(reply.text)


async def test_a_draft_is_nothing_sent_and_every_submission_is_counted(url: str):
    visitor = Visitor(url)
    status, answer = await _sent(visitor, ROWS[0])
    assert status == 201
    assert await submissions(url) == []
    replies = [await visitor.post(f"/api/drafts/{answer['draft']}/submit") for _ in range(2)]
    numbers = [json.loads(reply.text)["number"] for reply in replies]
    assert numbers == [confirmation_number(request_of(ROWS[0])), f"{confirmation_number(request_of(ROWS[0]))}-2"]
    sent = await submissions(url)
    assert [one["number"] for one in sent] == numbers
    assert {name: sent[0][name] for name in asdict(request_of(ROWS[0]))} == asdict(request_of(ROWS[0]))


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"reason": 3}', b"\xff"])
async def test_a_draft_that_makes_no_sense_says_what_is_missing(url: str, body: bytes):
    reply = await Visitor(url).post("/api/drafts", body)
    assert reply.status == 422
    assert len(json.loads(reply.text)["errors"]) == 11
    assert (await Visitor(url).post("/api/drafts/D1/submit")).status == 404


async def test_lists_load_one_after_the_other(url: str):
    visitor = Visitor(url)
    answers = [
        json.loads((await visitor.get(path)).text)["names"]
        for path in ("/api/countries", "/api/offices?country=Japan", "/api/departments?office=Osaka", "/api/offices")
    ]
    assert answers == [sorted(words.OFFICES), ["Osaka", "Tokyo"], list(departments_of("Osaka")), []]


async def test_an_employee_is_found_by_any_words_of_what_the_list_shows(url: str):
    second = [one for one in EMPLOYEES if one.name == "Anna Berg"][1]
    for typed in (
        f"Anna Berg ({second.employee_id})",
        second.employee_id.lower(),
        f"berg {second.department}, {second.office}",
    ):
        told = json.loads((await Visitor(url).get(f"/api/employees?q={quote(typed)}")).text)
        assert [one["employee_id"] for one in told["employees"]] == [second.employee_id]
    assert json.loads((await Visitor(url).get("/api/employees?q=anna+berg")).text)["total"] == 2


@pytest.mark.parametrize("kind", list(words.FORMATS))
async def test_a_report_comes_once_it_is_ready_with_known_bytes(kind: str):
    employee = EMPLOYEES[4]
    async with (
        serve(options=Options(latency_ms=0, report_ms=60_000)) as slow,
        serve(options=Options(report_ms=0)) as fast,
    ):
        for url, ready in ((slow, False), (fast, True)):
            visitor = Visitor(url)
            asked = await visitor.post(
                f"/api/employees/{employee.employee_id}/reports", json.dumps({"format": kind}).encode()
            )
            name = json.loads(asked.text)["report"]
            assert (asked.status, json.loads((await visitor.get(f"/api/reports/{name}")).text)["ready"]) == (202, ready)
            reply = await visitor.get(f"/files/reports/{name}/{files.report_name(employee, kind)}")
            assert (reply.status, reply.body == files.report(employee, kind)) == (200 if ready else 404, ready)


async def test_attachments_are_those_of_the_employee(url: str):
    visitor = Visitor(url)
    for employee in EMPLOYEES[:6]:
        told = json.loads((await visitor.get(f"/api/employees/{employee.employee_id}/documents")).text)
        assert [one["filename"] for one in told["attachments"]] == [one.filename for one in employee.attachments]
    owner = next(one for one in EMPLOYEES if one.attachments)
    path = f"/files/attachments/{owner.employee_id}/{owner.attachments[0].filename}"
    reply = await visitor.get(path)
    assert reply.body == files.attached(owner, owner.attachments[0])
    assert reply.headers["content-disposition"] == f'attachment; filename="{owner.attachments[0].filename}"'
    assert (await visitor.get(path.replace(owner.employee_id, "E-1999", 1))).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/no/such",
        "/api/employees/E-1999/overview",
        "/api/employees/E-1001/secrets",
        "/api/reports/R9",
        "/api/requests/x",
    ],
)
async def test_what_is_not_there_is_404(url: str, path: str):
    assert (await Visitor(url).get(path)).status == 404


async def test_the_login_shuts_pages_and_lists():
    async with serve(options=Options(login=True, latency_ms=0)) as url:
        visitor = Visitor(url)
        refused = await visitor.get("/requests/new")
        assert (refused.status, refused.headers["location"]) == (302, "/login?next=%2Frequests%2Fnew")
        assert (await visitor.get("/api/employees?q=an")).status == 401
        wrong = await visitor.form("/login", user=USER, password="x", next="/requests/new")
        assert wrong.headers["location"] == "/login?wrong=1&next=%2Frequests%2Fnew"
        right = await visitor.form("/login", user=USER, password=PASSWORD, next="/requests/new")
        assert right.headers["location"] == "/requests/new"
        assert [(await visitor.get(path)).status for path in ("/requests/new", "/api/countries")] == [200, 200]


async def test_the_spec_points_to_where_the_portal_is_by_default(pytestconfig: pytest.Config):
    path = pytestconfig.rootpath / "task_specs" / "practice_hr_request.json"
    assert urlsplit(json.loads(path.read_text(encoding="utf-8"))["start_url"]).netloc == f"127.0.0.1:{PORT}"


async def test_as_a_program_it_prints_its_address_and_ends_with_ctrl_c():
    assert await run_as_program("practice.hr_portal", "--port", "0", "--login") == (302, 0, b"", b"")


# --- in a browser


async def _choose_day(place: Page | FrameLocator, label: str, iso: str) -> None:
    day = day_of(iso)
    assert day is not None
    await place.get_by_label(label, exact=True).click()
    calendar = place.get_by_role("dialog", name=f"Choose {label.lower()}")
    shown = day_of("2026-11-02") or day
    if label in ("Last day", "Until") and (first := await place.locator("#first_day").input_value()):
        month, year = first.split()[1:]
        shown = shown.replace(year=int(year), month=words.MONTHS.index(month) + 1)
    months = (day.year - shown.year) * 12 + day.month - shown.month
    steps = ["Next year"] * (months // 12) + ["Next month"] * (months % 12)
    for step in steps:
        await calendar.get_by_role("button", name=step).click()
    await calendar.get_by_role("button", name=re.compile(rf"^\w+ {shown_date(day)}$")).click()
    await expect(place.get_by_label(label, exact=True)).to_have_value(shown_date(day))


async def _select(place: Page | FrameLocator, label: str, value: str) -> None:
    control = place.get_by_label(label, exact=True)
    await expect(control).to_be_enabled()
    if await control.evaluate("one => one.tagName") == "SELECT":
        await control.select_option(value)
        return
    await control.click()
    await place.get_by_role("option", name=value, exact=True).click()
    await expect(control).to_have_text(value)


async def _fill(place: Page | FrameLocator, row: Row, say: dict[str, str] | None = None) -> None:
    named_so = say or {}

    def label(text: str) -> str:
        return named_so.get(text, text)

    await place.get_by_label(label("Employee"), exact=True).press_sequentially(row["employee_name"])
    await place.get_by_role("option").filter(has_text=row["employee_id"]).click()
    await expect(place.get_by_label(label("Employee"), exact=True)).to_have_value(named(row))
    await place.get_by_label(row["request_type"]).check()
    for name in ("country", "office", "department"):
        await _select(place, label(name.capitalize()), row[name])
    await _choose_day(place, label("First day"), row["first_day"])
    await _choose_day(place, label("Last day"), row["last_day"])
    await place.get_by_label(label("The last day is a half day")).set_checked(row["half_day"] == "yes")
    await place.get_by_label(label("Covered by")).fill(row["cover"])
    await place.get_by_label(label("Phone while away")).fill(row["phone"])
    await place.get_by_label(label("Reason"), exact=True).fill(row["reason"])
    await place.get_by_label("Open work has been handed over").check()


async def _value(place: Page | FrameLocator, label: str) -> Locator:
    return place.locator("dl > div").filter(has=place.locator(f"dt:text-is('{label}')")).locator("dd")


@pytest.mark.parametrize("row", [ROWS[1], ROWS[5], ROWS[12]], ids=lambda row: row["request_ref"])
async def test_a_request_is_sent_once_and_the_file_has_what_it_should(url: str, page: Page, tmp_path: Path, row: Row):
    hosts = hosts_asked(page)
    wanted = expected_cells(row, EMPLOYEES)
    await page.goto(f"{url}/requests/new")
    await _fill(page, row)
    await page.get_by_role("button", name="Review request").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Review your request")
    await expect(await _value(page, "Employee")).to_have_text(named(row))
    await expect(await _value(page, "Reason")).to_have_text(row["reason"])
    assert await submissions(url) == []
    await page.get_by_role("button", name="Submit request").click()
    await expect(await _value(page, "Confirmation number")).to_have_text(wanted["confirmation_number"])
    sent = await submissions(url)
    assert [{name: one[name] for name in asdict(request_of(row))} for one in sent] == [asdict(request_of(row))]
    await page.get_by_role("link", name="Open employee file").click()
    await page.get_by_role("tab", name="Documents").click()
    await expect(await _value(page, "Attachments on file")).to_have_text(wanted["attachment_count"])
    await expect(page.get_by_role("list", name="Attachments").get_by_role("listitem")).to_have_count(
        int(wanted["attachment_count"])
    )
    await page.get_by_label("Report format").select_option(row["report_format"])
    await page.get_by_role("button", name="Prepare report").click()
    async with page.expect_download() as coming:
        await page.get_by_role("link", name="Download report").click()
    download = await coming.value
    await download.save_as(tmp_path / "report")
    assert download.suggested_filename == wanted["report_file"]
    assert files.sha256((tmp_path / "report").read_bytes()) == report_sha256(row, EMPLOYEES)
    await page.get_by_role("tab", name="History").click()
    await expect(page.get_by_role("cell", name=wanted["confirmation_number"])).to_be_visible()
    assert hosts == {urlsplit(url).netloc}


async def test_what_is_missing_is_said_beside_its_field_until_it_is_there(url: str, page: Page):
    await page.goto(f"{url}/requests/new")
    await page.get_by_role("button", name="Review request").click()
    await expect(page.get_by_role("alert")).to_have_text("11 entries need your attention.")
    await expect(page.get_by_text("Choose the first day.")).to_be_visible()
    await expect(page.get_by_label("Employee", exact=True)).to_be_focused()
    await _choose_day(page, "First day", "2026-12-14")
    await expect(page.get_by_text("Choose the first day.")).to_be_hidden()
    await page.get_by_label("Employee", exact=True).fill("Anna Berg")
    await page.get_by_label("Covered by").fill("Ann")
    await page.get_by_role("button", name="Review request").click()
    await expect(page.get_by_role("alert")).to_have_text("9 entries need your attention.")
    await expect(page.get_by_text("Choose an employee from the list.")).to_be_visible()


async def test_going_back_to_edit_keeps_what_was_filled_in(url: str, page: Page):
    await page.goto(f"{url}/requests/new")
    await _fill(page, ROWS[3])
    await page.get_by_role("button", name="Review request").click()
    await page.get_by_role("link", name="Back to edit").click()
    await expect(page.get_by_label("Department", exact=True)).to_have_value(ROWS[3]["department"])
    await expect(page.get_by_label("Employee", exact=True)).to_have_value(named(ROWS[3]))
    await page.get_by_label("Open work has been handed over").check()
    await page.get_by_role("button", name="Review request").click()
    await expect(await _value(page, "Reason")).to_have_text(ROWS[3]["reason"])


async def test_the_calendar_and_the_list_work_with_the_keyboard(url: str, page: Page):
    await page.goto(f"{url}/requests/new")
    await page.get_by_label("Employee", exact=True).focus()
    await page.keyboard.type("Anna Be")
    await expect(page.get_by_role("listbox", name="Employees").get_by_role("option")).to_have_count(2)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    second = [one for one in EMPLOYEES if one.name == "Anna Berg"][1]
    await expect(page.get_by_label("Employee", exact=True)).to_have_value(f"Anna Berg ({second.employee_id})")
    await page.get_by_label("First day", exact=True).focus()
    await page.keyboard.press("Enter")
    for key in ("PageDown", "ArrowDown", "ArrowRight", "Enter"):
        await page.keyboard.press(key)
    await expect(page.get_by_label("First day", exact=True)).to_have_value("10 December 2026")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_label("First day", exact=True)).to_be_focused()


async def test_weekends_and_past_days_cannot_be_chosen(url: str, page: Page):
    await page.goto(f"{url}/requests/new")
    await page.get_by_label("First day", exact=True).click()
    for name in ("Saturday 7 November 2026", "Monday 2 November 2026"):
        await page.get_by_role("button", name=name).click(force=True)
    await expect(page.get_by_role("dialog")).to_be_visible()
    await expect(page.get_by_label("First day", exact=True)).to_have_value("")


async def test_tabs_load_when_they_are_opened_and_not_again(url: str, page: Page):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path.rpartition("/")[2]))
    await page.goto(f"{url}/employees/E-1003")
    await expect(await _value(page, "Employee number")).to_have_text("E-1003")
    assert not {"documents", "pay", "history"} & set(asked)
    await page.get_by_role("tab", name="Overview").focus()
    for name, heading in (("Documents", "Attachments"), ("Pay", "Payslips"), ("History", "Leave taken")):
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        await expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    await page.get_by_role("tab", name="Pay").click()
    assert [asked.count(name) for name in ("documents", "pay", "history")] == [1, 1, 1]


async def test_signing_in_leads_to_the_form(page: Page):
    async with serve(options=Options(login=True, latency_ms=0)) as url:
        await page.goto(f"{url}/requests/new")
        await page.get_by_label("Email").fill(USER)
        await page.get_by_label("Password").fill("wrong")
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.get_by_role("alert")).to_have_text("That email and password do not match.")
        await page.get_by_label("Email").fill(USER)
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("New leave request")


# --- drift


@pytest.mark.parametrize("drift", EVERY_DRIFT.split(","))
async def test_each_drift_changes_a_page(url: str, page: Page, drift: str):
    path = "/employees/E-1003" if drift == "lookalike" else "/requests/new"

    async def shown() -> str:
        await expect(page.locator("main[aria-busy]")).to_have_count(0)
        return await page.locator("body").evaluate("one => one.innerHTML.replace(/<main.*aria-busy.*/, '')")

    await page.goto(f"{url}{path}?drift=")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    plain = await shown()
    await page.goto(f"{url}{path}?drift={drift}")
    await expect(page.get_by_role("heading", level=1).or_(page.locator("iframe")).first).to_be_attached()
    assert await shown() != plain


async def test_a_drifted_portal_takes_the_same_request(url: str, page: Page):
    row = ROWS[2]
    say = {"Employee": "Staff member", "Country": "Location country", "Office": "Site", "Department": "Unit"}
    say |= {"First day": "From", "Last day": "Until", "Covered by": "Substitute", "Phone while away": "Contact number"}
    say |= {"Reason": "Explanation", "The last day is a half day": "Only half of the final day"}
    await page.goto(f"{url}/requests/new?drift={EVERY_DRIFT}")
    await page.get_by_role("dialog").get_by_role("button", name="Not now").click()
    inner = page.frame_locator("iframe")
    await _fill(inner, row, say)
    await inner.get_by_role("button", name="Continue").click()
    await inner.get_by_role("button", name="Send request").click()
    number = confirmation_number(request_of(row))
    await expect(inner.get_by_role("heading", level=1)).to_have_text("Request submitted")
    await expect((await _value(inner, "Reference")).last).to_have_text(number)
    assert [one["number"] for one in await submissions(url)] == [number]
