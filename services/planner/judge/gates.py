"""When a sample counts as done, which actions are accepted, and how a sample ends otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from services.planner.judge.awaited_values import awaited_problems
from services.planner.judge.field_values import judge_field, partial_values
from services.planner.judge.list_proof import list_gaps
from services.planner.judge.listed_items import listing_ending
from services.planner.judge.login_page import login_page_words
from services.planner.judge.merged_lists import unread_list_problems
from services.planner.judge.own_saves import unsaved_problems
from services.planner.judge.press_outcome import outcome_problems, untold, without_older
from services.planner.judge.record_checks import (
    artifact_problems,
    consent_notes,
    file_notes,
    identity_problems,
    is_doubtful,
    missing_field_problems,
    other_record_text,
    shows_other_record,
    to_judgment,
)
from services.planner.judge.sent_values import sent_problems
from services.planner.state.attempt_state import Ending, SampleProblem, SampleView, combined_notes, ending_of
from services.planner.state.irreversible_steps import irreversible_steps, refused_press
from services.planner.state.limits import ExceededLimit, exceeded_limit, is_last_step, must_end
from services.planner.state.value_sources import lacks_stored_source
from services.planner.task_api.comparing import disputed_absence, merged_values
from shared.contracts.actions import AnyAction, Done, Fail, Judgment
from shared.contracts.browser_pool import PageObserved
from shared.contracts.codes import facts_of, reason_of_fail
from shared.contracts.planner import SampleFinished, WorkSample
from shared.contracts.steps import FieldValue, Note
from shared.login_walls import login_wall_words
from shared.pages.identity.identity import shows_record
from shared.pages.loading import find_loading_sign
from shared.task.row_values import expected_identity
from shared.text.normal import quoted, tidy


@dataclass(frozen=True)
class Rejection:
    """The ending is not accepted yet; `message` tells the driver why, once."""

    message: str


@dataclass(frozen=True)
class CheckedDone:
    """A report of `Done` after its checks."""

    values: tuple[FieldValue, ...]
    problems: tuple[SampleProblem, ...]
    notes: tuple[Note, ...]
    judgment: Judgment | None = None


def judge_done(
    view: SampleView, done: Done, *, by_model: bool = True, decided_by: str = ""
) -> tuple[Ending | Rejection, tuple[FieldValue, ...]]:
    """Return whether `done` is accepted, and the values that go into the result in either case.

    Values of the rules were read off the page; those of a model are compared with it.
    """
    if view.spec.phase == "discovery":
        return _listing_ruling(view, by_model=by_model), ()
    checked = checked_done(view, done, by_model=by_model, decided_by=decided_by)
    return done_ruling(view, checked, by_model=by_model), checked.values


def _listing_ruling(view: SampleView, *, by_model: bool) -> Ending | Rejection:
    """Return how the search for a list ends. A model that says that it is complete is told once what contradicts it."""
    problems = (*artifact_problems(view), *list_gaps(view))
    if problems and by_model and view.state.refusals(Done) == 0 and not is_last_step(view):
        return Rejection("\n".join(problem.told_to_model for problem in problems))
    return listing_ending(view, problems)


def checked_done(view: SampleView, done: Done, *, by_model: bool = True, decided_by: str = "") -> CheckedDone:
    """Return the typed values of the report with all its problems."""
    fields = [judge_field(name, field, view, done, by_model) for name, field in view.spec.output_schema.items()]
    shown = tuple(value for value, _, _ in fields)
    merged = merged_values(view, shown)
    judgment, doubts = to_judgment(view, done.judgment, decided_by)
    problems = (
        *_login_problems(view, merged.values),
        *identity_problems(view, shown),
        *outcome_problems(view, merged.values),
        *sent_problems(view),
        *unsaved_problems(view),
        *awaited_problems(view, merged.values),
        *merged.problems,
        *missing_field_problems(view, merged.values),
        *(problem for _, found, _ in fields for problem in found),
        *unread_list_problems(view, merged.values),
        *artifact_problems(view),
        *doubts,
    )
    notes = (
        *(note for _, _, found in fields for note in found),
        *merged.notes,
        *file_notes(view),
        *consent_notes(view),
    )
    return CheckedDone(merged.values, problems, notes, judgment)


def _login_problems(view: SampleView, values: Sequence[FieldValue]) -> list[SampleProblem]:
    """Return a problem if a page that asks to sign in came instead of the record."""
    asked = login_page_words(view, view.page, values) if view.page is not None else ""
    return [SampleProblem("login_required", f"{view.page.url} {asked}")] if view.page is not None and asked else []


def done_ruling(view: SampleView, checked: CheckedDone, *, by_model: bool) -> Ending | Rejection:
    """Return done, a rejection with the exact reason, or a review by a person.

    A report is rejected once. Another record than the one that was asked for is never done.
    """
    state = view.state
    notes = combined_notes(state.notes, checked.notes)
    if not checked.problems:
        return Ending("done", "", "", "", checked.values, _needs_review(view, checked), notes, checked.judgment)
    first = checked.problems[0]
    final = first.reason in ("identity_mismatch", "login_required")
    # What the API says is not told: a second reading that knows the first is none.
    own = [problem for problem in checked.problems if problem.reason != "api_differs"]
    if own and state.refusals(Done) == 0 and not is_last_step(view) and (by_model or not final):
        told = (problem.told_to_model if by_model else problem.message for problem in own)
        return Rejection(("\n" if by_model else "; ").join(told))
    if final:
        ending = ending_of(first.reason, first.message)
        by_page = first.reason == "login_required" or shows_other_record(view)
        fault = ending.fault if not by_model or by_page else "us"
        return replace(ending, fault=fault, notes=notes, flagged=True)
    message = _message_of(checked.problems)
    sign = find_loading_sign(view.page) if view.page is not None and first.reason == "missing_fields" else ""
    ending = ending_of("still_loading", f"the page {sign}; {message}") if sign else ending_of(first.reason, message)
    return replace(ending, values=checked.values, flagged=True, notes=notes, judgment=checked.judgment)


def _message_of(problems: Sequence[SampleProblem]) -> str:
    """Return all problems for people; what is said of several fields is said once."""
    said: dict[str, SampleProblem] = {}
    for one in problems:
        known = said.get(one.text)
        fields = (one.field,) if known is None else (known.field, one.field)
        said[one.text] = replace(one, field=", ".join(filter(None, fields)))
    return "; ".join(one.message for one in said.values())


def _needs_review(view: SampleView, checked: CheckedDone) -> bool:
    """Return whether a person should check a sample that is done."""
    return bool(checked.notes) or (checked.judgment is not None and is_doubtful(checked.judgment))


def judge_fail(view: SampleView, fail: Fail, *, by_model: bool = True) -> Ending | Rejection:
    """Return the ending for a failure code, with the driver's message.

    If a model fails with `not_found` while the page shows a record, or without a screenshot, it is rejected once. So is
    `identity_mismatch` while the page shows the record that was asked for. Where another record is shown, the asked one
    is never "not found".
    """
    doubts = _absence_problems(view, fail) if by_model else ()
    if doubts and view.state.refusals(Fail) == 0 and not is_last_step(view):
        return Rejection("\n".join(doubt.message for doubt in doubts))
    absent = disputed_absence(view, tidy(fail.note)[:1000]) if fail.code == "not_found" else None
    if absent is not None:
        return replace(absent, values=tuple(view.state.from_api.values()), flagged=True, notes=view.state.notes)
    disputed = next((doubt for doubt in doubts if doubt.reason != "missing_artifacts"), None)
    ending = ending_of(reason_of_fail(fail.code) if disputed is None else disputed.reason, tidy(fail.note)[:1000])
    review = ending.status == "needs_review"
    values = tuple(without_older(view, one) for one in partial_values(view)) if review else ()
    message = ending.message if disputed is None else f"{disputed.message}; the driver said: {ending.message}"
    return replace(
        ending,
        message=message,
        values=values,
        flagged=review,
        notes=combined_notes(view.state.notes, consent_notes(view)),
    )


def _absence_problems(view: SampleView, fail: Fail) -> tuple[SampleProblem, ...]:
    """Return what speaks against a model's word that the record is not there, or is another one."""
    said = f"You called fail with the code {fail.code}, but"
    if fail.code not in ("not_found", "identity_mismatch"):
        return ()
    if view.page is not None and shows_record(view.spec, view.sample, view.page):
        asked = ", ".join(
            f"{name} {quoted(value)}" for name, value in expected_identity(view.spec, view.sample).items()
        )
        return (SampleProblem("disputed_not_found", f"{said} the page shows the record that was asked for: {asked}"),)
    if fail.code == "identity_mismatch":
        return ()
    other = other_record_text(view)
    if other:
        advice = "If this is where the row leads, call fail with the code identity_mismatch"
        return (SampleProblem("identity_mismatch", f"{said} {other}. {advice}"),)
    labels = [filed.artifact.label for filed in view.state.artifacts if filed.artifact.kind == "screenshot"]
    if "not_found" not in labels:
        return (SampleProblem("missing_artifacts", f"{said} this screenshot is missing: screenshot:not_found"),)
    return ()


