"""Values of a flow that are set by hand: the row that they make, and the task that it is a sample of."""

from __future__ import annotations

from typing import Any

from services.console.commands.flows.set_values import parse_pairs, row_of, task_of_row
from shared.flows.files import ValueSchema
from shared.submission.samples import samples_of_table
from shared.tables.table import to_table
from shared.task.spec import TaskSpec, check_spec
from tests.cases import cases

DATA: dict[str, Any] = {
    "task_id": "licenses",
    "goal": "Who holds the license.",
    "start_url": "https://licenses.example/{state}",
    "input_schema": {
        "case_ref": "string",
        "Medical License": "string",
        "license_number": "string",
        "state": "string",
        "active": "string",
    },
    "sample_id": "{case_ref}",
    "output_schema": {"holder": "string", "license": "string"},
    "required_fields": ["holder"],
    "identity": {"license": "{license_number}"},
}
VARIABLES = {
    "Medical License!": ValueSchema(type="string"),
    "active": ValueSchema(type="boolean"),
    "state!": ValueSchema(type="string"),
}


def task() -> TaskSpec:
    spec, problems = check_spec(DATA)
    assert spec is not None, problems
    return spec


def wrong(**given: str) -> list[tuple[str, str]]:
    return [(one.where, one.message) for one in row_of(task(), VARIABLES, given)[1]]


@cases("name", ["Medical License", "medical_license", "MEDICAL LICENSE"])
def test_a_value_is_given_by_its_name_as_written_or_as_code_has_it(name: str):
    row, problems = row_of(task(), VARIABLES, {name: "A-1", "state": "NY"})
    assert (row, problems) == ({"Medical License": "A-1", "state": "NY"}, [])


def test_everything_that_is_wrong_is_told():
    assert wrong(state="NY") == [("--set Medical License", "it is required, and has no value")]
    twice = row_of(task(), VARIABLES, {"Medical License": "A", "medical_license": "B"})[1]
    assert [one.message for one in twice] == ["it is given twice: Medical License is the same variable"]
    (problem,) = row_of(task(), VARIABLES, {"Medcal License": "A"})[1]
    assert "did you mean Medical License?" in problem.message
    (problem,) = row_of(task(), VARIABLES, {"Medical License": "A", "state": "NY", "active": "perhaps"})[1]
    assert problem.where == "--set active"


def test_a_row_without_the_column_that_names_it_is_named_by_its_number():
    row, _ = row_of(task(), VARIABLES, {"medical_license": "A-1", "License number": "A-1", "state": "NY"})
    spec, problems = check_spec(task_of_row(DATA, task(), row, "licenses@0123456789ab"))
    assert spec is not None, problems
    assert spec.input_schema.keys() == {"Medical License", "license_number", "state"}
    assert spec.workflow.name == "licenses@0123456789ab"  # pyright: ignore[reportAttributeAccessIssue]
    table, _ = to_table([list(row), list(row.values())], "row")
    assert table is not None
    samples, problems = samples_of_table(spec, table)
    assert ([one.sample_id for one in samples], problems) == (["A-1"], ())


def test_a_row_with_that_column_keeps_its_name():
    row, _ = row_of(task(), VARIABLES, {"case_ref": "C-9", "medical_license": "A-1", "state": "NY"})
    assert task_of_row(DATA, task(), row, "licenses")["sample_id"] == "{case_ref}"


@cases(
    ("pairs", "values", "wheres"),
    [
        (["a=1", " b c =x=y"], {"a": "1", "b c": "x=y"}, []),
        (["a="], {"a": ""}, []),
        (["a", "=1"], {}, ["--set a", "--set =1"]),
        (["a=1", "a=2"], {"a": "1"}, ["--set a"]),
    ],
)
def test_pairs_are_read(pairs: list[str], values: dict[str, str], wheres: list[str]):
    found, problems = parse_pairs(pairs)
    assert (found, [one.where for one in problems]) == (values, wheres)
