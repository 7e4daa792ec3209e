"""What follows from how a sample has ended: whether it is tried again, checked by a person, or pauses its login."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from services.planner.judge.gates import is_tried_again, login_wall, to_finished
from services.planner.state.attempt_state import ending_of
from shared.contracts.codes import Reason
from shared.contracts.planner import SampleFinished, WorkSample
from shared.contracts.steps import Note, NoteKind
from tests.unit.planner.planner_pages import NOW, URL, page, sample, spec, text, view


def finished(reason: Reason, *notes: Note) -> SampleFinished:
    work = WorkSample(run_id="run_1", sample_id="TCK-1001", sample=sample())
    return to_finished(work, 1, "planner_1", replace(ending_of(reason), notes=notes), NOW, NOW)


@pytest.mark.parametrize(
    ("reason", "route", "again"),
    [
        ("still_loading", [], True),
        ("still_loading", [{"press": "Submit"}], True),
        ("still_loading", [{"press": "Submit", "irreversible": True}], False),
        ("missing_fields", [], False),
    ],
)
def test_a_page_that_still_loads_is_tried_again_but_not_what_may_have_been_sent(
    reason: Reason, route: list[dict[str, Any]], again: bool
):
    assert is_tried_again(finished(reason), view(None, spec=spec(route=route))) is again


@pytest.mark.parametrize(("status", "paused"), [(401, True), (403, False), (200, False)])
def test_a_login_is_paused_by_http_401_and_not_by_what_may_concern_one_record(status: int, paused: bool):
    seen = page(text("Denied"), http_status=status, url=f"{URL}?token=s3cret#there")
    told = login_wall(finished("login_required"), seen)
    assert told == (f"{URL} answered HTTP 401" if paused else "")
    assert login_wall(finished("missing_fields"), seen) == ""


@pytest.mark.parametrize(("kind", "flagged"), [("not_kept", True), ("not_as_read", True), ("remark", False)])
def test_a_value_whose_page_was_not_stored_as_read_is_for_a_person(kind: NoteKind, flagged: bool):
    assert finished("not_found", Note(kind=kind, text="it changed")).flagged is flagged
