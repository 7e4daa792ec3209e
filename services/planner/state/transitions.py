"""The transitions of an attempt's state. Two of them exist, and nothing else makes a state:

    after_observation(state, ...)   a page was observed
    after_step(state, step)         a step was taken, as the step log has it

So the step log of an attempt gives its state again, without a browser or a model (`replayed_state`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from services.planner.state.attempt_state import (
    MAX_OBSERVE_TOKENS,
    OBSERVE_TOKENS,
    AttemptState,
    Entry,
    ObserveAgain,
    combined_notes,
    is_unasked,
)
from services.planner.state.limits import (
    budgeted_steps,
    granted_steps,
    progress_notices,
    updated_progress,
    with_notices_shown,
)
from services.planner.state.value_sources import picture_source
from shared.actions.table import changes_page
from shared.contracts.actions import AskApi, AskPicture, ReportItems, SaveProgress, Scroll, UseWorkflow
from shared.contracts.base import Usage, add_usage
from shared.contracts.error_codes import is_unanswered
from shared.contracts.planner import BY_RULE
from shared.contracts.results import ActionResult, TextRead
from shared.contracts.steps import FieldValue, FiledArtifact, Note, ObservationRef, StepTaken, plain_note
from shared.contracts.vision import VisionAnswered
from shared.recordings.logged_rows import complete_steps
from shared.task.spec import TaskSpec

KEPT_SUMMARIES = 3
SURE_FROM = 0.8
"""Least confidence of an answer about a picture that counts as a value."""


def after_observation(state: AttemptState, spec: TaskSpec, ref: ObservationRef | None) -> AttemptState:
    """Return the state after an observation: whose record is shown, and whether the last steps were progress.

    Only the last observation before a decision counts, because the step log has that one.
    """
    if ref is None:
        return state
    if ref.proof != "unproven":
        proven = ref.proof == "proven"
        at = frozenset({ref.url})
        state = replace(
            state,
            proven=proven,
            on_other_record=not proven,
            proven_at=state.proven_at | at if proven else state.proven_at,
            mismatched_at=state.mismatched_at if proven else state.mismatched_at | at,
        )
    return _with_progress(state, spec, ref.signature)


def _with_progress(state: AttemptState, spec: TaskSpec, signature: str) -> AttemptState:
    progress = updated_progress(state.settled_progress, state.steps, state.last, signature)
    notices, due = progress_notices(state, progress, budgeted_steps(spec, state))
    history = state.history
    if history and history[-1].notices != notices:
        history = (*history[:-1], replace(history[-1], notices=notices))
    return replace(state, progress=replace(progress, pending=due), notices=notices, history=history)


def after_look(state: AttemptState, look: ObserveAgain) -> AttemptState:
    """Return the state before an extra observation."""
    return replace(state, looks=state.looks + 1, max_tokens=min(look.max_tokens, MAX_OBSERVE_TOKENS))


def after_step(state: AttemptState, step: StepTaken) -> AttemptState:
    """Return the state after one more step. An action that may have changed the page resets the extra observations."""
    if isinstance(step.action, AskApi) and not step.refused:
        return _after_api(state, step)
    before = replace(state, looks=step.looks, max_tokens=step.observe_tokens or OBSERVE_TOKENS)
    after = _with_values(with_readings(before, step.seen), step)
    moved = step.action is not None and not step.refused and changes_page(step.action)
    kept = not moved or isinstance(step.action, Scroll)
    after = replace(
        _with_counts(after, step),
        history=(*state.history, to_entry(step, state)),
        steps=step.step,
        looks=after.looks if kept and not step.items and not is_page_of_rows(step) else 0,
        max_tokens=after.max_tokens if kept else OBSERVE_TOKENS,
        notices=(),
        usage=add_usage(state.usage, step.usage),
        token_scale=_token_scale(state, step),
    )
    before_it = with_notices_shown(state.progress) if step.call == 1 else state.progress
    progress = replace(before_it, gained=_gained(state, after, step))
    return replace(with_notes(after, step.notes), progress=progress, settled_progress=progress)


def _after_api(state: AttemptState, step: StepTaken) -> AttemptState:
    """Return the state after the API was asked. It is no part of the history: drivers begin as if it had not been."""
    given = {value.field: value for value in step.values if value.state != "not_found"}
    return replace(
        with_notes(state, step.notes), steps=step.step, from_api=given, api_files=(*state.api_files, *step.artifacts)
    )


def replayed_state(spec: TaskSpec, steps: Iterable[StepTaken]) -> AttemptState:
    """Return the state that these steps of one attempt, in order, have led to. ``steps``: as its log has them."""
    state = AttemptState()
    for step in complete_steps(steps):
        state = after_step(after_observation(state, spec, step.observation), step)
    return state


def is_page_of_rows(step: StepTaken) -> bool:
    """Return whether the rules have kept rows of one page of a record's list, before they go on to the next."""
    kept = isinstance(step.action, SaveProgress) and not step.refused and step.decided_by == BY_RULE
    return kept and any(value.rows for value in step.values)


