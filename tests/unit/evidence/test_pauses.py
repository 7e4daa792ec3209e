"""What run.json keeps of the pauses for an outage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from services.evidence.ingest.filing import pauses_after
from shared.contracts.outages import Outage, RunPause
from shared.contracts.sessions.control import AnyControl, CloseRun, PauseRun, ResumePaused, RunControlled, SendText

NOW = datetime(2026, 11, 23, 14, tzinfo=UTC)
SITE = Outage(kind="site", where="a.test", code="unreachable", samples=5)


def told(control: AnyControl, minute: int) -> RunControlled:
    at = NOW + timedelta(minutes=minute)
    return RunControlled(run_id="r", number=minute, control_id=str(minute), control=control, by="ann", at=at)


def test_a_pause_is_kept_once_until_it_is_ended_and_a_pause_of_a_person_is_not():
    begun, resumed, again, closed = (
        told(control, minute)
        for minute, control in enumerate((PauseRun(outage=SITE), ResumePaused(), PauseRun(outage=SITE), CloseRun()))
    )
    known: tuple[RunPause, ...] = ()
    for event in (begun, begun, told(PauseRun(), 0), told(SendText(text="Hello."), 0), resumed, again, closed, begun):
        known = pauses_after(known, event)
    assert known == (
        RunPause(outage=SITE, at=begun.at, ended_at=resumed.at, ended_by="ann"),
        RunPause(outage=SITE, at=again.at, ended_at=closed.at, ended_by="ann"),
    )
