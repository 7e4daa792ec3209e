"""What is stored with a screenshot: the page and its observation, of the same moment."""

from __future__ import annotations

import asyncio
import email
import re
from datetime import UTC, datetime
from email.message import Message
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote

import msgspec
import pytest

from services.browser_pool.adapters.archive import page_archive
from services.browser_pool.adapters.browser.chromium import Chromium, PoolSession
from services.browser_pool.adapters.observe.targets import KEPT_SNAPSHOTS
from services.browser_pool.files.captures import PackedPage, pack_page
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import CaptureFailed, PageCapture, SessionTerms, WantedRefs
from shared.contracts.actions import (
    BrowserAction,
    ByCss,
    Click,
    Goto,
    Screenshot,
    ScreenshotElement,
    TypeSecret,
)
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Viewport
from shared.evidence_format.files.sample import StoredObservation
from shared.zstd import unpack_zstd
from tests.browser.conftest import ODD, Look
from tests.browser.site import Site

TICKET = """<title>TCK-1</title><h1>TCK-1</h1><dl><dt>Owner</dt><dd id=owner>Ann</dd></dl>
<iframe srcdoc='<p>in the frame</p>'></iframe><div id=host></div>
<script>host.attachShadow({mode: 'closed'}).innerHTML = '<b>in the shadow</b>'</script>"""


async def kept(session: PoolSession, *known: str, wanted: WantedRefs | None = None) -> PageCapture:
    page = await session.capture(known, wanted or WantedRefs())
    assert isinstance(page, PageCapture), page
    return page


async def shot(session: PoolSession, action: BrowserAction) -> PageCapture:
    acted = await session.act(action)
    assert acted.result.ok, acted.result.message
    assert isinstance(acted.page, PageCapture), acted.page
    return acted.page


def itself(page: PageCapture) -> Message:
    assert page.file is not None
    return email.message_from_bytes(page.file)


def texts(message: Message) -> list[str]:
    """Its parts, decoded."""
    payloads = [part.get_payload(decode=True) for part in message.walk() if not part.is_multipart()]
    return [payload.decode("utf-8", "replace") for payload in payloads if isinstance(payload, bytes)]


def unpacked(files: PackedPage) -> tuple[bytes, StoredObservation]:
    page, observation = (unpack_zstd(_bytes(one.data), 10**8) for one in files.captures)
    return page, msgspec.json.decode(observation, type=StoredObservation)


def _bytes(data: bytes | Path) -> bytes:
    assert isinstance(data, bytes)
    return data


def element(page: PageObserved, text: str) -> Element:
    return next(one for one in page.elements if one.name == text)


async def test_a_picture_brings_the_page_and_what_is_read_of_it(look: Look, session: PoolSession, site: Site) -> None:
    headers = {"x-served-by": "one", "set-cookie": "login=hunter2", "x-csrf-token": "letmein"}
    url = site.add("/kept", f"<html lang=de>{TICKET}", headers=headers)
    await session.act(Goto(url=url))
    seen = await look(max_tokens=10)
    before = datetime.now(UTC)  # clock: compared with the time of the capture
    page = await shot(session, Screenshot(label="ticket"))
    assert before <= page.taken_at <= datetime.now(UTC)  # clock: the same
    assert page.sha256 == seen.sha256
    assert (page.raw.url, page.raw.title, page.raw.http_status) == (url, "TCK-1", 200)
    assert page.viewport == Viewport(width_px=1280, height_px=900)
    assert page.problems == ()
    stored = "\n".join(texts(itself(page)))
    assert all(words in stored for words in ("Ann", "in the frame", "in the shadow"))
    files = pack_page(page, "ticket", "c1", "Chromium 1", ())
    data, observation = unpacked(files)
    assert data == page.file
    names = [one.name for one in observation.elements]
    assert {"TCK-1", "Owner", "Ann", "in the frame", "in the shadow"} <= set(names)
    assert len(names) > len(seen.elements)
    assert (observation.capture, observation.lang) == (files.facts, "de")
    assert [(one.kind, one.suffix, one.label) for one in files.captures] == [
        ("page", ".mhtml.zst", "ticket"),
        ("observation", ".observation.json.zst", "ticket"),
    ]
    told = dict(observation.headers)
    assert told["x-served-by"] == "one"
    assert "hunter2" not in str(observation) + stored
    assert told["x-csrf-token"] == "(hidden)"


