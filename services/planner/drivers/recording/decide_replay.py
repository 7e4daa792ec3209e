"""Repeats a recorded log on the pages as they are now.

Each step that did something is repeated in order; nothing is decided anew and no model is asked. The replay ends with a
review if a page lacks the target of a step, or if a step may change something on the site and that is not allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from services.planner.drivers.recording import comparison
from services.planner.drivers.recording.comparison import (
    lacks_a_cell,
    recorded_values,
    reread_rows,
    reread_step,
    reread_value,
)
from services.planner.judge.gates import judge_done
from services.planner.state.attempt_state import Act, Decision, ObserveAgain, SampleView
from services.planner.state.common_decisions import observe_later, observe_more
from services.planner.state.irreversible_steps import pressed_step
from services.planner.state.transitions import with_readings
from shared.actions.table import facts_of_action, is_browser_action
from shared.contracts.actions import (
    AnswerDialog,
    AnyAction,
    ByRef,
    Click,
    Done,
    Fail,
    JudgmentGiven,
    Press,
)
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.codes import FailCode
from shared.contracts.planner import BY_REPLAY
from shared.contracts.results import Artifact
from shared.contracts.steps import FieldValue, Note, RouteMark, StepTaken, note_detail, plain_note
from shared.pages.effects.site_changes import click_only_looks, keys_only_look
from shared.pages.elements import description_of
from shared.pages.identity.identity import identity_proof, shows_record
from shared.pages.locate.by_recording import find_target
from shared.pages.locate.findings import Ambiguous, NotFound

LOOKS = 2
"""Extra observations of a page that differs, because it may still be loading."""


def decide(view: SampleView) -> Decision:
    """Return the next action. The log must be complete (`StepsLoaded.problem` is empty)."""
    plan = steps_to_repeat(view.log)
    at = sum(not isinstance(entry.action, Done | Fail) for entry in view.state.history)
    recorded = plan[min(at, len(plan) - 1)]
    before = plan[at - 1] if at else None
    page, last = view.page, view.state.last
    notes: list[Note] = []
    if before is not None and last is not None and at == len(view.state.history):
        notes = comparison.outcome_differences(before, last)
        if before.result is not None and before.result.ok and not last.ok:
            return _differs(before, f"it could not be done again: {last.message}", notes)
    if recorded.observation is None or page is None:
        return _without_page(view, recorded, notes)
    waits = _wait_for_page(view, recorded, page) or _reread_values(view, plan, recorded, page)
    if isinstance(waits, ObserveAgain):
        return waits
    new_page = before is None or before.observation is None or before.observation.sha256 != recorded.observation.sha256
    notes += comparison.page_differences(recorded.step, recorded.observation, page, content=new_page)
    if isinstance(recorded.action, Done | Fail):
        return _end(view, recorded, page, waits, notes)
    return _repeat_step(view, recorded, page, waits, notes)


def steps_to_repeat(log: Sequence[StepTaken]) -> tuple[StepTaken, ...]:
    """Return the steps that acted on or observed the page, and the last one. Questions about pictures are
    not repeated."""
    return tuple(
        step for step in log
        if step is log[-1] or (step.action is not None and not step.refused and _can_be_taken(step))
    )  # fmt: skip


def _can_be_taken(step: StepTaken) -> bool:
    """A step that failed because its element was missing has nothing to be found by."""
    action: Any = step.action
    if not is_browser_action(action):
        return False
    result, target = step.result, getattr(action, "target", None)
    return result is None or result.ok or result.target is not None or not isinstance(target, ByRef)


def _without_page(view: SampleView, recorded: StepTaken, notes: list[Note]) -> Act:
    action = recorded.action
    if isinstance(action, Fail) and (view.state.last is None or not view.state.last.ok):
        return _act(action, notes)
    if recorded.observation is None and action is not None and not isinstance(action, Done | Fail):
        return _act(action, notes, route=recorded.route)
    return _differs(recorded, "there is no page to look at", notes)


# --- the page as it comes


def _wait_for_page(view: SampleView, recorded: StepTaken, page: PageObserved) -> ObserveAgain | None:
    then = recorded.observation
    if then is None or then.sha256 == page.sha256:
        return None
    return observe_later(view, looks=LOOKS)


def _reread_values(
    view: SampleView, plan: Sequence[StepTaken], recorded: StepTaken, page: PageObserved
) -> tuple[FieldValue, ...] | ObserveAgain:
    """Return the values that were on this page; or another observation if one is missing."""
    then = recorded_values(view.log)
    due = [value for value in then if not value.rows and reread_step(value, plan) == recorded.step]
    now = tuple(reread_value(value, view, page) for value in due)
    rows = (reread_rows(value, plan, recorded.step, view, page) for value in then if value.rows)
    again = tuple(value for value in rows if value is not None)
    gone = any(a.state != "not_found" and b.state == "not_found" for a, b in zip(due, now, strict=True))
    gone = gone or any(map(lacks_a_cell, again))
    later = (observe_more(view, page) or observe_later(view)) if gone else None
    return later or (*now, *again)


# --- the step


def _repeat_step(
    view: SampleView, recorded: StepTaken, page: PageObserved, seen: tuple[FieldValue, ...], notes: list[Note]
) -> Decision:
    found = _target(recorded, page)
    if isinstance(found, NotFound | Ambiguous):
        later = observe_more(view, page) or observe_later(view)
        return later or _differs(recorded, found.message, notes, seen)
    action: Any = recorded.action
    if found is not None:
        action = msgspec.structs.replace(action, target=ByRef(ref=found.ref, snapshot_id=page.snapshot_id))
    for_good = pressed_step(view, action, recorded.decided_by, recorded.route) is not None
    if for_good or may_change_site(recorded, found, page):
        if not view.allow_effects:
            return _fail("replay_withheld", _withheld_message(recorded, found), notes, seen)
        if view.attempt > 1:
            why = "an earlier attempt of this replay may have taken it already, and it is never taken twice"
            return _fail("unknown_outcome", f"{_name(recorded)}: {why}", notes, seen)
    return _act(action, notes, seen, recorded.route)


def _target(recorded: StepTaken, page: PageObserved) -> Element | NotFound | Ambiguous | None:
    """Return the step's element; None if it has none or names it by text or selector."""
    action, result = recorded.action, recorded.result
    if isinstance(getattr(action, "onto", None), ByRef):
        return NotFound("where to it was dragged is not in the recording")
    target = getattr(action, "target", None)
    if result is not None and result.target is not None and target is not None:
        return find_target(result.target, page)
    return NotFound("what it acted on is not in the recording") if isinstance(target, ByRef) else None


