"""One pick: what the control offers, and its verification.

A pick is done once the page shows it, and still shows it a moment later.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import msgspec
from playwright.async_api import Error

from services.browser_pool.adapters.actions.effects import ControlState, VisibleChanges, has_navigated, shows_change
from services.browser_pool.adapters.actions.pointer.hit_test import ReachedElement, reach_part
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import CountReply, DocumentState, ask
from services.browser_pool.adapters.observe.pending import PendingWork, read_pending_work
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from services.browser_pool.page.matching import Offer
from shared.contracts.actions import ByCss
from shared.contracts.results import Effect, Navigated, NotSeen, PageChanged, ValueSet
from shared.text.normal import fold

T = TypeVar("T")
MARK, OFFERED = "action-mark", "action-offered"


class Choices(msgspec.Struct, frozen=True):
    """The options of a control. ``many``: several may be selected. ``search``: a field filters the list."""

    kind: Literal["opens", "inside", "datalist", "gone"]
    items: tuple[Offer, ...]
    many: bool = False
    search: bool = False
    opened: bool = False
    loading: bool = False


class NearbyText(msgspec.Struct, frozen=True):
    text: str


class OptionFound(msgspec.Struct, frozen=True):
    here: bool


@dataclass
class OptionPick:
    """One pick: its control, and the options seen so far."""

    session: PageSession
    found: ResolvedElement
    offered: dict[str, None] = field(default_factory=dict[str, None])
    typed: str = ""
    """The text that was typed to filter the list."""
    opened: bool = False
    """The list was opened by this pick."""

    @property
    def timeout_s(self) -> float:
        return self.session.limits.action_s

    async def choices(self, mark: str = MARK) -> Choices:
        found = self.found
        work = ask(found.frame, Choices, self.timeout_s, "choices", found.snapshot_id, found.n, mark, OFFERED)
        choices = await self.session.run_timed(work)
        self.offered.update(dict.fromkeys(offer.name for offer in choices.items))
        return choices

    async def mark(self) -> None:
        await self.session.run_timed(ask(self.found.frame, CountReply, self.timeout_s, "mark", MARK))

    async def read_state(self) -> ControlState:
        found = self.found
        return await self.session.run_timed(
            ask(found.frame, ControlState, self.timeout_s, "shown", found.snapshot_id, found.n)
        )

    async def nearby_text(self) -> str:
        found = self.found
        work = ask(found.frame, NearbyText, self.timeout_s, "around", found.snapshot_id, found.n, OFFERED + "s")
        return (await self.session.run_timed(work)).text

    async def sights(self) -> VisibleChanges:
        return await self.session.run_timed(ask(self.found.frame, VisibleChanges, self.timeout_s, "sights", MARK))

    @property
    def description(self) -> str:
        return f'{self.found.now.role} "{(self.found.now.name or self.found.now.text)[:80]}"'


# --- verification

LATE_S = 1.0
"""Time for a control that shows the choice late."""
HOLDS_S = 0.3
"""The choice must still be shown after this time: some pages revert it."""
REVERTS_S = 2.0
"""A choice that a page takes back within this time was not made. It is waited for only while something is pending."""
LATE_REVERTS_S = 5.0
"""The same while a timer should have fired and has not, because the page's scripts do not get to run."""
POLL_S = 0.05
MENUS = frozenset({"menu", "menubar", "menuitem", "button", "tablist", "link", "toolbar", "list", "navigation"})


@dataclass(frozen=True)
class BeforePick:
    page: DocumentState
    shown: ControlState
    nearby_text: str
    option: str


@dataclass(frozen=True)
class PressedOption:
    """The pressed option and the list it came from. ``marked``: it reported at once that it is selected."""

    offer: Offer
    choices: Choices
    marked: bool
    before: BeforePick

    @property
    def summary(self) -> str:
        return f'picked "{self.offer.name}"'


async def read_back(pick: OptionPick, pressed: PressedOption) -> PerformOutcome:
    outcome = await _wait_for_effect(pick, pressed)
    if not outcome.ok or not isinstance(outcome.effect, ValueSet):
        return outcome
    session = pick.session
    await session.run_timed(asyncio.sleep(session.patient_s(HOLDS_S)))
    await session.wait_for_rest()
    later = await _outcome_now(pick, pressed)
    later = await read_while_kept(
        session, later, lambda now: now.ok and now.effect == outcome.effect, lambda: _outcome_now(pick, pressed)
    )
    if later.ok and isinstance(later.effect, ValueSet | Navigated):
        return later
    shown = await pick.read_state()
    # A control that is gone, such as one in a closed dialog, has reverted nothing.
    return outcome if not shown.here else _reverted(pick, pressed, shown)


