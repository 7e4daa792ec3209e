"""The verbs of the page engine (page/*.js) as typed calls.

The engine is registered with Playwright as a selector engine that runs in the isolated world of each frame:
the page can neither see it nor change the built-ins it stands on, and what it remembers lives as long as the
document. A question costs one round trip per frame, whatever the size of the page.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TypeVar
from urllib.parse import quote

import msgspec
from playwright.async_api import Frame, Locator, Playwright

from services.browser_pool.page import RawItem, Stats

NAME = "exhibit"
_PARTS = ("roles.js", "tables.js", "walk.js", "state.js", "target.js", "engine.js")


class State(msgspec.Struct, frozen=True):
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


class Walked(State, frozen=True):
    items: tuple[RawItem, ...] = ()
    stats: Stats = Stats()
    rows: int = 0


class Described(State, frozen=True):
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


class Gone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a ref is stale."""

    gone: str


class Matches(msgspec.Struct, frozen=True):
    """What a text or a CSS selector matched in one frame. ``level``: 0 exact, 1 but for case, 2 in part, 9 none."""

    level: int
    items: tuple[str, ...]
    count: int = 0
    nearby: tuple[str, ...] = ()
    more: int = 0
    error: str | None = None


class ScrolledTo(msgspec.Struct, frozen=True):
    y: float
    max: float
    moved: float


AnswerT = TypeVar("AnswerT")


async def register(playwright: Playwright) -> None:
    """Once per Playwright driver."""
    await playwright.selectors.register(NAME, script=script(), content_script=True)


def script() -> str:
    folder = files("services.browser_pool.adapters") / "page"
    sources = "\n".join((folder / part).read_text(encoding="utf-8") for part in _PARTS)
    return f"(() => {{\n{sources}\n}})()"


def selector(verb: str, *parameters: str | int) -> str:
    """Parameters are URL-encoded, so that page text cannot end one or start another."""
    return f"{NAME}=" + ":".join((verb, *(quote(str(parameter), safe="") for parameter in parameters)))


def element(frame: Frame, snapshot_id: str, n: int) -> Locator:
    """Exactly the ``n``-th thing of that snapshot of that frame, or nothing."""
    return frame.locator(selector("ref", snapshot_id, n))


async def ask(frame: Frame, type_: type[AnswerT], timeout_s: float, verb: str, *parameters: str | int) -> AnswerT:
    """One verb. Raises Playwright's errors."""
    text = await frame.locator(selector(verb, *parameters)).text_content(timeout=timeout_s * 1000)
    return decode(text or "", type_)


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


async def describe(frame: Frame, snapshot_id: str, n: int, timeout_s: float) -> Described | Gone:
    text = await frame.locator(selector("describe", snapshot_id, n)).text_content(timeout=timeout_s * 1000)
    answer = text or ""
    return decode(answer, Gone) if answer.startswith('{"gone"') else decode(answer, Described)
