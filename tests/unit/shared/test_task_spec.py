from __future__ import annotations

from pathlib import Path

import pytest

from shared.field_types import base_type, nullable
from shared.task.spec import check_spec, fill, placeholders, read_spec
from shared.task.unused_keys import find_unused_keys
from tests.cases import cases

SPEC = {"task_id": "t", "goal": "g", "output_schema": {"name": "string", "due": "date | null"}}


def problems_of(**changes: object) -> dict[str, str]:
    spec, problems = check_spec({**SPEC, **changes})
    assert (spec is None) == bool(problems)
    return {problem.where: problem.message for problem in problems}


def test_defaults_are_those_that_are_documented():
    spec, problems = check_spec(SPEC)
    assert problems == ()
    assert spec is not None
    assert (spec.max_steps, spec.judgment_required, spec.pagination, spec.input_schema, spec.auth_profile) == (
        25, False, None, {}, None,
    )  # fmt: skip
    assert spec.output_schema["due"].type == "date | null"


def test_all_problems_are_listed_with_their_paths():
    found = problems_of(goal=1, max_steps="3", output_schema={"a": "text"}, colour="red")
    assert set(found) == {"spec.goal", "spec.max_steps", "spec.output_schema.a.type", "spec.colour"}
    assert found["spec.colour"] == "unknown key"
    assert "'text' is not a type" in found["spec.output_schema.a.type"]


def test_a_value_of_another_type_is_told_in_the_words_of_json():
    found = problems_of(identity=["name"], required_fields="name", judgment_required="maybe")
    assert found["spec.identity"].startswith("must be a JSON object, {...};")
    assert found["spec.required_fields"].startswith("must be a list, [...];")


def test_names_must_agree():
    found = problems_of(required_fields=["nome"], identity={"ident": "{x}"}, judgment_required=True)
    assert set(found) == {"spec.required_fields", "spec.identity", "spec.judgment_question"}


def test_two_fields_differ_by_more_than_capitals():
    assert set(problems_of(output_schema={"Owner": "string", "owner": "string"})) == {
        "spec.output_schema.Owner",
        "spec.output_schema.owner",
    }


def test_an_enum_names_its_values():
    spec, problems = check_spec(
        {**SPEC, "output_schema": {"state": {"type": "enum | null", "values": ["Open", "In review"]}}}
    )
    assert problems == ()
    assert spec is not None
    assert spec.output_schema["state"].values == ["Open", "In review"]


@cases(
    ("field", "says"),
    [
        ("enum", "at least one"),
        ({"type": "enum"}, "at least one"),
        ({"type": "enum", "values": []}, "at least one"),
        ({"type": "enum", "values": ["open", " "]}, "empty"),
        ({"type": "enum", "values": ["open", " Open"]}, "but for capitals"),
        ({"type": "enum", "values": ["open", "-"], "not_present": ["-"]}, "not_present"),
        ({"type": "string", "values": ["open"]}, "only an enum"),
        ({"type": "string", "date_order": "dmy"}, "only a date"),
    ],
)
def test_what_does_not_fit_the_type_is_named(field, says):
    found = problems_of(output_schema={"state": field})
    assert set(found) == {"spec.output_schema.state"}
    assert says in found["spec.output_schema.state"]


@cases(
    ("written", "says"),
    [
        ({"shown_in": "heading"}, "needs a `pattern`"),
        ({"shown_in": "heading", "pattern": ".+", "derived": True}, "derived"),
    ],
)
def test_what_a_value_without_a_label_needs_is_said(written: dict[str, object], says: str):
    problems = problems_of(output_schema={"name": {"type": "string", **written}}, required_fields=[])
    assert says in problems["spec.output_schema.name"]


def test_an_order_of_dates_is_one_of_three():
    assert "spec.output_schema.due.date_order" in problems_of(
        output_schema={"due": {"type": "date", "date_order": "d"}}
    )
    assert problems_of(output_schema={"due": {"type": "date-time | null", "date_order": "ymd"}}) == {}


def test_a_column_of_the_input_cannot_be_an_enum():
    """It has no place to say which values."""
    assert "'enum' is not a type" in problems_of(input_schema={"state": "enum"})["spec.input_schema.state"]


@cases("artifact", ["screen", "screenshot:", "download:a/b", "screenshot:../x"])
def test_a_required_artifact_is_a_kind_and_a_label(artifact):
    assert "spec.required_artifacts[0]" in problems_of(required_artifacts=[artifact])


@cases(("content", "message"), [('{"a": 1,}', "not JSON"), ("[1]", "is a JSON object"), ("", "not JSON")])
def test_a_file_that_is_no_spec_is_named_with_the_reason(tmp_path: Path, content: str, message: str):
    path = tmp_path / "spec.json"
    path.write_text(content)
    data, (problem,) = read_spec(path)
    assert data is None
    assert str(path) in problem.where
    assert message in problem.message


def test_a_missing_file_is_named(tmp_path: Path):
    data, (problem,) = read_spec(tmp_path / "none.json")
    assert data is None
    assert problem.message == "no such file"


