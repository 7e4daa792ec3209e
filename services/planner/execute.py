"""Executes one action: in the browser, by a question about a picture, or by the gates that end a sample."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from msgspec.structs import replace as replace_part

from services.planner.deps import PlannerDeps
from services.planner.judge.drawn_values import judge_drawn
from services.planner.judge.explaining.explain import with_explanations
from services.planner.judge.field_values import values_to_save
from services.planner.judge.gates import Rejection, judge_done, judge_fail
from services.planner.judge.listed_items import check_items
from services.planner.judge.merged_lists import lists_here
from services.planner.judge.press_outcome import texts_shown, untold
from services.planner.judge.rows.proof import counts_beside
from services.planner.judge.sent_values import notes_of_left_page, texts_under_filled
from services.planner.provenance import StoredValues, attach_provenance, keep_page
from services.planner.state.attempt_state import NO_USAGE, Ending, SampleView, combined_notes
from services.planner.state.irreversible_steps import names_of_presses
from services.planner.state.value_sources import (
    not_stored_notes,
    refs_to_capture,
    stored_pages,
    with_files,
    with_parts_apart,
    with_parts_joined,
    with_reader,
)
from services.planner.state.vision_policy import answer_text, screenshot_action, vision_question
from services.planner.workflow_use.files import workflow_files
from shared.actions.table import changes_page
from shared.client.workflow_calls import invoke_workflow
from shared.contracts.actions import (
    AnyAction,
    AskApi,
    AskPicture,
    BrowserAction,
    Done,
    Expect,
    Fail,
    ReportItems,
    SaveProgress,
    UseWorkflow,
    Wait,
)
from shared.contracts.base import Usage
from shared.contracts.browser_pool import ActOnPage, PageObserved, SessionLeased
from shared.contracts.planner import BY_RULE, WITHOUT_MODEL, SamplesListed
from shared.contracts.results import ActionResult
from shared.contracts.steps import (
    FieldValue,
    FiledArtifact,
    ListPage,
    Note,
    ShownCount,
    TargetContext,
    ValueSource,
    plain_note,
)
from shared.contracts.vision import VisionAnswered
from shared.contracts.workflows.invocations import BrowserAccess, WorkflowFailure, WorkflowRan
from shared.errors import ExhibitError
from shared.evidence_format.cells import with_cells
from shared.pages.lists.counts import read_counts
from shared.pages.locate.target_context import context_of_target
from shared.subjects import ACT, SAMPLES_LISTED, VISION_ASK

ACT_TIMEOUT_S = 120.0
MAX_WORKFLOW_S = 600.0
WORKFLOW_SHARE = 0.5
"""Of the time of an attempt; the rest is for the run's own driver, should the workflow come to nothing."""
MAX_WORKFLOW_OUTPUT = 10_000
"""Characters that a workflow printed, as the step log keeps them."""
VISION_TIMEOUT_S = 150.0


