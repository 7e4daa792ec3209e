"""Rows in a flow: what it has learned of them is held against the page, and against the labels of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from shared.contracts.actions import Done, Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.workflows.flows import OpenAddress, ProveRecord, ReadList, ReadWithModel
from shared.extraction.lists import ListRules, WrittenList, learn_list
from shared.extraction.pages import ObservedPage
from shared.flows.files import FieldsFile, FlowFiles, write_files
from tests.handlers.planner.flow_bench import bench
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_driver import told
from tests.unit.planner.planner_pages import URL, el, heading, page
from tests.unit.planner.rows_pages import HEADS, objects, rows_spec, shows

Rows = Sequence[Sequence[str]]
ROWS = (("A-1", "2", "20.00"), ("A-2", "1", "7.50"))
OTHERS = (("B-7", "3", "9.10"), ("B-8", "5", "11.00"), ("B-9", "8", "12.00"))
TYPED = [{"sku": "A-1", "qty": 2, "amount": "20.00"}, {"sku": "A-2", "qty": 1, "amount": "7.50"}]


def cards(rows: Rows, *behind: Any) -> PageObserved:
    """Return a page whose rows have neither a table nor a label."""
    parts = [el(role, text, place=place) for row in rows for role, text, place in zip(
        ("text", "text", "text"), row, ("ul>li>b", "ul>li>span", "ul>li>i"), strict=True)]  # fmt: skip
    return page(heading("TCK-1001"), heading("Line items", 2), *parts, *behind)


def tables(rows: Rows, *behind: Any, **facts: Any) -> PageObserved:
    """Return a page with a table whose cells have a place in the markup."""
    shown = shows(rows, *behind, **facts)
    elements = (replace(one, place="table>tbody>tr>td") if one.role == "cell" else one for one in shown.elements)
    return replace(shown, elements=tuple(elements))


def learned(*pages: tuple[PageObserved, Rows]) -> ListRules:
    examples = [WrittenList(ObservedPage.of(shown), objects(rows)) for shown, rows in pages]
    rules = learn_list(examples, whole=True)
    assert rules.ways
    return rules


BY_TABLE = learned((tables(OTHERS), OTHERS))
BY_CARDS = learned((cards(OTHERS), OTHERS))


def reads(url: str):
    yield OpenAddress(url=url)
    yield ProveRecord(expected={"ticket_number": "TCK-1001"})
    lines = yield ReadList(name="lines")
    return {"ticket_number": "TCK-1001", "lines": lines}


def flow_on(shown: PageObserved, rules: ListRules, flow: Any = reads, mode: Any = "flow", **field: Any) -> Bench:
    asked = {**rows_spec(id_keys=["sku"], **field).model_dump(by_alias=True), "required_artifacts": []}
    files = write_files(FlowFiles(fields=FieldsFile(lists={"lines": rules})))
    one = bench(flow, files=files, shown=shown, **asked)
    one.mode = mode
    one.driver = told(Done(values={}))
    return one


def rows_of(finished: Any) -> Any:
    return next(one.value for one in finished.values if one.field == "lines")


@pytest.mark.parametrize(("shown", "rules"), [(tables(ROWS), BY_TABLE), (cards(ROWS), BY_CARDS)])
async def test_rows_are_read_and_each_cell_has_its_place(shown: PageObserved, rules: ListRules):
    finished = await flow_on(shown, rules).run()
    assert (finished.status, finished.drivers, finished.usage.llm_calls) == ("done", ("flow",), 0)
    value = next(one for one in finished.values if one.field == "lines")
    assert value.value == TYPED
    assert all(cell.source is not None for row in value.rows for cell in row.cells)


@pytest.mark.parametrize(
    ("shown", "rules", "words"),
    [
        (tables((*ROWS, ("Total", "3", "27.50"))), BY_TABLE, "lines"),
        (cards((*ROWS, ("Total", "", "27.50"))), BY_CARDS, "lines"),
        (cards(ROWS, el("link", "Show all 9", place="ul>li>a")), BY_CARDS, "Show all 9"),
        (cards(()), BY_CARDS, "no rows are found, and the page does not say that there are none"),
        (tables(ROWS, heads=("Amount", "Qty", "SKU")), BY_TABLE, "lines"),
    ],
)
async def test_what_may_be_wrong_goes_to_a_person(shown: PageObserved, rules: ListRules, words: str):
    finished = await flow_on(shown, rules).run()
    assert finished.status == "needs_review"
    assert words in finished.message


async def test_where_the_learned_places_are_gone_the_labels_tell():
    finished = await flow_on(tables(ROWS), BY_CARDS).run()
    assert (finished.status, rows_of(finished)) == ("done", TYPED)


async def test_a_list_in_the_learned_place_with_another_one_under_the_labels_is_none():
    """What was learned finds a list without labels; the columns of the field are those of another one."""
    shown = cards(OTHERS, *tables(ROWS).elements)
    finished = await flow_on(shown, BY_CARDS).run()
    assert finished.status == "needs_review"
    assert "give different rows" in finished.message


async def test_a_list_that_goes_on_is_not_done_and_keeps_what_was_read():
    finished = await flow_on(tables(ROWS, el("link", "Next")), BY_TABLE).run()
    assert (finished.status, finished.reason) == ("needs_review", "incomplete_list")
    assert rows_of(finished) == TYPED


async def test_a_page_that_says_that_there_are_none_has_none():
    empty = page(heading("TCK-1001"), heading("Line items", 2), *(
        el("columnheader", name, tag="th", row=1, column=at) for at, name in enumerate(HEADS)
    ), el("text", "No items"))  # fmt: skip
    columns = {"sku": "string", "qty": "number", "amount": "decimal"}
    one = flow_on(empty, BY_TABLE)
    one.task["output_schema"]["lines"] = {"type": "rows | null", "columns": columns, "id_keys": ["sku"]}
    finished = await one.run()
    assert finished.status == "done"
    assert rows_of(finished) is None


async def test_rows_that_are_left_to_a_model_are_read_by_their_labels_where_none_is_asked():
    def leaves(url: str):
        yield OpenAddress(url=url)
        yield ProveRecord(expected={"ticket_number": "TCK-1001"})
        yield ReadWithModel(fields=("lines",))
        return {"ticket_number": "TCK-1001"}

    finished = await flow_on(tables(ROWS), BY_TABLE, leaves).run()
    assert (finished.status, finished.drivers, rows_of(finished)) == ("done", ("flow",), TYPED)


@pytest.mark.parametrize("wrong", [TYPED[:1], [{**TYPED[0], "amount": "21.00"}, TYPED[1]], [], "A-1"])
async def test_a_flow_that_returns_other_rows_makes_nothing_wrong_done(wrong: Any):
    def lies(url: str):
        found = yield from reads(url)
        return {**found, "lines": wrong}

    finished = await flow_on(tables(ROWS), BY_TABLE, lies).run()
    assert finished.status != "done" or rows_of(finished) == TYPED


SECOND = URL + "?page=2"
MORE = (("A-3", "4", "3.00"), ("A-4", "6", "5.00"))
OTHER_RECORD = page(heading("TCK-2002"), heading("Line items", 2), *tables(MORE).elements[2:])


def of_two_pages(second: PageObserved) -> Bench:
    one = flow_on(tables(ROWS, el("link", "Next", tag="a", url=SECOND)), BY_TABLE)
    one.scripted.site[SECOND] = [second]
    return one


async def test_reading_rows_turns_their_pages_in_the_line_that_reads_them():
    one = of_two_pages(tables(MORE, el("link", "Previous", tag="a", url=URL)))
    finished = await one.run()
    assert (finished.status, finished.drivers, finished.usage.llm_calls) == ("done", ("flow",), 0)
    assert [row["sku"] for row in rows_of(finished)] == ["A-1", "A-2", "A-3", "A-4"]
    turns = [step for step in one.steps if isinstance(step.action, Goto) and step.action.url == SECOND]
    assert [step.flow.line for step in turns if step.flow is not None] == [3]


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (OTHER_RECORD, "TCK-2002"),
        (page(heading("TCK-1001"), el("text", "Something went wrong")), "shows no such rows"),
        (tables((("A-1", "2", "99.00"), *MORE)), "'20.00', '99.00'"),
        (tables(MORE, el("text", "9 items")), "4 of 9"),
    ],
)
async def test_a_page_behind_next_that_is_not_the_next_of_these_rows_is_never_done(second: PageObserved, words: str):
    finished = await of_two_pages(second).run()
    assert finished.status == "needs_review"
    assert words in finished.message


def of_two_pages_without_labels(second: PageObserved, *behind: Any, **field: Any) -> Bench:
    one = flow_on(cards(ROWS, *(behind or (NEXT,))), BY_CARDS, **field)
    one.scripted.site[SECOND] = [second]
    return one


NEXT = el("link", "Next", tag="a", url=SECOND)
PREVIOUS = el("link", "Previous", tag="a", url=URL)


@pytest.mark.parametrize("behind", [(NEXT,), (el("text", "1-2 of 4"), NEXT), (el("text", "4 items"), NEXT)])
async def test_rows_that_only_the_flow_reads_go_on_over_their_pages(behind: Any):
    one = of_two_pages_without_labels(cards(MORE, *behind[:-1][1:], PREVIOUS), *behind)
    finished = await one.run()
    assert (finished.status, finished.drivers, finished.usage.llm_calls) == ("done", ("flow",), 0)
    assert [row["sku"] for row in rows_of(finished)] == ["A-1", "A-2", "A-3", "A-4"]


@pytest.mark.parametrize(
    ("second", "behind", "words"),
    [
        (page(heading("TCK-2002"), heading("Line items", 2), *cards(MORE).elements[2:]), (NEXT,), "TCK-2002"),
        (page(heading("TCK-1001"), el("text", "Something went wrong")), (NEXT,), "shows no such rows"),
        (cards((("A-1", "2", "99.00"), *MORE)), (NEXT,), "'20.00', '99.00'"),
        (cards(MORE, el("text", "9 items")), (NEXT,), "4 of 9"),
        (cards(MORE), (el("text", "9 items"), NEXT), "4 of 9"),
        (cards(MORE, NEXT), (NEXT,), "'Next' leads on"),
        (cards(ROWS), (NEXT,), "shows no new"),
        (cards((("A-3", "4", "3.00"), ("A-4", "", "5.00"))), (NEXT,), "qty"),
        (cards(MORE), (el("link", "Next", tag="a", url="http://app.test/other?page=2"),), "Next"),
    ],
)
async def test_pages_of_rows_that_only_the_flow_reads_are_never_done_in_part(
    second: PageObserved, behind: Any, words: str
):
    finished = await of_two_pages_without_labels(second, *behind).run()
    assert finished.status == "needs_review"
    assert words in finished.message