def to_entry(step: StepTaken, state: AttemptState) -> Entry:
    """Return the step as drivers see it. `state`: the state that the step was decided on."""
    url = step.observation.url if step.observation is not None else ""
    said = (step.vision.answer or "") if step.vision is not None else ""
    asked, kept = _asked_for(step.artifacts), tuple(one for one in step.artifacts if is_unasked(one.artifact))
    return Entry(
        step.action, step.result, step.message, asked, state.proven, state.on_other_record, step.refused, step.remark,
        (), url, said, _sure(step.vision), step.decided_by, step.vision.answered_by if step.vision is not None else "",
        picture_source(step), kept, step.route, len(step.items),
        step.workflow.value if step.workflow is not None else None,
        isinstance(step.action, UseWorkflow) and (step.workflow is None or step.workflow.error is not None), step.flow,
        step.claimed, step.stood, step.stood_under, step.reflection,
    )  # fmt: skip


def _asked_for(artifacts: Iterable[FiledArtifact]) -> tuple[FiledArtifact, ...]:
    return tuple(one for one in artifacts if not is_unasked(one.artifact))


# --- the parts of a step


def _with_counts(state: AttemptState, step: StepTaken) -> AttemptState:
    """Count failures in a row. A refused answer is no failed action. A step of a person who has taken the sample over
    says nothing of its driver, and takes none of its steps."""
    if step.taken_over:
        return replace(state, granted=state.granted + 1)
    network = state.network_failures
    if step.result is not None:
        network = 0 if step.result.ok else network + is_unanswered(step.result.code)
    bad = state.bad_replies + 1 if step.action is None else 0
    failures = state.failures
    if not step.refused:
        failures = 0 if step.result is None or step.result.ok else failures + 1
    summaries = state.summaries if step.summary is None else (*state.summaries, step.summary)[-KEPT_SUMMARIES:]
    return replace(state, failures=failures, bad_replies=bad, network_failures=network, summaries=summaries)


def _with_values(state: AttemptState, step: StepTaken) -> AttemptState:
    if isinstance(step.action, SaveProgress) and not step.refused:
        fresh = with_readings(state, step.values)
        pages = {(one.field, one.url): one for one in step.list_pages}
        kept = tuple(one for one in state.list_pages if (one.field, one.url) not in pages)
        if is_page_of_rows(step):
            rows = {value.field: value for value in step.values if value.rows}
            granted = granted_steps(state, pages=1)
            counts = step.counts or state.counts
            fresh = replace(fresh, granted=granted, kept_rows={**state.kept_rows, **rows}, counts=counts)
        unconfirmed = fresh.unconfirmed | frozenset(step.unconfirmed)
        return replace(fresh, unconfirmed=unconfirmed, list_pages=(*kept, *pages.values()))
    if isinstance(step.action, ReportItems):
        state = replace(state, counts=step.counts or state.counts)
    if isinstance(step.action, ReportItems) and step.items:
        keys = {item_key(item) for item in step.items}
        return replace(
            state,
            listed=state.listed | keys,
            listed_pages=state.listed_pages + 1,
            granted=granted_steps(state, pages=1),
        )
    if isinstance(step.action, AskPicture) and step.observation is not None:
        asked = state.vision_asked.get(step.observation.signature, 0) + 1
        state = replace(state, vision_asked={**state.vision_asked, step.observation.signature: asked})
        return _with_picture(state, step, step.action.field, step.vision)
    return state


