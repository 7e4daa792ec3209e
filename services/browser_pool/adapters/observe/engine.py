"""The page engine (page/*.js) as typed calls.

The engine lives in the isolated world of each document (see `worlds`); its memory lasts as long as the document. It is
also registered as a Playwright selector engine, so that a locator can name exactly the n-th element of a snapshot. A
call costs one round trip, whatever the size of the page.
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
from services.browser_pool.page.model import ListFacts, PageStats, RawItem

NAME = "exhibit"
_PARTS = (
    "roles.js",
    "shown.js",
    "fields.js",
    "asides.js",
    "tables.js",
    "titles.js",
    "parts.js",
    "history.js",
    "icons.js",
    "regions.js",
    "kinds.js",
    "walk.js",
    "twins.js",
    "state.js",
    "target.js",
    "sought.js",
    "reach.js",
    "lists.js",
    "own_points.js",
    "changes.js",
    "overlays.js",
    "press_facts.js",
    "choices.js",
    "calendar.js",
    "hiding.js",
    "pictures.js",
    "misdrawn.js",
    "glyphs.js",
    "ink.js",
    "sight.js",
    "engine.js",
)


UNFORGED = (
    *("activeElement", "assignedSlot", "attributes", "body", "checkVisibility", "childElementCount", "childNodes"),
    *("children", "className", "clientHeight", "clientWidth", "closest", "contains", "createElement", "createRange"),
    *("createTreeWalker", "documentElement", "elementFromPoint", "elementsFromPoint", "firstChild", "fonts"),
    *("firstElementChild", "getAnimations", "getAttribute", "getAttributeNames", "getBoundingClientRect"),
    *("getClientRects", "getElementById", "getRootNode", "hasAttribute", "hasAttributes", "id", "images"),
    *("innerText", "isConnected", "isContentEditable", "localName", "matches", "nextElementSibling", "nextSibling"),
    *("nodeType", "ownerDocument", "parentElement", "parentNode", "previousElementSibling", "querySelector"),
    *("querySelectorAll", "readyState", "removeAttribute", "scripts", "scrollBy", "scrollHeight", "scrollIntoView"),
    *("scrollLeft", "scrollTo", "scrollTop", "scrollWidth", "scrollingElement", "setAttribute", "shadowRoot"),
    *("textContent", "title"),
)
"""Properties of elements and documents that the engine reads.

``<form><input name=children></form>`` answers ``form.children`` with the input, also in the isolated world. The engine
    reads them through symbols, which no page can shadow.
"""
_FORGEABLE = re.compile(rf"(?<!\.)\.({'|'.join(UNFORGED)})\b")


class DocumentState(msgspec.Struct, frozen=True):
    """The state of a document. ``doc`` identifies it; ``mutations`` counts changes since the action began."""

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
    left: float = 0.0
    """Where the document begins: below 0 where a page is written from right to left and goes on to the left."""
    name: str = ""
    lang: str = ""
    appeared: tuple[str, ...] = ()
    busy: bool = False
    """A part of the content that is in sight says that it is still loading (``aria-busy``)."""


class FrameSurvey(DocumentState, frozen=True):
    """All elements of one document in short: ``content`` has a line with tabs, ``ranks`` a digit for each.

    ``items`` are full elements: all where there are few, else those that fit the budget. ``frames`` are the indexes of
        iframes. ``hosts`` counts possible hosts of closed shadow roots, stored under the snapshot's id with ``:hosts``.
    """

    count: int = 0
    content: str = ""
    ranks: str = ""
    frames: tuple[int, ...] = ()
    hosts: int = 0
    weight: int = 0
    """Size of the document as a file, in bytes, if requested."""
    stats: PageStats = PageStats()
    rows: int = 0
    read_at_ms: float = 0.0
    """When all this was read, by the browser's clock."""
    items: tuple[RawItem, ...] = ()
    read: tuple[tuple[int, int], ...] = ()
    """The elements that were read for ``items``, as first and count; those without a box are not in it."""
    lists: ListFacts = ListFacts()


class ElementState(DocumentState, frozen=True):
    """The element that an action is about to use."""

    role: str = ""
    name: str = ""
    tag: str = ""
    type: str = ""
    path: str = ""
    text: str = ""
    editable: bool = False
    offers: bool = False
    """It is a field that offers options while one types, or contains one."""
    numeric: bool = False
    """It is a field for a number."""
    secret: bool = False
    checkable: bool = False
    checked: bool | None = None
    mixed: bool = False
    disabled: bool = False
    options: tuple[tuple[str, str, bool], ...] = ()
    selected: tuple[str, ...] = ()
    """Labels of the selected options of a native select."""
    box: tuple[float, float, float, float] = (0, 0, 0, 0)
    locators: tuple[tuple[str, str, int], ...] = ()


