"""A draft checked on the site itself before it is published: one recorded sample is done again in a browser.

Nothing is done twice that cannot be taken back: such a flow is not checked live, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.client.flow_runs import run_flow
from shared.contracts.browser_pool import LeaseSession, Politeness, SessionLeased
from shared.contracts.discovery import Sample
from shared.contracts.workflows.flows import ClickElement, FlowAnswer, FlowCall, ReadWithModel
from shared.flows.checking.recorded_answers import SampleCheck, differences, values_of
from shared.flows.checking.site_changes import may_change_site
from shared.flows.checking.validation import begin_draft, error_of, words_for_nothing
from shared.flows.compiling.compiler import CompiledFlow
from shared.flows.live import LiveBus, LiveFlow
from shared.flows.reading import flow_error
from shared.login_walls import login_wall_words
from shared.recordings.recording import Recording
from shared.task.allowed_hosts import allowed_hosts, private_hosts
from shared.task.spec import TaskSpec, has_irreversible_step

RUN_ID = "live_check"


def live_sample(spec: TaskSpec, compiled_from: Sequence[Recording], held_out: Sequence[Recording]) -> Recording | str:
    """Return the sample to do again, or why none is, for people."""
    if has_irreversible_step(spec):
        return "its task has a step that cannot be taken back, which is not taken for a check"
    for sample in (*compiled_from, *held_out[:1]):
        if reason := may_change_site(sample):
            return f"{sample.sample_id}: {reason}, and is not taken for a check"
    return held_out[0] if held_out else "no sample was held out"


def live_lease(spec: TaskSpec, sample: Recording) -> LeaseSession:
    """Return the request for a browser that may do what a run of the task may."""
    row = dict(sample.row)
    given = Sample(sample_id=sample.sample_id, key=row.get("key", ""), row=1, url=row.get("url"), fields=row)
    return LeaseSession(
        run_id=RUN_ID,
        sample_id=sample.sample_id,
        auth_profile=spec.auth_profile,
        auth_concurrency=spec.auth_concurrency if spec.auth_profile is not None else 0,
        allowed_hosts=allowed_hosts(spec, given),
        private_hosts=private_hosts(spec),
        secrets=tuple(spec.secrets),
        politeness=Politeness(**spec.politeness.model_dump()),
    )


async def check_live(
    bus: LiveBus, session: SessionLeased, flow: CompiledFlow, spec: TaskSpec, sample: Recording
) -> SampleCheck:
    """Run the draft on one row in this browser, and compare the values with those that were recorded."""
    begin = begin_draft(flow, sample.row)
    live = LiveFlow(bus, session, flow.files, begin.variables)
    asked_model = 0

    async def answer(call: FlowCall) -> FlowAnswer:
        nonlocal asked_model
        if isinstance(call, ReadWithModel):
            asked_model += 1
            return FlowAnswer(value={})
        if isinstance(call, ClickElement) and call.irreversible:
            return flow_error("ended", "the next step cannot be taken back, and is not taken for a check")
        return await live.answer(call)

    ran = await run_flow(bus, begin, answer)
    values, error = values_of(ran.value), error_of(ran)
    problems = [error] if error else differences(sample, values, words_for_nothing(spec), first_page=True)
    if error and live.page is not None and (asks := login_wall_words(live.page)):
        problems = [_login_lacks(spec, f"{live.page.url} {asks}")]
    return SampleCheck(sample.sample_id, tuple(problems), values, asked_model)


def _login_lacks(spec: TaskSpec, wall: str) -> str:
    if spec.auth_profile is None:
        return f"{wall}, and the task has no login state: name one as auth_profile"
    name = spec.auth_profile
    return (
        f"{wall}: the site does not accept the login state {name!r} any more; record it again: exhibit login {name} URL"
    )
