"""Dates into date fields and date pickers, read back."""

from __future__ import annotations

from dataclasses import replace

from playwright.async_api import Error

from services.browser_pool.adapters.actions.date_picker import calendar as calendars
from services.browser_pool.adapters.actions.date_picker.calendar import Calendar, Dating
from services.browser_pool.adapters.actions.select.picker import Text
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import dates
from services.browser_pool.page.dates import Format, Moment
from shared.contracts.actions import SetDate
from shared.contracts.results import ValueSet

NATIVE = frozenset({"date", "month", "week", "time", "datetime-local"})
ISO = Format("ymd", ("-", "-"))
PROBED = (Format("mdy", ("/", "/")), Format("dmy", ("/", "/")), Format("dmy", (".", ".")))
PROBE_DAY = 28
"""A day that no month's number can be mistaken for, and that every month has."""


async def set_date(session: PageSession, action: SetDate) -> Outcome:
    moment = dates.parse(action.date)
    if moment is None:
        wanted = "2026-11-21, 2026-11, 14:30 or 2026-11-21T14:30"
        return refuse("failed", f"{action.date[:80]!r} is no date: write it like {wanted}")
    found = await session.find(action.target, "edit")
    if isinstance(found, Outcome):
        return found
    if found.now.disabled:
        return refuse("not_editable", f'{found.now.role} "{found.now.name}" is disabled', target=found.told())
    dating = Dating(session, found, moment)
    if found.now.tag == "input" and found.now.type in NATIVE:
        return await _native(dating)
    return await _scripted(dating)


async def _native(dating: Dating) -> Outcome:
    found, session = dating.found, dating.session
    value = dates.native(dating.moment, found.now.type)
    if value is None:
        message = f'"{found.now.name}" takes a {found.now.type}, and {dating.moment.iso()} does not say one'
        return refuse("failed", message, target=found.told())
    if not found.now.editable:
        return refuse("not_editable", f'"{found.now.name}" is read-only', target=found.told())
    await session.timed(found.locator.fill(value, timeout=dating.bound_s * 1000))
    await session.settle()
    shown = await dating.shown()
    if not shown.here:
        return refuse("effect_not_seen", "the field went away before it could be read back", target=found.told())
    effect = ValueSet(value=shown.value)
    if shown.value != value:
        message = f'after setting {value}, the field holds "{shown.value}"'
        return refuse("effect_not_seen", message, effect=effect, target=found.told())
    out = "; the page says that it is not valid (out of its range, perhaps)" if shown.invalid else ""
    return done(f'set "{found.now.name}" to {value}{out}', effect=effect, target=found.told())


async def _scripted(dating: Dating) -> Outcome:
    """Written, where the field says how it wants dates; else picked in its calendar; else written and read."""
    calendar = await dating.calendar()
    shown = await dating.shown()
    known = dates.format_of(*calendar.hints) or dates.example(shown.value)
    if calendar.editable and (known or dating.moment.year is None):
        written = await _written(dating, known or ISO, calendar)
        if written.ok:
            return written
    if dating.moment.day is not None:
        opened = await calendars.opened(dating)
        if isinstance(opened, Outcome):
            return opened
        if opened.state == "shown":
            return await _picked(dating, opened)
    if calendar.editable:
        return await _probed(dating, calendar)
    what = f'{dating.found.now.role} "{dating.found.now.name}"'
    return refuse("not_editable", f"{what} takes no text, and no calendar came up", target=dating.found.told())


async def _picked(dating: Dating, calendar: Calendar) -> Outcome:
    refused = await calendars.pick_day(dating, calendar)
    if refused is not None:
        return refused
    await dating.session.settle()
    again = await dating.calendar()
    if dating.moment.hour is not None and again.clock:
        await calendars.set_clock(dating, again)
    outcome = await _read_after_picking(dating)
    if outcome.ok:
        await calendars.put_away(dating)
        read = await _read_after_picking(dating)
        return read if read.effect != outcome.effect and not again.inline and calendar.editable else outcome
    again = await dating.calendar()
    if again.state == "shown" and again.confirm:
        refused = await dating.press(calendars.PARTS + "c", 0, "the button that confirms")
        await dating.session.settle()
        outcome = refused or await _read_after_picking(dating)
    if not outcome.ok and dating.moment.hour is not None and calendar.editable:
        return await _with_clock(dating, calendar)
    return outcome