class StaleElement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a ref is stale."""

    gone: str


class SearchMatches(msgspec.Struct, frozen=True):
    """What a text or CSS selector matched in one frame. ``level``: 0 exact, 1 without case, 2 in part, 9 none."""

    level: int
    items: tuple[str, ...]
    count: int = 0
    nearby: tuple[str, ...] = ()
    more: int = 0
    error: str | None = None


class CountReply(msgspec.Struct, frozen=True):
    """A count."""

    count: int


AnswerT = TypeVar("AnswerT")


async def register(playwright: Playwright) -> None:
    """Register the engine with a Playwright driver, once per driver."""
    await playwright.selectors.register(NAME, script=script(), content_script=True)


@cache
def script() -> str:
    """Return the expression that returns the engine of a document and creates it when there is none."""
    sources = "\n".join(map(source_of, _PARTS))
    own = source_of("unforged.js").replace("NAMES", json.dumps(UNFORGED))
    safe = _FORGEABLE.sub(r"[$.\1]", sources)
    # `Object.hasOwn`: an element whose id equals our name is no engine.
    return _ascii(
        "(Object.hasOwn(globalThis, '__exhibit') ? globalThis.__exhibit :"
        f" globalThis.__exhibit = (() => {{\n{own}\n{safe}\n}})())"
    )


def source_of(part: str) -> str:
    """Return the source of one file of the engine, without its comments."""
    folder = files("services.browser_pool.adapters.observe") / "page"
    return _without_comments((folder / part).read_text(encoding="utf-8"))


def _without_comments(source: str) -> str:
    """Remove comment lines and indentation: the source is sent to every document."""
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _ascii(source: str) -> str:
    """Escape what is not ASCII. A source with one wider character travels with two bytes for each of its characters."""
    return re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], source)


async def worlds(page: Page) -> Worlds:
    """Return the isolated worlds of a page, with the engine's source."""
    return await worlds_of(page, script)


def selector(verb: str, *parameters: str | int) -> str:
    """Return a selector of the engine. Parameters are URL-encoded, so that page text cannot end
    one or start another."""
    return f"{NAME}=" + ":".join((verb, *(quote(str(parameter), safe="") for parameter in parameters)))


def element(frame: Frame, snapshot_id: str, n: int) -> Locator:
    """Return a locator for exactly the ``n``-th element of that snapshot in that frame."""
    return frame.locator(selector("ref", snapshot_id, n))


async def ask(frame: Frame, type_: type[AnswerT], timeout_s: float, verb: str, *parameters: str | int) -> AnswerT:
    """Call one verb of the engine and decode its answer. Raises Playwright's errors."""
    return decode(await _text(frame, timeout_s, verb, *parameters), type_)


async def _text(frame: Frame, timeout_s: float, verb: str, *parameters: str | int) -> str:
    """Return the answer from the document directly where its frame is known, else through Playwright."""
    try:
        # A tab whose first document never comes does not even list its frames.
        async with asyncio.timeout(timeout_s):
            there = await worlds(frame.page)
    except TimeoutError:
        raise PlaywrightTimeout(f"the page did not answer within {timeout_s:g} s") from None
    frame_id = there.id_of(frame)
    if frame_id is not None:
        return await there.ask(frame_id, timeout_s, verb, *parameters)
    return await frame.locator(selector(verb, *parameters)).text_content(timeout=timeout_s * 1000) or ""


def decode(text: str, type_: type[AnswerT]) -> AnswerT:
    """Decode an answer of the engine."""
    try:
        return msgspec.json.decode(text, type=type_)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Half a surrogate pair, which pages contain, is not valid UTF-8; it becomes a question mark.
        data = json.loads(text.encode("utf-8", "replace"))
        clean = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
        return msgspec.json.decode(clean, type=type_)


async def describe(frame: Frame, snapshot_id: str, n: int, timeout_s: float) -> ElementState | StaleElement:
    """Return the element's state, or why it is stale."""
    answer = await _text(frame, timeout_s, "describe", snapshot_id, n)
    return decode(answer, StaleElement) if answer.startswith('{"gone"') else decode(answer, ElementState)