def is_tried_again(finished: SampleFinished, view: SampleView) -> bool:
    """Return whether a sample whose page still loads is worth another attempt. Not where it may have submitted
    something."""
    return finished.reason == "still_loading" and not irreversible_steps(view)


def to_finished(
    work: WorkSample, attempt: int, planner_id: str, ending: Ending, started_at: datetime, finished_at: datetime
) -> SampleFinished:
    """Return the message that ends an attempt at a sample. What its steps have left behind is added by the caller."""
    return SampleFinished(
        run_id=work.run_id,
        sample_id=work.sample_id,
        attempt=attempt,
        planner_id=planner_id,
        status=ending.status,
        reason=ending.reason,
        message=ending.message,
        fault=ending.fault,
        sample=work.sample,
        values=ending.values,
        judgment=ending.judgment,
        flagged=ending.flagged or lacks_stored_source(ending.notes),
        notes=ending.notes,
        explained=ending.explained,
        started_at=started_at,
        finished_at=finished_at,
    )


def login_wall(finished: SampleFinished, page: PageObserved | None) -> str:
    """Return what showed that the session is not logged in; empty: nothing did.

    The login state is then paused for all samples. So the driver's word alone is not enough, and neither is HTTP 403,
    which may concern one record only.
    """
    if finished.status != "auth_required" or page is None:
        return ""
    # The query may hold a secret of this login, and the reason is shown with every other sample.
    url = page.url.partition("?")[0].partition("#")[0]
    if page.http_status == 401:
        return f"{url} answered HTTP 401"
    asked = login_wall_words(page)
    return f"{url} {asked}" if asked else ""


