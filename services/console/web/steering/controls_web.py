"""The controls of runs at work, of one and of several, and the answers to their questions. Each control is asked for
once more before it is applied."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import NO_RUN, Desk, desk_of, page
from services.console.web.steering.answers import read_answers
from shared.client.run_sessions import ControlRefusedError
from shared.contracts.evidence import RunUnknown
from shared.contracts.sessions.control import (
    AnyControl,
    CloseRun,
    InterruptRun,
    PauseRun,
    ResumePaused,
    SendText,
)
from shared.contracts.sessions.status import NO_SAMPLES
from shared.errors import ExhibitError

MOST_TEXT_CHARS = 4000
MOST_RUNS_AT_ONCE, AT_A_TIME = 100, 8


@dataclass(frozen=True)
class WebControl:
    """``done``: what became of a run, in a list of several."""

    name: str
    meaning: str
    done: str


CONTROLS = {
    "pause": WebControl(
        "Pause", "Every sample waits before its next decision, and none begins. Browser sessions are kept.", "paused"
    ),
    "resume": WebControl("Resume", "The pause ends, and all samples go on.", "resumed"),
    "message": WebControl(
        "Send the message", "It is shown once in each sample to whoever decides: a model or an operator.", "told"
    ),
    "close": WebControl(
        "Close",
        "No other sample begins; those at work are finished. The run ends then, and can be resumed as a new round.",
        "closed",
    ),
    "interrupt": WebControl(
        "Interrupt",
        "The samples at work end with what they have read, and no other begins. The run can be resumed as a new round.",
        "interrupted",
    ),
}
OF_SEVERAL = ("pause", "resume", "close")


async def ask_control(request: Request) -> Response:
    """Ask whether a control is meant."""
    run_id, control = request.path_params["run"], request.path_params["control"]
    known = _control(control, tuple(CONTROLS))
    text = request.query_params.get("text", "")[:MOST_TEXT_CHARS]
    return page(request, "confirm.html", run_id=run_id, control=control, known=known, text=text)


async def apply_control(request: Request) -> Response:
    """Apply a control, and lead back to the run."""
    desk, run_id, control = desk_of(request), request.path_params["run"], request.path_params["control"]
    _control(control, tuple(CONTROLS))
    text = request.state.form.get("text", "").strip()[:MOST_TEXT_CHARS]
    if control == "message" and not text:
        raise HTTPException(400, "The message is empty. Go back and write it.")
    try:
        await _apply(desk, run_id, control, text)
    except ControlRefusedError as exc:
        raise HTTPException(409, f"It was not done: {exc}") from exc
    return RedirectResponse(f"/runs/{run_id}", 303)


def _control(control: str, allowed: Sequence[str]) -> WebControl:
    if control not in allowed:
        raise HTTPException(404, "There is no such control.")
    return CONTROLS[control]


async def _apply(desk: Desk, run_id: str, control: str, text: str = "") -> None:
    """Raises ControlRefusedError where it does not fit how the run stands."""
    made: AnyControl = SendText(text=text) if control == "message" else _MADE[control]()
    await desk.client.control(run_id, made, desk.person)


_MADE = {"pause": PauseRun, "resume": ResumePaused, "close": CloseRun, "interrupt": InterruptRun}


# --- several runs


async def ask_several(request: Request) -> Response:
    """Ask whether a control is meant for all of these runs, with their number."""
    control = request.path_params["control"]
    known = _control(control, OF_SEVERAL)
    runs = tuple(dict.fromkeys(request.query_params.getlist("run")))
    return page(request, "several.html", control=control, known=known, runs=_bounded(runs), outcomes=None)


async def apply_several(request: Request) -> Response:
    """Apply a control to each of these runs, and show what became of each. One that refuses keeps no other from it."""
    desk, control = desk_of(request), request.path_params["control"]
    known = _control(control, OF_SEVERAL)
    given = {name: value for name, value in request.state.form.items() if name.startswith("run.")}
    runs = _bounded(tuple(dict.fromkeys(given.values())))
    at_a_time = asyncio.Semaphore(AT_A_TIME)

    async def outcome(run_id: str) -> tuple[str, str]:
        try:
            async with at_a_time:
                await _apply(desk, run_id, control)
        except ExhibitError as exc:
            return run_id, str(exc)
        return run_id, ""

    outcomes = await asyncio.gather(*map(outcome, runs))
    refused = sum(bool(why) for _, why in outcomes)
    return page(
        request, "several.html", 409 if refused else 200, control=control, known=known, runs=runs, outcomes=outcomes,
        refused=refused,
    )  # fmt: skip


def _bounded(runs: tuple[str, ...]) -> tuple[str, ...]:
    if not runs:
        raise HTTPException(400, "No run was chosen. Go back, and tick those that are meant.")
    if len(runs) > MOST_RUNS_AT_ONCE:
        raise HTTPException(400, f"{len(runs)} runs were chosen; {MOST_RUNS_AT_ONCE} at a time can be.")
    return runs


# --- questions


async def answer(request: Request) -> Response:
    """Answer the questions of a key, and lead back to the run."""
    desk, run_id, key = desk_of(request), request.path_params["run"], request.path_params["key"]
    status = await desk.client.status(run_id, NO_SAMPLES)
    if isinstance(status, RunUnknown):
        raise HTTPException(404, NO_RUN)
    asked = next((one for one in status.open_questions if one.key == key), None)
    if asked is None:
        raise HTTPException(409, "These questions are answered already, or the run has ended.")
    answers = read_answers(asked.questions, request.state.form)
    if isinstance(answers, str):
        raise HTTPException(400, answers)
    try:
        await desk.client.answer(run_id, key, answers, by=desk.person)
    except ControlRefusedError as exc:
        raise HTTPException(409, f"It was not done: {exc}") from exc
    return RedirectResponse(f"/runs/{run_id}", 303)
