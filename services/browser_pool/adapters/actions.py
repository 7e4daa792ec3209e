"""The actions that change or read a page, one small function each. Files and pictures are in `captures`."""

from __future__ import annotations

import asyncio
import time

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool import matching
from services.browser_pool.adapters.captures import download, screenshot
from services.browser_pool.adapters.engine import Described, Gone, ScrolledTo, State, ask
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.adapters.targets import Found
from shared.contracts.actions import (
    Appeared,
    BrowserAction,
    Checked,
    Click,
    Download,
    Effect,
    Extract,
    Goto,
    Navigated,
    NotSeen,
    PageChanged,
    Screenshot,
    Scroll,
    Scrolled,
    SelectOption,
    TextRead,
    TypeText,
    ValueSet,
    Wait,
)

MAX_WAIT_S = 60.0


async def perform(session: PageSession, action: BrowserAction) -> Outcome:
    match action:
        case Goto():
            return await goto(session, action)
        case Click():
            return await click(session, action)
        case TypeText():
            return await type_text(session, action)
        case SelectOption():
            return await select_option(session, action)
        case Scroll():
            return await scroll(session, action)
        case Wait():
            return await wait(session, action)
        case Extract():
            return await extract(session, action)
        case Screenshot():
            return await screenshot(session, action)
        case Download():
            return await download(session, action)


async def goto(session: PageSession, action: Goto) -> Outcome:
    refusal = matching.refused_address(action.url)
    if refusal:
        return refuse("policy_denied", refusal)
    await session.pace.wait(action.url)
    timeout_s = session.limits.navigation_s
    try:
        response = await session.timed(
            session.page.goto(action.url, wait_until="domcontentloaded", timeout=timeout_s * 1000)
        )
    except PlaywrightTimeout:
        return refuse("timeout", f"{action.url} did not load within {timeout_s:g} s")
    except Error as error:
        session.tabs.raise_if_lost(error)
        return _not_loaded(session, action.url, error.message)
    await session.settle(acted=False)
    status = response.status if response else session.network.fresh_status
    effect = Navigated(url=session.page.url, http_status=status)
    if status is not None and status >= 400:
        return refuse("http_error", f"{session.page.url} answered with HTTP {status}", effect=effect)
    return done(f"opened {session.page.url}", effect=effect)


def _not_loaded(session: PageSession, url: str, message: str) -> Outcome:
    if session.tabs.downloads or "Download is starting" in message:
        return refuse("failed", f"{url} is a file, not a page; use download on the link to it")
    code = matching.navigation_code(message)
    return refuse(code, f"{url} could not be opened: {matching.net_error(message)}")


async def click(session: PageSession, action: Click) -> Outcome:
    found = await session.find(action.target, "act")
    if isinstance(found, Outcome):
        return found
    if found.now.tag == "option":
        return refuse("failed", "an option is not clicked; use select_option on its list", target=found.told())
    before = await _before(session, found)
    await session.timed(found.locator.click(timeout=session.limits.action_s * 1000))
    await session.settle()
    effect = await _effect_of_click(session, found, before)
    return _clicked(session, found, effect)


async def _before(session: PageSession, found: Found) -> State:
    """The main document as it is now; the search has just brought it along where the element is in it."""
    main = session.page.main_frame
    if found.frame is main:
        return found.now
    return await session.timed(ask(main, State, session.limits.action_s, "act"))


async def _effect_of_click(session: PageSession, found: Found, before: State) -> Effect:
    if session.tabs.follow():
        await session.settle()
        return Navigated(url=session.page.url, http_status=session.network.status(session.page))
    after = session.rest.state
    if navigated(before, after):
        return Navigated(url=session.page.url, http_status=session.network.fresh_status)
    element = await session.timed(found.again(session.limits.action_s)) if _is_worth_a_look(found) else None
    if isinstance(element, Described) and element.checked is not None:
        return Checked(checked=element.checked)
    if session.tabs.dialogs or changed(before, after) or _changed_inside(found, element):
        return PageChanged()
    return NotSeen()


def _is_worth_a_look(found: Found) -> bool:
    """A check box says what became of it; an element in a child frame, what became of its document."""
    return found.now.checkable or (found.frame.parent_frame is not None and not found.frame.is_detached())


def _changed_inside(found: Found, element: Described | Gone | None) -> bool:
    return found.frame.parent_frame is not None and (not isinstance(element, Described) or changed(found.now, element))


def navigated(before: State, after: State | None) -> bool:
    return after is not None and (before.url != after.url or before.doc != after.doc)


def changed(before: State, after: State | None) -> bool:
    """Whether the document, a field or the scroll position is another than before."""
    if after is None or before.doc != after.doc:
        return True
    was = (before.mutations, before.forms, before.title, before.scroll_y)
    return was != (after.mutations, after.forms, after.title, after.scroll_y)