async def read_while_kept(
    session: PageSession, now: T, kept: Callable[[T], bool], read: Callable[[], Awaitable[T]]
) -> T:
    """Return the last reading: the first that is not ``kept``, or one that nothing pending can take back any more.

    What is pending is asked before the control is read: a timer that fires between the two is then in the reading."""
    began_s = time.monotonic()
    work: PendingWork = "some"
    while work != "none" and kept(now):
        if time.monotonic() - began_s >= session.patient_s(LATE_REVERTS_S if work == "late" else REVERTS_S):
            break
        work = await _work_that_may_revert(session)
        if work != "none":
            await session.run_timed(asyncio.sleep(POLL_S))
        now = await read()
    return now


async def _work_that_may_revert(session: PageSession) -> PendingWork:
    """Return whether a request of the action is not answered, or a timer is due."""
    if session.network.has_request_of_action():
        return "some"
    worlds = await engine.worlds(session.page)
    return await read_pending_work(worlds, 0.0, session.limits.action_s)


async def _wait_for_effect(pick: OptionPick, pressed: PressedOption) -> PerformOutcome:
    until_s = time.monotonic() + pick.session.patient_s(LATE_S)
    outcome = await _outcome_now(pick, pressed)
    while outcome.code == "effect_not_seen" and time.monotonic() < until_s:
        await pick.session.run_timed(asyncio.sleep(POLL_S))
        await pick.session.wait_for_rest()
        outcome = await _outcome_now(pick, pressed)
    return outcome


def _reverted(pick: OptionPick, pressed: PressedOption, shown: ControlState) -> PerformOutcome:
    message = f'{pressed.summary}, and the page took it back: the control shows "{shown.value}"'
    return refuse("effect_not_seen", message, effect=ValueSet(value=shown.value), target=pick.found.to_target_found())


async def _outcome_now(pick: OptionPick, pressed: PressedOption) -> PerformOutcome:
    session = pick.session
    if session.tabs.follow() or has_navigated(pressed.before.page, session.rest.state):
        effect: Effect = Navigated(url=session.page.url, http_status=session.network.fresh_status)
        return done(f"{pressed.summary}, and the page went on", effect=effect, target=pick.found.to_target_found())
    if pressed.choices.kind == "inside":
        return await _outcome_in_group(pick, pressed)
    shown = await pick.read_state()
    return await _outcome_of_control(pick, pressed, shown if shown.here else await _find_control_again(pick))


async def _outcome_in_group(pick: OptionPick, pressed: PressedOption) -> PerformOutcome:
    """Return the outcome for a group of visible options: the option itself reports whether it is selected."""
    offer, choices, target = pressed.offer, pressed.choices, pick.found.to_target_found()
    if await _is_marked(pick, pressed) and (not choices.many or await is_picked(pick, offer, choices)):
        return done(pressed.summary, effect=ValueSet(value=offer.name), target=target)
    if pick.found.now.role in MENUS or not offer.marks:
        return await _menu_outcome(pick, pressed)
    return refuse("effect_not_seen", f'after pressing "{offer.name}", it is not picked', target=target)


async def _outcome_of_control(pick: OptionPick, pressed: PressedOption, shown: ControlState) -> PerformOutcome:
    """Return the outcome by the control's text, by new text beside it, else by the option itself."""
    offer, choices, before, target = pressed.offer, pressed.choices, pressed.before, pick.found.to_target_found()
    others = {fold(item.name) for item in choices.items} - {fold(offer.name)}
    another = fold(shown.value) in others
    unlike = f'after picking "{offer.name}" the control shows "{shown.value}"'
    is_new = shown.here and shown.value != before.shown.value
    if is_new and not choices.many and (another or await _is_filter_text(pick, shown)):
        return refuse("effect_not_seen", unlike, effect=ValueSet(value=shown.value), target=target)
    if shown.here and not another and matching.shows_option(shown.value, offer):
        return done(pressed.summary, effect=ValueSet(value=shown.value), target=target)
    if shown.here and (added := await _added_nearby(pick, offer, before)):
        return done(pressed.summary, effect=ValueSet(value=added), target=target)
    if choices.many and pressed.marked and await is_picked(pick, offer, await pick.choices()):
        return done(pressed.summary, effect=ValueSet(value=offer.name), target=target)
    if is_new and shown.value:
        message = f'{pressed.summary}; the control now shows "{shown.value}"'
        return done(message, effect=ValueSet(value=shown.value), target=target)
    if pick.found.now.role in MENUS:
        return await _menu_outcome(pick, pressed)
    return refuse("effect_not_seen", unlike, effect=ValueSet(value=shown.value), target=target)