@pytest.mark.parametrize("scrolled", [0, 500])
async def test_an_element_lies_where_its_picture_says(look: Look, session: PoolSession, scrolled: int) -> None:
    style = "margin:0;position:absolute;left:40px;top:700px;width:100px;height:50px;background:red"
    await look(f"<body style='margin:0;height:3000px'><p id=p style='{style}'>Here</p>")
    await session.page.evaluate(f"scrollTo(0, {scrolled})")
    whole = (await session.act(Screenshot(label="a"))).captures[0].area
    view = (await session.act(Screenshot(label="b", full_page=False))).captures[0].area
    acted = await session.act(ScreenshotElement(label="c", target=ByCss(css="#p")))
    alone, page = acted.captures[0].area, acted.page
    assert whole is not None
    assert view is not None
    assert (whole.x, whole.y, whole.width, whole.height) == (0, 0, 1280, 3000)
    assert (view.x, view.y, view.width, view.height) == (0, scrolled, 1280, 900)
    assert isinstance(page, PageCapture)
    box = next(one for one in page.raw.seen if one.item.name == "Here")
    assert alone is not None
    assert (alone.x, alone.y, alone.width, alone.height) == (40, 700, 100, 50)
    assert (box.x, round(box.y)) == (40, 700)


async def test_a_known_page_is_looked_at_and_not_kept_again(look: Look, session: PoolSession) -> None:
    seen = await look(TICKET)
    again = await kept(session, seen.sha256)
    assert (again.known, again.file) == (True, None)
    files = pack_page(again, "x", "c1", "b", ())
    assert files.captures == ()
    await session.page.evaluate("owner.textContent = 'Bob'")
    other = await kept(session, seen.sha256)
    assert (other.known, other.file is None) == (False, False)


async def test_elements_of_an_earlier_look_are_found_as_they_are_now(look: Look, session: PoolSession) -> None:
    seen = await look("<p id=a>Ann</p><p id=b>Bob</p><p id=c>Cid</p><iframe srcdoc='<p>Dan</p>'></iframe>")
    refs = {name: element(seen, name).ref for name in ("Ann", "Bob", "Cid", "Dan")}
    await session.page.evaluate("""() => {
      a.textContent = 'Amy'; b.outerHTML = '<p id=b>Bob</p>'; c.remove(); document.body.prepend('first of all') }""")
    page = await kept(session, wanted=WantedRefs(seen.snapshot_id, tuple(refs.values())))
    found = dict(page.found)
    names = {name: seen.item.name if (seen := found[ref]) is not None else None for name, ref in refs.items()}
    assert names == {"Ann": "Amy", "Bob": "Bob", "Cid": None, "Dan": "Dan"}
    drawn_anew = found[refs["Bob"]]
    assert drawn_anew is not None
    assert ("id", "#b", 1) in drawn_anew.item.locators
    assert drawn_anew in [one.located(drawn_anew.item.locators) for one in page.raw.seen]
    in_frame = found[refs["Dan"]]
    assert in_frame is not None
    assert in_frame.frame == "about:srcdoc"


async def test_what_was_drawn_anew_twice_is_no_element_at_all(look: Look, session: PoolSession) -> None:
    seen = await look("<div id=x><p>Ann</p></div>")
    await session.page.evaluate("x.innerHTML = '<p>Ann</p><p>Ann</p>'")
    page = await kept(session, wanted=WantedRefs(seen.snapshot_id, (element(seen, "Ann").ref,)))
    assert [where for _, where in page.found] == [None]


