"""Which runs this process writes, and what it remembers of them."""

from __future__ import annotations

from services.evidence import layout
from services.evidence.deps import Deps
from services.evidence.recalling.recall import run_state
from services.evidence.recalling.rounds import RunState
from shared.errors import PermanentError


async def hold_run(deps: Deps, run_id: str) -> None:
    """Before anything of a run is written. What was read of it before it was ours may be true no longer."""
    async with deps.recalling:
        if layout.is_safe(run_id) and await deps.store.hold(run_id):
            deps.runs.pop(run_id, None)
            for key in [key for key in deps.logs if key[0] == run_id]:
                del deps.logs[key]


async def known_run(deps: Deps, run_id: str) -> RunState:
    """Events come in order, so a run that has not started here is not ours to file: its folder was taken away, say."""
    await hold_run(deps, run_id)
    state = await run_state(deps, run_id)
    if state is None:
        await deps.store.release(run_id)
        raise PermanentError(f"{run_id} was never started here", code="unknown_run")
    return state


async def let_go_if_finished(deps: Deps, run_id: str) -> None:
    """What is told of a finished run changes nothing, and holds up nobody who resumes it elsewhere."""
    state = await run_state(deps, run_id)
    if state is not None and state.said is not None:
        await deps.store.release(run_id)


def forget_finished(deps: Deps, but: str) -> None:
    """Of the runs that are finished only this one is remembered: 10,000 samples each would fill the memory. Only where
    an event is handled: these come one at a time, so nobody else is about to change one of them."""
    for run_id in [run_id for run_id, state in deps.runs.items() if state.said is not None and run_id != but]:
        del deps.runs[run_id]
