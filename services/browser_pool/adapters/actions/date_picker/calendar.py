"""Scripted calendars: turns to the month and presses the day."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Literal

import msgspec
from playwright.async_api import Error

from services.browser_pool.adapters.actions.effects import ControlState
from services.browser_pool.adapters.actions.pointer.hit_test import reach, reach_part
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import CountReply, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.dates import Moment, month_table

MARK, PARTS = "action-date", "action-calendar"
OPENS_S = 0.8
FADES_S = 0.8
TURNS_S = 1.0
JOURNEY_S = 40.0
"""Time limit from the shown month to the wanted one, page by page where nothing is faster."""
POLL_S = 0.03


class MonthButton(msgspec.Struct, frozen=True):
    """A button that turns pages. ``guess``: the number of months, by its label."""

    label: str
    guess: int


class Calendar(msgspec.Struct, frozen=True):
    """The state of a calendar.

    ``months``: the shown ones, as year * 12 + month - 1, 0 when unknown. ``day``: the wanted day is shown. ``picked``:
        it is marked as selected. ``clock``: there are fields for hours and minutes, with ``half`` am or pm. ``inline``:
        it is part of the page, no pop-up.
    """

    state: Literal["gone", "none", "shown", "unnamed"]
    """``unnamed``: the document has not received the month names of its language yet."""
    lang: str = ""
    """The language that the field or its document declares."""
    editable: bool = False
    hints: tuple[str, ...] = ()
    months: tuple[int, ...] = ()
    day: bool = False
    disabled: bool = False
    picked: bool = False
    moves: tuple[MonthButton, ...] = ()
    month_list: int = -1
    month_at: int = -1
    year_list: int = -1
    year_at: int = -1
    year_field: int = -1
    confirm: bool = False
    clock: bool = False
    half: str = ""
    inline: bool = False


@dataclass
class DateEntry:
    """One date that is being set. ``steps``: the months that each button turned out to move. ``lang``: the calendar's
    language. ``opened``: this action has opened the calendar; ``picked``: it has pressed the day in it."""

    session: PageSession
    found: ResolvedElement
    moment: Moment
    steps: dict[str, int] = field(default_factory=dict)
    lang: str = ""
    opened: bool = False
    picked: bool = False

    @property
    def wanted(self) -> int:
        return (self.moment.year or 0) * 12 + (self.moment.month or 1) - 1

    @property
    def timeout_s(self) -> float:
        return self.session.limits.action_s

    async def calendar(self) -> Calendar:
        """Return the calendar's state. A new document receives the month names first."""
        found, moment = self.found, self.moment
        day = f"{moment.year or 0}-{moment.month or 0}-{moment.day or 0}"
        while True:
            work = ask(found.frame, Calendar, self.timeout_s, "calendar", found.snapshot_id, found.n, MARK, PARTS, day)
            calendar = await self.session.run_timed(work)
            if calendar.state != "unnamed":
                self.lang = calendar.lang
                return calendar
            reply = await asyncio.to_thread(month_table, calendar.lang)
            await self.session.run_timed(ask(found.frame, CountReply, self.timeout_s, "months", calendar.lang, reply))

    async def read_state(self) -> ControlState:
        found = self.found
        return await self.session.run_timed(
            ask(found.frame, ControlState, self.timeout_s, "shown", found.snapshot_id, found.n)
        )

    async def press(self, group: str, n: int, called: str) -> PerformOutcome | None:
        """Press a stored element. Return a refusal, or None once it is pressed."""
        reached = await reach_part(self.session, self.found.frame, group, n, called)
        if isinstance(reached, PerformOutcome):
            return reached
        await reached.press(self.session)
        return None


async def open_calendar(entry: DateEntry) -> Calendar | PerformOutcome:
    """Return the calendar, opened if necessary; ``state`` is none when there is none."""
    session, found = entry.session, entry.found
    calendar = await entry.calendar()
    if calendar.state == "shown":
        return calendar
    await session.run_timed(ask(found.frame, CountReply, entry.timeout_s, "mark", MARK))
    reached = await reach(session, found, part="opener")
    if isinstance(reached, PerformOutcome):
        return reached
    entry.opened = await reached.press(session)
    until_s = time.monotonic() + session.patient_s(OPENS_S)
    while (calendar := await entry.calendar()).state != "shown" and time.monotonic() < until_s:
        await session.run_timed(asyncio.sleep(POLL_S))
    return calendar


async def pick_day(entry: DateEntry, calendar: Calendar) -> PerformOutcome | None:
    """Turn to the month and press the day. Return a refusal or None; the effect is read by the caller."""
    arrived = await _turn_to_month(entry, calendar)
    if isinstance(arrived, PerformOutcome):
        return arrived
    target = entry.found.to_target_found()
    if not arrived.day:
        message = f"the calendar does not show the day {entry.moment.iso()}"
        return refuse("no_such_option", message, target=target)
    if arrived.disabled:
        message = f"{entry.moment.iso()} cannot be picked: the calendar has it disabled"
        return refuse("no_such_option", message, target=target)
    return await entry.press(PARTS + "d", 0, f"the day {entry.moment.iso()}")


