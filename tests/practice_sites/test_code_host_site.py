"""The code host, its CI and its tracker, over HTTP and in a real browser."""

from __future__ import annotations

import asyncio
import html
import re
import signal
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, Route, expect

from practice.code_host import words
from practice.code_host.audit import blamed_samples
from practice.code_host.data import commits_on_main, ground_truth
from practice.code_host.model import Commit, PullRequest, Repository
from practice.code_host.server import serve
from practice.code_host.view import Origins, day
from practice.drift import KNOWN
from tests.practice_sites.site_browser import Visitor, hosts_asked

pytestmark = pytest.mark.asyncio(loop_scope="module")
WORLD = ground_truth()
REPOSITORY = WORLD.repositories[0]
ROOT = f"/harbourline/{REPOSITORY.name}"


def _audited(*, red: bool) -> tuple[Commit, PullRequest]:
    """A commit whose pull request has a ticket and an approval, and failed checks or none."""
    for commit in commits_on_main(REPOSITORY):
        one = REPOSITORY.pull_request(commit.pull_request)
        if one and one.ticket and one.approvers and bool(one.failed and one.failed[0].error) is red:
            return commit, one
    raise LookupError(red)


COMMIT, PULL = _audited(red=True)
DIRECT = next(commit for commit in REPOSITORY.commits if commit.pull_request is None)
SAMPLES = blamed_samples(REPOSITORY)
SAMPLE = SAMPLES[0]
PAGES = (
    "/",
    "/search?q=round",
    ROOT,
    f"{ROOT}/commits/main?page=2",
    f"{ROOT}/commit/{COMMIT.sha}",
    f"{ROOT}/pulls",
    f"{ROOT}/pull/{PULL.number}",
    f"{ROOT}/pull/{PULL.number}/checks",
    f"{ROOT}/pull/{PULL.number}/files",
    f"{ROOT}/blob/main/{SAMPLE.file_path}",
    f"{ROOT}/blame/main/{SAMPLE.file_path}",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sites() -> AsyncGenerator[Origins]:
    async with serve(latency_ms=0) as origins:
        yield origins


@pytest.fixture
def visitor(sites: Origins) -> Visitor:
    return Visitor(sites.code)


async def text_of(visitor: Visitor, path: str) -> str:
    """What a page says, without its tags."""
    reply = await visitor.get(path)
    assert reply.status == 200, path
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", reply.text)).split())


# --- over HTTP


@pytest.mark.parametrize("repository", WORLD.repositories, ids=lambda repository: repository.name)
async def test_the_list_holds_the_commits_in_their_order_on_pages_of_20(visitor: Visitor, repository: Repository):
    found: list[str] = []
    for number in range(1, -(-len(repository.commits) // 20) + 1):
        reply = await visitor.get(f"/harbourline/{repository.name}/commits/main?page={number}")
        listed = reply.text.partition("commit-list")[2].partition("<footer")[0]
        found += re.findall(r'commit/([0-9a-f]{40})" class="sha"', listed)
    assert found == [commit.sha for commit in repository.commits]


@pytest.mark.parametrize("number", ["0", "5", "-1", "two", "", "99999999999"])
async def test_a_page_of_the_list_that_is_not_there_is_404(visitor: Visitor, number: str):
    assert (await visitor.get(f"{ROOT}/commits/main?page={number}")).status == 404


async def test_the_list_can_be_narrowed_to_an_author(visitor: Visitor):
    login = REPOSITORY.commits[0].author
    reply = await visitor.get(f"{ROOT}/commits/main?author={login}")
    listed = reply.text.partition("commit-list")[2].partition("<footer")[0]
    own = [commit.sha for commit in REPOSITORY.commits if commit.author == login][:20]
    assert re.findall(r'commit/([0-9a-f]{40})" class="sha"', listed) == own


@pytest.mark.parametrize(
    "path",
    [
        "/nobody",
        "/harbourline/none",
        f"{ROOT}/commit/{COMMIT.sha[:7]}",
        f"{ROOT}/commit/{'0' * 40}",
        f"{ROOT}/pull/1",
        f"{ROOT}/blob/main/src/none.py",
        f"{ROOT}/blob/main/../../x",
        "/static/none.css",
        "/static/..%2fsite.py",
    ],
)
async def test_what_is_not_there_is_404_and_says_so(visitor: Visitor, path: str):
    reply = await visitor.get(path)
    assert reply.status == 404
    assert "Page not found" in reply.text


@pytest.mark.parametrize("path", ["/jobs/1", "/x"])
async def test_so_it_is_on_the_other_sites(sites: Origins, path: str):
    for url in (sites.ci, sites.tracker):
        assert (await Visitor(url).get(path)).status == 404


async def test_every_commit_page_tells_the_truth_of_its_commit(visitor: Visitor):
    for commit in REPOSITORY.commits:
        text = await text_of(visitor, f"{ROOT}/commit/{commit.sha}")
        number = f"#{commit.pull_request}" if commit.pull_request else "No pull request"
        expected = f"Commit {commit.sha} Author {words.PEOPLE[commit.author]} Committed {day(commit.committed_at)}"
        assert expected in text
        assert f"Branch main Pull request {number} " in text


async def test_every_pull_request_tells_who_made_merged_and_approved_it(visitor: Visitor):
    for one in REPOSITORY.pull_requests:
        text = await text_of(visitor, f"{ROOT}/pull/{one.number}")
        assert f"Pull request #{one.number} State Merged Opened by {one.creator} Merged by {one.merged_by}" in text
        approved = re.findall(r"(\S+) approved these changes", text)
        assert sorted(approved) == list(one.approvers)
        assert ("Resolves" in text) is (one.ticket is not None)


async def test_checks_are_told_in_words_on_some_pages_only(visitor: Visitor):
    told = {
        one.counts_in_words: await text_of(visitor, f"{ROOT}/pull/{one.number}") for one in REPOSITORY.pull_requests
    }
    assert "successful checks" in told[True]
    assert "successful" not in told[False]
    assert "checks have reported" in told[False]


async def test_checks_show_their_state_as_an_icon_and_named_ones_alone_say_it(visitor: Visitor):
    shapes: dict[str, set[str]] = {}
    for one in REPOSITORY.pull_requests:
        part = (await visitor.get(f"{ROOT}/fragment/checks/{one.number}")).text
        rows = part.split("<li>")[1:]
        assert len(rows) == len(one.checks)
        for row, check in zip(rows, one.checks, strict=True):
            assert check.name in row
            assert (f'aria-label="{check.state.capitalize()}"' in row) is check.named
            assert "title" not in row
            assert check.named or check.state not in row.casefold()
            shapes.setdefault(check.state, set()).add(re.findall(r'd="([^"]*)" fill="([^"]*)"', row)[0])
    assert {len(found) for found in shapes.values()} == {1}
    assert len(set.union(*shapes.values())) == 4


async def test_jobs_that_failed_say_why_unless_their_log_is_gone(sites: Origins):
    ci = Visitor(sites.ci)
    for check in (check for one in REPOSITORY.pull_requests for check in one.checks):
        text = await text_of(ci, f"/fragment/jobs/{check.job}")
        assert ("Job failed" in text) is (check.state == "failed" and bool(check.error))
        assert check.error in text
        assert ("no longer kept" in text) is (check.state == "failed" and not check.error)


async def test_tickets_tell_key_title_and_status(sites: Origins):
    tracker = Visitor(sites.tracker)
    for ticket in REPOSITORY.tickets:
        text = await text_of(tracker, f"/browse/{ticket.key}")
        assert f"Ticket {ticket.key} Status {ticket.status}" in text
        assert ticket.title in text


async def test_blame_tells_commit_author_and_date_of_every_line(visitor: Visitor):
    for path, lines in REPOSITORY.files.items():
        rows = (await visitor.get(f"{ROOT}/fragment/blame/{path}")).text.split("<tr")[2:]
        assert len(rows) == len(lines)
        for row, line in zip(rows, lines, strict=True):
            commit = REPOSITORY.commit_at(line.commit)
            cells = [html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<td.*?</td>", row)]
            assert cells[:3] == [commit.title, words.PEOPLE[commit.author], day(commit.committed_at)]
            assert cells[4] == line.text
            assert f"/commit/{commit.sha}" in row


async def test_search_finds_each_line_asked_about_in_its_file_only(visitor: Visitor):
    for sample in blamed_samples(REPOSITORY):
        query = "".join(f"%{byte:02x}" for byte in sample.code_string.encode())
        text = await text_of(visitor, f"/search?q={query}")
        assert "1 line found" in text
        assert f"{REPOSITORY.name}/{sample.file_path}" in text


async def test_what_is_searched_for_is_never_markup(visitor: Visitor):
    reply = await visitor.get("/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
    assert "<script>alert" not in reply.text


@pytest.mark.parametrize("path", PAGES)
async def test_nothing_comes_from_elsewhere(visitor: Visitor, sites: Origins, path: str):
    reply = await visitor.get(path)
    assert reply.headers["content-security-policy"].startswith("default-src 'self'")
    loaded = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]*)"', reply.text)
    assert loaded
    assert all(address.startswith("/") and not address.startswith("//") for address in loaded)
    linked = {urlsplit(address).netloc for address in re.findall(r'href="(http[^"]*)"', reply.text)}
    assert linked <= {urlsplit(url).netloc for url in (sites.code, sites.ci, sites.tracker)}


async def test_as_a_program_it_prints_three_addresses_writes_inputs_and_ends_with_ctrl_c(tmp_path: Path):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-m", "practice.code_host", "--inputs", str(tmp_path)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    lines = [(await asyncio.wait_for(process.stdout.readline(), 60)).decode().split() for _ in range(3)]
    statuses = [(await Visitor(url).get("/")).status for _, url in lines]
    process.send_signal(signal.SIGINT)
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert [name for name, _ in lines] == ["code", "ci", "tracker"]
    counts = {path.stem: len(path.read_text().splitlines()) - 1 for path in tmp_path.iterdir()}
    assert counts == {"practice_commit_audit": 60, "practice_blame": len(SAMPLES), "practice_commits": 1}
    assert lines[0][1] in (tmp_path / "practice_blame.csv").read_text()
    assert (statuses, process.returncode, out, err) == ([200, 200, 200], 0, b"", b"")


# --- drift, over HTTP


@pytest.mark.parametrize("switch", KNOWN)
async def test_every_switch_changes_the_pages_it_is_about(visitor: Visitor, switch: str):
    path = f"{ROOT}/commits/main" if switch == "combobox" else f"{ROOT}/commit/{COMMIT.sha}"
    plain = (await visitor.get(path)).text
    drifted = (await visitor.get(f"{path}?drift={switch}")).text
    assert drifted != plain
    assert (await visitor.get(path)).text == drifted.replace(f"?drift={switch}&amp;frame", "?frame"), "by cookie"
    assert (await visitor.get(f"{path}?drift=")).text == plain


@pytest.mark.parametrize("switch", KNOWN)
async def test_no_switch_changes_the_truth(sites: Origins, switch: str):
    code, ci, tracker = Visitor(sites.code), Visitor(sites.ci), Visitor(sites.tracker)
    frame = "&frame=1" if switch == "iframe" else ""
    text = await text_of(code, f"{ROOT}/commit/{COMMIT.sha}?drift={switch}{frame}")
    for value in (COMMIT.sha, words.PEOPLE[COMMIT.author], f"#{PULL.number} ", day(COMMIT.committed_at)):
        assert value in text
    text = await text_of(code, f"{ROOT}/pull/{PULL.number}?drift={switch}{frame}")
    assert sorted(re.findall(r"(\S+) approved these changes", text)) == list(PULL.approvers)
    checks = await text_of(code, f"{ROOT}/fragment/checks/{PULL.number}?drift={switch}")
    assert all(check.name in checks for check in PULL.checks)
    failed = PULL.failed[0]
    assert failed.error in await text_of(ci, f"/fragment/jobs/{failed.job}?drift={switch}")
    assert f"{PULL.ticket}" in await text_of(tracker, f"/browse/{PULL.ticket}?drift={switch}{frame}")


async def test_cookies_carry_drift_from_one_site_of_the_family_to_the_next(page: Page, sites: Origins):
    await page.goto(f"{sites.code}/?drift=rename")
    await page.goto(f"{sites.tracker}/browse/{PULL.ticket}")
    await expect(page.get_by_text("Owner", exact=True)).to_be_visible()


# --- in a browser


async def followed(page: Page, link: Locator) -> None:
    """By keyboard, until the page that it leads to is there whole: a key that is pressed before may be lost."""
    async with page.expect_navigation():
        await link.press("Enter")


async def test_an_audit_by_keyboard_and_label_goes_over_three_origins(page: Page, sites: Origins):
    hosts = hosts_asked(page)
    await page.goto(f"{sites.code}{ROOT}/commit/{COMMIT.sha}")
    facts = page.locator("article dl")
    await followed(page, facts.get_by_role("link", name=f"#{PULL.number}", exact=True))
    await expect(page.get_by_role("heading", level=1)).to_have_text(f"{PULL.title} #{PULL.number}")
    await followed(page, page.get_by_role("link", name="Checks", exact=True))
    failed = PULL.failed[0]
    row = page.get_by_role("listitem").filter(has=page.get_by_text(failed.name, exact=True))
    await followed(page, row.get_by_role("link", name="Details"))
    await expect(page.get_by_text(failed.error, exact=True)).to_be_visible()
    assert page.url == f"{sites.ci}/jobs/{failed.job}"
    await followed(page, page.get_by_role("link", name=f"#{PULL.number}", exact=True))
    await followed(page, page.get_by_role("link", name=str(PULL.ticket), exact=True))
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.url == f"{sites.tracker}/browse/{PULL.ticket}"
    assert hosts == {urlsplit(url).netloc for url in (sites.code, sites.ci, sites.tracker)}


async def test_a_line_is_found_and_blamed_by_keyboard(page: Page, sites: Origins):
    await page.goto(sites.code)
    await page.get_by_label("Search code").fill(SAMPLE.code_string)
    async with page.expect_navigation():
        await page.keyboard.press("Enter")
    await followed(page, page.get_by_role("link", name=f"{REPOSITORY.name}/{SAMPLE.file_path}"))
    await followed(page, page.get_by_role("link", name="Blame", exact=True))
    row = page.get_by_role("row").filter(has=page.get_by_role("cell", name=SAMPLE.code_string, exact=True))
    await expect(row).to_have_count(1)
    await expect(row.get_by_role("cell").nth(2)).to_have_text(day(SAMPLE.commit.committed_at))
    await followed(page, row.get_by_role("link"))
    await expect(page.get_by_role("heading", level=1)).to_have_text(SAMPLE.commit.title)
    await expect(page.get_by_role("cell", name=f"+ {SAMPLE.code_string}")).to_have_count(1)


async def test_older_and_newer_turn_the_pages(page: Page, sites: Origins):
    await page.goto(f"{sites.code}{ROOT}/commits/main")
    for _ in range(3):
        await page.get_by_role("link", name="Older", exact=True).click()
    await expect(page).to_have_url(re.compile(r"page=4$"))
    await expect(page.get_by_role("link", name="Older", exact=True)).to_have_count(0)
    await page.get_by_role("link", name="Newer", exact=True).click()
    await expect(page).to_have_url(re.compile(r"page=3$"))


async def test_a_tab_that_is_loaded_by_itself_says_so_until_it_is_there(page: Page, sites: Origins):
    let_go = asyncio.Event()

    async def hold(route: Route) -> None:
        await let_go.wait()
        await route.continue_()

    await page.route("**/fragment/**", hold)
    await page.goto(f"{sites.code}{ROOT}/pull/{PULL.number}/checks")
    await expect(page.get_by_text("Loading…")).to_have_count(1)
    await expect(page.get_by_text(PULL.checks[0].name, exact=True)).to_have_count(0)
    let_go.set()
    await expect(page.get_by_text(PULL.checks[0].name, exact=True)).to_be_visible()
    await expect(page.get_by_text("Loading…")).to_have_count(0)


async def test_a_native_select_goes_where_its_option_says(page: Page, sites: Origins):
    await page.goto(f"{sites.code}{ROOT}/commits/main")
    login = REPOSITORY.commits[0].author
    await page.get_by_label("Author filter").select_option(words.PEOPLE[login])
    await expect(page).to_have_url(re.compile(f"author={login}$"))


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
async def test_a_combobox_goes_there_too(page: Page, sites: Origins, by: str):
    await page.goto(f"{sites.code}{ROOT}/commits/main?drift=combobox")
    box = page.get_by_role("combobox", name="Author filter")
    options = page.get_by_role("listbox", name="Author filter").get_by_role("option")
    logins = sorted({commit.author for commit in REPOSITORY.commits})
    if by == "mouse":
        await box.click()
        await options.nth(2).click()
    else:
        await box.press("ArrowDown")
        await expect(box).to_have_attribute("aria-expanded", "true")
        for key in ("ArrowDown", "ArrowDown", "Enter"):
            await page.keyboard.press(key)
    await expect(page).to_have_url(re.compile(f"author={logins[1]}$"))
    await expect(page.locator("select")).to_have_count(0)


async def test_the_dialog_comes_once_and_can_be_closed_by_keyboard(page: Page, sites: Origins):
    await page.goto(f"{sites.code}{ROOT}?drift=popup")
    dialog = page.get_by_role("dialog", name="There is something new")
    await expect(dialog.get_by_role("button", name="Not now")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await page.goto(f"{sites.code}{ROOT}/pulls")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(dialog).to_have_count(0)


async def test_in_a_frame_the_page_is_whole_and_its_links_turn_the_page(page: Page, sites: Origins):
    await page.goto(f"{sites.code}{ROOT}/commit/{COMMIT.sha}?drift=iframe")
    await expect(page.get_by_text(COMMIT.sha)).to_have_count(0)
    frame = page.frame_locator("iframe")
    await expect(frame.get_by_text(COMMIT.sha)).to_be_visible()
    await frame.locator("article").get_by_role("link", name=f"#{PULL.number}", exact=True).click()
    await expect(page).to_have_url(f"{sites.code}{ROOT}/pull/{PULL.number}")
    await expect(frame.get_by_role("heading", level=1)).to_have_text(f"{PULL.title} #{PULL.number}")


async def test_other_elements_and_names_look_the_same(page: Page, sites: Origins):
    async def looks() -> list[object]:
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        return await page.evaluate(
            "[...document.querySelectorAll('h1, dt, dd, a')].map(e => { const b = e.getBoundingClientRect();"
            " return [Math.round(b.x), Math.round(b.y), Math.round(b.width), getComputedStyle(e).color] })"
        )

    path = f"{sites.code}{ROOT}/commit/{COMMIT.sha}"
    await page.goto(path)
    plain = await looks()
    await page.goto(f"{path}?drift=wrap")
    assert await looks() == plain
    await expect(page.locator(".commit")).to_have_count(0)


async def test_look_alikes_stand_beside_the_record_under_the_same_labels(page: Page, sites: Origins):
    await page.goto(f"{sites.code}{ROOT}/commit/{COMMIT.sha}?drift=lookalike")
    shown = await page.locator("dl code").all_inner_texts()
    assert shown[0] == COMMIT.sha
    assert len(shown) == 2
    assert shown[1] != COMMIT.sha
    assert shown[1][:8] == COMMIT.sha[:8]
    await expect(page.get_by_text(f"#{PULL.number}1", exact=True)).to_be_visible()


async def test_everything_that_can_be_used_has_a_name(page: Page, sites: Origins):
    for url in [*(f"{sites.code}{path}" for path in PAGES), sites.ci, sites.tracker]:
        await page.goto(url)
        await expect(page.locator("[aria-busy=true]")).to_have_count(0)
        nameless = await page.evaluate(
            "[...document.querySelectorAll('a, button, input, select')].filter(e =>"
            " !e.textContent.trim() && !e.labels?.length && !e.getAttribute('aria-label')).map(e => e.outerHTML)"
        )
        assert nameless == []
        await expect(page.get_by_role("heading", level=1)).to_have_count(1)