def test_templates():
    assert placeholders("https://x/{org}/{repo}?q={org}") == ("org", "repo", "org")
    assert fill("{a}-{b}", {"a": "1", "b": "{a}"}) == "1-{a}"
    with pytest.raises(KeyError, match="c"):
        fill("{c}", {})
    assert (base_type("date | null"), nullable("date | null"), nullable("date")) == ("date", True, False)


@cases("name", ["sample_id", "Sample_ID", 'a"b', "a b", "a.b", "1st", ""])
def test_a_field_cannot_bear_the_name_that_rows_are_found_by_or_one_no_table_can_have(name):
    (where,) = problems_of(output_schema={name: "string"})
    assert where.startswith("spec.output_schema.")


@cases("name", ["a; b", "a: b", "output_schema.a: b; spec.goal: c"])
def test_a_name_with_separators_is_quoted_in_one_problem(name: str):
    assert problems_of(required_fields=[name]) == {"spec.required_fields": f"{name!r} is not in output_schema"}
    assert problems_of(output_schema={name: "string"}) == {
        f"spec.output_schema.{name!r}": "a field is named with letters, digits and _, beginning with a letter"
    }


def test_a_line_break_at_the_end_of_a_name_or_type_is_a_problem():
    assert list(problems_of(output_schema={"owner\n": "string"})) == ["spec.output_schema.'owner\\n'"]
    (where,) = problems_of(output_schema={"number": "string", "owner": "string\n"})
    assert where == "spec.output_schema.owner.type"


def test_a_pattern_is_one_that_every_text_is_matched_in_linear_time():
    written = {"a": r"(x)\1", "b": "(?=x)y", "c": "(", "d": r"[A-Z]+-\d+", "e": "x" * 301, "f": ")|("}
    found = problems_of(output_schema={name: {"type": "string", "pattern": text} for name, text in written.items()})
    assert set(found) == {f"spec.output_schema.{name}" for name in "abcef"}
    assert problems_of(output_schema={"n": {"type": "number", "derived": True, "pattern": r"\d+"}})


def test_the_columns_of_a_list_are_output_fields():
    assert set(problems_of(phase="discovery", list={"columns": {"nome": "Name"}})) == {"spec.list.columns"}
    assert problems_of(phase="discovery", list={"under": ["Open", "Offen"], "columns": {"name": "Name"}}) == {}
    assert set(problems_of(phase="discovery", limit=0)) == {"spec.limit"}


@cases(
    ("written", "idle"),
    [
        ({"limit": 3, "expected_items": 3, "pagination": True, "list": {"link": "Title"}}, 4),
        ({"phase": "discovery", "route": [{"follow": "More"}], "identity": {"name": "{n}"}}, 1),
        ({"phase": "discovery", "route": [{"fill": {"A": "b"}}, {"press": "Go"}, {"tab": "Open"}, {"back": True}]}, 0),
        ({"phase": "discovery", "route": [{"search": {"into": "Search", "text": "b"}}, {"open": "/b"}]}, 0),
        ({"phase": "discovery", "route": [{"read": ["name"]}, {"screenshot": "a"}, {"pick": {"name": "b"}}]}, 3),
        ({"phase": "discovery", "route": [{"press": "Go", "irreversible": True}, {"download": "a"}]}, 2),
        ({"phase": "discovery", "route": [{"search": {"into": "A", "text": "b", "pick": {"name": "b"}}}]}, 1),
        ({"judgment_output_schema": {"answer": "a | b"}}, 1),
        ({"judgment_required": True, "judgment_question": "q", "judgment_output_schema": {"score": "1 to 5"}}, 1),
        ({"phase": "discovery", "limit": 3, "pagination": True, "list": {"link": "Title"}}, 0),
        ({"phase": "discovery", "pagination": "Show older"}, 0),
        ({"pagination": False}, 1),
        ({"phase": "discovery", "workflow": {"name": "read_it"}, "save_workflow": True}, 2),
        ({"workflow": {"name": "read_it"}, "save_workflow": True}, 0),
        ({"phase": "discovery", "output_schema": {"name": {"type": "string", "under": "Open", "derived": True}}}, 2),
        ({"phase": "discovery", "output_schema": {"name": {"type": "string", "pattern": "a", "shown_in": "text"}}}, 1),
        ({"output_schema": {"name": {"type": "string", "under": "Open", "pattern": "a", "shown_in": "text"}}}, 0),
    ],
)
def test_a_key_without_an_effect_is_told(written: dict[str, object], idle: int):
    spec, problems = check_spec({**SPEC, **written})
    assert problems == ()
    assert spec is not None
    assert len(find_unused_keys(spec)) == idle


