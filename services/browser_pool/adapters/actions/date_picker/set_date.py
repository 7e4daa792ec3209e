"""The set_date action: dates into date fields and date pickers, read back."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from playwright.async_api import Error

from services.browser_pool.adapters.actions.date_picker import calendar as calendars
from services.browser_pool.adapters.actions.date_picker.calendar import Calendar, DateEntry
from services.browser_pool.adapters.actions.select.picker import HOLDS_S, LATE_S, NearbyText
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import dates
from services.browser_pool.page.dates import Format, Moment
from shared.contracts.actions import SetDate
from shared.contracts.results import ValueSet

NATIVE = frozenset({"date", "month", "week", "time", "datetime-local"})
ISO = Format("ymd", ("-", "-"))
PROBED = (Format("mdy", ("/", "/")), Format("dmy", ("/", "/")), Format("dmy", (".", ".")))
PROBE_DAY = 28
"""A day that every month has and that is no month number."""


@performs(SetDate)
async def set_date(session: PageSession, action: SetDate) -> PerformOutcome:
    moment = dates.parse(action.date)
    if moment is None:
        wanted = "2026-11-21, 2026-11, 14:30 or 2026-11-21T14:30"
        return refuse("failed", f"{action.date[:80]!r} is no date: write it like {wanted}")
    found = await session.find(action.target, "edit")
    if isinstance(found, PerformOutcome):
        return found
    if found.now.disabled:
        return refuse(
            "not_editable", f'{found.now.role} "{found.now.name}" is disabled', target=found.to_target_found()
        )
    entry = DateEntry(session, found, moment)
    if found.now.tag == "input" and found.now.type in NATIVE:
        return await _set_native(entry)
    outcome = await _set_scripted(entry)
    return await _read_again(entry, outcome) if outcome.ok else outcome


async def _set_native(entry: DateEntry) -> PerformOutcome:
    found, session = entry.found, entry.session
    value = dates.native(entry.moment, found.now.type)
    if value is None:
        message = f'"{found.now.name}" takes a {found.now.type}, and {entry.moment.iso()} does not say one'
        return refuse("failed", message, target=found.to_target_found())
    if not found.now.editable:
        return refuse("not_editable", f'"{found.now.name}" is read-only', target=found.to_target_found())
    await session.run_timed(found.locator.fill(value, timeout=entry.timeout_s * 1000))
    await session.wait_for_rest()
    shown = await entry.read_state()
    if not shown.here:
        return refuse(
            "effect_not_seen", "the field went away before it could be read back", target=found.to_target_found()
        )
    effect = ValueSet(value=shown.value)
    if shown.value != value:
        message = f'after setting {value}, the field holds "{shown.value}"'
        return refuse("effect_not_seen", message, effect=effect, target=found.to_target_found())
    out = "; the page says that it is not valid (out of its range, perhaps)" if shown.invalid else ""
    return done(f'set "{found.now.name}" to {value}{out}', effect=effect, target=found.to_target_found())


async def _set_scripted(entry: DateEntry) -> PerformOutcome:
    """Type the date where the format is known; else pick it in the calendar; else probe the format."""
    calendar = await entry.calendar()
    shown = await entry.read_state()
    known = dates.format_of(*calendar.hints) or dates.example(shown.value)
    if calendar.editable and (known or entry.moment.year is None):
        written = await _type_in_format(entry, known or ISO, calendar)
        if written.ok:
            return written
    if entry.moment.day is not None:
        open_calendar = await calendars.open_calendar(entry)
        if isinstance(open_calendar, PerformOutcome):
            return open_calendar
        if open_calendar.state == "shown":
            return await _pick_in_calendar(entry, open_calendar)
    if calendar.editable:
        return await _probe_format(entry, calendar)
    what = f'{entry.found.now.role} "{entry.found.now.name}"'
    return refuse(
        "not_editable", f"{what} takes no text, and no calendar came up", target=entry.found.to_target_found()
    )


async def _pick_in_calendar(entry: DateEntry, calendar: Calendar) -> PerformOutcome:
    """Pick the day, confirm it where that is asked for, and close the calendar. The outcome is what is shown then."""
    held = await _press_day(entry, calendar)
    if isinstance(held, PerformOutcome):
        return held
    if not held and entry.moment.hour is not None and calendar.editable:
        return await _type_day_and_time(entry, calendar)
    await calendars.close_calendar(entry)
    outcome = await _outcome_after_pick(entry)
    if outcome.ok or not held:
        return outcome
    # Closing it has emptied the field, or taken the choice back: it is made once more, and the calendar is left open.
    again = await calendars.open_calendar(entry)
    if not isinstance(again, PerformOutcome) and again.state == "shown":
        held = await _press_day(entry, again)
    return held if isinstance(held, PerformOutcome) else await _outcome_after_pick(entry)


async def _press_day(entry: DateEntry, calendar: Calendar) -> bool | PerformOutcome:
    """Press the day, set the time, and confirm. Return whether the date is shown outside of the calendar."""
    refused = await calendars.pick_day(entry, calendar)
    if refused is not None:
        return refused
    entry.picked = True
    await entry.session.wait_for_rest()
    again = await entry.calendar()
    if entry.moment.hour is not None and again.clock:
        await calendars.set_time_of_day(entry, again)
    held = await _is_held_soon(entry)
    again = await entry.calendar()
    if again.state == "shown" and again.confirm:
        refused = await entry.press(calendars.PARTS + "c", 0, "the button that confirms")
        if refused is not None:
            return refused
        await entry.session.wait_for_rest()
        held = await _is_held_soon(entry)
    return held


async def _is_held_soon(entry: DateEntry) -> bool:
    """Return whether the field, or what is beside it, shows the date. It is waited for, unless the calendar is part of
    the page or has to be confirmed."""
    until_s = time.monotonic() + entry.session.patient_s(LATE_S)
    while True:
        calendar = await entry.calendar()
        if await _shown_date(entry, calendar):
            return True
        if time.monotonic() >= until_s or (calendar.state == "shown" and (calendar.inline or calendar.confirm)):
            return False
        await entry.session.run_timed(asyncio.sleep(calendars.POLL_S))


async def _shown_date(entry: DateEntry, calendar: Calendar) -> str:
    """Return the text outside of the calendar that shows the date; empty where there is none.

    The day was pressed under its month's name, so any reading of the field that includes it counts.
    """
    shown = await entry.read_state()
    if not shown.here:
        return ""
    if shown.value and dates.reads_as(shown.value, entry.moment, entry.lang) is not False:
        return shown.value
    near = "" if calendar.editable else await _nearby_text(entry)
    return near[:200] if near and dates.reads_as(near, entry.moment, entry.lang) else ""


async def _outcome_after_pick(entry: DateEntry) -> PerformOutcome:
    target, iso = entry.found.to_target_found(), entry.moment.iso()
    calendar = await entry.calendar()
    text = await _shown_date(entry, calendar)
    if text:
        return done(f"picked {iso}", effect=ValueSet(value=text), target=target)
    # The mark in a calendar is no date in a field.
    is_choice = calendar.inline or not calendar.editable
    if calendar.state == "shown" and calendar.picked and is_choice and entry.moment.hour is None:
        return done(f"picked {iso}; the calendar marks it", effect=ValueSet(value=iso), target=target)
    shown = await entry.read_state()
    value = shown.value if shown.here else ""
    message = f'after picking {iso}, "{entry.found.now.name}" holds "{value}"'
    return refuse("effect_not_seen", message, effect=ValueSet(value=value), target=target)


async def _read_again(entry: DateEntry, outcome: PerformOutcome) -> PerformOutcome:
    """Return the outcome by what is shown a moment later: a page may take back what it showed at first."""
    await entry.session.run_timed(asyncio.sleep(entry.session.patient_s(HOLDS_S)))
    await entry.session.wait_for_rest()
    shown = await entry.read_state()
    first = outcome.effect.value if isinstance(outcome.effect, ValueSet) else ""
    if not shown.here or shown.value == first:
        return outcome
    if entry.picked:
        return await _outcome_after_pick(entry)
    target, effect = entry.found.to_target_found(), ValueSet(value=shown.value)
    if dates.reads_as(shown.value, entry.moment, entry.lang):
        return done(f'set "{entry.found.now.name}" to {shown.value}', effect=effect, target=target)
    message = f'"{entry.found.now.name}" held "{first}", and a moment later it holds "{shown.value}"'
    return refuse("effect_not_seen", message, effect=effect, target=target)


async def _nearby_text(entry: DateEntry) -> str:
    found = entry.found
    work = ask(found.frame, NearbyText, entry.timeout_s, "around", found.snapshot_id, found.n)
    return (await entry.session.run_timed(work)).text


async def _type_day_and_time(entry: DateEntry, calendar: Calendar) -> PerformOutcome:
    """Type the time of day after the day that the calendar set, in the field's own format."""
    shown = await entry.read_state()
    day = replace(entry.moment, hour=None, minute=0)
    known = dates.format_of(*calendar.hints) or dates.example(shown.value)
    if known is None or dates.reads_as(shown.value, day, entry.lang) is False:
        message = f'"{entry.found.now.name}" holds "{shown.value}", without the time {entry.moment.clock}'
        return refuse(
            "effect_not_seen", message, effect=ValueSet(value=shown.value), target=entry.found.to_target_found()
        )
    return await _type_in_format(entry, known, calendar)


