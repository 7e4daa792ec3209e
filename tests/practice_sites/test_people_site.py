"""The directory over plain HTTP and in a real browser."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import AsyncGenerator
from urllib.parse import quote, urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, expect

from practice.people import words
from practice.people.asking import listed_pages, people_of, search
from practice.people.data import Person, ground_truth
from practice.people.listing import END, PAGERS
from practice.people.profile import shown_facts
from practice.people.server import serve
from practice.people.site import Options
from practice.sign_in import PASSWORD, USER
from tests.practice_sites.site_browser import Visitor, hosts_asked, run_as_program

pytestmark = pytest.mark.asyncio(loop_scope="module")
PEOPLE = ground_truth()
COMPANY, LIST = "Northwind Analytics", "/companies/northwind-analytics/people"
LISTED = people_of(PEOPLE, COMPANY)
EVERY_DRIFT = "rename,reorder,wrap,popup,combobox,iframe,lookalike"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncGenerator[str]:
    async with serve() as base_url:
        yield base_url


def linked(text: str) -> list[str]:
    """The slugs of the profiles that are linked in headings, in order."""
    return re.findall(r'<h3><a href="/in/([^"]+)">', text)


def facts(text: str) -> dict[str, str]:
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(?:<a [^>]*>)?(.*?)(?:</a>)?</dd>", text)
    return {html.unescape(name): html.unescape(value) for name, value in pairs}


def of_kind(*, employed: bool, schooled: bool) -> Person:
    wanted = (employed, schooled)
    return next(one for one in PEOPLE if (one.current_company is not None, one.school is not None) == wanted)


# --- over HTTP


@pytest.mark.parametrize(("employed", "schooled"), [(True, True), (False, True), (True, False)])
async def test_a_profile_shows_the_ground_truth(url: str, employed: bool, schooled: bool):
    person = of_kind(employed=employed, schooled=schooled)
    reply = await Visitor(url).get(f"/in/{person.slug}")
    assert reply.status == 200
    shown = facts(reply.text)
    assert shown["Name"] == person.name
    assert shown["Profile URL"] == f"{url}/in/{person.slug}"
    assert shown["Current company"] == (person.current_company or "Not currently employed")
    assert shown["Tenure"] == (person.tenure or "—")
    assert shown["School"] == (person.school or "No school listed")
    assert linked(reply.text) == list(person.also_viewed)


async def test_every_profile_can_be_opened(url: str):
    visitor = Visitor(url)
    replies = [await visitor.get(f"/in/{person.slug}") for person in PEOPLE[::25]]
    assert {reply.status for reply in replies} == {200}


@pytest.mark.parametrize("path", ["/in/nobody-000000", "/companies/nowhere/people", "/no/such/page", "/search?page=x"])
async def test_what_is_not_there_is_404(url: str, path: str):
    assert (await Visitor(url).get(path)).status == 404


async def test_search_results_over_all_pages_are_all_who_match(url: str):
    found = search(PEOPLE, "", COMPANY)
    last = -(-len(found) // 10)
    replies = [await Visitor(url).get(f"/search?company=northwind&page={number}") for number in range(1, last + 1)]
    assert [slug for reply in replies for slug in linked(reply.text)] == [person.slug for person in found]
    assert f"{len(found)} people found" in replies[0].text
    assert "There are no more results" in (await Visitor(url).get(f"/search?company=northwind&page={last + 1}")).text


async def test_a_search_without_a_match_says_so_and_shows_namesakes_apart(url: str):
    nobody = await Visitor(url).get(f"/search?name={quote(words.ABSENT_NAMES[0])}&company=Northwind")
    assert "No one in the directory matches your search" in nobody.text
    assert linked(nobody.text) == []
    namesakes = await Visitor(url).get("/search?name=Maria+Garcia&company=Nowhere")
    before, _, after = namesakes.text.partition("Same name at other companies")
    assert linked(before) == []
    assert len(linked(after)) == 3


async def test_what_is_asked_for_is_never_markup(url: str):
    reply = await Visitor(url).get("/search?name=%3Cscript%3Ealert(1)%3C/script%3E&company=%22%3E%3Cb%3E")
    assert "<script>alert" not in reply.text
    assert "<b>" not in reply.text


async def test_the_wall_before_profiles_opens_with_the_password():
    async with serve(options=Options(wall="profiles")) as url:
        visitor = Visitor(url)
        profile = f"/in/{PEOPLE[0].slug}"
        assert (await visitor.get("/search?name=ma")).status == 200
        refused = await visitor.get(profile)
        assert (refused.status, refused.headers["location"]) == (302, f"/login?next={quote(profile, safe='')}")
        wrong = await visitor.form("/login", user=USER, password="guess", next=profile)
        assert wrong.status == 422
        assert "do not match" in wrong.text
        assert (await visitor.get(profile)).status == 302
        right = await visitor.form("/login", user=USER, password=PASSWORD, next=profile)
        assert (right.status, right.headers["location"]) == (303, profile)
        assert (await visitor.get(profile)).status == 200
        assert (await Visitor(url).get(profile)).status == 302
        await visitor.get("/logout")
        assert (await visitor.get(profile)).status == 302


async def test_the_wall_before_the_site_shuts_pages_and_what_scripts_ask():
    async with serve(options=Options(wall="site")) as url:
        visitor = Visitor(url)
        statuses = [(await visitor.get(path)).status for path in ("/", "/search", "/companies", LIST)]
        assert statuses == [302] * 4
        assert [(await visitor.get(path)).status for path in ("/api/suggest?q=ma", f"{LIST}/rows?page=1")] == [401] * 2
        assert (await visitor.get("/login")).status == 200
        await visitor.form("/login", user=USER, password=PASSWORD, next="/")
        assert (await visitor.get("/api/suggest?q=maria+g")).text == '{"names":["Maria Garcia"]}'


@pytest.mark.parametrize("to", ["https://evil.invalid/", "//evil.invalid/", "/\\evil.invalid"])
async def test_a_sign_in_leads_nowhere_else(to: str):
    async with serve(options=Options(wall="site")) as url:
        reply = await Visitor(url).form("/login", user=USER, password=PASSWORD, next=to)
        assert reply.headers["location"] == "/"


async def test_every_third_page_may_be_too_many():
    async with serve(options=Options(limit_every=3, retry_after_s=7)) as url:
        visitor = Visitor(url)
        replies = [await visitor.get(path) for path in ("/", "/search", LIST, "/companies", "/", "/search")]
        assert [reply.status for reply in replies] == [200, 200, 429, 200, 200, 429]
        assert replies[2].headers["retry-after"] == "7"
        assert "Too many requests" in replies[2].text
        assert {(await visitor.get(path)).status for path in ("/app.css", "/static/app.js", "/api/suggest?q=ma")} == {
            200
        }


async def test_the_pages_of_a_list_have_everybody_with_repeats_and_end_empty(url: str):
    pages = listed_pages(LISTED)
    replies = [await Visitor(url).get(f"{LIST}?page={number}") for number in range(1, len(pages) + 2)]
    shown = [linked(reply.text) for reply in replies]
    assert shown == [*[[person.slug for person in one] for one in pages], []]
    assert {slug for one in shown for slug in one} == {person.slug for person in LISTED}
    assert all(f"{len(LISTED)} people work here" in reply.text for reply in replies)
    assert ['rel="next"' in reply.text for reply in replies] == [True] * len(pages) + [False]
    assert [END in reply.text for reply in replies] == [False] * len(pages) + [True]


async def test_the_specs_point_to_where_the_site_is_by_default(pytestconfig: pytest.Config):
    from practice.people.server import PORT

    for name in ("practice_people", "practice_people_list"):
        spec = json.loads((pytestconfig.rootpath / "task_specs" / f"{name}.json").read_text(encoding="utf-8"))
        assert urlsplit(spec["start_url"]).netloc == f"127.0.0.1:{PORT}"


async def test_as_a_program_it_prints_its_address_and_ends_with_ctrl_c():
    assert await run_as_program("practice.people", "--port", "0", "--wall", "site") == (302, 0, b"", b"")


# --- in a browser


async def test_a_person_is_found_with_the_keyboard_alone(url: str, page: Page):
    hosts = hosts_asked(page)
    await page.goto(url)
    await page.get_by_label("Name", exact=True).focus()
    await page.keyboard.type("maria g")
    await expect(page.get_by_role("listbox", name="Names").get_by_role("option")).to_have_text(["Maria Garcia"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Name", exact=True)).to_have_value("Maria Garcia")
    await page.keyboard.press("Tab")
    company = next(one.current_company for one in PEOPLE if one.name == "Maria Garcia")
    await page.keyboard.type(company or "")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text(f"1 person found for “Maria Garcia” at {company}")
    await page.get_by_role("list", name="Search results").get_by_role("link").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Maria Garcia")
    await expect(page.locator("dd", has_text=company)).to_have_count(1)
    assert hosts == {urlsplit(url).netloc}


async def test_a_name_stays_marked_when_a_later_answer_has_it_too(url: str, page: Page):
    may_go = asyncio.Event()

    async def hold(route: Route) -> None:
        if route.request.url.endswith("q=maria%20g"):
            await may_go.wait()
        await route.continue_()

    await page.route("**/api/suggest*", hold)
    await page.goto(url)
    name = page.get_by_label("Name", exact=True)
    await name.press_sequentially("maria ")
    option = page.get_by_role("listbox", name="Names").get_by_role("option", name="Maria Garcia")
    await expect(option).to_be_visible()
    await name.press("g")
    await name.press("ArrowDown")
    await expect(option).to_have_attribute("aria-selected", "true")
    first = await option.element_handle()
    may_go.set()
    await page.wait_for_function("option => !option.isConnected", arg=first)
    await expect(option).to_have_attribute("aria-selected", "true")
    await name.press("Enter")
    await expect(name).to_have_value("Maria Garcia")


async def test_after_signing_in_one_is_where_one_wanted_to_be(page: Page):
    async with serve(options=Options(wall="profiles")) as url:
        await page.goto(f"{url}/in/{PEOPLE[0].slug}")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in to see more")
        await page.get_by_label("Email").fill(USER)
        await page.get_by_label("Password").fill("wrong")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text("That email and password do not match.")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("main").get_by_role("button", name="Sign in").click()
        await expect(page).to_have_url(f"{url}/in/{PEOPLE[0].slug}")
        await expect(page.get_by_role("heading", level=1)).to_have_text(PEOPLE[0].name)


async def _turned(page: Page, pager: str) -> list[str]:
    """The addresses of everybody listed, in the order seen, as often as seen."""
    people = page.locator("#people a")
    seen = await people.evaluate_all("all => all.map(one => one.pathname)")
    end = page.get_by_text(END)
    while not await end.is_visible():
        first = await people.first.get_attribute("href")
        count = await people.count()
        if pager == "scroll":
            await page.mouse.wheel(0, 100_000)
        else:
            name = "Show more people" if pager == "more" else "Next"
            role = "link" if pager == "url" else "button"
            await page.get_by_role(role, name=name, exact=True).click()
        moved = "([first, count]) => { const all = document.querySelectorAll('#people a');"
        moved += " const end = document.querySelector('[data-end]:not([hidden])') || !all.length;"
        moved += " const other = end || all.length !== count || all[0].getAttribute('href') !== first;"
        moved += " return document.readyState !== 'loading' && other }"
        await page.wait_for_function(moved, arg=[first, count])
        seen += await people.evaluate_all("all => all.map(one => one.pathname)")
    return seen


@pytest.mark.parametrize("pager", PAGERS)
async def test_every_way_to_turn_the_pages_leads_to_the_same_people(url: str, page: Page, pager: str):
    await page.goto(f"{url}{LIST}?pager={pager}")
    seen = await _turned(page, pager)
    assert set(seen) == {f"/in/{person.slug}" for person in LISTED}
    assert len(seen) > len(LISTED)


# --- drift


@pytest.mark.parametrize("drift", EVERY_DRIFT.split(","))
async def test_each_drift_changes_a_page(url: str, drift: str):
    path = f"/search?name=ma&drift={drift}" if drift == "combobox" else f"/in/{PEOPLE[0].slug}?drift={drift}"
    plain = await Visitor(url).get(path.rpartition("drift=")[0] + "drift=")
    drifted = await Visitor(url).get(path)
    assert drifted.status == 200
    bare = re.sub(r'data-drift(="\w*")?', "", drifted.text)
    assert bare != re.sub(r'data-drift(="\w*")?', "", plain.text)


async def test_drift_never_changes_the_truth(url: str, page: Page):
    person = of_kind(employed=True, schooled=True)
    await page.goto(f"{url}/in/{person.slug}?drift={EVERY_DRIFT}")
    await page.get_by_role("dialog").get_by_role("button", name="Not now").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    inner = page.frame_locator("iframe")
    await expect(inner.get_by_role("heading", level=1)).to_have_text(person.name)
    names = await inner.locator("dt").all_inner_texts()
    values = await inner.locator("dd").all_inner_texts()
    shown = dict(zip(names[:6], values[:6], strict=True))
    assert set(values[:6]) == set(shown_facts(person, url).values())
    assert shown["Employer"] == person.current_company
    assert shown["Studied at"] == person.school
    assert shown["Time at employer"] == person.tenure
    assert values[6:] != values[:5]


async def test_a_drifted_search_works_like_the_other(url: str, page: Page):
    await page.goto(f"{url}/?drift=combobox,wrap,rename")
    await page.get_by_role("combobox", name="Location").click()
    await page.get_by_role("option", name="Oslo").click()
    await page.get_by_role("button", name="Find people").click()
    count = len([one for one in PEOPLE if one.location == "Oslo"])
    await expect(page.get_by_role("heading", level=1)).to_have_text(f"{count} people found")
    await expect(page.get_by_role("combobox", name="Location")).to_have_text("Oslo")


async def test_a_list_in_a_frame_opens_profiles_in_the_whole_window(url: str, page: Page):
    await page.goto(f"{url}{LIST}?drift=iframe&pager=more")
    inner = page.frame_locator("iframe")
    await inner.get_by_role("button", name="Show more people").click()
    await inner.locator("#people a").last.click()
    await expect(page).to_have_url(re.compile(r"/in/[a-z0-9-]+$"))
    await expect(inner.get_by_role("heading", level=1)).not_to_be_empty()