@cases(
    ("changes", "where", "message"),
    [
        ({"list": {"link": []}}, "spec.list.link", "at least 1 item"),
        ({"list": {"link": 4}}, "spec.list.link", "must be a text in quotes or a list, [...];"),
        ({"route": [{"search": "x"}]}, "spec.route[0].search", "must be a JSON object"),
        ({"route": [{"search": {"into": "", "text": "x"}}]}, "spec.route[0].search.into", "at least 1 character"),
        ({"output_schema": {"Owner": {"type": 3}}}, "spec.output_schema.Owner.type", "must be a text in quotes;"),
    ],
)
def test_what_may_be_written_in_several_ways_has_one_problem_at_its_own_place(changes, where, message):
    _, problems = check_spec({"task_id": "t", "goal": "g", "start_url": "{url}", "output_schema": {}} | changes)
    (found,) = [one for one in problems if one.where.startswith(where)]
    assert found.where == where
    assert message in found.message


LINES = {"type": "rows", "columns": {"sku": "string", "amount": {"type": "decimal"}}, "id_keys": ["sku"]}


def test_rows_have_columns_in_the_short_and_the_long_form():
    spec, problems = check_spec({**SPEC, "output_schema": {"name": "string", "lines": LINES}})
    assert problems == ()
    assert spec is not None
    assert {name: one.type for name, one in spec.output_schema["lines"].columns.items()} == {
        "sku": "string",
        "amount": "decimal",
    }
    written = spec.model_dump(mode="json", by_alias=True)
    assert check_spec(written)[0] == spec


@cases(
    ("changes", "says"),
    [
        ({"columns": {}, "id_keys": []}, ["columns: rows need at least one"]),
        ({"id_keys": ["sku", "sku", "no"]}, ["id_keys: 'sku' is there twice", "id_keys: 'no' is no column"]),
        ({"pattern": "A.*", "derived": True}, ["pattern: it is said of a column", "derived: it is said of a column"]),
        (
            {"columns": {"sku": "array", "Sku": "string", "a b": "string", "item": "string"}},
            ["columns.sku: a column holds one value", "columns.Sku: another column", "columns.'a b'", "columns.item"],
        ),
        (
            {"columns": {"sku": {"type": "string", "under": "x"}, "n": {"type": "string", "derived": True}}},
            ["columns.sku.under: it cannot", "columns.n.derived: it cannot"],
        ),
        ({"type": "string"}, ["columns and id_keys: only rows have them"]),
        ({"type": "string", "columns": {}, "id_keys": [], "pages": "first"}, ["pages: only rows have them"]),
    ],
)
def test_all_that_is_wrong_with_rows_is_told_at_once(changes, says):
    found = problems_of(output_schema={"name": "string", "lines": {**LINES, **changes}})
    assert all(one in found["spec.output_schema.lines"] for one in says), found


def test_rows_prove_no_record_and_come_from_no_step_no_list_and_no_response():
    lines = {"output_schema": {"name": "string", "lines": LINES}, "route": [{"read": ["lines"]}]}
    asked = {"url": "https://x.example/a", "fields": {"name": "/n", "lines": "/l"}}
    identity = {"name": "{name}", "lines": "{lines}"}
    found = problems_of(**lines, integration=asked, identity=identity, allowed_hosts=["x.example"])
    assert {"spec.identity.lines", "spec.integration.fields.lines", "spec.route[0]"} <= set(found)
    pressed = problems_of(
        output_schema={"name": "string", "lines": LINES}, route=[{"press": "Send", "irreversible": True}]
    )
    assert "rows tell nothing of a press" in pressed["spec.identity"]
    assert "spec.output_schema.lines" in problems_of(phase="discovery", output_schema={"lines": LINES})
    assert "is not a type" in problems_of(input_schema={"lines": "rows"})["spec.input_schema.lines"]


def test_a_control_is_named_once_in_one_line():
    cc61, own = {"id": "CC6.1", "framework": "SOC 2", "title": "Logical access"}, {"id": "CC6.1"}
    assert problems_of(controls=[cc61, own, {"id": "A.5.15", "framework": "ISO/IEC 27001:2022"}]) == {}
    found = problems_of(controls=[cc61, own, {"id": "CC6.1", "framework": "SOC 2"}])
    assert found == {"spec.controls[2].id": "'CC6.1' of the same framework is named before"}
    found = problems_of(controls=[{"id": "a\nb"}, {"id": " "}, {"framework": "SOC 2"}, {"id": "x" * 81}])
    assert set(found) == {f"spec.controls[{at}].id" for at in range(4)}
    assert set(problems_of(controls=[{"id": str(at)} for at in range(51)])) == {"spec.controls"}


def test_who_reviews_can_sign_and_nobody_for_somebody_else():
    ann, ben = ({"name": name, "key": digit * 64} for name, digit in (("ann", "a"), ("ben", "b")))
    assert problems_of(review={"reviewers": 2, "people": [ann, ben]}) == {}
    found = problems_of(review={"reviewers": 2, "people": [ann, {**ben, "role": "approver"}]})
    assert found == {"spec.review.reviewers": "2 must sign, and 1 of the people are reviewers"}
    found = problems_of(review={"people": [ann, {**ben, "name": "Ann"}, {**ben, "key": "A" * 64, "name": "eve"}]})
    assert set(found) == {"spec.review.people[1].name", "spec.review.people[2].key"}
    assert set(problems_of(review={"people": [{"name": "ann"}]})) == {"spec.review.people[0].key"}
