"""What is shown of a schedule."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from services.console.text.schedule_lines import last_lines, run_line, schedule_line
from shared.contracts.comparing import ComparisonTold
from shared.contracts.discovery import Problem, SubmitRun
from shared.contracts.scheduling import Schedule, ScheduledRun
from tests.cases import cases

DUE = datetime(2026, 7, 1, 4, tzinfo=UTC)
RUN = ScheduledRun(due_at=DUE, at=DUE, outcome="started", run_id="run_2", ended=True)
COMPARED = ComparisonTold(run_a="run_1", run_b="run_2")
MONTHLY = Schedule(
    name="tickets", every="0 6 1 * *", time_zone="Europe/Berlin", request=SubmitRun(), created_at=DUE, next_at=DUE
)


def shown(compared: ComparisonTold | None = None, **changes: Any) -> str:
    line = run_line(replace(RUN, **changes), "Europe/Berlin", None, compared)
    return line.removeprefix("  2026-07-01 06:00: ")


def test_a_schedule_is_shown_with_what_became_of_its_last_time():
    schedule = replace(MONTHLY, runs=(replace(RUN, run_id="run_1"), RUN))
    assert schedule_line(schedule) == "tickets: 0 6 1 * * (Europe/Berlin), next 2026-07-01 06:00"
    assert schedule_line(replace(schedule, paused=True)).endswith("paused")
    assert last_lines(schedule) == ["  last 2026-07-01 06:00: run_2"]
    assert last_lines(MONTHLY) == []


def test_what_became_of_a_time_is_said():
    assert shown(ended=False) == "run_2, at work"
    assert shown(count=3) == "run_2 (for 3 times)"
    problems = (Problem(where="login", message="there is none \x1b[2J"),)
    assert shown(outcome="rejected", run_id="", problems=problems) == (
        "NOT RUN, the request was rejected\n    login: there is none \\x1b[2J"
    )
    assert shown(outcome="of_a_later_version", run_id="") == "of_a_later_version"


@cases(
    ("changes", "told"),
    [
        ({"same": True, "counts": {"same": 3}}, "the same as run_1"),
        ({"counts": {"same": 3, "changed": 2, "maybe_gone": 1}, "changed": {"owner": 2}},
         "since run_1: 2 changed, 1 maybe gone (owner in 2)"),
        ({"counts": {"same": 3}}, "since run_1: not all is known"),
        ({"refused": "there is no folder"}, "not compared with run_1: there is no folder"),
    ],
)  # fmt: skip
def test_what_has_changed_is_said(changes: dict[str, Any], told: str):
    assert shown(replace(COMPARED, **changes)) == f"run_2; {told}"
