"""The values of a task as JSON Schema: every parsed value must match it."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec, check_spec
from shared.task.typed_values import field_schema, typed_value, values_schema
from shared.text.normal import Normal
from tests.cases import cases

FIELDS: dict[str, Any] = {
    "number": "string",
    "title": {"type": "string | null", "description": "As the heading says."},
    "votes": "number",
    "amount": "decimal | null",
    "open": "boolean",
    "due": "date | null",
    "seen": "date-time",
    "tags": "array | null",
    "state": {"type": "enum", "values": ["Open", "Closed"]},
    "level": {"type": "enum | null", "values": ["high", "low"]},
}


def spec() -> TaskSpec:
    written = {"task_id": "t", "goal": "g", "output_schema": FIELDS, "required_fields": ["due"]}
    made, problems = check_spec({**written, "identity": {"number": "{number}"}})
    assert problems == ()
    assert made is not None
    return made


JSON_TYPE = {"string": str, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}


def fits(schema: dict[str, Any], value: Any) -> bool:
    """The rules of JSON Schema 2020-12 for the keywords used here; another keyword is a KeyError."""
    return all(RULES[keyword](said, value, schema) for keyword, said in schema.items())


def _is_a(kind: str, value: Any) -> bool:
    return isinstance(value, JSON_TYPE[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _of_type(said: Any, value: Any, _: dict[str, Any]) -> bool:
    return any(_is_a(kind, value) for kind in (said if isinstance(said, list) else [said]))


RULES: dict[str, Any] = {
    "type": _of_type,
    "pattern": lambda said, value, _: not isinstance(value, str) or re.search(said, value) is not None,
    "format": lambda said, value, _: said == "date",
    "description": lambda said, value, _: isinstance(said, str),
    "enum": lambda said, value, _: value in said,
    "items": lambda said, value, _: not isinstance(value, list) or all(fits(said, one) for one in value),
    "properties": lambda said, value, _: all(fits(said[name], one) for name, one in value.items() if name in said),
    "required": lambda said, value, _: all(name in value for name in said),
    "additionalProperties": lambda said, value, schema: said or set(value) <= set(schema["properties"]),
}

GOOD: dict[str, Any] = {
    "number": "T-1", "title": None, "votes": 1.5, "amount": "-12.50", "open": False, "due": "2026-03-03",
    "seen": "2026-03-03T14:05:00", "tags": ["a"], "state": "Open", "level": None,
}  # fmt: skip


def test_an_object_of_all_fields_in_their_order():
    schema = values_schema(spec())
    assert list(schema["properties"]) == list(FIELDS)
    assert schema["required"] == ["number", "due"]
    assert fits(schema, GOOD)
    assert fits(schema, {"number": "T-1", "due": None})
    assert json.loads(json.dumps(schema)) == schema


@cases(
    ("name", "wrong"),
    [
        ("number", 7), ("number", None), ("votes", "7"), ("votes", True), ("amount", 12.5), ("amount", "1,234.50"),
        ("amount", "1e5"), ("amount", "٣"), ("amount", ".5"), ("open", "yes"), ("open", None), ("due", "3 March"),
        ("due", "2026-03-03T00:00:00"), ("seen", "2026-03-03"), ("seen", "2026-03-03T14:05:00Z"), ("tags", "a"),
        ("tags", [1]), ("state", "open"), ("state", None), ("level", "HIGH"), ("other", "x"),
    ],
)  # fmt: skip
def test_what_no_reader_would_make_does_not_fit(name, wrong):
    assert not fits(values_schema(spec()), {**GOOD, name: wrong})


def test_a_field_that_is_needed_must_be_there():
    assert not fits(values_schema(spec()), {"due": None})
    assert not fits(values_schema(spec()), {"number": "T-1"})


SHOWN = st.one_of(
    st.text(max_size=30),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map("{:,.3f}".format),
    st.integers().map("{:,}".format),
    st.datetimes().map(str),
    st.dates().map("{:%B %d, %Y}".format),
    st.sampled_from(["OPEN", "closed", "yes", "✗", "(1,234.50)", ".5", "-0", "007", "a; b"]),
)


@given(SHOWN, st.sampled_from(sorted(FIELDS)))
def test_whatever_a_reader_makes_of_a_text_fits(shown: str, name: str):
    field = spec().output_schema[name]
    made = typed_value(field, shown)
    assert not isinstance(made, Normal) or fits(field_schema(field), made.value)


def test_an_enum_is_spelt_as_the_task_spells_it():
    field = OutputField(type="enum | null", values=["In Review", "open"])
    for shown in ("In Review", " in  review ", "IN REVIEW\u200e", "in\u00a0review"):
        assert typed_value(field, shown) == Normal("In Review")
    refused = typed_value(field, "In Reviews")
    assert not isinstance(refused, Normal)
    assert "In Review, open" in refused.message
    assert not isinstance(typed_value(field, None), Normal)
    assert not isinstance(typed_value(field, ["open"]), Normal)