def _clicked(session: PageSession, found: Found, effect: Effect) -> Outcome:
    what = f'{found.now.role} "{found.now.name or found.now.text[:80]}"'
    status = effect.http_status if isinstance(effect, Navigated) else None
    if status is not None and status >= 400:
        return refuse(
            "http_error", f"clicked {what}; the page answered with HTTP {status}", effect=effect, target=found.told()
        )
    message = f"clicked {what}"
    if isinstance(effect, NotSeen):
        message += "; nothing was seen to come of it"
    if session.tabs.downloads:
        message += f'; it offers the file "{session.tabs.downloads[-1].suggested_filename}": use download to keep it'
    if session.tabs.dialogs:
        message += f"; a dialog was dismissed: {session.tabs.dialogs[-1]}"
    return done(message, effect=effect, target=found.told())


async def type_text(session: PageSession, action: TypeText) -> Outcome:
    found = await session.find(action.target, "edit")
    if isinstance(found, Outcome):
        return found
    if not found.now.editable:
        why = (
            "disabled or read-only" if found.now.disabled or found.now.tag in ("input", "textarea") else "no text field"
        )
        return refuse("not_editable", f'{found.now.role} "{found.now.name}" is {why}', target=found.told())
    before = await _before(session, found)
    await session.timed(found.locator.fill(action.text, timeout=session.limits.action_s * 1000))
    held = await _read_back(session, found)
    rest = await session.settle()
    if held is None:
        if navigated(before, rest.state):
            return done("typed, and the page went on", effect=Navigated(url=session.page.url), target=found.told())
        return refuse("effect_not_seen", "the field went away before it could be read back", target=found.told())
    shown = "(hidden)" if found.now.secret else held
    effect = ValueSet(value=shown)
    if not matching.says_the_same(action.text, held):
        said = "something else" if found.now.secret else f'"{held}"'
        return refuse("effect_not_seen", f"after typing, the field holds {said}", effect=effect, target=found.told())
    return done(f'typed into "{found.now.name}"', effect=effect, target=found.told())


async def _read_back(session: PageSession, found: Found) -> str | None:
    """What the field holds now. A secret is compared here and goes no further."""
    if found.now.tag in ("input", "textarea"):
        try:
            return await session.timed(found.locator.input_value(timeout=session.limits.action_s * 1000))
        except PlaywrightTimeout:
            return None
    after = await session.timed(found.again(session.limits.action_s))
    return None if isinstance(after, Gone) else after.text


async def select_option(session: PageSession, action: SelectOption) -> Outcome:
    found = await session.find(action.target, "select")
    if isinstance(found, Outcome):
        return found
    if found.now.tag != "select":
        message = f'{found.now.role} "{found.now.name}" is no native select; click it and then what it opens'
        return refuse("not_editable", message, target=found.told())
    index = matching.pick_option(found.now.options, action.option)
    if index is None:
        return refuse("no_such_option", matching.no_such_option(found.now.options, action.option), target=found.told())
    label, _, disabled = found.now.options[index]
    if disabled or found.now.disabled:
        return refuse("not_editable", f'"{label}" cannot be picked: it is disabled', target=found.told())
    await session.timed(found.locator.select_option(index=index, timeout=session.limits.action_s * 1000))
    after = await session.timed(found.again(session.limits.action_s))
    await session.settle()
    if isinstance(after, Gone):
        return done(f'picked "{label}", and the page went on', effect=PageChanged(), target=found.told())
    effect = ValueSet(value=after.text)
    if label not in (after.text, *after.text.split(", ")):
        return refuse(
            "effect_not_seen", f'after picking, the list shows "{after.text}"', effect=effect, target=found.told()
        )
    return done(f'picked "{label}"', effect=effect, target=found.told())


async def scroll(session: PageSession, action: Scroll) -> Outcome:
    amount_px = abs(action.amount_px) * (1 if action.direction == "down" else -1)
    where = await session.timed(ask(session.page.main_frame, ScrolledTo, session.limits.action_s, "scroll", amount_px))
    await session.settle()
    effect = Scrolled(y_px=where.y, max_y_px=where.max)
    place = f"at {where.y:.0f} of {where.max:.0f} px"
    if abs(where.moved) < 1:
        edge = "bottom" if amount_px > 0 else "top"
        return done(f"already at the {edge}: {place}", effect=effect)
    return done(f"scrolled {action.direction}: {place}", effect=effect)


async def wait(session: PageSession, action: Wait) -> Outcome:
    timeout_s = min(max(action.timeout_s, 0.0), MAX_WAIT_S)
    if action.target is None:
        rest = await session.settle(bound_s=timeout_s)
        if rest.settled:
            return done("the page is quiet", effect=Appeared())
        return refuse("timeout", f"the page was still changing after {timeout_s:g} s")
    until_s = time.monotonic() + timeout_s
    while True:
        found = await session.find(action.target, "read")
        if isinstance(found, Found):
            return done(f'"{found.now.name}" is there', effect=Appeared(), target=found.told())
        if found.code == "stale_ref":
            return found
        if time.monotonic() >= until_s:
            return refuse("timeout", f"not there after {timeout_s:g} s: {found.message}")
        await session.timed(asyncio.sleep(0.05))


async def extract(session: PageSession, action: Extract) -> Outcome:
    found = await session.find(action.target, "read")
    if isinstance(found, Outcome):
        return found
    text = found.now.text
    return done("read" if text else "the element is empty", effect=TextRead(text=text), target=found.told())
