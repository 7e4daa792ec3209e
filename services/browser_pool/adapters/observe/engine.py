"""The verbs of the page engine (page/*.js) as typed calls.

The engine lives in the isolated world of each document (see `worlds`), and what it remembers lives as long as
the document. It is also registered with Playwright as a selector engine, so that a Playwright locator can
name exactly the n-th thing of a snapshot. A question costs one round trip, whatever the size of the page.
"""

from __future__ import annotations

import asyncio
import json
import re
from functools import cache
from importlib.resources import files
from typing import TypeVar
from urllib.parse import quote

import msgspec
from playwright.async_api import Frame, Locator, Page, Playwright
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.observe.worlds import Worlds, worlds_of
from services.browser_pool.page.model import PageStats, RawItem

NAME = "exhibit"
_PARTS = (
    "roles.js",
    "tables.js",
    "titles.js",
    "icons.js",
    "walk.js",
    "twins.js",
    "state.js",
    "target.js",
    "sought.js",
    "reach.js",
    "overlays.js",
    "choices.js",
    "calendar.js",
    "hiding.js",
    "pictures.js",
    "engine.js",
)


UNFORGED = (
    *("activeElement", "assignedSlot", "attributes", "body", "checkVisibility", "childElementCount", "childNodes"),
    *("children", "className", "clientHeight", "clientWidth", "closest", "contains", "createElement", "createRange"),
    *("createTreeWalker", "documentElement", "elementFromPoint", "elementsFromPoint", "firstChild"),
    *("firstElementChild", "getAnimations", "getAttribute", "getBoundingClientRect", "getClientRects"),
    *("getElementById", "getRootNode", "hasAttribute", "hasAttributes", "id", "images", "innerText", "isConnected"),
    *("isContentEditable", "localName", "matches", "nextElementSibling", "nextSibling", "nodeType", "ownerDocument"),
    *("parentElement", "parentNode", "previousElementSibling", "querySelector", "querySelectorAll", "readyState"),
    *("removeAttribute", "scripts", "scrollBy", "scrollHeight", "scrollIntoView", "scrollTop", "scrollingElement"),
    *("setAttribute", "shadowRoot", "textContent", "title"),
)
"""What the page engine asks of elements and documents. ``<form><input name=children></form>`` answers
``form.children`` with the input, in our world too; so these are asked for by symbols, which no page can name."""
_FORGEABLE = re.compile(rf"(?<!\.)\.({'|'.join(UNFORGED)})\b")


class DocumentState(msgspec.Struct, frozen=True):
    """A document now. ``doc`` tells one document from the next; ``mutations`` counts changes since an action began."""

    doc: str
    mutations: int
    since_ms: float
    stirred: bool
    scripts: bool
    unfinished: bool
    forms: int
    pictures: int
    secrets: int
    title: str
    url: str
    scroll_x: float
    scroll_y: float
    scroll_max: float
    width: float
    height: float
    loading: bool
    view_width: float
    view_height: float
    scale: float
    name: str = ""
    lang: str = ""
    appeared: tuple[str, ...] = ()


class FrameSurvey(DocumentState, frozen=True):
    """All things of one document, in short: ``content`` has a line for each, ``ranks`` a digit. ``items`` are they
    in full where there are few; ``frames`` are the numbers of iframes, ``hosts`` counts what may have a closed
    shadow root, kept under the snapshot's id with ``:hosts``."""

    count: int = 0
    content: str = ""
    ranks: str = ""
    frames: tuple[int, ...] = ()
    hosts: int = 0
    weight: int = 0
    """In bytes, of the document as a file, where that was asked."""
    stats: PageStats = PageStats()
    rows: int = 0
    items: tuple[RawItem, ...] | None = None


