"""A query result on a terminal: right-aligned numbers, single-line cells, no markup, marked errors."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from services.console.terminal.sql_view import answer_summary, answer_view, refusal_text
from shared.contracts.evidence import SqlAnswered, SqlColumn, SqlRefused


def answered(**types: str) -> SqlAnswered:
    columns = tuple(SqlColumn(name=name, type=type_) for name, type_ in types.items())
    return SqlAnswered(columns=columns, rows=2, cut=False, size_bytes=1, sha256="", runs=1, elapsed_ms=12.4)


def printed(answer: SqlAnswered, rows: list[dict[str, object]], width: int = 100) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width).print(answer_view(answer, rows, width))
    return [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]


def test_numbers_stand_right_and_text_left_and_nothing_is_a_dash():
    lines = printed(
        answered(name="VARCHAR", steps="INTEGER"), [{"name": "a", "steps": 5}, {"name": None, "steps": 12345}]
    )
    assert lines[0].split() == ["name", "steps"]
    assert lines[2].startswith(" a") or lines[2].startswith("a")
    assert lines[2].endswith("    5")
    assert lines[3].split() == ["-", "12345"]


def test_what_a_page_said_is_neither_markup_nor_control():
    [*_, line] = printed(answered(name="VARCHAR"), [{"name": "[red]=1\x1b[31m\n[/red]"}])
    assert line.strip() == "[red]=1 [31m [/red]"


def test_money_and_moments_are_written_as_one_reads_them():
    row = {"cost": 0.0123, "at": "2026-11-21T08:00:00.000000Z", "then": "2026-11-21T08:00:00.123456Z", "list": ["a"]}
    types = {"cost": "DECIMAL(18,9)", "at": "TIMESTAMP WITH TIME ZONE", "then": "TIMESTAMP WITH TIME ZONE"}
    [*_, line] = printed(answered(**types, list="VARCHAR[]"), [row])
    assert line.split("  ") != []
    for words in ("0.0123", "2026-11-21 08:00:00Z", "2026-11-21 08:00:00.123Z", '["a"]'):
        assert words in line


def test_every_column_is_there_however_narrow_the_screen_is():
    names = {f"column_{number}": "VARCHAR" for number in range(6)}
    lines = printed(answered(**names), [dict.fromkeys(names, "x" * 80)], width=70)
    assert lines[-1].count("…") == 6


def test_more_columns_than_fit_stand_below_each_other():
    names = {f"column_{number}": "VARCHAR" for number in range(30)}
    lines = printed(answered(**names), [dict.fromkeys(names, "x")], width=80)
    told = [line.split() for line in lines if "column" in line]
    assert told == [[name, "x"] for name in names]


def test_how_much_it_was():
    assert answer_summary(answered(x="INTEGER")) == "2 rows from 1 run in 12 ms"


def test_a_mistake_is_marked_in_its_line():
    reply = SqlRefused(code="no_such_column", message="there is no column 'b' here", position=15, hints=("t has a",))
    assert refusal_text("select a\nwhere b = 1", reply).splitlines() == [
        "exhibit: there is no column 'b' here",
        "  where b = 1",
        "        ^",
        "  t has a",
    ]


def test_what_a_mistake_quotes_of_a_page_is_no_order_to_a_terminal():
    code: Any = "refused"
    reply = SqlRefused(code=code, message="Could not convert '\x1b[2J\x9b\u202e'\nto INT32", hints=("\x1b]0;x",))
    assert refusal_text("", reply) == "exhibit: Could not convert ' [2J  '\nto INT32\n   ]0;x\n"
