"""What one action did, before it is joined with what happened to the page around it."""

from __future__ import annotations

from dataclasses import dataclass

from services.browser_pool.ports import Capture, CaptureFailed, PageCapture
from shared.contracts.codes import ActionCode
from shared.contracts.results import Effect, TargetFound


@dataclass(frozen=True)
class ActionOutcome:
    ok: bool
    code: ActionCode
    message: str
    effect: Effect | None = None
    target: TargetFound | None = None
    captures: tuple[Capture, ...] = ()
    page: PageCapture | CaptureFailed | None = None


def done(
    message: str,
    *,
    effect: Effect | None = None,
    target: TargetFound | None = None,
    captures: tuple[Capture, ...] = (),
    page: PageCapture | CaptureFailed | None = None,
) -> ActionOutcome:
    return ActionOutcome(True, "ok", message, effect, target, captures, page)


def refuse(
    code: ActionCode, message: str, *, effect: Effect | None = None, target: TargetFound | None = None
) -> ActionOutcome:
    return ActionOutcome(False, code, message, effect, target)
