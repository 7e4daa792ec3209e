"""Outages: what samples of a run fail for one after the other, and the pauses of a run for them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Part
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import EndCode, TransientCode

OutageKind = Literal["site", "login", "model"]


class Outage(Part, frozen=True, kw_only=True):
    """Why samples of a run fail one after the other. ``where``: the host, the login state or the planner. ``code``: why
    the last of them ended. ``message``: of that sample, for people. ``samples``: how many failed in a row."""

    kind: OpenCode[OutageKind]
    where: str
    code: OpenCode[EndCode | TransientCode]
    message: str = ""
    samples: int = 1


class RunPause(Part, frozen=True, kw_only=True):
    """A pause of a run for an outage. ``ended_at``: when it went on, or was closed; None: it lasts. ``ended_by``: who
    has ended it, a person or the planner that has tried a sample."""

    outage: Outage
    at: datetime
    ended_at: datetime | None = None
    ended_by: str = ""


def outage_text(outage: Outage) -> str:
    """Return the cause for people, as a clause."""
    what = {"site": "the site", "login": "the login state", "model": "the model of the planner"}.get(outage.kind, "")
    many = f"{outage.samples} samples in a row" if outage.samples > 1 else "a sample"
    return f"{what} {outage.where} failed {many} ({outage.code}): {outage.message}"


def pause_line(pause: RunPause) -> str:
    """Return one line on a pause, for people."""
    lasted = "" if pause.ended_at is None else f", for {(pause.ended_at - pause.at).total_seconds():.0f} s"
    return f"at {pause.at:%Y-%m-%d %H:%M} UTC{lasted}: {outage_text(pause.outage)}"