async def _type_in_format(entry: DateEntry, known: Format, calendar: Calendar) -> PerformOutcome:
    """Type the date in a known format, and read it in the same."""
    text = _text_in(entry.moment, known, calendar.hints)
    value, invalid = await _type(entry, text)
    target, effect = entry.found.to_target_found(), ValueSet(value=value)
    right = value == text or dates.reads_in(value, known.order, entry.moment, entry.lang)
    if right and not invalid:
        return done(f'set "{entry.found.now.name}" to {value}', effect=effect, target=target)
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


async def _probe_format(entry: DateEntry, calendar: Calendar) -> PerformOutcome:
    """Find the format of a field without hints by typing a day above 12."""
    text = _text_in(entry.moment, ISO, calendar.hints)
    value, invalid = await _type(entry, text)
    target = entry.found.to_target_found()
    if not invalid and (value == text or dates.reads_as(value, entry.moment, entry.lang)):
        return done(f'set "{entry.found.now.name}" to {value}', effect=ValueSet(value=value), target=target)
    if entry.moment.day is not None:
        fits = [one for one in (ISO, *PROBED) if await _accepts(entry, one)]
        orders = {one.order for one in fits}
        if len(orders) == 1:
            return await _type_in_format(entry, fits[0], calendar)
    value = (await entry.read_state()).value
    message = f'it cannot be told how "{entry.found.now.name}" wants dates; it holds "{value}"'
    return refuse("effect_not_seen", message, effect=ValueSet(value=value), target=target)


async def _accepts(entry: DateEntry, one: Format) -> bool:
    probe = replace(entry.moment, day=PROBE_DAY)
    value, invalid = await _type(entry, one.write(probe))
    return not invalid and dates.reads_as(value, probe, entry.lang) is True


async def _type(entry: DateEntry, text: str) -> tuple[str, bool]:
    """Type as a person does and leave the field. Return its value and whether it is marked as invalid."""
    session, locator = entry.session, entry.found.locator
    timeout_ms = entry.timeout_s * 1000
    try:
        await session.run_timed(locator.fill("", timeout=timeout_ms))
        await session.run_timed(locator.press_sequentially(text, timeout=timeout_ms))
        # Fields validate and rewrite their value when they lose the focus.
        await session.run_timed(locator.press("Tab", timeout=timeout_ms))
    except Error as error:
        session.tabs.raise_if_lost(error)
    await session.wait_for_rest()
    shown = await entry.read_state()
    return (shown.value, shown.invalid) if shown.here else ("", True)
