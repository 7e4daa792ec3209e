"""What a flow loses is named: against the recorded samples, the rules of the task, and the version before it."""

from __future__ import annotations

import dataclasses
from typing import Any

from msgspec.structs import replace

from shared.contracts.steps import FieldValue
from shared.flows.checking.losses import find_losses
from shared.flows.checking.recorded_answers import SampleCheck
from shared.recordings.recording import Recording
from tests.unit.shared.flows.recorded_world import Recorder, element, spec_of

SPEC = spec_of(output_schema={"title": "string", "series": "string"}, input_schema={"number": "string"})


def book(number: int, series: str | None, *, labelled: bool = True) -> Recording:
    """Return a recorded book. ``series``: None: it was not found. ``labelled``: its page has the task's word for it."""
    one = Recorder(f"B-{number}", {"number": str(number)})
    label = "Series" if labelled else "Part of"
    one.open(
        f"http://site/{number}",
        element(1, "term", "Title"),
        element(2, "definition", f"Book {number}", header="Title"),
        element(3, "term", label),
        element(4, "definition", "The Sea", header=label),
    )
    one.screenshot("book")
    one.read("title", 2)
    if series is None:
        one.values.append(FieldValue(field="series", state="not_found"))
    else:
        one.read("series", 4)
    return one.sample


def losses(samples: list[Recording], found: dict[str, Any], left: tuple[str, ...] = (), before: Any = None):
    checks = {one.sample_id: SampleCheck(one.sample_id, (), found) for one in samples}
    return {one.field: dict(one.had_by) for one in find_losses(SPEC, samples, checks, left, before)}


def test_a_flow_that_brings_every_field_loses_none():
    assert losses([book(1, "The Sea")], {"title": "Book 1", "series": "The Sea"}) == {}


def test_a_field_that_was_recorded_is_lost_where_the_flow_has_none():
    samples = [book(1, "The Sea", labelled=False)]
    assert losses(samples, {"title": "Book 1", "series": None}) == {"series": {"recorded": ("B-1",)}}


def test_a_text_without_a_character_is_not_lost():
    sample = book(1, "The Sea", labelled=False)
    [title, series] = sample.values
    blank = dataclasses.replace(sample, values=(title, replace(series, shown=" ", value="")))
    assert losses([blank], {"title": "Book 1", "series": None}) == {}


def test_what_a_model_read_and_is_left_to_a_model_is_not_lost():
    assert losses([book(1, "The Sea", labelled=False)], {"title": "Book 1"}, ("series",)) == {}


def test_what_is_left_to_a_model_is_lost_where_labels_tell_it():
    samples = [book(1, "The Sea"), book(2, "The Sea", labelled=False)]
    assert losses(samples, {"title": "Book"}, ("series",)) == {"series": {"rules": ("B-1",)}}


def test_what_was_overlooked_when_it_was_recorded_is_lost_where_labels_tell_it():
    assert losses([book(1, None)], {"title": "Book 1"}, ("series",)) == {"series": {"rules": ("B-1",)}}


def test_rules_that_read_another_value_than_was_recorded_speak_for_nothing():
    one = book(1, "The Sea")
    other = [replace(value, shown="The Hill", value="The Hill") for value in one.values]
    changed = Recording(one.run_id, one.sample_id, one.row, one.steps, one.pages, (one.values[0], other[1]))
    assert losses([changed], {"title": "Book 1"}, ("series",)) == {}


def test_a_field_that_the_version_before_read_is_lost():
    samples = [book(1, "The Sea", labelled=False), book(2, "The Sea", labelled=False)]
    before = {"B-1": {"series": "The Sea"}, "B-2": {"series": "Another"}}
    assert losses(samples, {"title": "Book"}, ("series",), before) == {"series": {"published": ("B-1",)}}


def test_what_pages_say_there_is_none_of_and_what_pages_leave_open_are_not_lost():
    one = book(1, None)
    says_none = FieldValue(field="series", state="not_present", shown="-")
    of_none = Recording(one.run_id, one.sample_id, one.row, one.steps, one.pages, (one.values[0], says_none))
    assert losses([of_none], {"title": "Book 1", "series": None}) == {}


def test_a_sample_in_which_the_flow_stops_is_told_by_its_check():
    one = book(1, "The Sea")
    stopped = {"B-1": SampleCheck("B-1", ("value_missing",), {})}
    assert find_losses(SPEC, [one], stopped, ()) == ()


def test_a_loss_is_a_sentence_with_its_counts_and_samples():
    samples = [book(at, "The Sea") for at in range(5)]
    checks = {one.sample_id: SampleCheck(one.sample_id, (), {"title": "x"}) for one in samples}
    (told,) = find_losses(SPEC, samples, checks, ("series",))
    assert told.told == (
        "series would be lost: of 5 samples the rules of the task read it in 5, where the flow does not "
        "(B-0, B-1, B-2 and 2 more)"
    )