def _withheld_message(recorded: StepTaken, found: Element | None) -> str:
    on = f" on the {description_of(found)}" if found is not None else ""
    return f"{_name(recorded)}{on} may change something on the site and was not taken; --allow-effects takes it"


def _name(recorded: StepTaken) -> str:
    return f"step {recorded.step} ({_tag(recorded)})"


def _tag(recorded: StepTaken) -> str:
    return str(recorded.action.__struct_config__.tag) if recorded.action is not None else "none"


# --- the end


def _end(
    view: SampleView, recorded: StepTaken, page: PageObserved, seen: tuple[FieldValue, ...], notes: list[Note]
) -> Act:
    if isinstance(recorded.action, Fail):
        same = _ends_alike(view, recorded, recorded.action, page)
        why = f"it ended with fail ({recorded.action.code}) then, and the page does not say so now"
        return _act(recorded.action, notes, seen) if same else _differs(recorded, why, notes, seen)
    known = with_readings(view.state, seen)
    done = _done(view, recorded, known.seen)
    _, values = judge_done(replace(view, state=known), done, by_model=False)
    found = comparison.value_differences(recorded.step, recorded.values, values)
    if found:
        message = "; ".join(note_detail(note) for note in found)
        return _fail("replay_differs", message, [*notes, *found], seen)
    return _act(done, [*notes, *_carried(recorded)], seen)


