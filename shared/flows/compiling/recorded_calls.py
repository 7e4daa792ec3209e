"""Recorded steps as the calls that a flow would have made. Nothing is lost silently: what no call expresses is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from msgspec.structs import replace as replace_part

from shared.actions.conversion import to_call
from shared.actions.table import ACTIONS, facts_of_call, tag_of
from shared.contracts.results import CheckboxSet, Locator, TargetFound
from shared.contracts.steps import RouteMark, StepTaken, TargetContext
from shared.contracts.workflows.flows import (
    AwaitElement,
    ChooseOption,
    ClickElement,
    FlowCall,
    OpenAddress,
    PressKeys,
    SetChecked,
    TypeInto,
)
from shared.pages.locate.by_selector import LEADING_ROLES
from shared.pages.locate.selectors import Selector, write_selector
from shared.pages.locate.target_context import is_one_link
from shared.recordings.recording import Recording, rows_by_page

TICKED = frozenset({"checkbox", "switch"})
CHECKED = str(CheckboxSet.__struct_config__.tag)
"""Effect of a click that chose a radio button, or ticked a box."""
TURNS = (ClickElement, OpenAddress, PressKeys)
"""Calls by which the next page of a list is reached."""

FREE_FIELDS = frozenset({"selector", "search", "if_shown", "irreversible", "full_page", "timeout_s"})
"""Fields of calls that need not be equal in all samples. The element is compared and not its selector, the option and
not what was typed to find it."""


@dataclass(frozen=True)
class RecordedCall:
    """A call with the literals of one sample. ``selector`` is empty: it is chosen once the samples are compared.

    ``page``: hash of the observation that it was decided on. ``step``: number of the first step that it comes from.
    """

    sample: int
    step: int
    call: FlowCall
    page: str
    target: TargetFound | None = None
    context: TargetContext | None = None
    effect: str = ""
    route: RouteMark | None = None
    leaves: bool = False
    """The page was left: another address, or another tab."""
    pressed_once: bool = False
    """The log says that it cannot be taken back: it was claimed, or a flow pressed it so."""
    by_pool: bool = False
    """The browser pool closed by it what lay over the page."""

    @property
    def fills(self) -> bool:
        """Whether it fills an element of a form, and the page is still the same."""
        chosen = isinstance(self.call, ClickElement) and self.effect == CHECKED
        return self.target is not None and not self.leaves and (chosen or bool(facts_of_call(self.call).fills))


def calls_of(sample: Recording, number: int) -> tuple[list[RecordedCall], list[str]]:
    """Return the calls of a sample in order, and what no call expresses, for people."""
    found: list[RecordedCall] = []
    problems: list[str] = []
    for step in sample.steps:
        found += _closings(step, number)
        if step.action is None or step.refused or (step.result is not None and not step.result.ok):
            continue
        call = to_call(step.action)
        if call is not None:
            found.append(_recorded(step, call, number, sample))
        elif ACTIONS[type(step.action)].compiled == "not_possible":
            tag = tag_of(type(step.action))
            problems.append(f"{sample.sample_id}, step {step.step}: a flow has no call for {tag!r}")
    return list(_joined_choices(_without_detours(_without_page_turns(found, sample)))), problems


def _without_page_turns(calls: Sequence[RecordedCall], sample: Recording) -> list[RecordedCall]:
    """Return the calls without those that led from one page of rows to the next one: to read rows is to read all their
    pages, as many as a record has."""
    turns: set[int] = set()
    for value in sample.values:
        pages = [sample.observations_of(one.source) for one in rows_by_page(value)]
        for before, after in pairwise(pages):
            seen = [at for at, one in enumerate(calls) if one.page in before and isinstance(one.call, TURNS)]
            then = next((step.step for step in sample.steps if _observed(step) in after), 0)
            # Only what stands alone between both pages has turned the page.
            if len(seen) == 1 and calls[seen[0]].step < then:
                between = [one for one in calls[seen[0] + 1 :] if one.step < then and one.page not in after]
                turns |= {seen[0]} if not between else set()
    return [one for at, one in enumerate(calls) if at not in turns]


def _observed(step: StepTaken) -> str:
    return "" if step.observation is None else step.observation.sha256


def _closings(step: StepTaken, number: int) -> Iterator[RecordedCall]:
    """Yield a click for each button that the browser pool has pressed by itself, to reach what the step acts on."""
    for one in () if step.result is None else step.result.change.closed_by:
        name = write_selector(Selector("role", one.role, one.name))
        locators = (Locator(kind="role", value=name, matches=1),)
        yield RecordedCall(
            sample=number,
            step=step.step,
            call=ClickElement(selector=""),
            page="",
            target=TargetFound(role=one.role, name=one.name, tag="", fingerprint="", locators=locators),
            context=TargetContext(in_dialog=True),
            by_pool=True,
        )


def _of_page(target: TargetFound, step: StepTaken, sample: Recording) -> TargetFound:
    """Return the target as the page is observed: what CSS has found within a link or a button is that link or button,
    and one of several links that are one was found by its name alone."""
    page = sample.pages.get(_observed(step))
    if page is None or not target.name:
        return target
    named = [one for one in page.elements if (one.name, one.frame) == (target.name, target.frame)]
    own = [one for one in named if one.role == target.role]
    if (
        not own
        and named
        and all(one.role in LEADING_ROLES for one in named)
        and (len(named) == 1 or is_one_link(named))
    ):
        first = named[0]
        name = Locator(kind="role", value=write_selector(Selector("role", first.role, first.name)), matches=1)
        return replace_part(target, role=first.role, tag=first.tag, fingerprint=first.fingerprint, locators=(name,))
    if len(own) <= 1 or not is_one_link(own):
        return target
    locators = (replace_part(one, matches=1) if one.kind == "role" else one for one in target.locators)
    return replace_part(target, locators=tuple(locators))


def _recorded(step: StepTaken, call: FlowCall, number: int, sample: Recording) -> RecordedCall:
    result = step.result
    effect = "" if result is None or result.effect is None else str(result.effect.__struct_config__.tag)
    target = None if result is None or result.target is None else _of_page(result.target, step, sample)
    checked = result.effect.checked if result is not None and isinstance(result.effect, CheckboxSet) else None
    if checked is not None and target is not None and target.role in TICKED:
        call = SetChecked(selector="", checked=checked)
    return RecordedCall(
        sample=number,
        step=step.step,
        call=call,
        page="" if step.observation is None else step.observation.sha256,
        target=target,
        context=step.target_context,
        effect=effect,
        route=step.route,
        leaves=effect in ("navigated", "tab_shown"),
        pressed_once=step.claimed > 0 or (step.flow is not None and step.flow.irreversible),
    )


def _without_detours(calls: Sequence[RecordedCall]) -> list[RecordedCall]:
    """Return the calls without waits for the page to settle, and without an address that was opened again at once."""
    kept: list[RecordedCall] = []
    for one in calls:
        if isinstance(one.call, AwaitElement) and one.target is None:
            continue
        if kept and isinstance(one.call, OpenAddress) and kept[-1].call == one.call:
            kept[-1] = one
            continue
        kept.append(one)
    return kept


def _joined_choices(calls: Sequence[RecordedCall]) -> Iterator[RecordedCall]:
    """Yield the calls; text typed into a combobox and the option that was clicked then are one choice."""
    pending: RecordedCall | None = None
    for one in calls:
        if pending is not None:
            if isinstance(one.call, ClickElement) and one.target is not None and one.target.role == "option":
                typed = pending.call
                assert isinstance(typed, TypeInto)
                choice = ChooseOption(selector="", option=one.target.name, search=typed.text)
                yield replace(pending, call=choice, effect="")
                pending = None
                continue
            yield pending
            pending = None
        if isinstance(one.call, TypeInto) and one.target is not None and one.target.role == "combobox":
            pending = one
        else:
            yield one
    if pending is not None:
        yield pending