async def test_refs_of_another_document_are_gone(look: Look, session: PoolSession, site: Site) -> None:
    seen = await look("<p>Ann</p>")
    await session.act(Goto(url=site.add("/next", "<p>Ann</p>")))
    page = await kept(session, wanted=WantedRefs(seen.snapshot_id, (1, 99)))
    assert page.found == ((1, None), (99, None))
    unknown = await kept(session, wanted=WantedRefs("never", (1,)))
    assert unknown.found == ((1, None),)


async def test_keeping_pushes_no_earlier_look_out(look: Look, session: PoolSession) -> None:
    seen = await look("<button>Go</button>")
    for _ in range(KEPT_SNAPSHOTS):
        await kept(session)
    found = await kept(session, wanted=WantedRefs(seen.snapshot_id, (1,)))
    assert [where is not None for _, where in found.found] == [True]


# --- pages that are hard to keep


async def test_a_page_with_a_clock_is_another_one_at_each_look(look: Look, session: PoolSession) -> None:
    seen = await look(
        "<p id=t>0</p><dl><dt>Owner</dt><dd>Ann</dd></dl><script>setInterval(() => t.textContent++, 5)</script>"
    )
    now = await session.page.evaluate("+t.textContent")
    await session.page.wait_for_function("now => +t.textContent > now", arg=now)  # a busy machine's clocks stand still
    page = await kept(session, seen.sha256, wanted=WantedRefs(seen.snapshot_id, (element(seen, "Ann").ref,)))
    assert (page.known, page.problems) == (False, ())
    assert page.file is not None
    ((_, owner),) = page.found
    assert owner is not None
    assert owner.item.name == "Ann"


async def test_a_page_of_40_mb_is_not_kept_and_what_is_read_of_it_is(look: Look, session: PoolSession) -> None:
    await look("<p>Small</p><pre id=big hidden></pre>")
    await session.page.evaluate("big.textContent = 'x'.repeat(4e7)")
    page = await kept(session)
    assert page.file is None
    assert page.problems == ("the page itself is not kept: it is of 38 MiB, and 32 may be",)
    files = pack_page(page, "x", "c1", "b", ())
    assert [one.kind for one in files.captures] == ["observation"]
    assert files.problems == page.problems
    await session.page.evaluate("big.remove()")