def _ends_alike(view: SampleView, recorded: StepTaken, fail: Fail, page: PageObserved) -> bool:
    then = recorded.observation
    if then is None or then.http_status != page.http_status:
        return False
    shown = identity_proof(view.spec, view.sample, page).state
    return shown == then.proof and not (fail.code == "not_found" and shows_record(view.spec, view.sample, page))


def _done(view: SampleView, recorded: StepTaken, known: Mapping[str, FieldValue]) -> Done:
    values = {name: value for name, value in known.items() if name in view.spec.output_schema}
    given = recorded.action.judgment if isinstance(recorded.action, Done) else None
    return Done(
        values={name: value.value for name, value in values.items() if value.state == "value"},
        not_present={name: value.shown or "" for name, value in values.items() if value.state == "not_present"},
        judgment=_judgment(view, given),
        reason=f"All steps were taken again. {recorded.action.reason if recorded.action is not None else ''}".strip(),
    )


def _judgment(view: SampleView, given: JudgmentGiven | None) -> JudgmentGiven | None:
    """Return the recorded judgment, with the new files of the same labels. Nothing is judged again."""
    if given is None:
        return None
    then = {filed.filename: _label(filed.artifact) for step in view.log for filed in step.artifacts}
    now = {_label(filed.artifact): filed.filename for filed in view.state.artifacts}
    refs = tuple(now.get(then.get(ref, ("", "", 0)), ref) for ref in given.evidence_refs)
    return msgspec.structs.replace(given, evidence_refs=refs)


def _label(artifact: Artifact) -> tuple[str, str, int]:
    return (artifact.kind, artifact.label, artifact.part)


def _carried(recorded: StepTaken) -> list[Note]:
    """Return notes about what was not read or judged again."""
    notes = [
        plain_note(f"carried over, not read again: {value.field} (from {value.origin})")
        for value in recorded.values
        if value.origin != "page"
    ]
    if isinstance(recorded.action, Done) and recorded.action.judgment is not None:
        notes.append(plain_note(f"carried over, not judged again: the judgment, as given by {recorded.decided_by}"))
    return notes


def _differs(recorded: StepTaken, why: str, notes: Sequence[Note], seen: tuple[FieldValue, ...] = ()) -> Act:
    note = Note(kind="differs", step=recorded.step, action=_tag(recorded), text=why)
    return _fail("replay_differs", note_detail(note), [*notes, note], seen)


def _fail(code: FailCode, note: str, notes: Sequence[Note], seen: tuple[FieldValue, ...] = ()) -> Act:
    return _act(Fail(code=code, note=note, reason=note), notes, seen)


def _act(
    action: AnyAction, notes: Sequence[Note], seen: tuple[FieldValue, ...] = (), route: RouteMark | None = None
) -> Act:
    return Act(action, BY_REPLAY, seen=seen, notes=tuple(notes), route=route)


# --- whether a step may change something on the site


def may_change_site(recorded: StepTaken, now: Element | None, page: PageObserved | None) -> bool:
    """Return whether the step may change something. `now`: the element that it would act on, if any."""
    action = recorded.action
    if action is None:
        return False
    effect = facts_of_action(action).effect
    if effect == "depends_on_step":
        return not _only_looks(recorded, now, page)
    return effect == "may_change_site"


def _only_looks(recorded: StepTaken, now: Element | None, page: PageObserved | None) -> bool:
    """Decide by the arguments and the element. An action without a rule here may change something."""
    action, result = recorded.action, recorded.result
    if isinstance(action, AnswerDialog):
        return action.answer != "accept"
    if isinstance(action, Press):
        return keys_only_look(action.keys, now)
    asked = result is not None and bool(result.change.dialogs)
    shown = () if page is None else page.elements
    return isinstance(action, Click) and not asked and now is not None and click_only_looks(now, shown)