@dataclass(frozen=True)
class ActionOutcome:
    """What an action has led to; most fields are those of `StepTaken`. `ending`: the sample ends with it."""

    action: AnyAction | None
    message: str
    result: ActionResult | None = None
    refused: bool = False
    values: tuple[FieldValue, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    items: tuple[dict[str, Any], ...] = ()
    counts: tuple[ShownCount, ...] = ()
    list_pages: tuple[ListPage, ...] = ()
    vision: VisionAnswered | None = None
    workflow: WorkflowRan | None = None
    target_context: TargetContext | None = None
    notes: tuple[Note, ...] = ()
    usage: Usage = NO_USAGE
    ending: Ending | None = None
    page_files: tuple[FiledArtifact, ...] = ()
    """Pages that were stored because values were taken from them."""
    seen: tuple[FieldValue, ...] = ()
    """Readings of the page that is about to be left, with their stored page."""
    stood: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    stood_under: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    browser_ms: float = 0.0
    """Time spent on the page apart from the action itself."""


async def execute_action(
    view: SampleView,
    action: AnyAction,
    decided_by: str,
    session: SessionLeased,
    deps: PlannerDeps,
    answered: VisionAnswered | None = None,
    *,
    once: bool = False,
    by_hand: bool = False,
) -> ActionOutcome:
    """Execute the action and return its outcome. Publishes no step. ``answered``: what an earlier attempt was told of
    the picture that is asked about. ``once``: it is a press that cannot be undone. ``by_hand``: a person does
    it, who has taken the sample over."""
    if isinstance(action, Done | Fail):
        return await _end_sample(view, action, decided_by, session, deps)
    if isinstance(action, AskApi):
        return ActionOutcome(action, "the API of a task is asked once, before the work begins", refused=True)
    if isinstance(action, Expect):
        return ActionOutcome(action, "written down")
    if isinstance(action, SaveProgress):
        return await _save_progress(view, action, decided_by, session, deps)
    if isinstance(action, ReportItems):
        return await _publish_items(view, action, deps)
    if isinstance(action, AskPicture):
        return await _ask_picture(view, action, session, deps, answered)
    if isinstance(action, UseWorkflow):
        return await _use_workflow(view, action, session, deps)
    left = await _attach_before_leaving(view, action, session, deps)
    named = names_of_presses(view, action, decided_by, by_hand=by_hand)
    result = await _act(action, session, deps, step_picture=has_step_picture(view), named=named, once=once)
    closed = (plain_note(f"what lay over the page was sent away: {one}") for one in result.change.dismissed)
    notes = (*notes_of_left_page(view, action), *left.notes, *not_stored_notes(result.notes), *closed)
    return ActionOutcome(
        action,
        result.message,
        result,
        page_files=left.page_files,
        seen=left.values,
        target_context=context_of_target(action, result, view.page),
        notes=notes,
        stood=texts_shown(view) if once else {},
        stood_under=texts_under_filled(view) if once else {},
        browser_ms=left.browser_ms,
    )


async def _attach_before_leaving(
    view: SampleView, action: BrowserAction, session: SessionLeased, deps: PlannerDeps
) -> StoredValues:
    """Store the page of values that were read along a route or by a flow before the action may leave it.

    Otherwise all values are read at the end, so nothing is stored here.
    """
    page = view.page if view.spec.route or view.log or view.on_flow else None
    if page is None or not changes_page(action):
        return StoredValues(())
    fresh = [one for one in view.state.seen.values() if _is_read_on(one, page, view)]
    fresh += [one for one in view.state.doubts.values() if _is_open_on(one, page, view)]
    if not fresh:
        return StoredValues(())
    stored = await attach_provenance(view, with_parts_apart(fresh), session, deps)
    return replace(stored, values=with_parts_joined(stored.values, len(fresh)))


def _is_read_on(value: FieldValue, page: PageObserved, view: SampleView) -> bool:
    return any(one.source is not None and _is_fresh(one.source, page, view) for one in with_cells(value))


def _is_open_on(value: FieldValue, page: PageObserved, view: SampleView) -> bool:
    return any(one.source is not None and _is_fresh(one.source, page, view) for one in value.candidates)


def _is_fresh(source: ValueSource, page: PageObserved, view: SampleView) -> bool:
    """Return whether a value was read from the page that is shown. A flow reads once, and may look again before it goes
    on."""
    if source.snapshot_id == page.snapshot_id:
        return True
    return view.on_flow and source.url == page.url and not (source.page_sha256 or source.observation_file_sha256)


async def _save_progress(
    view: SampleView, action: SaveProgress, decided_by: str, session: SessionLeased, deps: PlannerDeps
) -> ActionOutcome:
    values, notes, unconfirmed = values_to_save(view, action)
    saved = with_reader(values, decided_by)
    taken = await attach_provenance(view, with_parts_apart(saved), session, deps, step_picture=has_step_picture(view))
    taken = replace(taken, values=with_parts_joined(taken.values, len(saved)))
    return ActionOutcome(
        action, "saved", values=taken.values, notes=(*notes, *taken.notes), unconfirmed=tuple(sorted(unconfirmed)),
        page_files=taken.page_files, browser_ms=taken.browser_ms, list_pages=lists_here(view, taken.values),
        counts=counts_beside(view, taken.values) if decided_by == BY_RULE else (),
    )  # fmt: skip


async def _end_sample(
    view: SampleView, action: Done | Fail, decided_by: str, session: SessionLeased, deps: PlannerDeps
) -> ActionOutcome:
    by_model = decided_by not in WITHOUT_MODEL
    values: tuple[FieldValue, ...] = ()
    if isinstance(action, Fail):
        ruling = judge_fail(view, action, by_model=by_model)
    else:
        ruling, values = judge_done(view, action, by_model=by_model, decided_by=decided_by)
    if isinstance(ruling, Rejection):
        return ActionOutcome(action, ruling.message, refused=True, values=values)
    ruling = untold(view, ruling)
    pictured = has_step_picture(view)
    values_read = with_reader(ruling.values, decided_by)
    apart = with_parts_apart(values_read)
    taken = await attach_provenance(view, apart, session, deps, step_picture=pictured)
    taken = replace(taken, values=with_parts_joined(taken.values, len(values_read)))
    if view.spec.phase == "discovery" or ruling.status != "done":
        taken = await keep_page(view, taken, session, deps, step_picture=pictured)
    ruling = judge_drawn(replace(ruling, values=taken.values, notes=combined_notes(ruling.notes, taken.notes)))
    ruling = with_explanations(ruling, view)
    values = taken.values if isinstance(action, Done) and taken.values else values
    message = ruling.message or "accepted"
    return ActionOutcome(
        action,
        message,
        values=values,
        ending=ruling,
        page_files=taken.page_files,
        notes=taken.notes,
        browser_ms=taken.browser_ms,
    )


async def save_partial_values(
    view: SampleView, ending: Ending, session: SessionLeased, deps: PlannerDeps
) -> ActionOutcome | None:
    """Store the page of the values that a partial success keeps. Returns None if nothing is left to store."""
    named = {value.field for value in ending.values}
    read = tuple(value for value in view.state.seen.values() if value.field in named)
    apart = with_parts_apart(read)
    if not refs_to_capture(with_files(apart, stored_pages(view.state.stored)), view.page):
        return None
    taken = await attach_provenance(view, apart, session, deps, step_picture=has_step_picture(view))
    taken = replace(taken, values=with_parts_joined(taken.values, len(read)))
    action = SaveProgress(
        values={one.field: one.value for one in read if one.state == "value"},
        not_present={one.field: one.shown or "" for one in read if one.state == "not_present"},
        reason="The sample ends here, and what was read so far is kept with its page.",
    )
    return ActionOutcome(
        action, ending.message, values=taken.values, notes=taken.notes,
        unconfirmed=tuple(sorted(view.state.unconfirmed & named)), page_files=taken.page_files,
        browser_ms=taken.browser_ms,
    )  # fmt: skip


def has_step_picture(view: SampleView) -> bool:
    """Return whether the pool takes a picture of this step: the task's key ``step_pictures``."""
    return view.spec.step_pictures == "all" or (view.spec.step_pictures == "flow" and view.on_flow)


async def _act(
    action: BrowserAction,
    session: SessionLeased,
    deps: PlannerDeps,
    *,
    step_picture: bool = False,
    named: tuple[str, ...] = (),
    once: bool = False,
) -> ActionResult:
    request = ActOnPage(
        session_id=session.session_id,
        instance_id=session.instance_id,
        action=action,
        step_picture=step_picture,
        named=named,
        once=once,
    )
    timeout_s = ACT_TIMEOUT_S + (action.timeout_s if isinstance(action, Wait) else 0.0)
    return await deps.asks.ask(ACT, request, timeout_s=timeout_s)


async def _publish_items(view: SampleView, action: ReportItems, deps: PlannerDeps) -> ActionOutcome:
    """Publish new items at once, so that their samples start while the list is still being read."""
    listed = check_items(view, action)
    if listed.new:
        event = SamplesListed(
            run_id=view.run_id,
            sample_id=view.sample.sample_id,
            attempt=view.attempt,
            step=view.state.steps + 1,
            url=view.page.url if view.page is not None else "",
            items=listed.new,
            addresses=listed.addresses if any(listed.addresses) else (),
        )
        await deps.publishes.publish(SAMPLES_LISTED, event)
    lines = (f"{len(listed.new)} new, {listed.known} known already", *listed.problems)
    counts = read_counts(view.page) if view.page is not None else ()
    return ActionOutcome(action, "; ".join(lines), items=listed.new, counts=counts)


async def _ask_picture(
    view: SampleView,
    action: AskPicture,
    session: SessionLeased,
    deps: PlannerDeps,
    told: VisionAnswered | None,
) -> ActionOutcome:
    """Take a picture and ask about it before the step is published: evidence removes its blob from the bus then."""
    result = await _act(screenshot_action(view, action), session, deps)
    if not result.ok or not result.artifacts:
        return ActionOutcome(action, result.message, result)
    notes = not_stored_notes(result.notes)
    if told is not None:
        return ActionOutcome(action, answer_text(told), result, vision=told, notes=notes)
    try:
        answered = await deps.asks.ask(VISION_ASK, vision_question(view, action, result), timeout_s=VISION_TIMEOUT_S)
    except ExhibitError as exc:
        return ActionOutcome(action, f"The picture could not be asked about: {exc}", result, notes=notes)
    return ActionOutcome(action, answer_text(answered), result, vision=answered, usage=answered.usage, notes=notes)


async def _use_workflow(
    view: SampleView, action: UseWorkflow, session: SessionLeased, deps: PlannerDeps
) -> ActionOutcome:
    """Run a workflow in the sample's session. Its failure is an outcome: the run's own driver then does the work."""
    before_s = deps.elapsed_s()
    most_s = view.spec.max_time_s * WORKFLOW_SHARE or MAX_WORKFLOW_S
    try:
        ran = await invoke_workflow(
            deps.asks,
            f"{action.name}@{action.hash}",
            action.arguments,
            timeout_s=min(most_s, MAX_WORKFLOW_S),
            browser=BrowserAccess(instance_id=session.instance_id, session_id=session.session_id),
            run_id=view.run_id,
            sample_id=view.sample.sample_id,
        )
    except ExhibitError as exc:
        error = WorkflowFailure(code="not_started", type=type(exc).__name__, message=str(exc), chain=(action.name,))
        ran = WorkflowRan(name=action.name, hash=action.hash, error=error)
    files = workflow_files(view.state, ran)
    message = f"failed: {ran.error.type}: {ran.error.message}" if ran.error is not None else "returned a value"
    kept = replace_part(ran, stdout=ran.stdout[:MAX_WORKFLOW_OUTPUT], saved=(), captured=())
    spent_ms = (deps.elapsed_s() - before_s) * 1000
    return ActionOutcome(action, message, workflow=kept, page_files=files, browser_ms=spent_ms)