class ElementState(DocumentState, frozen=True):
    """The element an action is about to act on."""

    role: str = ""
    name: str = ""
    tag: str = ""
    type: str = ""
    path: str = ""
    text: str = ""
    editable: bool = False
    secret: bool = False
    checkable: bool = False
    checked: bool | None = None
    disabled: bool = False
    options: tuple[tuple[str, str, bool], ...] = ()
    box: tuple[float, float, float, float] = (0, 0, 0, 0)
    locators: tuple[tuple[str, str, int], ...] = ()


class StaleElement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a ref is stale."""

    gone: str


class SearchMatches(msgspec.Struct, frozen=True):
    """What a text or a CSS selector matched in one frame. ``level``: 0 exact, 1 but for case, 2 in part, 9 none."""

    level: int
    items: tuple[str, ...]
    count: int = 0
    nearby: tuple[str, ...] = ()
    more: int = 0
    error: str | None = None


class CountReply(msgspec.Struct, frozen=True):
    count: int


AnswerT = TypeVar("AnswerT")


async def register(playwright: Playwright) -> None:
    """Once per Playwright driver."""
    await playwright.selectors.register(NAME, script=script(), content_script=True)


@cache
def script() -> str:
    """An expression: the engine of this document, made where there is none yet."""
    folder = files("services.browser_pool.adapters.observe") / "page"
    sources = "\n".join(_bare((folder / part).read_text(encoding="utf-8")) for part in _PARTS)
    own = (folder / "unforged.js").read_text(encoding="utf-8").replace("NAMES", json.dumps(UNFORGED))
    safe = _FORGEABLE.sub(r"[$.\1]", sources)
    # `Object.hasOwn`: an element whose id is our name is no engine.
    return (
        "(Object.hasOwn(globalThis, '__exhibit') ? globalThis.__exhibit :"
        f" globalThis.__exhibit = (() => {{\n{_bare(own)}\n{safe}\n}})())"
    )


def _bare(source: str) -> str:
    """Without comments on lines of their own and without indents: every document is sent the whole of it."""
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


async def worlds(page: Page) -> Worlds:
    return await worlds_of(page, script)


def selector(verb: str, *parameters: str | int) -> str:
    """Parameters are URL-encoded, so that page text cannot end one or start another."""
    return f"{NAME}=" + ":".join((verb, *(quote(str(parameter), safe="") for parameter in parameters)))


def element(frame: Frame, snapshot_id: str, n: int) -> Locator:
    """Exactly the ``n``-th thing of that snapshot of that frame, or nothing."""
    return frame.locator(selector("ref", snapshot_id, n))


async def ask(frame: Frame, type_: type[AnswerT], timeout_s: float, verb: str, *parameters: str | int) -> AnswerT:
    """One verb. Raises Playwright's errors."""
    return decode(await _text(frame, timeout_s, verb, *parameters), type_)


async def _text(frame: Frame, timeout_s: float, verb: str, *parameters: str | int) -> str:
    """Straight from the document where its frame is known, else through Playwright."""
    try:
        # A tab whose first document never comes does not even say which frames it has.
        async with asyncio.timeout(timeout_s):
            there = await worlds(frame.page)
    except TimeoutError:
        raise PlaywrightTimeout(f"the page did not answer within {timeout_s:g} s") from None
    frame_id = there.id_of(frame)
    if frame_id is not None:
        return await there.ask(frame_id, timeout_s, verb, *parameters)
    return await frame.locator(selector(verb, *parameters)).text_content(timeout=timeout_s * 1000) or ""


def decode(text: str, type_: type[AnswerT]) -> AnswerT:
    try:
        return msgspec.json.decode(text, type=type_)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Half a surrogate pair, which pages do contain, is no valid UTF-8; it becomes a question mark.
        data = json.loads(text.encode("utf-8", "replace"))
        clean = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
        return msgspec.json.decode(clean, type=type_)


async def describe(frame: Frame, snapshot_id: str, n: int, timeout_s: float) -> ElementState | StaleElement:
    answer = await _text(frame, timeout_s, "describe", snapshot_id, n)
    return decode(answer, StaleElement) if answer.startswith('{"gone"') else decode(answer, ElementState)
