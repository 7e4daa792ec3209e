"""The outcome of one action, before the changes of the page around it are added."""

from __future__ import annotations

from dataclasses import dataclass

from services.browser_pool.ports import Capture, CaptureFailed, PageCapture
from shared.contracts.error_codes import ActionCode
from shared.contracts.results import Effect, TargetFound


@dataclass(frozen=True)
class PerformOutcome:
    """What an action did. ``ok`` is False with a ``code`` when it was refused or failed."""

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
) -> PerformOutcome:
    """Return the outcome of an action that was performed."""
    return PerformOutcome(True, "ok", message, effect, target, captures, page)


def refuse(
    code: ActionCode, message: str, *, effect: Effect | None = None, target: TargetFound | None = None
) -> PerformOutcome:
    """Return the outcome of an action that was refused or failed."""
    return PerformOutcome(False, code, message, effect, target)
