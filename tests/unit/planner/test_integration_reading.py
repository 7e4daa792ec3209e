"""What the response of an API says: read exactly, or not at all."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from services.planner.judge.gates import judge_fail
from services.planner.reperform.responses import parse_stored_response, response_verdict
from services.planner.state.attempt_state import AttemptState, Ending, SampleView
from services.planner.task_api.comparing import merged_values, needs_browser
from services.planner.task_api.json_text import ABSENT, MAX_BYTES, MAX_DEPTH, JsonNumber, JsonText, find, read_json
from services.planner.task_api.reading import ResponseRead, parse_response, read_response
from shared.contracts.actions import Fail
from shared.contracts.discovery import Sample
from shared.contracts.steps import FieldValue, Note, ResponseSource
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from tests.cases import cases
from tests.typed import expect

SAMPLE = Sample(sample_id="7", key="7", row=1, fields={"id": "7"})
SOURCE = ResponseSource(url="https://a.example/7", sha256="0" * 64, pointer="")


def task(type_: str = "string", pointer: str = "/x", **more: Any) -> TaskSpec:
    field = more.pop("field", {})
    written = {
        "task_id": "t", "goal": "g", "start_url": "https://a.example/{id}", "identity": {"id": "{id}"},
        "output_schema": {"id": "string", "x": {"type": type_, **field}}, "required_fields": ["id", "x"],
        "integration": {"url": "https://a.example/api/{id}", "fields": {"id": "/id", "x": pointer}},
    }  # fmt: skip
    return TaskSpec.model_validate({**written, **more})


def read(spec: TaskSpec, body: str | bytes, status: int = 200, content_type: str = "application/json") -> ResponseRead:
    data = body.encode() if isinstance(body, str) else body
    return read_response(spec, SAMPLE, status, content_type, data, SOURCE)


def value_of(spec: TaskSpec, written: str) -> FieldValue | Note:
    """The field x of a response that has this JSON text for it."""
    got = read(spec, f'{{"id": 7, "x": {written}}}')
    assert got.proven, got.problem
    return next(one for one in (*got.values, *got.notes) if one.field == "x")


# --- the JSON text


@cases(
    ("pointer", "found"),
    [
        ("", "whole"), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", JsonNumber("0")), ("/a~1b", JsonNumber("1")),
        ("/c%d", JsonNumber("2")), ("/m~0n", JsonNumber("8")), ("/ ", JsonNumber("7")), ("/~01", JsonNumber("9")),
        ("/foo/2", ABSENT), ("/foo/-", ABSENT), ("/foo/00", ABSENT), ("/foo/-1", ABSENT), ("/foo/bar", ABSENT),
        ("/foo/0/0", ABSENT), ("/nothing", ABSENT), ("/none", None), ("/none/0", ABSENT),
    ],
)  # fmt: skip
def test_pointers_of_rfc_6901(pointer: str, found: Any):
    text = expect(read_json(b'{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8," ":7,"~1":9,"none":null}'), JsonText)
    assert find(text, pointer) == (text.value if found == "whole" else found)


@cases(
    ("body", "why"),
    [
        (b'{"id": 7, "x": 1, "x": 2}', "has the name 'x' twice"),
        (b'[{"id": 7, "id": 7}]', "has the name 'id' twice"),
        (b"[" * 100_000 + b"]" * 100_000, "nested more than"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested more than"),
        (b'["' + b'\\"[' * 1000, "not JSON"),
        (b'{"id": NaN}', "NaN is no number"),
        (b'{"id": -Infinity}', "is no number"),
        (b'{"id": ' + b"9" * 101 + b"}", "a number of more than"),
        (b'{"id": 7} more', "not JSON"),
        (b'{"id": "\xe9"}', "not UTF-8"),
        (b"", "not JSON"),
        (b" " * (MAX_BYTES + 1), "more than"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(body: bytes, why: str):
    text = expect(read_json(body), str)
    assert why in text


def test_brackets_within_texts_are_no_depth():
    text = json.dumps({"id": "[" * 1000 + '\\"' + "{" * 1000})
    assert isinstance(read_json(text.encode()), JsonText)
    assert isinstance(read_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH), JsonText)


@cases(
    ("status", "content_type", "why"),
    [
        (404, "application/json", "HTTP 404"),
        (204, "application/json", "HTTP 204"),
        (200, "text/html; charset=utf-8", "'text/html', which is not JSON"),
        (200, "", "'without a content type'"),
        (200, "application/json; charset=iso-8859-1", "its charset is 'iso-8859-1'"),
    ],
)
def test_a_response_that_is_no_json_text(status: int, content_type: str, why: str):
    text = expect(parse_response(status, content_type, b'{"id": 7}'), str)
    assert why in text


@cases("content_type", ["application/json", "application/problem+json; charset=UTF-8"])
def test_json_has_several_media_types(content_type: str):
    assert isinstance(parse_response(200, content_type, b'\xef\xbb\xbf{"id": 7}'), JsonText)


# --- whose record it is


@cases(
    ("body", "why"),
    [
        ('{"id": 8, "x": "a"}', "of another record: id is '8', asked for was '7'"),
        ('{"id": 70, "x": "a"}', "of another record"),
        ('{"x": "a"}', "does not say whose record it is: id: there is nothing at /id"),
        ('{"id": null, "x": "a"}', "does not say whose record it is"),
        ('{"id": [7], "x": "a"}', "does not say whose record it is"),
        ("[]", "does not say whose record it is"),
    ],
)
def test_without_proof_of_the_record_nothing_of_it_is_used(body: str, why: str):
    got = read(task(), body)
    assert (got.values, got.notes, got.proven) == ((), (), False)
    assert why in got.problem


# --- values


@cases(
    ("type_", "written", "value"),
    [
        ("decimal", "1.10", "1.10"), ("decimal", "0.1000000000000000000001", "0.1000000000000000000001"),
        ("decimal", "1e3", "1000"), ("decimal", '"1.10"', "1.10"), ("number", "1.5", 1.5), ("number", "7", 7),
        ("number", "1e2", 100), ("string", "007e1", None), ("string", "7.0", "7.0"), ("boolean", "true", True),
        ("boolean", '"yes"', True), ("date", '"2026-11-26"', "2026-11-26"),
        ("date-time", '"2026-11-26T10:00:00Z"', "2026-11-26T10:00:00+00:00"), ("array", '["a", 1.50]', ["a", "1.50"]),
        ("array", "[]", []), ("string", '"\\u00e9"', "\u00e9"),
    ],
)  # fmt: skip
def test_a_value_is_that_of_the_json_text(type_: str, written: str, value: Any):
    if value is None:
        assert "not JSON" in read(task(type_), f'{{"id": 7, "x": {written}}}').problem
        return
    got = expect(value_of(task(type_), written), FieldValue)
    assert got.value == value
    assert type(got.value) is type(value)
    assert got.response == ResponseSource(url=SOURCE.url, sha256=SOURCE.sha256, pointer="/x")


@cases(
    ("type_", "written"),
    [
        ("string", "true"), ("string", "{}"), ("string", '["a"]'), ("string", '""'), ("string", '" "'),
        ("string", '"\\ud800"'), ("string", '"a\\u0000b"'), ("number", "true"), ("number", '"seven"'),
        ("number", "0.12345678901234567890"), ("number", "1e999999999"), ("decimal", "1e-999999999"),
        ("number", "123456789012345678901234567890"), ("boolean", "1"), ("date", "20261126"), ("array", '"a, b"'),
        ("array", "[[1]]"), ("array", "[null]"), ("string", "null"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_none_and_left_for_the_browser(type_: str, written: str):
    spec = task(type_)
    got = expect(value_of(spec, written), Note)
    assert got.kind == "api_failed"
    assert needs_browser(spec, read(spec, f'{{"id": 7, "x": {written}}}')) == "left for the browser: x"


def test_none_is_a_value_only_where_the_field_says_so():
    assert isinstance(value_of(task("date"), "null"), Note)
    absent = expect(value_of(task("date | null"), "null"), FieldValue)
    assert (absent.state, absent.shown) == ("not_present", "null")
    words = expect(value_of(task("date | null", field={"not_present": ["-"]}), '"-"'), FieldValue)
    assert words.state == "not_present"


def test_what_fits_no_pattern_is_no_value():
    assert isinstance(value_of(task(field={"pattern": "[A-Z]+"}), '"abc"'), Note)
    assert isinstance(value_of(task(field={"pattern": "[A-Z]+"}), '"ABC"'), FieldValue)


# --- what they are worth


def test_when_no_page_is_needed():
    whole, lacking = '{"id": 7, "x": "a"}', '{"id": 7}'
    assert needs_browser(task(), read(task(), whole)) == ""
    assert needs_browser(task(), read(task(), lacking)) == "left for the browser: x"
    optional = task(required_fields=["id"])
    assert needs_browser(optional, read(optional, lacking)) == ""
    assert needs_browser(optional, read(optional, '{"id": 7, "x": true}')) == "left for the browser: x"
    unsaid = task(required_fields=[])
    assert needs_browser(unsaid, read(unsaid, lacking)) == "left for the browser: x"
    needy: list[dict[str, Any]] = [
        {"required_artifacts": ["screenshot"]},
        {"judgment_required": True, "judgment_question": "Is it well?"},
        {"route": [{"press": "Approve", "irreversible": True}]},
    ]
    for more in needy:
        assert needs_browser(task(**more), read(task(**more), whole))


def page_value(value: Any, state: Any = "value") -> FieldValue:
    return FieldValue(field="x", state=state, value=value, shown=str(value))


@cases(
    ("type_", "written", "shown", "same"),
    [
        ("string", '"Open"', "Open", True), ("string", '"Open"', "Closed", False), ("string", '"a  b"', "a b", True),
        ("decimal", "1.10", "1.1", True), ("decimal", "1.10", "1.11", False), ("number", "1", True, False),
        ("date-time", '"2026-11-26T10:00:00Z"', "2026-11-26T11:00:00+01:00", True),
        ("date-time", '"2026-11-26T10:00:00Z"', "2026-11-26T10:00:00", False),
        ("array", '["a", "b"]', ["a", "b"], True), ("array", '["a", "b"]', ["b", "a"], False),
    ],
)  # fmt: skip
def test_page_and_api_are_compared_as_values(type_: str, written: str, shown: Any, same: bool):
    spec = task(type_)
    given = expect(value_of(spec, written), FieldValue)
    view = SampleView(spec, SAMPLE, AttemptState(from_api={"x": given}), None)
    merged = merged_values(view, [page_value(shown)])
    assert [problem.reason for problem in merged.problems] == ([] if same else ["api_differs"])
    assert merged.values == (page_value(shown),)
    assert merged_values(view, [page_value(None, "not_found")]).values == (given,)
    none = merged_values(view, [page_value(None, "not_present")])
    assert [problem.reason for problem in none.problems] == ["api_differs"]


def test_a_record_that_the_api_has_given_is_not_called_missing_without_a_person():
    given = value_of(task(), '"Open"')
    assert isinstance(given, FieldValue)
    view = SampleView(task(), SAMPLE, AttemptState(from_api={"x": given}), None)
    ending = expect(judge_fail(view, Fail(code="not_found", note="nothing there"), by_model=False), Ending)
    assert (ending.status, ending.reason, ending.flagged) == ("needs_review", "api_differs", True)
    assert ending.values == (given,)
    other = expect(judge_fail(view, Fail(code="http_error"), by_model=False), Ending)
    assert (other.status, other.reason) == ("failed", "http_error")


# --- read again


def test_a_stored_response_is_read_again_at_the_pointer_of_the_task():
    body = b'{"id": 7, "x": 1.10, "y": 1.10}'
    sha256 = hashlib.sha256(body).hexdigest()
    source = ResponseSource(url="u", sha256=sha256, pointer="/x")
    value = FieldValue(field="x", state="value", value="1.10", shown="1.10", origin="api", response=source)
    field, stored = OutputField(type="decimal"), parse_stored_response("response.json", sha256, body)
    assert response_verdict(value, field, stored, "/x").verdict == "same"
    assert response_verdict(value, field, stored, "/y").verdict == "not_found"
    assert response_verdict(value, field, stored, None).verdict == "not_found"
    changed = parse_stored_response("response.json", sha256, body.replace(b"1.10", b"1.11"))
    assert response_verdict(value, field, changed, "/x").verdict == "altered"
    other = body.replace(b'"x": 1.10', b'"x": 1.1')
    again = parse_stored_response("response.json", hashlib.sha256(other).hexdigest(), other)
    assert response_verdict(value, field, again, "/x").verdict == "differs"
