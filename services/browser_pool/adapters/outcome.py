"""What one action did, before it is joined with what happened to the page around it."""

from __future__ import annotations

from dataclasses import dataclass

from services.browser_pool.ports import Capture, NotKept, PageKept
from shared.contracts.codes import ActionCode
from shared.contracts.results import Effect, TargetFound


@dataclass(frozen=True)
class Outcome:
    ok: bool
    code: ActionCode
    message: str
    effect: Effect | None = None
    target: TargetFound | None = None
    captures: tuple[Capture, ...] = ()
    page: PageKept | NotKept | None = None


def done(
    message: str,
    *,
    effect: Effect | None = None,
    target: TargetFound | None = None,
    captures: tuple[Capture, ...] = (),
    page: PageKept | NotKept | None = None,
) -> Outcome:
    return Outcome(True, "ok", message, effect, target, captures, page)


def refuse(
    code: ActionCode, message: str, *, effect: Effect | None = None, target: TargetFound | None = None
) -> Outcome:
    return Outcome(False, code, message, effect, target)
