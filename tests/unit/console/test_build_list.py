"""`exhibit build list`: the workspaces of a folder, and the words for how far each is."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from services.console.commands.build.build_list import workspaces
from services.console.terminal.builds_view import age_of, state_of
from shared.contracts.workflows.build_events import RowBegun, SessionOpened, TodoAdded, TodoDone
from shared.contracts.workflows.builds import BuildStanding, ListedBuild
from shared.flows.building.folder import append_event
from tests.cases import cases

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def at(hour: int) -> str:
    return f"2026-11-29T{hour:02d}:00:00.000+00:00"


def test_workspaces_are_listed_the_newest_first_and_what_cannot_be_read_is_named(tmp_path: Path):
    for hour, name in enumerate(("older", "newer"), 9):
        folder = tmp_path / name
        folder.mkdir()
        append_event(folder, SessionOpened(at=at(hour), task_id="tickets", by="ann"))
        append_event(folder, TodoAdded(at=at(hour), number=1, title="Open it"))
        append_event(folder, TodoAdded(at=at(hour), number=2, title="Read it"))
        append_event(folder, RowBegun(at=at(hour), sample_id="A", row={}))
        append_event(folder, TodoDone(at=at(hour), number=1))
    (tmp_path / "empty").mkdir()
    (tmp_path / "damaged").mkdir()
    append_event(tmp_path / "damaged", SessionOpened(at=at(9), task_id="tickets", by="ann"))
    (file,) = (tmp_path / "damaged").iterdir()
    file.write_bytes(b"{}\n{}\n")
    listed, lost = workspaces(tmp_path)
    assert [(Path(one.build_id).name, one.task_id, one.by) for one in listed.builds] == [
        ("newer", "tickets", "ann"), ("older", "tickets", "ann"),
    ]  # fmt: skip
    assert listed.builds[0].standing == BuildStanding(changed_at=at(10), todos=2, done=1)
    (told,) = lost
    assert told.startswith(str(tmp_path / "damaged"))


@cases(
    ("moment", "told"),
    [
        ("", "–"),
        ("2026-11-29T11:59:30+00:00", "0 min ago"),
        ("2026-11-29T11:01:00.000+00:00", "59 min ago"),
        ("2026-11-29T13:00:00+02:00", "1 h ago"),
        ("2026-11-27T12:01:00+00:00", "47 h ago"),
        ("2026-11-27T12:00:00+00:00", "2 days ago"),
        ("2026-11-29T12:05:00+00:00", "0 min ago"),  # another clock is a little ahead
    ],
)
def test_an_age_has_the_largest_unit_that_fits(moment: str, told: str):
    assert age_of(moment, NOW) == told


@pytest.mark.parametrize(
    ("standing", "told"),
    [
        (BuildStanding(), "begun"),
        (BuildStanding(todos=3), "begun"),
        (BuildStanding(todos=3, done=1), "at work"),
        (BuildStanding(todos=3, rows=1), "at work"),
        (BuildStanding(todos=3, done=3), "row done"),
        (BuildStanding(todos=3, done=1, published=True), "in the library"),
    ],
)
def test_the_state_is_said_in_words(standing: BuildStanding, told: str):
    assert state_of(ListedBuild(build_id="a", task_id="t", by="", agent=False, rows=3, standing=standing)) == told
