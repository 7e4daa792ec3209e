"""The chart of an answer in SQL: where it is drawn, and what its bars are."""

from __future__ import annotations

from typing import Any

import pytest

from services.console.web.finding.sql_chart import MOST_BARS, ChartBar, chart_of
from shared.contracts.evidence import SqlColumn

STATUS, COUNT = SqlColumn(name="status", type="VARCHAR"), SqlColumn(name="n", type="BIGINT")
TWO: list[dict[str, Any]] = [{"status": "done", "n": 8}, {"status": None, "n": 2}]


def test_names_and_a_count_are_bars_as_long_as_their_share_of_the_longest():
    chart = chart_of([STATUS, COUNT], TWO)
    assert chart is not None
    assert (chart.of, chart.by) == ("n", ("status",))
    assert chart.bars == (ChartBar(("done",), "8", 100.0), ChartBar((None,), "2", 25.0))


def test_a_decimal_that_travels_as_a_text_is_a_number():
    cost = SqlColumn(name="cost", type="DECIMAL(18,9)")
    chart = chart_of([cost, STATUS], [{"cost": "0.5", "status": "a"}, {"cost": "0.25", "status": "b"}])
    assert chart is not None
    assert [bar.share for bar in chart.bars] == [100.0, 50.0]


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ([STATUS], [{"status": "a"}, {"status": "b"}]),
        ([COUNT], [{"n": 1}, {"n": 2}]),
        ([STATUS, COUNT, SqlColumn(name="m", type="DOUBLE")], [{**one, "m": 1.0} for one in TWO]),
        ([STATUS, COUNT], TWO[:1]),
        ([STATUS, COUNT], [{"status": "a", "n": -1}, {"status": "b", "n": 2}]),
        ([STATUS, COUNT], [{"status": "a", "n": None}, {"status": "b", "n": 2}]),
        ([STATUS, COUNT], [{"status": "a", "n": 0}, {"status": "b", "n": 0}]),
        ([STATUS, COUNT], [{"status": str(n), "n": n} for n in range(MOST_BARS + 1)]),
    ],
)
def test_what_is_no_names_and_one_count_is_no_chart(columns: list[SqlColumn], rows: list[dict[str, Any]]):
    assert chart_of(columns, rows) is None
