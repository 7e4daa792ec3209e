"""action_log.json read back: what a reader is shown and what a program gets are the same step."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings

from services.evidence.state.reply_pages import page_of_steps
from shared.bus.decoding import decode
from shared.contracts.actions import AnyAction, ByRef, Click, Done, Fail, Goto
from shared.contracts.results import ActionResult, Effect
from shared.contracts.steps import Note, RouteMark, StepTaken, plain_note
from shared.errors import InvalidMessage
from shared.evidence_format import chain
from shared.evidence_format.files.json_files import ArtifactProblem, with_indent
from shared.evidence_format.log_codec import (
    LogEntry,
    chain_entry,
    encode_entry,
    encode_log,
    entry_of,
    merge_log,
    parse_log,
    step_of,
)
from shared.recordings.recording import step_log_problem
from tests.fuzz.hostile import WHATEVER
from tests.fuzz.messages import json_of
from tests.typed import there

LOGS = Path(__file__).parents[2] / "fixtures" / "step_logs"
PLAIN: dict[Any, Any] = {
    str: "é \u2028 <b>",
    int: 2**53,
    float: 0.1,
    bool: True,
    Any: {"a": [None, 1.5, "x"]},
    datetime: datetime(2026, 3, 1, 10, 15, 2, 250_000, tzinfo=UTC),
}


hints_of = cache(get_type_hints)


def whole(hint: Any, **fixed: Any) -> Any:
    """A value of a type that travels on the bus: nothing in it is empty, or what it would be if nothing was said."""
    if hint in PLAIN:
        return PLAIN[hint]
    of = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return whole(next(one for one in of if one is not NoneType))
    if get_origin(hint) is Literal:
        return of[-1]
    if get_origin(hint) is tuple:
        return (whole(of[0]), whole(of[0]))
    if get_origin(hint) is dict:
        return {"a key": whole(of[1])}
    hints = hints_of(hint)
    return hint(**{field.name: whole(hints[field.name]) for field in msgspec.structs.fields(hint)} | fixed)


def read_back(step: StepTaken) -> StepTaken:
    problem = ArtifactProblem(filename="a.png", code="bytes_gone", text="a problem")
    [entry] = parse_log(encode_log([entry_of(step, [problem])]))
    assert entry.problems == (problem,)
    return step_of(entry, step.run_id, step.sample_id)


def test_every_kind_of_action_and_of_effect_is_read_back_as_it_was():
    results = [whole(ActionResult, effect=whole(kind)) for kind in get_args(Effect)]
    steps = [whole(StepTaken, action=whole(kind), result=None) for kind in get_args(AnyAction)]
    for step in [*steps, *(whole(StepTaken, action=None, result=result) for result in results)]:
        assert read_back(step) == step


@pytest.mark.long
@given(json_of(StepTaken))
@settings(WHATEVER, max_examples=500)
def test_whatever_step_is_read_back_as_it_was(value: Any):
    try:
        step: StepTaken = decode(msgspec.json.encode(value), StepTaken)
    except InvalidMessage:
        return
    assert read_back(step) == step


def test_a_log_of_the_version_before_is_read_and_would_be_written_in_the_same_bytes():
    written = (LOGS / "version_2.json").read_bytes()
    log = parse_log(written)
    assert encode_log(log) == written
    chained: list[LogEntry] = []
    for entry in log:
        again = entry_of(step_of(entry, "run_1", "A-1"), entry.problems)
        chained.append(chain_entry(again, "run_1", "A-1", chained[-1].sha256 if chained else ""))
    assert chained == log
    assert [entry.step.action for entry in log[1:]] == [None, Click(target=ByRef(ref=7, snapshot_id="s_1"))]
    assert [entry.outcome_text for entry in log[1:]] == ["no call", there(log[2].step.result).message]


def test_an_action_of_a_later_version_is_shown_and_not_acted_on():
    entry = {**json_of_entry(entry_of(a_step(1))), "action": "teleport", "params": {"to": "there"}, "thinking": "Why."}
    [later] = parse_log(msgspec.json.encode([entry]))
    assert (later.action, later.params, later.reason) == ("teleport", {"to": "there"}, "Why.")
    with pytest.raises(msgspec.ValidationError, match="no action 'teleport'"):
        step_of(later, "r", "s")
    [none] = parse_log(encode_log([entry_of(msgspec.structs.replace(a_step(1), action=None))]))
    assert step_of(none, "r", "s").action is None


def test_notes_and_problems_of_an_older_log_are_typed_when_they_are_read():
    problems = ["01_t.png: its SHA-256 is not that of the capture", "no name"]
    old = old_entry(notes=["differs: step 2: address: then a, now b", "b"], problems=problems)
    [entry] = parse_log(msgspec.json.encode([old]))
    differs = Note(kind="differs", text="step 2: address: then a, now b")
    assert step_of(entry, "r", "s").notes == (differs, plain_note("b"))
    assert (entry.problems[0].filename, entry.problems[0].text) == tuple(problems[0].split(": "))
    assert [one.sentence for one in entry.problems] == problems


def json_of_entry(entry: LogEntry) -> dict[str, Any]:
    return msgspec.json.decode(encode_entry(entry))


def old_entry(**changes: Any) -> dict[str, Any]:
    """As logs have it that were written before entries had a version."""
    written = json_of_entry(entry_of(a_step(1)))
    del written["version"], written["route"]
    return {**written, **changes}


@pytest.mark.parametrize(
    ("by", "reason", "mark"),
    [
        ("rules", "Route step 2.press: the search is sent.", RouteMark(step=2, part="press")),
        ("replay", "Route step 12: 'Send', once and for good: all was read back.", RouteMark(step=12)),
        ("rules", "The task starts here.", None),
        ("a-model", "Route step 2: I send it.", None),
    ],
)
def test_the_step_of_the_route_is_read_from_the_reason_in_logs_that_have_no_field_for_it(by, reason, mark):
    step = a_step(1, Goto(url="http://x", reason=reason), decided_by=by)
    entry = entry_of(step)
    assert step_of(entry, "r", "s").route is None
    written = json_of_entry(entry)
    del written["route"]
    [old] = parse_log(msgspec.json.encode([written]))
    assert step_of(old, "r", "s").route == mark


def test_a_log_of_entries_of_both_versions_is_read_as_one():
    new = entry_of(a_step(2), [ArtifactProblem(filename="b.png", code="bytes_gone", text="gone")])
    log = parse_log(msgspec.json.encode([old_entry(problems=["a.png: gone"]), json_of_entry(new)]))
    assert [entry.problems[0].sentence for entry in log] == ["a.png: gone", "b.png: gone"]


@pytest.mark.parametrize("changes", [{"step": "1"}, {"observation": {}}, {"timestamp": "yesterday"}])
def test_an_entry_that_is_none_any_more_is_told_as_such(changes: dict[str, Any]):
    with pytest.raises(chain.NOT_JSON):
        parse_log(msgspec.json.encode([old_entry(**changes)]))


@pytest.mark.parametrize("changes", [{"problems": 7}, {"notes": None}])
def test_what_is_no_list_costs_itself_alone(changes: dict[str, Any]):
    [entry] = parse_log(msgspec.json.encode([old_entry(**changes)]))
    assert (entry.problems, entry.step.notes) == ((), ())


def test_entries_keep_the_hashes_they_were_written_with():
    first = chain_entry(entry_of(a_step(1)), "r", "s", "")
    second = chain_entry(entry_of(a_step(2)), "r", "s", str(first.sha256))
    pieces = [*map(encode_entry, (first, second))]
    merged = merge_log(None, [*map(with_indent, pieces)])
    assert merged == encode_log([first, second])
    assert merge_log(encode_log([first]), pieces) == merged
    head, broken = chain.follow_chain(chain.parse_exactly(merged or b""), chain.log_start("r", "s", 1))
    assert (head, broken) == (second.sha256, None)


def test_an_old_entry_is_chained_to_and_kept_as_it_was_written():
    """Its hash is that of its own keys: what a later version would add to it is not."""
    old = chain.with_hashes(old_entry(), chain.log_start("r", "s", 1))
    [read] = parse_log(msgspec.json.encode([old]))
    new = chain_entry(entry_of(a_step(2)), "r", "s", str(read.sha256))
    merged = merge_log(msgspec.json.encode([old]), [encode_entry(new)])
    assert chain.follow_chain(chain.parse_exactly(merged or b""), chain.log_start("r", "s", 1)) == (new.sha256, None)


def a_step(number: int, action: Any = None, **changes: Any) -> StepTaken:
    given: dict[str, Any] = {"run_id": "r", "sample_id": "s", "attempt": 1, "step": number, "decided_by": "rules"}
    given |= {"started_at": "2026-01-01T00:00:00Z", "ended_at": "2026-01-01T00:00:00Z", "observation": None}
    given |= {"action": {"action": "goto", "url": "http://x"}, **changes, "type": "StepTaken"}
    step = msgspec.convert(given, StepTaken)
    return step if action is None else msgspec.structs.replace(step, action=action)


STEPS = [a_step(1), a_step(2), a_step(3, Done(values={}))]


def test_pages_hold_what_fits_and_follow_one_another():
    size = len(msgspec.json.encode(STEPS[0]))
    first = page_of_steps(STEPS, 0, max_bytes=2 * size)
    assert [step.step for step in first] == [1, 2]
    assert [step.step for step in page_of_steps(STEPS, first[-1].step, max_bytes=2 * size)] == [3]
    assert page_of_steps(STEPS, 3) == ()


def test_a_step_larger_than_a_page_is_a_page():
    assert [step.step for step in page_of_steps(STEPS, 1, max_bytes=1)] == [2]


def test_a_whole_log_that_ends_by_itself_has_no_problem():
    assert step_log_problem(STEPS, 3, "done", "") == ""
    assert step_log_problem([a_step(1, Fail())], 1, "failed", "gave_up") == ""


@pytest.mark.parametrize(
    ("steps", "taken", "words"),
    [
        (STEPS, None, "no result yet"),
        (STEPS[:2], 3, "2 of 3 steps"),
        ([STEPS[0], STEPS[2]], 2, "2 of 2 steps"),
        (STEPS[:2], 2, "failed (max steps exceeded)"),
        ([], 0, "without a done or a fail"),
        ([a_step(1, Done(values={}), refused=True)], 1, "without a done or a fail"),
    ],
)
def test_a_log_that_does_not_tell_the_end_says_why(steps, taken, words):
    assert words in step_log_problem(steps, taken, "failed", "max_steps_exceeded")
