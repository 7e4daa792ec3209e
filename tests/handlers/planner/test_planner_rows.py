"""Rows that a model reports page by page, through the whole planner: what is filed, and when a sample is done."""

from __future__ import annotations

from typing import Any

from services.planner.state.transitions import replayed_state
from shared.contracts.actions import Done, Goto, SaveProgress, Screenshot
from shared.contracts.browser_pool import CapturePage
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import ValueSource
from shared.evidence_format.cells import with_cells
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.handlers.planner.scripted_driver import told
from tests.step_logs import logged
from tests.typed import expect
from tests.unit.planner.planner_pages import URL, el, heading, page, spec, text
from tests.unit.planner.rows_pages import KEYED, shows

PEOPLE, NAMES = ("Name", "Role"), ("name", "role")
FIRST = [("Ann Lee", "Owner"), ("Bob Ray", "Guest")]
SECOND = [("Bob Ray", "Guest"), ("Ann Lee", "Guest")]
THIRD = [("Ann Lee", "Guest"), ("Cid Fox", "Owner")]
ALL = [("Ann Lee", "Owner"), ("Bob Ray", "Guest"), ("Ann Lee", "Guest"), ("Cid Fox", "Owner")]


def objects(rows: Any) -> list[dict[str, str]]:
    return [dict(zip(NAMES, row, strict=True)) for row in rows]


def visits(*pages: Any, ends: Any, **field: Any) -> Bench:
    """A model saves what each page shows, and reports ``ends``. Only the first page shows whose record it is."""
    steps: list[Any] = [Screenshot(label="ticket", reason="r")]
    for number, rows in enumerate(pages):
        steps += [Goto(url=f"{URL}?page={number + 1}", reason="r")] if number else []
        steps.append(SaveProgress(values={"members": objects(rows)}, reason="r"))
    done = Done(values={"ticket_number": "TCK-1001", **ends}, refs={"ticket_number": 1}, reason="r")
    asked = {"type": "rows", "columns": {"name": "string", "role": "string"}, **field}
    task = spec(output_schema={"ticket_number": "string", "members": asked}, required_fields=["members"])
    one = bench_of(driver=told(*steps, Goto(url=URL, reason="r"), done, done), **task.model_dump(by_alias=True))
    for number, rows in enumerate(pages):
        address = f"{URL}?page={number + 1}" if number else URL
        one.scripted.site[address] = [shows(rows, heads=PEOPLE)]
    return one


def members(finished: SampleFinished) -> Any:
    return next(value for value in finished.values if value.field == "members")


async def test_a_list_over_three_pages_that_overlap_is_done_with_the_union_and_two_of_one_name():
    one = visits(FIRST, SECOND, THIRD, ends={"members": objects(ALL)})
    finished = await one.run()
    assert (finished.status, finished.flagged, finished.notes) == ("done", False, ())
    told_rows = members(finished)
    assert told_rows.value == objects(ALL)
    pages = [expect(row.cells[0].source, ValueSource).url.removeprefix(URL) for row in told_rows.rows]
    assert pages == ["", "", "?page=2", "?page=3"]
    assert all(
        cell.read_by == "told" and expect(cell.source, ValueSource).page_sha256 for cell in with_cells(told_rows)[1:]
    )


async def test_the_log_gives_the_rows_again():
    one = visits(FIRST, SECOND, ends={})
    finished = await one.run()
    state = replayed_state(spec(), [*map(logged, one.steps)])
    assert state.seen["members"].rows == members(finished).rows
    assert members(finished).value == objects([*FIRST, SECOND[1]])


async def test_pages_that_contradict_each_other_are_for_a_person_with_both_texts():
    one = visits(FIRST, [("Bob Ray", "Owner")], ends={}, id_keys=["name"])
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "ambiguous_value")
    open_cell = members(finished).rows[1].cells[1]
    assert [candidate.shown for candidate in open_cell.candidates] == ["Guest", "Owner"]
    assert all(candidate.source.page_sha256 for candidate in open_cell.candidates)


async def test_the_cells_are_captured_with_their_page():
    one = visits(FIRST, ends={})
    await one.run()
    asked = [request for request in one.scripted.asked if isinstance(request, CapturePage)]
    shown = shows(FIRST, heads=PEOPLE)
    cells = {element.ref for element in shown.elements if element.role == "cell"}
    assert cells <= {ref for request in asked for ref in request.refs}


LINES = [("A-1", "2", "20.00"), ("B-2", "1", "4.50")]


def rules_on(*seen: Any, **task: Any) -> Bench:
    return bench_of(*seen, **{**KEYED.model_dump(by_alias=True), **task})


def lines(finished: SampleFinished) -> Any:
    return next(value for value in finished.values if value.field == "lines")


async def test_the_rules_read_the_rows_of_the_record_s_page():
    finished = await rules_on(shows(LINES)).run()
    assert (finished.status, finished.flagged, finished.usage.llm_calls) == ("done", False, 0)
    assert lines(finished).value[1] == {"sku": "B-2", "qty": 1, "amount": "4.50"}
    assert all(cell.read_by == "rules" and cell.source for cell in with_cells(lines(finished))[1:])


async def test_the_rules_end_where_the_table_goes_on_with_the_rows_that_were_read():
    finished = await rules_on(shows(LINES, text("1 to 2 of 9"))).run()
    assert (finished.status, finished.reason) == ("needs_review", "incomplete_list")
    assert "2 of 9" in finished.message
    assert len(lines(finished).rows) == 2


async def test_along_a_route_rows_are_read_where_it_ends():
    start = page(heading("TCK-1001"), el("link", "Lines", tag="a", url=f"{URL}/lines"))
    one = rules_on(start, route=[{"follow": "Lines"}])
    one.scripted.site[f"{URL}/lines"] = [shows(LINES)]
    one.scripted.clicks["Lines"] = f"{URL}/lines"
    finished = await one.run()
    assert (finished.status, len(lines(finished).rows)) == ("done", 2)
