"""The live view: pictures follow the page while somebody asks, and none shows a secret."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator

import numpy as np
import pytest_asyncio
from PIL import Image

from services.browser_pool.adapters.browser.chromium import Chromium, PoolSession
from services.browser_pool.ports import LiveFrame, SessionTerms
from shared.contracts.actions import ByCss, Click, ClickAt, Goto, TypeSecret
from shared.contracts.results import NotSeen, PageChanged
from tests.browser.site import Site
from tests.typed import expect
from tests.waiting import until_asked

WAIT_S, GAP_S = 30.0, 0.05
BLACK, WHITE = 40, 215


def pixels(frame: LiveFrame, x: float, y: float, width: float, height: float) -> np.ndarray:
    """The grey values of a part of the view."""
    with Image.open(io.BytesIO(frame.picture)) as image:
        assert image.format == "JPEG"
        scale = image.width / frame.width
        box = tuple(round(one * scale) for one in (x, y, x + width, y + height))
        return np.asarray(image.convert("L").crop(box))  # type: ignore[arg-type]


async def frame_with(session: PoolSession, wanted, after: int = 0) -> LiveFrame:
    """The first picture that is as wanted; the page may be drawn more than once until it is."""
    seen = after

    async def look() -> LiveFrame | None:
        nonlocal seen
        shown = await session.watch(seen, WAIT_S, GAP_S)
        if isinstance(shown, str):
            return None
        seen = shown.number
        return shown if wanted(shown) else None

    return await until_asked(look, "such a picture")


async def test_pictures_follow_the_page_and_its_tabs_during_an_action_too(session: PoolSession, site: Site) -> None:
    body = "<style>*{margin:0}body{background:%s;height:2000px}</style><a id=a target=_blank href=/tab>On</a>"
    site.add("/tab", body % "black")
    await session.act(Goto(url=site.add("/first", body % "white")))
    first = await frame_with(session, lambda one: pixels(one, 300, 300, 9, 9).min() > WHITE)
    assert first.url.endswith("/first")
    await session.page.evaluate("document.body.style.background = 'black'; scrollTo(0, 120)")
    changed = await frame_with(session, lambda one: pixels(one, 300, 300, 9, 9).max() < BLACK, first.number)
    assert changed.number > first.number
    assert changed.scroll_y == 120
    await session.page.evaluate("document.body.style.background = 'white'")
    await session.act(Click(target=ByCss(css="#a")))
    await frame_with(
        session, lambda one: one.url.endswith("/tab") and pixels(one, 300, 300, 9, 9).max() < BLACK, changed.number
    )


FORM = """<style>*{margin:0;font:20px monospace;border:0;outline:0}input,p,iframe{position:absolute;left:20px;
 width:500px;height:40px;background:white;overflow:hidden}#p{top:20px}#o{top:100px}iframe{top:180px}</style>
<input id=p oninput="o.textContent = f.contentDocument.body.textContent = p.value"><p id=o></p><iframe id=f></iframe>
<script>const [p, o, f] = ['p', 'o', 'f'].map((id) => document.getElementById(id))</script>"""
PARTS = {"field": (20, 20, 500, 40), "text": (20, 100, 300, 30), "frame": (20, 180, 500, 40)}


@pytest_asyncio.fixture(loop_scope="session")
async def secretive(secret_chromium: Chromium) -> AsyncIterator[PoolSession]:
    terms = SessionTerms(allowed_hosts=("127.0.0.1",), private_hosts=("127.0.0.1",), secrets=("portal",))
    leased = await secret_chromium.open_session(terms)
    yield leased
    await leased.close()


async def test_no_picture_shows_a_secret_while_it_is_typed_and_after(secretive: PoolSession, site: Site) -> None:
    await secretive.act(Goto(url=site.add("/form", FORM)))
    frames = [await frame_with(secretive, lambda _: True)]
    over = asyncio.Event()

    async def watch() -> None:
        while not over.is_set():
            shown = await secretive.watch(frames[-1].number, 0.5, GAP_S)
            if not isinstance(shown, str):
                frames.append(shown)

    watching = asyncio.create_task(watch())
    acted = await secretive.act(TypeSecret(target=ByCss(css="#p"), secret="portal"))
    assert acted.result.ok, acted.result.message
    over.set()
    await watching
    assert expect(await secretive.page.text_content("#o"), str)
    for name, part in PARTS.items():
        assert pixels(frames[0], *part).min() > WHITE, name
    frames.append(await frame_with(secretive, lambda one: one.covered, frames[-1].number - 1))
    for frame in frames[1:]:
        for name, part in PARTS.items():
            found = pixels(frame, *part)
            covered, before = np.median(found) < BLACK, found.min() > WHITE
            assert covered or before, (name, frame.covered)
            assert not covered or name == "text" or found.max() < WHITE, name
    assert np.median(pixels(frames[-1], *PARTS["frame"])) < BLACK
    await secretive.page.evaluate("p.remove(); o.remove(); f.remove()")
    gone = await frame_with(secretive, lambda one: not one.covered, frames[-1].number)
    assert pixels(gone, *PARTS["text"]).min() > WHITE


async def test_a_point_is_clicked_where_no_element_is_observed(session: PoolSession, site: Site) -> None:
    body = """<style>*{margin:0}body{height:3000px}canvas{position:absolute;top:1000px}</style>
<canvas id=c width=600 height=400></canvas><p id=o></p><script>
c.onclick = (event) => { o.textContent = `${event.offsetX} ${event.offsetY}` }</script>"""
    await session.act(Goto(url=site.add("/drawing", body)))
    far = await session.act(ClickAt(x=30, y=1200))
    assert (far.result.ok, far.result.message) == (False, "the point is not in view; scroll to it first")
    await session.page.evaluate("scrollTo(0, 900)")
    clicked = await session.act(ClickAt(x=30, y=1200))
    assert clicked.result.ok, clicked.result.message
    assert clicked.result.effect == PageChanged()
    assert await session.page.text_content("#o") == "30 200"
    again = await session.act(ClickAt(x=1000, y=1000))
    assert again.result.effect == NotSeen()


async def test_the_last_picture_of_a_page_that_moved_is_how_it_stands_still(session: PoolSession, site: Site) -> None:
    site.add("/after", "<style>body{background:black}</style>")
    moving = site.add(
        "/moving",
        "<input autofocus><script>setInterval(() => { document.title += 'x' ; "
        "document.body.style.background = document.title.length % 2 ? 'white' : 'silver' }, 20)</script>",
    )
    await session.act(Goto(url=moving))
    first = await frame_with(session, lambda _: True)
    later = await frame_with(session, lambda one: one.number > first.number, first.number)
    await session.page.evaluate("location.href = '/after'")
    still = await frame_with(session, lambda one: one.url.endswith("/after"), later.number)
    dark = await frame_with(session, lambda one: pixels(one, 300, 300, 9, 9).max() < BLACK, still.number - 1)
    assert dark.url.endswith("/after")
