"""What a planner asks of a run itself: to pause for an outage, to go on after it, and to close.

Planners that find the same ask under one id, which counts once. What does not fit any more is refused, and is none of
their business.
"""

from __future__ import annotations

from shared.bus.ports import Asks
from shared.contracts.outages import Outage
from shared.contracts.sessions.control import AnyControl, CloseRun, ControlRun, PauseRun, ResumePaused, RunControl
from shared.subjects import CONTROL_RUN

BY_PLANNER = "planner"
TIMEOUT_S = 30.0


async def pause_run(run_id: str, outage: Outage, control_id: str, asks: Asks) -> None:
    """Pause the run for an outage, unless it is paused for one already."""
    await _ask(run_id, PauseRun(outage=outage), control_id, asks)


async def resume_run(run_id: str, paused_key: str, asks: Asks) -> None:
    """End that pause."""
    await _ask(run_id, ResumePaused(paused_key=paused_key), f"mended_{paused_key}", asks)


async def close_run(run_id: str, control: RunControl, asks: Asks) -> None:
    """Close a run whose outage was not mended in time."""
    await _ask(run_id, CloseRun(), f"not_mended_{control.paused_key}", asks)


async def _ask(run_id: str, control: AnyControl, control_id: str, asks: Asks) -> None:
    request = ControlRun(run_id=run_id, control_id=control_id, control=control, by=BY_PLANNER)
    await asks.ask(CONTROL_RUN, request, timeout_s=TIMEOUT_S)
