"""Variables of a flow: names, types, defaults, and everything that is wrong at once."""

from __future__ import annotations

import json

from shared.flows.files import ValueSchema
from shared.flows.identifiers import to_identifier
from shared.flows.variables import bind_variables, output_problems, variables_text
from tests.cases import cases

SCHEMA = {
    "Medical License!": ValueSchema(type="string"),
    "copies": ValueSchema(type="number", default=1),
    "is urgent": ValueSchema(type="boolean"),
    "tags": ValueSchema(type="array"),
    "address": ValueSchema(type="object"),
    "status": ValueSchema(type="enum", enum_values=("active", "lapsed")),
}


@cases(
    ("name", "identifier"),
    [
        ("Medical License", "medical_license"), ("Medical License!", "medical_license"),
        ("  e-mail (work) ", "e_mail_work"), ("2nd name", "value_2nd_name"), ("class", "class_"), ("Count", "count_"),
        ("Straße", "straße"), ("№", "no"), ("?!", "value"),
    ],
)  # fmt: skip
def test_names_become_identifiers(name, identifier):
    assert to_identifier(name) == identifier
    assert identifier.isidentifier()


def test_either_name_is_taken_and_defaults_are_filled_in():
    expected = {"medical_license": "A 1", "copies": 1, "is_urgent": False}
    for name in ("Medical License", "medical_license"):
        assert bind_variables(SCHEMA, {name: "A 1", "is urgent": False}) == (expected, ())


def test_all_that_is_wrong_is_told_at_once():
    given = {
        "copies": True,
        "is urgent": "yes",
        "is_urgent": True,
        "tags": "a",
        "address": [],
        "status": "gone",
        "statu": "active",
    }
    arguments, problems = bind_variables(SCHEMA, given)
    assert arguments == {}
    assert sorted((one.where, one.message) for one in problems) == [
        ("Medical License", "it is required, and has no value"),
        ("address", "[] is not an object"),
        ("copies", "true is not a number"),
        ("is urgent", '"yes" is not a boolean'),
        ("is_urgent", "it is given twice: is_urgent is the same variable"),
        ("statu", "there is no such variable; there is 'status'"),
        ("status", '"gone" is none of active, lapsed'),
        ("tags", '"a" is not an array'),
    ]


def test_a_schema_whose_names_are_one_identifier_is_refused():
    schema = {"due date": ValueSchema(type="string"), "Due-Date": ValueSchema(type="string")}
    _, problems = bind_variables(schema, {})
    assert [one.where for one in problems] == ["Due-Date"]


def test_none_is_no_value():
    _, problems = bind_variables(SCHEMA, {"Medical License": None})
    assert [one.message for one in problems] == ["it is required, and has no value"]


def test_the_file_has_the_names_as_written():
    assert json.loads(variables_text(SCHEMA, {"medical_license": "A 1", "copies": 2})) == {
        "Medical License": "A 1",
        "copies": 2,
    }


def test_outputs_without_a_schema_are_right():
    assert output_problems({}, {"anything": 1}) == ()