async def _read_after_picking(dating: Dating) -> Outcome:
    """The day was pressed under the name of its month: what reads as it, among others, is it."""
    shown = await dating.shown()
    target, iso = dating.found.told(), dating.moment.iso()
    value = shown.value if shown.here else ""
    if value and dates.reads_as(value, dating.moment, dating.lang) is not False:
        return done(f"picked {iso}", effect=ValueSet(value=value), target=target)
    calendar = await dating.calendar()
    if calendar.state == "shown" and calendar.picked and dating.moment.hour is None:
        return done(f"picked {iso}; the calendar marks it", effect=ValueSet(value=iso), target=target)
    near = await _near(dating) if shown.here and not calendar.editable else ""
    if near and dates.reads_as(near, dating.moment, dating.lang):
        return done(f"picked {iso}", effect=ValueSet(value=near[:200]), target=target)
    message = f'after picking {iso}, "{dating.found.now.name}" holds "{value}"'
    return refuse("effect_not_seen", message, effect=ValueSet(value=value), target=target)


async def _near(dating: Dating) -> str:
    found = dating.found
    work = ask(found.frame, Text, dating.bound_s, "around", found.snapshot_id, found.n)
    return (await dating.session.timed(work)).text


async def _with_clock(dating: Dating, calendar: Calendar) -> Outcome:
    """The calendar has set the day in the field's own format; the time of day is written behind it."""
    shown = await dating.shown()
    day = replace(dating.moment, hour=None, minute=0)
    known = dates.format_of(*calendar.hints) or dates.example(shown.value)
    if known is None or dates.reads_as(shown.value, day, dating.lang) is False:
        message = f'"{dating.found.now.name}" holds "{shown.value}", without the time {dating.moment.clock}'
        return refuse("effect_not_seen", message, effect=ValueSet(value=shown.value), target=dating.found.told())
    return await _written(dating, known, calendar)


async def _written(dating: Dating, known: Format, calendar: Calendar) -> Outcome:
    """Types it in a format that is known, and reads it in the same."""
    text = _text_in(dating.moment, known, calendar.hints)
    value, invalid = await _type(dating, text)
    target, effect = dating.found.told(), ValueSet(value=value)
    right = value == text or dates.reads_in(value, known.order, dating.moment, dating.lang)
    if right and not invalid:
        return done(f'set "{dating.found.now.name}" to {value}', effect=effect, target=target)
    why = " and is marked as invalid" if invalid else ""
    message = f'after typing "{text}", the field holds "{value}"{why}'
    return refuse("effect_not_seen", message, effect=effect, target=target)


def _text_in(moment: Moment, known: Format, hints: tuple[str, ...]) -> str:
    clock = dates.clock_for(" ".join(hints), moment)
    if moment.year is None:
        return clock
    if moment.day is None:
        return moment.iso()
    return " ".join(part for part in (known.write(moment), clock) if part)


async def _probed(dating: Dating, calendar: Calendar) -> Outcome:
    """A field that says nothing of how it wants dates. What it does to a day above 12 tells the order."""
    text = _text_in(dating.moment, ISO, calendar.hints)
    value, invalid = await _type(dating, text)
    target = dating.found.told()
    if not invalid and (value == text or dates.reads_as(value, dating.moment, dating.lang)):
        return done(f'set "{dating.found.now.name}" to {value}', effect=ValueSet(value=value), target=target)
    if dating.moment.day is not None:
        fits = [one for one in (ISO, *PROBED) if await _takes(dating, one)]
        orders = {one.order for one in fits}
        if len(orders) == 1:
            return await _written(dating, fits[0], calendar)
    value = (await dating.shown()).value
    message = f'it cannot be told how "{dating.found.now.name}" wants dates; it holds "{value}"'
    return refuse("effect_not_seen", message, effect=ValueSet(value=value), target=target)


async def _takes(dating: Dating, one: Format) -> bool:
    probe = replace(dating.moment, day=PROBE_DAY)
    value, invalid = await _type(dating, one.write(probe))
    return not invalid and dates.reads_as(value, probe, dating.lang) is True


async def _type(dating: Dating, text: str) -> tuple[str, bool]:
    """Types as a person does, leaves the field, and tells what it holds then and whether it is marked as invalid."""
    session, locator = dating.session, dating.found.locator
    bound_ms = dating.bound_s * 1000
    try:
        await session.timed(locator.fill("", timeout=bound_ms))
        await session.timed(locator.press_sequentially(text, timeout=bound_ms))
        # Fields check and rewrite what they hold when they are left.
        await session.timed(locator.press("Tab", timeout=bound_ms))
    except Error as error:
        session.tabs.raise_if_lost(error)
    await session.settle()
    shown = await dating.shown()
    return (shown.value, shown.invalid) if shown.here else ("", True)
