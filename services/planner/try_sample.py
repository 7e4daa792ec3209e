"""Works on one row of a task outside of any run: the same loop, drivers and gates, and nothing is left behind.

No step is published and no evidence is stored. What a route presses once for a sample is therefore not pressed here: no
claim of it would be kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from msgspec.structs import replace as replace_part

from services.planner.deps import PlannerDeps
from services.planner.judge.explaining.explain import explained_fields, is_certain, read_with_others
from services.planner.judge.field_values import judge_field
from services.planner.state.attempt_state import SampleView
from services.planner.tried_work import LABEL, tried_work
from shared.contracts.actions import Done, Screenshot
from shared.contracts.browser_pool import ActOnPage
from shared.contracts.codes import facts_of
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Artifact
from shared.contracts.steps import FieldValue
from shared.contracts.tried import SampleTried, TryRefused, TryReply, TrySample
from shared.errors import ExhibitError
from shared.pages.entries.absence_words import absence_words
from shared.pages.identity.identity import read_page
from shared.pages.read.fields import field_values
from shared.subjects import ACT, MsgT, Stored
from shared.submission.trial import find_try_problems
from shared.task.spec import check_spec

PICTURE_TIMEOUT_S = 120.0


class _Unpublished:
    """Takes the place of the bus for what a run would publish."""

    async def publish(self, subject: Stored[MsgT], message: MsgT) -> None: ...


async def try_sample(request: TrySample, deps: PlannerDeps) -> TryReply:
    """Work on the sample, and say of every field what it matched and what nearly did."""
    spec, problems = check_spec(request.spec)
    problems = problems if spec is None else find_try_problems(spec)
    if spec is None or problems:
        return TryRefused(problems=problems)
    own = replace(deps, publishes=_Unpublished())
    async with tried_work(spec, request.sample, request.planner, own) as tried:
        if isinstance(tried, SampleFinished):
            return SampleTried(finished=tried, values=())
        finished, view = tried.finished, tried.view
        values = tried_values(finished, view)
        shot = ActOnPage(
            session_id=tried.session.session_id,
            instance_id=tried.session.instance_id,
            action=Screenshot(label=LABEL, reason="to show where each value stands"),
        )
        pictures = await _take_picture(shot, own)
    last = view.page
    says = absence_words(last) if last is not None and finished.status != "done" else ()
    told = explain_all(finished, values, view)
    otherwise = read_with_others(view, request.others) if _is_of_record(finished) else {}
    return SampleTried(finished=told, values=values, pictures=pictures, says=says, others=otherwise)


def tried_values(finished: SampleFinished, view: SampleView) -> tuple[FieldValue, ...]:
    """Return every field: as it is in the result, else as the last page shows it."""
    kept = {value.field: value for value in finished.values}
    if view.page is None:
        return finished.values
    read = read_page(view.spec, view.sample, view.page)
    shown = {one.field: one for one in field_values(view.spec, read.readings, view.page) if one.state != "not_found"}
    seen = replace(view, state=replace(view.state, seen=shown))
    nothing, fields = Done(values={}), view.spec.output_schema
    return tuple(kept.get(name) or judge_field(name, field, seen, nothing)[0] for name, field in fields.items())


def explain_all(finished: SampleFinished, values: Iterable[FieldValue], view: SampleView) -> SampleFinished:
    """Return the result with what is told of all fields that the last page is to show. Where it is not the page of the
    record, no key of the spec is tried on it."""
    page = view.page
    if page is None:
        return finished
    sure = {value.field: value for value in values if is_certain(value, view)}
    here = [name for name, value in sure.items() if value.source and value.source.snapshot_id == page.snapshot_id]
    unsure = [name for name in view.spec.output_schema if name not in sure]
    if _is_of_record(finished):
        return replace_part(finished, explained=explained_fields(view, unsure, here))
    return replace_part(finished, explained=explained_fields(view, [], [*unsure, *here]))


def _is_of_record(finished: SampleFinished) -> bool:
    """Return whether the last page is that of the record, so that its fields count."""
    facts = facts_of(finished.reason)
    return finished.status == "done" or (facts is not None and facts.of_fields)


async def _take_picture(shot: ActOnPage, deps: PlannerDeps) -> tuple[Artifact, ...]:
    """Return a picture of the page as it is at the end; none where it cannot be taken."""
    try:
        taken = await deps.asks.ask(ACT, shot, timeout_s=PICTURE_TIMEOUT_S)
    except ExhibitError:
        return ()
    return taken.artifacts if taken.ok else ()
