"""Which column of a register is which field."""

from __future__ import annotations

from shared.reconciling.columns import RegisterColumns, find_key_problems, match_columns
from shared.task.spec import TaskSpec
from tests.cases import cases
from tests.typed import expect

SPEC = TaskSpec.model_validate(
    {
        "task_id": "t",
        "goal": "g",
        "output_schema": {
            "number": "string",
            "due_date": "date | null",
            "owner": {"type": "string", "labels": ["Assigned to", "Owner:"]},
            "state": "string",
        },
    }
)


def match(*columns: str, key: str = "number") -> RegisterColumns:
    found, problems = match_columns(SPEC, key, columns, "out.csv")
    assert problems == ()
    return expect(found, RegisterColumns)


def refused(*columns: str, key: str = "number") -> list[tuple[str, str]]:
    found, problems = match_columns(SPEC, key, columns, "out.csv")
    assert found is None
    return [(problem.where, problem.message) for problem in problems]


@cases("column", ["due_date", "Due Date", "DUE-DATE", "due  date", "dueDate", "Due.Date", "ｄｕｅ_date"])
def test_a_column_is_found_by_the_name_of_its_field_in_other_case_and_with_other_blanks(column: str):
    assert match("number", column).compared == {"due_date": column}


def test_a_column_is_found_by_a_label_of_its_field_where_none_has_its_name():
    assert match("number", "assigned to").compared == {"owner": "assigned to"}
    assert match("number", "Owner", "Assigned to").compared == {"owner": "Owner"}


def test_what_has_no_partner_is_told_on_both_sides():
    found = match("Number", "state", "Cost")
    assert (found.key_column, found.fields_without_column) == ("Number", ("due_date", "owner"))
    assert found.columns_without_field == ("Cost",)


@cases("columns", [("due_date", "Due Date"), ("Due Date", "due-date")])
def test_two_columns_that_may_be_one_field_are_refused_even_if_one_has_its_exact_name(columns: tuple[str, str]):
    [(where, message)] = refused("number", *columns)
    assert where == "out.csv, columns"
    assert all(repr(column) in message for column in columns)
    assert "due_date" in message


def test_a_column_that_may_be_two_fields_is_refused():
    fields = {"a": {"type": "string", "labels": ["Name"]}, "b": {"type": "string", "labels": ["name"]}, "k": "string"}
    spec = TaskSpec.model_validate({"task_id": "t", "goal": "g", "output_schema": fields})
    _, [problem] = match_columns(spec, "k", ("k", "Name"), "out.csv")
    assert problem.where == "out.csv, column Name"
    assert "a and b" in problem.message


def test_every_problem_is_told_at_once():
    told = refused("Due Date", "due_date", key="ticket")
    assert [where for where, _ in told] == ["register.key", "out.csv, columns"]
    assert "number, due_date, owner, state" in told[0][1]


def test_a_register_without_a_column_for_the_key_is_refused_with_the_columns_that_it_has():
    [(where, message)] = refused("id", "state")
    assert where == "out.csv, columns"
    assert "'id', 'state'" in message


def test_an_empty_list_has_no_columns_and_is_no_problem():
    assert match().key_column == ""


def test_rows_are_no_key():
    lines = {"type": "rows", "columns": {"sku": "string"}}
    asked = TaskSpec.model_validate({"task_id": "t", "goal": "g", "output_schema": {"lines": lines}})
    assert [problem.where for problem in find_key_problems(asked, "lines")] == ["register.key"]