async def _is_filter_text(pick: OptionPick, shown: ControlState) -> bool:
    """Return whether the field still holds the filter text and the list offers the option: the press did nothing."""
    if not pick.typed or fold(shown.value) != fold(pick.typed):
        return False
    option = await _option_state(pick, OFFERED + "p", 0)
    return option.here and option.seen


async def _is_marked(pick: OptionPick, pressed: PressedOption) -> bool:
    """Return whether the option reports that it is selected; its first report when it is gone."""
    now = await pick.choices()
    indexes = matching.matching_options(now.items, pressed.before.option)
    return await is_option_marked(pick, indexes[0]) if len(indexes) == 1 else pressed.marked


async def is_picked(pick: OptionPick, offer: Offer, choices: Choices) -> bool:
    """Return whether the option is selected, also with the mouse on another: some lists report hovered options as
    selected."""
    shown = await pick.read_state()
    # What a list shows is its options, and the marks on them.
    if choices.kind != "inside" and shown.here and matching.shows_option(shown.value, offer):
        return True
    others = [n for n, item in enumerate(choices.items) if item.name != offer.name and not item.disabled]
    if others:
        way = await reach_part(pick.session, pick.found.frame, OFFERED, others[0], "another option", patience_s=0)
        if isinstance(way, ReachedElement):
            await way.hover(pick.session)
            await pick.session.wait_for_rest()
    now = (await pick.choices()).items
    return any(item.name == offer.name and item.selected for item in now)


async def is_option_marked(pick: OptionPick, index: int) -> bool:
    """Return whether an option reports that it is selected."""
    shown = await _option_state(pick, OFFERED, index)
    return shown.here and bool(shown.checked or shown.selected)


async def _option_state(pick: OptionPick, group: str, index: int) -> ControlState:
    try:
        return await pick.session.run_timed(ask(pick.found.frame, ControlState, pick.timeout_s, "shown", group, index))
    except Error as error:
        pick.session.tabs.raise_if_lost(error)
        return ControlState(here=False)


async def _menu_outcome(pick: OptionPick, pressed: PressedOption) -> PerformOutcome:
    """Return the outcome for a menu, which acts but has no value."""
    session = pick.session
    main, rest = session.page.main_frame, session.rest.state
    acted = bool(session.tabs.dialogs) or await shows_change(session, main, pressed.before.page, rest)
    seen = "" if acted else "; nothing was seen to come of it"
    effect = PageChanged() if acted else NotSeen()
    return done(f"{pressed.summary}{seen}", effect=effect, target=pick.found.to_target_found())


async def _added_nearby(pick: OptionPick, offer: Offer, before: BeforePick) -> str:
    """Return the option's text that occurs more often beside the field than before, as in a chip; else an empty one.

    The name of an option may have more in it than is shown as the choice: an icon, an indented arrow.
    """
    now, was = fold(await pick.nearby_text()), fold(before.nearby_text)
    asked = [part for part in offer.parts if fold(part) == fold(before.option)]
    return next((text for text in (offer.name, *asked) if now.count(fold(text)) > was.count(fold(text))), "")


async def _find_control_again(pick: OptionPick) -> ControlState:
    """Find a redrawn control by its locators and return its state."""
    for locator in pick.found.to_target_found().locators:
        if locator.kind in ("id", "testid", "css") and locator.matches == 1:
            found = await pick.session.find(ByCss(css=locator.value), "read")
            if isinstance(found, ResolvedElement) and found.now.role == pick.found.now.role:
                pick.found = found
                return await pick.read_state()
    return ControlState(here=False)