def _with_picture(state: AttemptState, step: StepTaken, name: str, vision: VisionAnswered | None) -> AttemptState:
    """Keep the answer about a picture of the right record, if nothing else is known of the field, and note it for a
    reviewer."""
    if not name or vision is None or vision.answer is None or not _sure(vision) or name in state.seen:
        return state
    if not state.proven:
        return state
    value = FieldValue(
        field=name, state="value", value=vision.answer, shown=vision.answer, origin="vision",
        source=picture_source(step), read_by=vision.answered_by,
    )  # fmt: skip
    message = f"read from a picture by {vision.answered_by} (confidence {vision.confidence:.2f})"
    return with_notes(with_readings(state, (value,)), (plain_note(message, name),))


def item_key(item: Mapping[str, object]) -> str:
    """Return a key that is equal for items with equal values."""
    return "\x1f".join(f"{name}={item[name]}" for name in sorted(item))


def _sure(vision: VisionAnswered | None) -> bool:
    return vision is not None and vision.confidence >= SURE_FROM


def with_readings(state: AttemptState, seen: tuple[FieldValue, ...]) -> AttemptState:
    """Return the state with these readings. A field that was read earlier stays known while it is out of sight; one of
    which the page shows several values now is known no more."""
    fresh = {value.field: value for value in seen if value.state != "not_found"}
    open_ = {value.field: value for value in seen if value.state == "not_found" and (value.candidates or value.lacking)}
    if not fresh and not open_:
        return state
    return replace(
        state,
        seen={name: value for name, value in {**state.seen, **fresh}.items() if name not in open_},
        doubts={**{name: value for name, value in state.doubts.items() if name not in fresh}, **open_},
        unconfirmed=state.unconfirmed - set(fresh),
    )


def with_notes(state: AttemptState, notes: tuple[Note, ...]) -> AttemptState:
    """Return the state with these notes, each once."""
    return replace(state, notes=combined_notes(state.notes, notes)) if notes else state


def _gained(before: AttemptState, after: AttemptState, step: StepTaken) -> bool:
    """Return whether the step brought a value, a file, a text, an item or an answer that was not known before."""
    if step.taken_over:  # whoever goes on begins where a person has led to
        return True
    if step.refused:
        return False
    labels = {filed.artifact.label for filed in before.artifacts}
    files = any(filed.artifact.label not in labels for filed in _asked_for(step.artifacts))
    said = {(name, repr(value.value), value.shown) for name, value in after.seen.items()}
    known = {(name, repr(value.value), value.shown) for name, value in before.seen.items()}
    return bool(said - known) or files or bool(step.items) or _new_text(before, step.result)


def _new_text(before: AttemptState, result: ActionResult | None) -> bool:
    if result is None or not isinstance(result.effect, TextRead) or not result.effect.text.strip():
        return False
    return all(entry.result is None or entry.result.effect != result.effect for entry in before.history)


def _token_scale(state: AttemptState, step: StepTaken) -> float:
    pictures = _prompt_tokens(step.vision.usage) if step.vision is not None else 0
    tokens = _prompt_tokens(step.usage) - pictures
    return tokens / step.prompt_weight if step.prompt_weight and tokens > 0 else state.token_scale


def _prompt_tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
