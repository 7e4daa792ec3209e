"""Elements that a flow has lost and a planner has chosen: one worker asks, all samples of the version use the answer.

What is known of an element is a record of its own for each version of a flow. Nothing of this can fail a sample.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from services.planner.budget import fetch_exceeded_run_budget
from services.planner.deps import ElementFinder, PlannerDeps
from services.planner.state.attempt_state import NO_USAGE, SampleView
from services.planner.workflow_use.element_prompts import (
    AnsweredElement,
    LostElement,
    element_request,
    parse_element,
)
from shared.contracts.base import Usage
from shared.contracts.browser_pool import Element
from shared.contracts.workflows.heals import ChosenElement, ElementChoice
from shared.errors import ExhibitError
from shared.flows.answering import FlowContext
from shared.flows.healing.chosen import find_chosen
from shared.streams import FLOW_HEALS

log = logging.getLogger(__name__)

ASKING_S = 120.0
"""How long a worker may ask. Then it is taken for gone, and another one asks."""
POLL_S = 0.5
KEY_DIGITS = 16


@dataclass(frozen=True)
class FoundElement:
    """``led``: selectors that lead to it. ``usage``: of this sample; nothing, where another one has asked."""

    element: Element
    chosen: ChosenElement
    led: tuple[str, ...]
    usage: Usage = NO_USAGE


@dataclass(frozen=True)
class NoElementChosen:
    """``why``: for people."""

    why: str
    usage: Usage = NO_USAGE


class ElementChoices:
    """What planners have chosen for one version of a flow. ``hash``: of the version."""

    def __init__(self, hash: str, finder: ElementFinder, deps: PlannerDeps) -> None:
        self._hash, self._finder, self._deps = hash, finder, deps

    async def find(self, view: SampleView, lost: LostElement, context: FlowContext) -> FoundElement | NoElementChosen:
        """Return the element that is meant now: as another sample was told, else as the model is asked."""
        try:
            return await self._find(view, lost, context)
        except ExhibitError as exc:
            log.warning("nobody was asked about an element that a flow has lost: %s", exc)
            return NoElementChosen(f"no model could be asked about it: {exc}")

    async def set_missed(self, key: str, why: str) -> None:
        """Record that the step did not lead to what was expected, so that no other sample takes it."""
        record = ElementChoice(state="none", since=self._deps.now(), reason=why)
        try:
            await self._deps.records.modify(FLOW_HEALS, self._key(key), ElementChoice, lambda _: record)
        except ExhibitError as exc:
            log.warning("it is not recorded that a choice for a lost element has missed: %s", exc)

    async def _find(self, view: SampleView, lost: LostElement, context: FlowContext) -> FoundElement | NoElementChosen:
        waited_s, from_s = 0.0, self._deps.elapsed_s()
        while waited_s < ASKING_S:
            now = self._deps.now()
            mine = await self._deps.records.modify(
                FLOW_HEALS, self._key(lost.key), ElementChoice, lambda known, now=now: _claimed(known, now)
            )
            if mine is not None:
                return await self._ask(view, lost, context)
            known = await self._deps.records.read(FLOW_HEALS, self._key(lost.key), ElementChoice)
            if known is None or known.state == "asking":
                await self._deps.wait(POLL_S)
                waited_s = max(self._deps.elapsed_s() - from_s, waited_s + POLL_S)
                continue
            return _as_told(known, view, context)
        return NoElementChosen("another sample asks a model about it, and was not answered in time")

    async def _ask(self, view: SampleView, lost: LostElement, context: FlowContext) -> FoundElement | NoElementChosen:
        spent = await fetch_exceeded_run_budget(view, self._deps)
        if spent:
            await self._release(lost.key)
            return NoElementChosen(f"no model is asked about it, since the budget of the run is used up: {spent}")
        try:
            arguments, usage = await self._finder.find_element(element_request(view, lost, context))
        except ExhibitError:
            await self._release(lost.key)
            raise
        answered = parse_element(arguments, view, lost, context, decided_by=self._finder.name)
        await self._store(lost.key, answered)
        if answered.chosen is None or answered.element is None:
            return NoElementChosen(answered.why, usage)
        return FoundElement(answered.element, answered.chosen, answered.chosen.selectors, usage)

    async def _store(self, key: str, answered: AnsweredElement) -> None:
        """Store the answer for other samples. A choice without a selector of its own is good for this sample only."""
        now, chosen = self._deps.now(), answered.chosen
        if chosen is not None and not chosen.selectors:
            await self._release(key)
            return
        state = "none" if chosen is None else "chosen"
        record = ElementChoice(state=state, since=now, chosen=chosen, reason=answered.why)
        await self._deps.records.modify(FLOW_HEALS, self._key(key), ElementChoice, lambda _: record)

    async def _release(self, key: str) -> None:
        """Let another sample ask."""
        over = self._deps.now() - timedelta(seconds=2 * ASKING_S)
        record = ElementChoice(state="asking", since=over)
        await self._deps.records.modify(FLOW_HEALS, self._key(key), ElementChoice, lambda _: record)

    def _key(self, key: str) -> str:
        return f"{self._hash}.{hashlib.sha256(key.encode()).hexdigest()[:KEY_DIGITS]}"


def _claimed(known: ElementChoice | None, now: datetime) -> ElementChoice | None:
    """Return the record of a worker that asks; None where another one does, or the answer is known."""
    is_lost = known is not None and known.state == "asking" and now - known.since > timedelta(seconds=ASKING_S)
    return ElementChoice(state="asking", since=now) if known is None or is_lost else None


def _as_told(known: ElementChoice, view: SampleView, context: FlowContext) -> FoundElement | NoElementChosen:
    if known.chosen is None or view.page is None:
        return NoElementChosen(known.reason or "there is no such element")
    found = find_chosen(known.chosen, view.page, context.variables)
    if found is None:
        return NoElementChosen("what a model has chosen for another sample is not on this page")
    return FoundElement(found[0], known.chosen, found[1])
