"""A table of cases is one test that names every case that fails."""

from __future__ import annotations

import inspect

import pytest

from tests.cases import cases


def test_every_row_is_run_and_those_that_fail_are_named():
    @cases("number, wanted", [(1, 1), (2, 3), (4, 4), (5, 6)])
    def test(fixture: str, number: int, wanted: int) -> None:
        assert fixture == "given"
        if number == 5:
            with pytest.raises(ValueError):
                raise_nothing()
        assert number == wanted

    def raise_nothing() -> None: ...

    assert list(inspect.signature(test).parameters) == ["fixture"]
    with pytest.raises(ExceptionGroup, match="2 of 4 cases") as raised:
        test(fixture="given")
    notes = [problem.__notes__ for problem in raised.value.exceptions]
    assert notes == [["case: {'number': 2, 'wanted': 3}"], ["case: {'number': 5, 'wanted': 6}"]]


def test_a_table_without_rows_is_refused():
    with pytest.raises(ValueError, match="without cases"):
        cases("number", [])
