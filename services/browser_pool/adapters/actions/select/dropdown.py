"""The pick action: selects an option in any control that offers options."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from playwright.async_api import Error

from services.browser_pool.adapters.actions.effects import ControlState, note_what_is_shown, state_before
from services.browser_pool.adapters.actions.pointer.hit_test import MAX_PRESSES, reach, reach_part
from services.browser_pool.adapters.actions.select.long_lists import look_through
from services.browser_pool.adapters.actions.select.native import pick_native
from services.browser_pool.adapters.actions.select.picker import (
    OFFERED,
    BeforePick,
    Choices,
    OptionFound,
    OptionPick,
    PressedOption,
    is_option_marked,
    is_picked,
    read_back,
)
from services.browser_pool.adapters.actions.type_text import replace_by_keys
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from services.browser_pool.page.matching import Offer
from shared.contracts.actions import PickOption
from shared.contracts.results import ValueSet

LIST_BOUND_S = 4.0
"""Time for a list to open and stop changing, while nothing is loading."""
LOADING_BOUND_S = 15.0
"""The same with loading: a slow server is waited for."""
STILL_S = 0.2
EMPTY_S = 0.7
"""A list that shows nothing and loads nothing counts as empty after this time."""
POLL_S = 0.05


@performs(PickOption)
async def pick(session: PageSession, action: PickOption) -> PerformOutcome:
    found = await session.find(action.target, "act")
    if isinstance(found, PerformOutcome):
        return found
    if found.now.tag == "select":
        return await pick_native(session, found, action.option)
    if found.now.disabled:
        return refuse(
            "not_editable", f'{found.now.role} "{found.now.name}" is disabled', target=found.to_target_found()
        )
    pick = OptionPick(session, found)
    before = await state_before(session, found)
    await note_what_is_shown(session, found.frame)
    shown = await pick.read_state()
    path = (action.option,)
    choices = await _open_list(pick, action.option)
    if isinstance(choices, PerformOutcome):
        return choices
    index = await _find_option(pick, choices, action.option)
    if (
        isinstance(index, PerformOutcome)
        and index.code == "no_such_option"
        and len(matching.menu_path(action.option)) > 1
    ):
        path = matching.menu_path(action.option)
        index = await _walk_menus(pick, path)
    if isinstance(index, PerformOutcome):
        return await _leave(pick, index, shown)
    if choices.kind == "datalist":
        return await _pick_suggestion(pick, choices.items[index])
    outcome = await _press_option(pick, BeforePick(before, shown, await pick.nearby_text(), path[-1]))
    return outcome if outcome.ok or outcome.effect is not None else await _leave(pick, outcome, shown)


async def _pick_suggestion(pick: OptionPick, offer: Offer) -> PerformOutcome:
    """Set the value of a datalist option, whose list the browser draws outside of the page."""
    value = (*offer.parts, offer.name)[0]
    locator = pick.found.locator
    await pick.session.run_timed(locator.fill(value, timeout=pick.timeout_s * 1000))
    await pick.session.wait_for_rest()
    shown = await pick.read_state()
    effect = ValueSet(value=shown.value)
    if shown.value != value:
        message = f'after picking "{offer.name}" the field holds "{shown.value}"'
        return refuse("effect_not_seen", message, effect=effect, target=pick.found.to_target_found())
    return done(f'picked "{offer.name}"', effect=effect, target=pick.found.to_target_found())


async def _open_list(pick: OptionPick, option: str) -> Choices | PerformOutcome:
    """Open the list if necessary and return its options; it is recognised by what became visible."""
    await pick.mark()
    choices = await pick.choices()
    if choices.kind in ("inside", "datalist") or choices.items:
        return choices
    reached = await reach(pick.session, pick.found, part="opener")
    if isinstance(reached, PerformOutcome):
        return reached
    # What was offered so far was not offered by this list.
    pick.offered.clear()
    pick.opened = True
    for _ in range(2):
        await reached.press(pick.session)
        choices = await _wait_until_still(pick, option)
        if choices.items or choices.search or (await pick.sights()).left == 0:
            return choices
        # It was open and is closed now.
        await pick.mark()
    return choices


async def _wait_until_still(pick: OptionPick, option: str, patience_s: float = STILL_S) -> Choices:
    """Return the list once it has not changed for ``patience_s``; at once when it has the option.

    New data is not drawn yet, so the time starts again with it. A busy browser delays the page's timers, so a minimum
    number of polls is required too.
    """
    session, network = pick.session, pick.session.network
    began_s = idle_s = still_s = time.monotonic()
    looks = 0
    choices = await pick.choices()
    while True:
        now_s = time.monotonic()
        loading = choices.loading or network.has_pending() or (not choices.items and network.has_request_of_action())
        if loading:
            idle_s, still_s, looks = now_s, now_s, 0
        quiet_s = session.patient_s(patience_s if choices.items or choices.search else EMPTY_S)
        if not loading and now_s - still_s >= quiet_s and looks >= quiet_s / POLL_S / 2:
            return choices
        if now_s - began_s >= LOADING_BOUND_S or now_s - idle_s >= LIST_BOUND_S:
            return choices
        if len(matching.matching_options(choices.items, option)) == 1 and not loading and now_s - still_s >= POLL_S:
            return choices
        await pick.session.run_timed(asyncio.sleep(POLL_S))
        fresh = await pick.choices()
        looks += 1
        if fresh.items != choices.items:
            still_s, looks = time.monotonic(), 0
        choices = fresh


async def _find_option(pick: OptionPick, choices: Choices, option: str) -> int | PerformOutcome:
    """Return the index of the option, after filtering or scrolling the list where it can be."""
    found = _match_option(pick, choices, option)
    if found is None and choices.kind == "datalist":
        return _not_offered(pick, option)
    if found is None and choices.search:
        narrowed = await _filter_by_typing(pick, option)
        found = _match_option(pick, narrowed, option)
        if found is None and narrowed.items != choices.items:  # it may be longer than what it shows of it
            found = await _scroll_to_option(pick, narrowed, option)
            return _not_offered(pick, option, searched=True) if found is None else found
    if found is None:
        found = await _scroll_to_option(pick, choices, option)
    return _not_offered(pick, option, searched=choices.search) if found is None else found


def _match_option(pick: OptionPick, choices: Choices, option: str) -> int | PerformOutcome | None:
    indexes = matching.matching_options(choices.items, option)
    target = pick.found.to_target_found()
    if len(indexes) > 1:
        several = matching.options_in_words(choices.items[n].name for n in indexes)
        message = f'"{option}" is {len(indexes)} of the options, and it must be one: {several}'
        return refuse("ambiguous", message, target=target)
    if not indexes:
        return None
    if choices.items[indexes[0]].disabled:
        return refuse("not_editable", f'"{option}" cannot be picked: it is disabled', target=target)
    return indexes[0]


def _not_offered(pick: OptionPick, option: str, *, searched: bool = False) -> PerformOutcome:
    message = f'"{option}" is not one of the options of {pick.description}: {matching.options_in_words(pick.offered)}'
    if not pick.offered:
        why = f'typing "{option}" brought none' if searched else "no list came up"
        message = f"{pick.description} offers nothing to pick from: {why}"
    return refuse("no_such_option", message, target=pick.found.to_target_found())


async def _filter_by_typing(pick: OptionPick, option: str) -> Choices:
    """Type into the field that filters the list, letter by letter: some lists listen to keys only."""
    text = matching.search_text(option)
    choices = await _filter_by(pick, text)
    if text != option and not matching.matching_options(choices.items, option):
        choices = await _filter_by(pick, option)
    return choices


async def _filter_by(pick: OptionPick, text: str) -> Choices:
    session = pick.session
    pick.typed = text
    try:
        await replace_by_keys(session, engine.element(pick.found.frame, OFFERED + "s", 0), text)
    except Error as error:
        session.tabs.raise_if_lost(error)
    return await _wait_until_still(pick, text, patience_s=EMPTY_S)


async def _scroll_to_option(pick: OptionPick, choices: Choices, option: str) -> int | PerformOutcome | None:
    """Search a list that shows only some options at a time, or loads more while scrolling. None: it ends without it."""
    if not choices.items:
        return None
    looked = await look_through(pick, option)
    if looked.found or looked.whole:
        return _match_option(pick, await pick.choices(), option)
    message = f'"{option}" is none of the {len(pick.offered)} options of {pick.description} that were looked at in time'
    return refuse("failed", f"{message}, and the list goes on", target=pick.found.to_target_found())


async def _walk_menus(pick: OptionPick, path: tuple[str, ...]) -> int | PerformOutcome:
    """Open one submenu after the other; the last step is left to be pressed."""
    choices = await pick.choices()
    for at, step in enumerate(path):
        found = _match_option(pick, choices, step)
        if found is None:
            return _not_offered(pick, step)
        if isinstance(found, PerformOutcome) or at == len(path) - 1:
            return found
        choices = await _enter_submenu(pick, found, path[at + 1])
        if isinstance(choices, PerformOutcome):
            return choices
    return _not_offered(pick, path[-1])


async def _enter_submenu(pick: OptionPick, index: int, following: str) -> Choices | PerformOutcome:
    """Open a submenu: some open under the mouse, others when pressed. An item of a tree is opened by its own sign."""
    frame = pick.found.frame
    sign = await pick.session.run_timed(ask(frame, OptionFound, pick.timeout_s, "sign", OFFERED, index))
    if sign.here:
        return await _open_item(pick, following)
    reached = await reach_part(pick.session, pick.found.frame, OFFERED, index, "the submenu")
    if isinstance(reached, PerformOutcome):
        return reached
    await reached.hover(pick.session)
    choices = await _wait_until_still(pick, following)
    if matching.matching_options(choices.items, following):
        return choices
    await reached.press(pick.session)
    return await _wait_until_still(pick, following)


async def _open_item(pick: OptionPick, following: str) -> Choices | PerformOutcome:
    """Open an item of a tree by its sign. The item itself is not pressed: that would pick it."""
    reached = await reach_part(pick.session, pick.found.frame, OFFERED + "t", 0, "the sign that opens the item")
    if isinstance(reached, PerformOutcome):
        return reached
    await reached.press(pick.session)
    return await _wait_until_still(pick, following)


async def _press_option(pick: OptionPick, before: BeforePick) -> PerformOutcome:
    """Press the option; search it again when it was missed, because lists are redrawn under the mouse."""
    session, found = pick.session, pick.found
    for _ in range(MAX_PRESSES):
        choices = await pick.choices()
        indexes = matching.matching_options(choices.items, before.option)
        if len(indexes) != 1:
            message = f'"{before.option}" went away before it could be picked'
            return refuse("no_such_option", message, target=found.to_target_found())
        offer = choices.items[indexes[0]]
        if choices.many and offer.selected and await is_picked(pick, offer, choices):
            return done(
                f'"{offer.name}" is picked already', effect=ValueSet(value=offer.name), target=found.to_target_found()
            )
        await session.run_timed(
            ask(found.frame, OptionFound, pick.timeout_s, "aim", OFFERED, indexes[0], before.option)
        )
        reached = await reach_part(session, found.frame, OFFERED + "p", 0, f'the option "{offer.name}"')
        if isinstance(reached, PerformOutcome):
            if reached.code == "stale_ref":
                continue
            return reached
        if await reached.press(session):
            # Read while the list is open; afterwards it is often gone.
            marked = await is_option_marked(pick, indexes[0])
            await session.wait_for_rest()
            return await read_back(pick, PressedOption(offer, choices, marked, before))
    message = f'"{before.option}" cannot be pressed: something else came under the mouse'
    return refuse("blocked", message, target=found.to_target_found())


# --- a pick that was refused


async def _leave(pick: OptionPick, refusal: PerformOutcome, before: ControlState) -> PerformOutcome:
    """Close what the pick has opened and undo what it has typed. The refusal names what the control shows instead."""
    try:
        await _close_list(pick)
        if pick.typed:
            await _restore_text(pick, before)
    except Error as error:
        pick.session.tabs.raise_if_lost(error)
    now = await pick.read_state()
    if not now.here or now.value == before.value:
        return refusal
    message = f'{refusal.message}. {pick.description} held "{before.value}" and holds "{now.value}" now'
    return replace(refusal, message=message, effect=ValueSet(value=now.value))


async def _restore_text(pick: OptionPick, before: ControlState) -> None:
    """Write what the field held before the search, where it is the control itself."""
    session, found = pick.session, pick.found
    now = await pick.read_state()
    if not now.here or now.value == before.value or not found.now.editable:
        return
    await session.run_timed(found.locator.fill(before.value, timeout=pick.timeout_s * 1000))
    # The text may open the list again; it is left, as with the mouse.
    await session.run_timed(found.locator.blur(timeout=pick.timeout_s * 1000))
    await session.wait_for_rest()


async def _close_list(pick: OptionPick) -> None:
    """Close a list that this pick has opened, without closing a dialog around it."""
    choices = await pick.choices()
    if not pick.opened or choices.kind != "opens" or not choices.opened:
        return
    shown = await pick.read_state()
    if choices.search and shown.role != "button":
        await pick.session.run_timed(pick.session.page.keyboard.press("Escape"))
    else:
        reached = await reach(pick.session, pick.found, part="opener")
        if isinstance(reached, PerformOutcome):
            await pick.session.run_timed(pick.session.page.keyboard.press("Escape"))
        else:
            await reached.press(pick.session)
    await pick.session.wait_for_rest()