# --- the last step and the limits: which actions are still accepted, and how the sample ends


def refusal(view: SampleView, action: AnyAction, *, by_rule: bool) -> str:
    """Return why an action is not carried out; empty: it may be.

    The tools of a prompt stay the same up to the last step, because the cached part of the prompt begins with them. So
    an action that is not open any more is refused here.
    """
    if by_rule or isinstance(action, Done | Fail):
        return ""
    if is_last_step(view):
        return "This is the last step: only done or fail is accepted. What you know now must do."
    if must_end(view.state.progress):
        return "The work has come to a stop: only done or fail is accepted now."
    return refused_press(view, action)


def limit_reached(view: SampleView, elapsed_s: float) -> Ending | None:
    """Return how the sample ends if the attempt has reached a limit, else None."""
    exceeded = exceeded_limit(view, elapsed_s)
    return None if exceeded is None else cut_short(view, exceeded)


def cut_short(view: SampleView, exceeded: ExceededLimit) -> Ending:
    """Return the ending for this limit, with the values that were read so far."""
    return untold(view, with_partial_values(view, ending_of(exceeded.reason, exceeded.message)))


def with_partial_values(view: SampleView, ending: Ending) -> Ending:
    """Return the ending as a partial success, if values of the right record were read and its reason allows that."""
    facts, values = facts_of(ending.reason), partial_values(view)
    has_values = any(value.state != "not_found" and value.field not in view.spec.identity for value in values)
    ending = replace(ending, notes=view.state.notes)
    partial = has_values and facts is not None and facts.partial
    return replace(ending, status="partial_success", values=values, flagged=True) if partial else ending
