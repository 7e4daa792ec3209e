"""The live check of `exhibit compile`: one row that was held out is done by the draft, in a browser on the site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.contracts.browser_pool import ProfilePaused
from shared.errors import ExhibitError, PermanentError
from shared.flows.checking.live_check import check_live, live_lease, live_sample
from shared.flows.checking.recorded_answers import SampleCheck
from shared.flows.compiling.compiler import CompiledFlow
from shared.host.connections import LEASE_TIMEOUT_S, LEASE_WAIT_S, OpenedBus
from shared.recordings.recording import Recording
from shared.sessions import lease_session
from shared.task.spec import TaskSpec

WAY_OUT = (
    "The site may show something else than when it was recorded, or the flow reads it wrong: look at both. "
    "--no-live relies on the recorded samples alone."
)


@dataclass(frozen=True)
class LiveOutcome:
    """``check``: None: nothing was done live, and ``why`` says why. ``problems``: why it stays a draft."""

    check: SampleCheck | None = None
    why: str = ""
    problems: tuple[str, ...] = ()


def live_facts(outcome: LiveOutcome) -> dict[str, object]:
    """Return the outcome for --json."""
    check = outcome.check
    if check is None:
        return {"sample_id": None, "skipped": outcome.why}
    return {"sample_id": check.sample_id, "problems": check.problems, "model_calls": check.model_calls}


async def check_on_site(
    opened: OpenedBus, flow: CompiledFlow, spec: TaskSpec, samples: Sequence[Recording]
) -> LiveOutcome:
    """Do the first sample that the flow was not compiled from again, where that changes nothing on the site."""
    used = [one for one in samples if one.sample_id in flow.samples]
    sample = live_sample(spec, used, [one for one in samples if one.sample_id not in flow.samples])
    if isinstance(sample, str):
        return LiveOutcome(why=sample)
    try:
        async with opened.with_services(("browser_pool",)):
            check = await _check(opened, flow, spec, sample)
    except ExhibitError as exc:
        check = SampleCheck(sample.sample_id, (f"the browser could not do it: {exc}",), {})
    if not check.problems:
        return LiveOutcome(check)
    return LiveOutcome(check, problems=tuple(f"live, {sample.sample_id}: {problem}" for problem in check.problems))


async def _check(opened: OpenedBus, flow: CompiledFlow, spec: TaskSpec, sample: Recording) -> SampleCheck:
    request = live_lease(spec, sample)
    async with lease_session(opened.bus, request, wait_bound_s=LEASE_WAIT_S, lease_timeout_s=LEASE_TIMEOUT_S) as lease:
        if isinstance(lease, ProfilePaused):
            raise PermanentError(lease.reason, code="login_required")
        return await check_live(opened.bus, lease.session, flow, spec, sample)