async def _turn_to_month(entry: DateEntry, calendar: Calendar) -> Calendar | PerformOutcome:
    until_s = time.monotonic() + JOURNEY_S
    jumped = False
    while entry.wanted not in calendar.months:
        known = [month for month in calendar.months if month]
        if not known:
            return _refuse_not_reached(entry, "it does not say which month it shows")
        if time.monotonic() >= until_s:
            return _refuse_not_reached(entry, f"it was not reached within {JOURNEY_S:g} s")
        moved = None if jumped else await _jump(entry, calendar)
        jumped = jumped or moved is None or entry.wanted in moved.months
        if moved is None:
            moved = await _turn(entry, calendar, entry.wanted - min(known, key=lambda m: abs(entry.wanted - m)))
        if isinstance(moved, PerformOutcome):
            return moved
        if moved.state != "shown":
            return _refuse_not_reached(entry, "it went away")
        calendar = moved
    return calendar


def _refuse_not_reached(entry: DateEntry, why: str) -> PerformOutcome:
    month = f"{entry.wanted // 12}-{entry.wanted % 12 + 1:02d}"
    message = f"the calendar could not be turned to {month}: {why}"
    return refuse("effect_not_seen", message, target=entry.found.to_target_found())


async def _jump(entry: DateEntry, calendar: Calendar) -> Calendar | None:
    """Select month and year in lists or fields; None when there are none or they change nothing."""
    session, frame = entry.session, entry.found.frame
    before = calendar.months
    wrong_year = all(month // 12 != entry.wanted // 12 for month in calendar.months)
    try:
        if wrong_year and calendar.year_list >= 0:
            years = engine.element(frame, PARTS + "j", calendar.year_list)
            await session.run_timed(years.select_option(index=calendar.year_at, timeout=entry.timeout_s * 1000))
        elif wrong_year and calendar.year_field >= 0:
            year = engine.element(frame, PARTS + "j", calendar.year_field)
            await session.run_timed(year.fill(str(entry.wanted // 12), timeout=entry.timeout_s * 1000))
            await session.run_timed(year.press("Enter", timeout=entry.timeout_s * 1000))
        elif calendar.month_list >= 0 and calendar.month_at >= 0:
            months = engine.element(frame, PARTS + "j", calendar.month_list)
            await session.run_timed(months.select_option(index=calendar.month_at, timeout=entry.timeout_s * 1000))
        else:
            return None
    except Error as error:
        session.tabs.raise_if_lost(error)
        return None
    after = await _wait_for_months(entry, before)
    return None if after.months == before else after


async def _turn(entry: DateEntry, calendar: Calendar, distance: int) -> Calendar | PerformOutcome:
    """Press the button that goes furthest towards the month without passing it."""
    steps = [entry.steps.get(move.label, move.guess) for move in calendar.moves]
    useful = [n for n, step in enumerate(steps) if step * distance > 0 and abs(step) <= abs(distance)]
    if not useful:
        return _refuse_not_reached(entry, "no button was found that turns it there")
    best = max(useful, key=lambda n: abs(steps[n]))
    label = calendar.moves[best].label
    refused = await entry.press(PARTS, best, f'the button "{label.rsplit("@", 1)[0]}"')
    if refused is not None:
        return refused
    after = await _wait_for_months(entry, calendar.months)
    moved = [now - was for now, was in zip(after.months, calendar.months, strict=False) if now and was]
    entry.steps[label] = moved[0] if moved else 0
    return after


async def _wait_for_months(entry: DateEntry, before: tuple[int, ...]) -> Calendar:
    """Return the calendar once it shows other months, or at the timeout."""
    until_s = time.monotonic() + entry.session.patient_s(TURNS_S)
    while True:
        calendar = await entry.calendar()
        if (calendar.months != before and all(calendar.months)) or time.monotonic() >= until_s:
            return calendar
        await entry.session.run_timed(asyncio.sleep(POLL_S))


async def set_time_of_day(entry: DateEntry, calendar: Calendar) -> None:
    """Set hours and minutes, with am or pm where the calendar has them."""
    session, moment = entry.session, entry.moment
    hour = moment.hour or 0
    reply = hour if not calendar.half else (hour % 12) or 12
    try:
        for n, value in enumerate((reply, moment.minute)):
            field_ = engine.element(entry.found.frame, PARTS + "t", n)
            tag = await session.run_timed(field_.evaluate("el => el.localName", timeout=entry.timeout_s * 1000))
            if tag == "select":
                await session.run_timed(field_.select_option(label=f"{value:02d}", timeout=entry.timeout_s * 1000))
            else:
                await session.run_timed(field_.fill(f"{value:02d}", timeout=entry.timeout_s * 1000))
                await session.run_timed(field_.press("Tab", timeout=entry.timeout_s * 1000))
        if calendar.half and (calendar.half == "pm") != (hour >= 12):
            await session.run_timed(engine.element(entry.found.frame, PARTS + "t", 2).click(timeout=1000))
    except Error as error:
        session.tabs.raise_if_lost(error)
    await session.wait_for_rest()


async def close_calendar(entry: DateEntry) -> None:
    """Close a calendar that this action has opened and that stays open, because it would cover the next target.

    One that is closing by itself is waited for: the key that closes a calendar empties the field of one that is closed.
    """
    if not entry.opened or not await _stays_open(entry):
        return
    await entry.session.run_timed(entry.session.page.keyboard.press("Escape"))
    # A fading calendar would count as open for the next action.
    await _stays_open(entry)
    await entry.session.wait_for_rest()


async def _stays_open(entry: DateEntry) -> bool:
    """Return whether a pop-up calendar is still shown after the time that one takes to fade."""
    until_s = time.monotonic() + entry.session.patient_s(FADES_S)
    while True:
        calendar = await entry.calendar()
        if calendar.state != "shown" or calendar.inline:
            return False
        if time.monotonic() >= until_s:
            return True
        await entry.session.run_timed(asyncio.sleep(POLL_S))
