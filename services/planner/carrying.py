"""Carrying out one action: in the browser, by asking about a picture, or by the gates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.planner.deps import Deps
from services.planner.judging.gates import Bounce, judge_done, judge_fail, saved
from services.planner.listing.items import checked
from services.planner.state.looking import picture_of, question_of, said_of
from services.planner.state.opening import WITHOUT_MODEL
from services.planner.state.sample_state import NO_USAGE, Ending, View
from shared.contracts.actions import ActionResult, BrowserAction, Wait
from shared.contracts.browser_pool import ActOnPage, SessionLeased
from shared.contracts.planner import (
    AnyAction,
    AskPicture,
    Done,
    Fail,
    FieldValue,
    ReportItems,
    SamplesListed,
    SaveProgress,
)
from shared.contracts.usage import Usage
from shared.contracts.vision import VisionAnswered
from shared.errors import ExhibitError
from shared.subjects import ACT, SAMPLES_LISTED, VISION_ASK

ACT_TIMEOUT_S = 120.0
VISION_TIMEOUT_S = 150.0


@dataclass(frozen=True)
class Outcome:
    """What came of one action; the fields of StepTaken of the same names. ``ending``: the sample ends with it."""

    action: AnyAction | None
    message: str
    result: ActionResult | None = None
    refused: bool = False
    values: tuple[FieldValue, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    items: tuple[dict[str, Any], ...] = ()
    vision: VisionAnswered | None = None
    notes: tuple[str, ...] = ()
    usage: Usage = NO_USAGE
    ending: Ending | None = None


async def carry_out(view: View, action: AnyAction, decided_by: str, session: SessionLeased, deps: Deps) -> Outcome:
    """Does what was decided and says what came of it. It publishes no step."""
    if isinstance(action, Done | Fail):
        return _ended(view, action, decided_by)
    if isinstance(action, SaveProgress):
        values, notes, unconfirmed = saved(view, action)
        return Outcome(action, "saved", values=values, notes=notes, unconfirmed=tuple(sorted(unconfirmed)))
    if isinstance(action, ReportItems):
        return await _listed(view, action, deps)
    if isinstance(action, AskPicture):
        return await _picture(view, action, session, deps)
    result = await _act(action, session, deps)
    return Outcome(action, result.message, result)


def _ended(view: View, action: Done | Fail, decided_by: str) -> Outcome:
    by_model = decided_by not in WITHOUT_MODEL
    values: tuple[FieldValue, ...] = ()
    if isinstance(action, Fail):
        ruling = judge_fail(view, action, by_model=by_model)
    else:
        ruling, values = judge_done(view, action, by_model=by_model, decided_by=decided_by)
    if isinstance(ruling, Bounce):
        return Outcome(action, ruling.message, refused=True, values=values)
    return Outcome(action, ruling.message or "accepted", values=values, ending=ruling)


async def _act(action: BrowserAction, session: SessionLeased, deps: Deps) -> ActionResult:
    request = ActOnPage(session_id=session.session_id, instance_id=session.instance_id, action=action)
    timeout_s = ACT_TIMEOUT_S + (action.timeout_s if isinstance(action, Wait) else 0.0)
    return await deps.asks.ask(ACT, request, timeout_s=timeout_s)


async def _listed(view: View, action: ReportItems, deps: Deps) -> Outcome:
    """Items that were not known go to discovery at once: their samples start while the list is still being read."""
    listed = checked(view, action)
    if listed.new:
        event = SamplesListed(
            run_id=view.run_id,
            sample_id=view.sample.sample_id,
            attempt=view.attempt,
            step=view.state.steps + 1,
            url=view.page.url if view.page is not None else "",
            items=listed.new,
        )
        await deps.publishes.publish(SAMPLES_LISTED, event)
    told = (f"{len(listed.new)} new, {listed.known} known already", *listed.problems)
    return Outcome(action, "; ".join(told), items=listed.new)


async def _picture(view: View, action: AskPicture, session: SessionLeased, deps: Deps) -> Outcome:
    """The picture is asked about before the step is said: once evidence has filed it, it is gone from the bus."""
    result = await _act(picture_of(view, action), session, deps)
    if not result.ok or not result.artifacts:
        return Outcome(action, result.message, result)
    try:
        answered = await deps.asks.ask(VISION_ASK, question_of(view, action, result), timeout_s=VISION_TIMEOUT_S)
    except ExhibitError as exc:
        return Outcome(action, f"The picture could not be asked about: {exc}", result)
    return Outcome(action, said_of(answered), result, vision=answered, usage=answered.usage)
