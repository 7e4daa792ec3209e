"""Which pictures the page of a build session shows of acts and values: those that are known to show them, or none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from services.console.web.builds.build_facts import BuildPicture, has_acted, recording_path, shown_act, shown_todos
from shared.contracts.results import Artifact, Box, ValueSource
from shared.contracts.steps import FieldValue, FiledArtifact, ObservationRef, StepTaken
from shared.contracts.workflows.build_events import ActionRecorded, BuildEvent, RowBegun, TodoAdded, ValueRecorded
from shared.flows.building.state import replayed
from shared.recordings.recording import Recording

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
AT = NOON.isoformat()
AREA, INSIDE, OUTSIDE = (
    Box(x=0, y=0, width=800, height=600),
    Box(x=700, y=500, width=50, height=20),
    Box(x=0, y=900, width=50, height=20),
)
FOLDER = recording_path("A").partition(".")[0].replace("samples/", "samples/captures/")
FILES = {f"{FOLDER}/01_step.jpg": "first", f"{FOLDER}/02_ticket.png": "second"}


def filed(name: str, sha256: str, kind: Any) -> FiledArtifact:
    artifact = Artifact(
        kind=kind, label="x", media_type="image/png", suffix="png", size_bytes=1, sha256=sha256, blob="",
        source_url="http://site/A", captured_at=NOON, area=AREA,
    )  # fmt: skip
    return FiledArtifact(filename=name, artifact=artifact)


def step(number: int, page: str, *artifacts: FiledArtifact) -> StepTaken:
    seen = ObservationRef(snapshot_id=page, sha256=page, url="", title="", http_status=200, dom_confidence=1.0)
    return StepTaken(
        run_id="build", sample_id="A", attempt=1, step=number, started_at=NOON, ended_at=NOON, observation=seen,
        decided_by="ann", action=None, artifacts=artifacts,
    )  # fmt: skip


def value(page: str, shown: str = "Open", box: Box = INSIDE) -> FieldValue:
    source = ValueSource(
        snapshot_id=page, observation_sha256=page, url="http://site/A", ref=1, role="definition", label="Status",
        box=box, frame="",
    )  # fmt: skip
    return FieldValue(field="status", value=shown, shown=shown, state="value", source=source)


STEPS = (
    step(1, "p1", filed("01_step.jpg", "first", "step")),
    step(2, "p2", filed("02_ticket.png", "second", "screenshot")),
)


def act(number: int, box: Box | None = INSIDE) -> ActionRecorded:
    return ActionRecorded(at=AT, todo=1, step=number, action="click", box=box, picture=f"{FOLDER}/01_step.jpg")


def test_an_act_is_shown_on_the_page_before_it_and_a_capture_on_what_it_has_taken():
    sample = Recording("build", "A", {}, STEPS)
    assert shown_act(act(1), sample, FILES).picture == BuildPicture("first", AREA, INSIDE)
    assert shown_act(act(1, OUTSIDE), sample, FILES).picture == BuildPicture("first", AREA)
    taken = shown_act(act(2), sample, FILES)
    assert (taken.picture, taken.is_after) == (BuildPicture("second", AREA), True)


def test_a_picture_whose_file_is_another_one_by_now_is_not_shown():
    sample = Recording("build", "A", {}, STEPS)
    assert shown_act(act(1), sample, {f"{FOLDER}/01_step.jpg": "another"}).picture is None
    assert shown_act(act(3), sample, FILES).picture is None
    assert shown_act(act(1), None, FILES).picture is None


def test_what_was_done_on_an_earlier_row_was_not_done_on_this_one():
    begun = RowBegun(at=AT, sample_id="A", row={})
    assert [has_acted(one) for one in ([], [begun], [begun, act(1)], [begun, act(1), begun])] == [
        False,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("recorded", "picture"),
    [
        (value("p2"), BuildPicture("second", AREA, INSIDE)),
        (value("p1"), BuildPicture("first", AREA, INSIDE)),
        (value("p3"), None),
        (value("p2", box=OUTSIDE), None),
        (value("p2", shown="Closed"), None),
    ],
)
def test_a_value_is_shown_on_a_picture_of_the_page_state_that_it_was_read_on_or_on_none(
    recorded: FieldValue, picture: BuildPicture | None
):
    events: list[BuildEvent] = [
        TodoAdded(at=AT, number=1, title="Read it", fields=("status", "owner")),
        RowBegun(at=AT, sample_id="A", row={}),
        ValueRecorded(at=AT, todo=1, field="status", shown="Open"),
    ]
    [todo] = shown_todos(replayed(events), events, Recording("build", "A", {}, STEPS, values=(recorded,)), FILES)
    [shown] = todo.values
    assert shown.picture == picture
    assert todo.missing == ("owner",)


def test_what_is_near_a_box_is_a_part_of_its_picture_with_all_of_the_box():
    near = BuildPicture("first", AREA, INSIDE).near.shown
    assert near is not None
    assert AREA.x <= near.x <= INSIDE.x
    assert INSIDE.x + INSIDE.width <= near.x + near.width <= AREA.x + AREA.width
    assert near.y <= INSIDE.y
    assert INSIDE.y + INSIDE.height <= near.y + near.height <= AREA.y + AREA.height
    assert near.width < AREA.width
    assert BuildPicture("first", AREA).near.shown is None
