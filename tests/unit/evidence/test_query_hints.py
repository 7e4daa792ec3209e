"""Hints of refused queries: the name that does not exist is a field of the refusal, whatever it is spelt like."""

from __future__ import annotations

import json

import pytest

from services.evidence.sql.query_guard import hints_for, parse_error, refusal_of


def binder_error(**fields: str) -> str:
    return "Binder Error: " + json.dumps({"exception_type": "Binder", "exception_message": "no", **fields})


@pytest.mark.parametrize("name", ["statu", "sta'tu", "'status", 'it\'s "status"'])
def test_the_hint_of_an_unknown_column_is_for_its_whole_name(name: str) -> None:
    refusal = parse_error(binder_error(error_subtype="COLUMN_NOT_FOUND", name=name))
    assert (refusal.code, refusal.unknown_name) == ("no_such_column", name)
    assert repr(name) in refusal.message


def test_a_column_with_an_apostrophe_is_compared_as_a_whole() -> None:
    refusal = parse_error(binder_error(error_subtype="COLUMN_NOT_FOUND", name="zzzzzzzzzzzz'status"))
    assert not any("did you mean status?" in hint for hint in hints_for(refusal, ["samples"]))
    near = parse_error(binder_error(error_subtype="COLUMN_NOT_FOUND", name="statu's"))
    assert any("status" in hint for hint in hints_for(near, ["samples"]) if hint.startswith("did you mean"))


@pytest.mark.parametrize("name", ["sample's", "samples'"])
def test_a_view_with_an_apostrophe_is_compared_as_a_whole(name: str) -> None:
    table = {"type": "BASE_TABLE", "schema_name": "", "catalog_name": "", "at_clause": None, "table_name": name}
    refusal = refusal_of({**table, "sample": None, "alias": ""})
    assert refusal is not None
    assert refusal.unknown_name == name
    assert hints_for(refusal, ())[0] == "did you mean samples?"
    again = parse_error(binder_error(type="Table", name=name))
    assert hints_for(again, ())[0] == "did you mean samples?"


def test_who_asks_for_a_field_of_the_task_as_a_column_is_told_where_its_values_are() -> None:
    refusal = parse_error(binder_error(error_subtype="COLUMN_NOT_FOUND", name="owner"))
    assert any("from fields where field = " in hint for hint in hints_for(refusal, ["samples"]))
    assert not any("from fields where field = " in hint for hint in hints_for(refusal, ["fields"]))