async def test_a_page_that_turns_out_too_large_is_not_kept(
    look: Look, session: PoolSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await look("<p>é</p>" * 100)
    markup = await session.page.evaluate("document.documentElement.outerHTML.length")
    monkeypatch.setattr(page_archive, "MAX_FILE_BYTES", markup + 100)
    page = await kept(session)
    assert page.file is None
    assert "not kept" in page.problems[0]


async def test_a_page_that_waits_for_an_answer_is_not_kept(look: Look, session: PoolSession) -> None:
    await look("<button onclick=\"confirm('Sure?')\">Ask</button>")
    await session.act(Click(target=ByCss(css="button")))
    assert await session.capture() == CaptureFailed("a dialog of the page waits for an answer")


async def test_a_page_that_does_not_answer_is_not_kept_and_holds_nobody_up(
    look: Look, session: PoolSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await look("<p>Stuck</p>")
    monkeypatch.setattr(page_archive, "TIMEOUT_S", 0.3)
    task = asyncio.ensure_future(session.page.evaluate("const end = Date.now() + 1500; while (Date.now() < end);"))
    assert await session.capture() == CaptureFailed("the page did not answer in time")
    await task


async def test_a_page_that_keeps_moving_on_is_not_kept(
    look: Look, session: PoolSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await look("<p>Here</p>")
    whole = page_archive._mhtml_file

    async def moves_on(worlds: page_archive.Worlds, reckoned_bytes: int) -> tuple[bytes | None, tuple[str, ...]]:
        file = await whole(worlds, reckoned_bytes)
        await session.page.evaluate("history.pushState(0, '', '#' + Math.random())")
        return file

    monkeypatch.setattr(page_archive, "_mhtml_file", moves_on)
    assert await session.capture() == CaptureFailed("the page moved on to another one while it was kept")


async def test_pictures_that_came_with_a_page_count_before_it_is_written(
    look: Look, session: PoolSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.add(
        "/big.svg",
        b"<svg xmlns='http://www.w3.org/2000/svg'><!--" + b"x" * 50_000 + b"--></svg>",
        content_type="image/svg+xml",
    )
    await session.act(Goto(url=site.add("/pictured", "<p>Here</p><img src=/big.svg>")))
    assert (await kept(session)).problems == ()
    monkeypatch.setattr(page_archive, "MAX_FILE_BYTES", 40_000)

    async def never(*_: object, **__: object) -> dict[str, object]:
        raise AssertionError

    worlds = await page_archive.engine.worlds(session.page)
    monkeypatch.setattr(worlds, "send_command", never)
    assert "not kept" in (await kept(session)).problems[0]


async def test_frames_of_other_sites_are_kept_too(chromium: Chromium, site: Site) -> None:
    hosts = ("127.0.0.1", "localhost")
    session = await chromium.open_session(SessionTerms(allowed_hosts=hosts, private_hosts=hosts))
    elsewhere = site.url.replace("127.0.0.1", "localhost")
    site.add("/theirs", "<p>of another site</p>")
    await session.act(Goto(url=site.add("/ours", f"<p>ours</p><iframe src={elsewhere}/theirs></iframe>")))
    seen = compose(await session.observe("s1"), "s1")
    page = await kept(session, wanted=WantedRefs("s1", (element(seen, "of another site").ref,)))
    assert any("of another site" in text for text in texts(itself(page)))
    ((_, found),) = page.found
    assert found is not None
    assert found.item.name == "of another site"
    await session.close()


# --- secrets

STANDS = """<meta charset=utf-8><title>T</title><p id=text></p><p id=parted></p><p id=attribute></p><a id=link>there</a>
<input id=typed type=password><input id=copy><iframe id=frame></iframe><iframe id=other></iframe>
<script>const secret = decodeURIComponent(location.hash.slice(1)); history.replaceState(0, '', location.pathname);
text.textContent = 'x'.repeat(TIMES) + secret; attribute.title = secret;
parted.append(secret.slice(0, 9)); parted.appendChild(document.createElement('b')).textContent = secret.slice(9);
link.href = '/?q=' + encodeURIComponent(secret); copy.setAttribute('value', secret);
const shown = document.createElement('p'); shown.textContent = secret; shown.setAttribute('data-x', secret);
frame.srcdoc = shown.outerHTML; other.src = 'data:text/html;charset=utf-8;base64,' +
  btoa(unescape(encodeURIComponent(shown.outerHTML)));
document.title = 'It is ' + secret;
typed.addEventListener('input', () => typed.setAttribute('value', typed.value));
</script>"""


async def test_no_secret_is_stored_wherever_it_stands(secret_chromium: Chromium, site: Site) -> None:
    times = 61  # letters before it, so that a soft line break falls within it
    terms = SessionTerms(allowed_hosts=("127.0.0.1",), private_hosts=("127.0.0.1",), secrets=("odd",))
    secretive = await secret_chromium.open_session(terms)
    url = site.add("/stands", STANDS.replace("TIMES", str(times)))
    await secretive.act(Goto(url=f"{url}#{quote(ODD)}"))
    typed = await secretive.act(TypeSecret(target=ByCss(css="#typed"), secret="odd"))
    assert typed.result.ok, typed.result.message
    page = await shot(secretive, Screenshot(label="x"))
    before = [_readable(text) for text in texts(itself(page))]
    assert sum("battery" in text for text in before) >= 3  # it does stand there: in the page, in both frames
    data, observation = unpacked(pack_page(page, "x", "c1", "b", secretive.hidden))
    message = email.message_from_bytes(data)
    after = [*texts(message), *(str(value) for part in message.walk() for value in part.values()), str(observation)]
    for text in (*map(_readable, after), data.decode("latin-1").replace("=\r\n", "")):
        assert "battery" not in text
        assert "staple" not in text
    stored = "".join(after)
    assert "(hidden)" in stored
    assert "x" * times in stored
    assert 'id="link"' in stored
    await secretive.close()


def _readable(text: str) -> str:
    return re.sub(r"<[^<>]*>", "", unquote(unescape(unescape(text))))
