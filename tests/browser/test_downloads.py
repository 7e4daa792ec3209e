"""Downloads: requested or not, large, empty, truncated, with hostile names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.downloads.tracker import LOCK, process_folder_path
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.artifacts import discard
from services.browser_pool.ports import Capture, PerformedAction
from shared.contracts.actions import ByText, Click, Download, Goto, Wait
from shared.contracts.results import Captured, FileContent, Navigated, PageChanged
from tests.browser.conftest import LIMITS, Look
from tests.browser.site import LOOPBACK, Site
from tests.waiting import until

ATTACHED = {"content-disposition": "attachment"}
ZIP = {"content_type": "application/zip", "headers": ATTACHED}


def text(words: str) -> ByText:
    return ByText(text=words)


def data_of(capture: Capture) -> bytes:
    assert isinstance(capture.data, Path)
    return capture.data.read_bytes()


def files_left() -> list[Path]:
    """What lies on the disk of files that nobody has taken."""
    return [path for path in process_folder_path().rglob("*") if path.is_file() and path.name != LOCK]


async def nothing_left() -> None:
    """Soon: the browser puts a file that is just over aside by itself, and that may come after we have removed it."""
    await asyncio.to_thread(until, lambda: not files_left(), "that nothing is left on the disk")


@pytest.fixture(autouse=True)
def clean_disk() -> None:
    for path in files_left():
        path.unlink()


async def download(session: PageSession, site: Site, html: str) -> PerformedAction:
    await session.act(Goto(url=site.add("/with-a-link", html)))
    return await session.act(Download(target=text("File"), label="file"))


async def kept_of(session: PageSession, acted: PerformedAction, count: int) -> list[Capture]:
    """What a script gives and a slow machine has not begun when its action ends comes with the next."""
    kept = list(acted.captures)
    while len(kept) < count:
        kept.extend((await session.act(Wait())).captures)
    return kept


async def test_a_file_comes_down_with_its_name(session: PageSession, site: Site) -> None:
    named = {"content-disposition": 'attachment; filename="r.csv"'}
    site.add("/f", b"a,b\n1,2\n", content_type="text/csv", headers=named)
    acted = await download(session, site, "<a href=/f>File</a>")
    assert (acted.result.ok, acted.result.effect) == (True, Captured())
    (capture,) = acted.captures
    assert (capture.label, capture.original_name, capture.suffix) == ("file", "r.csv", ".csv")
    assert (capture.media_type, capture.source_url) == ("text/csv", f"{site.url}/f")
    assert data_of(capture) == b"a,b\n1,2\n"


async def test_an_address_that_is_a_file_is_no_page_and_the_file_is_kept(session: PageSession, site: Site) -> None:
    site.add("/f.csv", b"a,b\n", content_type="text/csv", headers=ATTACHED)
    acted = await session.act(Goto(url=f"{site.url}/f.csv"))
    assert (acted.result.ok, acted.result.code) == (False, "failed")
    assert [data_of(capture) for capture in acted.captures] == [b"a,b\n"]
    assert 'is kept as "f"' in acted.result.message


async def test_an_empty_file_is_kept_and_marked(session: PageSession, site: Site) -> None:
    site.add("/empty.zip", b"", **ZIP)
    acted = await download(session, site, "<a href=/empty.zip>File</a>")
    assert acted.result.ok
    assert [data_of(capture) for capture in acted.captures] == [b""]
    assert [capture.content for capture in acted.captures] == [
        FileContent(kind="empty", problem="empty", told="it has no bytes")
    ]
    assert acted.result.message.endswith("; the file is kept, but it has no bytes")


async def test_a_page_that_its_header_calls_a_pdf_is_no_pdf(session: PageSession, site: Site) -> None:
    # Without a suffix the name says nothing: what the response was called is all there is.
    named = {"content-disposition": "attachment; filename=export"}
    site.add("/export", b"<!doctype html><p>Not ready", content_type="application/pdf", headers=named)
    acted = await download(session, site, "<a href=/export>File</a>")
    (capture,) = acted.captures
    assert capture.content is not None
    assert (capture.content.kind, capture.content.problem, capture.media_type) == ("html", "other_kind", "text/html")


async def test_a_file_that_is_announced_too_large_is_not_kept(session: PageSession, site: Site) -> None:
    site.add("/big", b"x" * (LIMITS.download_bytes + 1), **ZIP)
    acted = await download(session, site, "<a href=/big>File</a>")
    assert (acted.result.ok, acted.result.code, acted.captures) == (False, "too_large", ())
    # Here it may be on the disk whole before the browser says how large it is to be.
    larger = f"{LIMITS.download_bytes + 1}"
    assert f"{larger} bytes were announced" in acted.result.message or f"stopped at {larger}" in acted.result.message
    await nothing_left()


async def test_a_file_without_end_is_cut_off_while_it_comes(session: PageSession, site: Site) -> None:
    sent = [0]

    async def endless() -> AsyncIterator[bytes]:
        while sent[0] < 5_000_000_000:
            sent[0] += 100_000
            yield b"x" * 100_000

    site.add("/endless", b"", stream=endless, **ZIP)
    acted = await download(session, site, "<a href=/endless>File</a>")
    assert (acted.result.ok, acted.result.code, acted.captures) == (False, "too_large", ())
    assert f"larger than the {LIMITS.download_bytes} bytes allowed (it was stopped at " in acted.result.message
    assert sent[0] < 5_000_000_000
    await nothing_left()


async def test_a_file_of_exactly_the_limit_and_no_announced_length_is_kept(session: PageSession, site: Site) -> None:
    async def stream() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b"x" * (LIMITS.download_bytes // 10)

    site.add("/exact.zip", b"", stream=stream, **ZIP)
    acted = await download(session, site, "<a href=/exact.zip>File</a>")
    assert acted.result.ok
    assert len(data_of(acted.captures[0])) == LIMITS.download_bytes


async def test_a_file_that_breaks_off_is_no_file(session: PageSession, site: Site) -> None:
    headers = {**ATTACHED, "content-length": "5000"}
    site.add("/cut.zip", b"x" * 1000, content_type="application/zip", headers=headers)
    acted = await download(session, site, "<a href=/cut.zip>File</a>")
    assert (acted.result.ok, acted.result.code, acted.captures) == (False, "no_file", ())
    assert '"cut.zip" was interrupted after 1000 of 5000 bytes' in acted.result.message
    await nothing_left()


async def test_a_file_that_does_not_come_on_is_given_up(session: PageSession, site: Site) -> None:
    headers = {**ATTACHED, "content-length": "5000"}

    async def stuck() -> AsyncIterator[bytes]:
        yield b"x"
        await site.asked_for("/go-on").wait()

    site.add("/stuck.zip", b"", stream=stuck, content_type="application/zip", headers=headers)
    await session.act(Goto(url=site.add("/with-a-link", "<a href=/stuck.zip>File</a>")))
    session.limits = replace(session.limits, navigation_s=0.5)
    acted = await session.act(Download(target=text("File"), label="file"))
    assert (acted.result.ok, acted.result.code, acted.captures) == (False, "timeout", ())
    assert "after 1 of 5000 bytes" in acted.result.message
    await nothing_left()
    site.asked_for("/go-on").set()


async def test_no_file(session: PageSession, site: Site) -> None:
    acted = await download(session, site, "<a href=/no-such-file>File</a>")
    assert (acted.result.ok, acted.result.code) == (False, "no_file")
    other = site.add("/another-page", "<h1>Another page</h1>")
    acted = await download(session, site, f"<a href={other}>File</a>")
    assert (acted.result.ok, acted.result.code) == (False, "no_file")


async def test_a_path_is_one_name_and_a_long_name_keeps_its_suffix(session: PageSession, site: Site) -> None:
    for given, name in (("../../etc/passwd", "_.._etc_passwd"), (f"{'n' * 5000}.csv", ".csv")):
        site.add("/named", b"x", content_type="x/y", headers={"content-disposition": f'attachment; filename="{given}"'})
        (capture,) = (await download(session, site, "<a href=/named>File</a>")).captures
        assert capture.original_name is not None
        assert (capture.original_name[-len(name) :], len(capture.original_name) <= 255) == (name, True)


async def test_what_the_browser_would_rather_show_is_kept(session: PageSession, site: Site) -> None:
    site.add("/log.txt", b"line 1\n", content_type="text/plain")
    site.add("/r.pdf", b"%PDF-1.4\n", content_type="application/pdf")
    for target in ("", " target=_blank"):
        shown = await download(session, site, f"<a href=/log.txt{target}>File</a>")
        assert shown.result.ok, shown.result.message
        assert [(data_of(one), one.original_name) for one in shown.captures] == [(b"line 1\n", "log.txt")]
        assert "asked for once more" in shown.result.message
        assert session.page.url == f"{site.url}/with-a-link"
        assert len(session.tabs.open_pages()) == 1
        pdf = await download(session, site, f"<a href=/r.pdf{target}>File</a>")
        assert pdf.result.ok
        assert [data_of(one) for one in pdf.captures] == [b"%PDF-1.4\n"]
        assert session.page.url == f"{site.url}/with-a-link"
        assert len(session.tabs.open_pages()) == 1


SANDBOXED = {"content-security-policy": "sandbox; default-src 'none'", "content-disposition": "inline"}


@pytest.mark.parametrize("target", ["", " target=_blank"])
async def test_what_the_browser_shows_in_a_sandbox_is_kept(session: PageSession, site: Site, target: str) -> None:
    """As sites show what people have uploaded: such a document may not bring a file itself."""
    site.add("/known.json", b'{"a": 1}', content_type="application/json", headers=SANDBOXED)
    shown = await download(session, site, f"<a href=/known.json{target}>File</a>")
    by_address = await session.act(Goto(url=f"{site.url}/known.json", keep=True))
    for acted in (shown, by_address):
        assert [(data_of(one), one.original_name) for one in acted.captures] == [(b'{"a": 1}', "known.json")]
        assert (session.page.url, len(session.tabs.open_pages())) == (f"{site.url}/with-a-link", 1)


async def test_what_a_form_was_answered_with_is_not_asked_for_twice(session: PageSession, site: Site) -> None:
    site.add("/answer.txt", b"done", content_type="text/plain")
    acted = await download(session, site, "<form method=post action=/answer.txt><button>File</button></form>")
    assert (acted.result.ok, acted.result.code) == (False, "no_file")
    assert "cannot be asked for twice" in acted.result.message


SAVE = "const a = document.createElement('a'); a.href = {href}; a.download = '{name}'; a.click();"


async def test_files_that_scripts_make(look: Look, session: PageSession, site: Site) -> None:
    await session.act(Goto(url=site.add("/blank", "<p>Blank")))
    for href in ("window.URL.createObjectURL(new Blob(['made here']))", "'data:text/plain,made%20here'"):
        script = SAVE.format(href=href, name="made.txt")
        await look(f'<button onclick="{script}">File</button>')
        acted = await session.act(Download(target=text("File")))
        assert [(data_of(one), one.original_name) for one in acted.captures] == [(b"made here", "made.txt")]


async def test_a_file_that_comes_unasked_is_kept_and_told(session: PageSession, site: Site) -> None:
    site.add("/export.csv", b"a\n", content_type="text/csv", headers=ATTACHED)
    await session.act(Goto(url=site.add("/exports", "<a href=/export.csv>Export</a>")))
    acted = await session.act(Click(target=text("Export")))
    assert (acted.result.ok, acted.result.effect) == (True, Captured())
    assert 'the file "export.csv" came down (2 bytes) and is kept as "export"' in acted.result.message
    assert "nothing was seen" not in acted.result.message
    assert [(one.label, data_of(one)) for one in acted.captures] == [("export", b"a\n")]


async def test_a_file_that_is_told_of_late_comes_with_the_click_that_led_to_it(
    session: PageSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.add("/export.csv", b"a\n", content_type="text/csv", headers=ATTACHED)
    await session.act(Goto(url=site.add("/exports", "<a href=/export.csv>Export</a>")))
    files, adopt = session.files, session.files._accept

    def late(guid: str) -> None:
        if guid in files._own and guid in files._announced:
            asyncio.get_running_loop().call_later(0.2, adopt, guid)

    monkeypatch.setattr(files, "_accept", late)
    acted = await session.act(Click(target=text("Export")))
    assert (acted.result.ok, acted.result.effect) == (True, Captured())
    assert [data_of(one) for one in acted.captures] == [b"a\n"]


async def test_a_file_from_a_tab_of_its_own_leaves_no_empty_tab(session: PageSession, site: Site) -> None:
    site.add("/export.csv", b"a\n", content_type="text/csv", headers=ATTACHED)
    page = site.add("/exports2", "<a href=/export.csv target=_blank>Export</a>")
    await session.act(Goto(url=page))
    acted = await session.act(Click(target=text("Export")))
    assert (acted.result.ok, acted.result.effect) == (True, Captured())
    assert len(acted.captures) == 1
    assert acted.result.change.url_after == page
    assert len(session.tabs.open_pages()) == 1


async def test_a_file_beside_a_change_of_the_page(look: Look, session: PageSession, site: Site) -> None:
    await session.act(Goto(url=site.add("/blank", "<p>Blank")))
    script = SAVE.format(href="'data:text/csv,a'", name="d.csv")
    await look(f"<p id=out></p><button onclick=\"out.textContent = 'Exported'; {script}\">Export</button>")
    acted = await session.act(Click(target=text("Export")))
    assert acted.result.effect == PageChanged()
    assert len(await kept_of(session, acted, 1)) == 1


async def test_several_files_of_one_click_are_all_kept(look: Look, session: PageSession, site: Site) -> None:
    await session.act(Goto(url=site.add("/blank", "<p>Blank")))
    script = "for (let n = 0; n < 4; n += 1) { " + SAVE.format(href="'data:text/csv,' + n", name="d.csv") + " }"
    await look(f'<button onclick="{script}">File</button>')
    acted = await session.act(Click(target=text("File")))
    asked = await session.act(Download(target=text("File"), label="mine"))
    assert asked.result.ok
    assert "mine" in [one.label for one in asked.captures]
    kept = [*asked.captures, *await kept_of(session, acted, 8 - len(asked.captures))]
    assert sorted(data_of(one) for one in kept) == [b"0", b"0", b"1", b"1", b"2", b"2", b"3", b"3"]


async def test_no_more_files_than_one_action_may_bring(look: Look, session: PageSession, site: Site) -> None:
    await session.act(Goto(url=site.add("/blank", "<p>Blank")))
    save = SAVE.format(href="'data:text/csv,' + n", name="d.csv")
    script = f"for (let n = 0; n < 30; n += 1) setTimeout(() => {{ {save} }}, 20 * n)"
    await look(f'<button onclick="{script}">File</button>')
    acted = await session.act(Click(target=text("File")))
    assert acted.result.ok
    assert len(acted.captures) <= 20


async def test_files_of_one_action_are_bounded_together(look: Look, session: PageSession, site: Site) -> None:
    await session.act(Goto(url=site.add("/blank", "<p>Blank")))
    make = f"window.URL.createObjectURL(new Blob(['x'.repeat({LIMITS.download_bytes // 2 + 1})]))"
    script = "fetch('/held'); for (let n = 0; n < 2; n += 1) { " + SAVE.format(href=make, name="half.zip") + " }"
    # A slow machine has not begun them when a page comes to rest; this one does not before they are.
    site.add("/held", b"", gate=(gate := asyncio.Event()))
    both = asyncio.create_task(session.files.more_than(1, 30))
    both.add_done_callback(lambda _: gate.set())
    await look(f'<button onclick="{script}">File</button>')
    acted = await session.act(Click(target=text("File")))
    await both
    assert len(acted.captures) == 1
    assert '"half.zip" and the files before it are larger' in acted.result.message


async def test_what_was_downloaded_can_be_found_under_its_label(session: PageSession, site: Site) -> None:
    site.add("/r.csv", b"a,b\n", content_type="text/csv", headers=ATTACHED)
    acted = await download(session, site, "<a href=/r.csv>File</a>")
    discard(acted.captures[0])
    kept = session.files.named("file")
    assert kept is not None
    assert (kept.name, kept.read_bytes()) == ("r.csv", b"a,b\n")
    assert session.files.named("other") is None


async def test_sessions_get_their_own_files_and_leave_none(chromium: Chromium, site: Site) -> None:
    site.add("/r.csv", b"a,b\n", content_type="text/csv", headers=ATTACHED)
    first, second = await chromium.open_session(LOOPBACK), await chromium.open_session(LOOPBACK)
    await second.act(Goto(url=site.add("/quiet", "<a href=/quiet>Quiet</a>")))
    acted = await download(first, site, "<a href=/r.csv>File</a>")
    quiet = await second.act(Click(target=text("Quiet")))
    assert (len(acted.captures), quiet.captures) == (1, ())
    assert isinstance(quiet.result.effect, Navigated)
    await first.close()
    assert data_of(acted.captures[0]) == b"a,b\n"
    discard(acted.captures[0])
    await second.close()
    await nothing_left()


@pytest.mark.parametrize(
    ("kind", "data"), [("text/plain", b"line 1\n"), ("application/pdf", b"%PDF-1.4\n"), ("image/png", b"\x89PNG\r\n")]
)
async def test_an_address_whose_file_the_browser_shows_is_kept_where_a_file_is_asked_for(
    session: PageSession, site: Site, kind: str, data: bytes
) -> None:
    name = f"shown.{kind[-3:]}"
    site.add(f"/{name}", data, content_type=kind)
    before = site.add("/before", "<h1>Before</h1>")
    await session.act(Goto(url=before))
    acted = await session.act(Goto(url=f"{site.url}/{name}", keep=True))
    assert [(one.original_name, data_of(one)) for one in acted.captures] == [(name, data)]
    assert acted.result.effect in (Captured(), None) or not acted.result.ok
    assert session.page.url == before


async def test_an_address_that_is_a_page_brings_no_file(session: PageSession, site: Site) -> None:
    acted = await session.act(Goto(url=site.add("/a-page", "<h1>Page</h1>"), keep=True))
    assert (acted.result.ok, acted.captures) == (True, ())
    assert session.page.url == f"{site.url}/a-page"
