"""What a person asks of a sample at work in the browser: the form of a live view as a command, and the answer to it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import msgspec

from services.console.web.desk import Desk
from shared.contracts.actions import BrowserAction
from shared.contracts.sessions.taking_over import (
    ActOn,
    AnySteer,
    HandBack,
    KeepHold,
    PressAt,
    SampleSteered,
    SteerReply,
    SteerSample,
    TakeOver,
)
from shared.subjects import STEER_SAMPLE

STEER_S = 185.0
MOST_TEXT = 10_000
_TEXTS = ("text", "secret", "keys", "option", "date", "direction", "url", "answer")
_NUMBERS = {"amount_px": int, "tab": int}


class UnreadableActError(Exception):
    """The form is no act; the message says why."""


@dataclass(frozen=True)
class HoldKeys:
    """The keys by which the sessions of one server hold samples: nobody else can make them."""

    _secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def of(self, session: int) -> str:
        return f"{self._secret}.{session}"


def parse_steer(form: Mapping[str, str]) -> AnySteer:
    """Return the command of a form. Raises UnreadableActError."""
    asked = form.get("steer", "")
    try:
        if asked == "take":
            return TakeOver()
        if asked == "keep":
            return KeepHold()
        if asked == "back":
            return HandBack(note=form.get("note", ""))
        if asked == "press_at":
            x, y = float(form["x"]), float(form["y"])
            if not (isfinite(x) and isfinite(y)):
                raise ValueError("it is no point")
            return PressAt(x=x, y=y)
        if asked == "act":
            return ActOn(action=_parse_action(form))
    except (KeyError, ValueError, msgspec.ValidationError) as exc:
        raise UnreadableActError(f"the act could not be read: {exc}") from exc
    raise UnreadableActError("there is no such act")


def _parse_action(form: Mapping[str, str]) -> BrowserAction:
    """Return the action of a form, whose fields have the names of the action's. Whoever works on the sample says
    whether a person may do it."""
    written: dict[str, Any] = {"action": form["action"], "reason": "A person did it by hand."}
    if form.get("ref"):
        written["target"] = {"by": "ref", "ref": int(form["ref"]), "snapshot_id": form["snapshot_id"]}
    for name in (*_TEXTS, *_NUMBERS):
        if name in form:
            written[name] = _NUMBERS.get(name, str)(form[name][:MOST_TEXT])
    return msgspec.convert(written, BrowserAction)


async def steer(desk: Desk, run_id: str, sample_id: str, key: str, command: AnySteer) -> SteerReply:
    """Have it done in the name of the person of the desk. Raises as an ask does."""
    asked = SteerSample(run_id=run_id, sample_id=sample_id, by=desk.person, key=key, command=command)
    return await desk.client.bus.ask(STEER_SAMPLE, asked, timeout_s=STEER_S)


def as_json(reply: SteerReply) -> dict[str, Any]:
    """Return the answer for a script: ``done``, a ``message``, and the ``element`` that was acted on."""
    if isinstance(reply, SampleSteered):
        element = None if reply.element is None else msgspec.to_builtins(reply.element)
        return {"done": True, "ok": reply.ok, "message": reply.message, "step": reply.step, "element": element}
    return {"done": False, "ok": False, "message": reply.message, "code": reply.code}
