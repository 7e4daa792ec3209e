"""Lists learned from two written rows: tables, repeated blocks, and what is not certain."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.browser_pool import Element
from shared.extraction.field_rules import FieldRules
from shared.extraction.lists import ByFirstElement, ByTableRow, ListRules, WrittenList, learn_list, read_list
from shared.extraction.pages import ObservedPage
from shared.extraction.rules import AtPlace, ExtractionRule, Whole
from tests.cases import cases

ROWS = [
    {"title": "Printer on fire", "owner": "Ann Lee", "due": "Mar 3, 2026"},
    {"title": "Slow search", "owner": "Bo Xi", "due": "Apr 9, 2026"},
    {"title": "Lost mail", "owner": "Cy Poe", "due": "May 1, 2026"},
    {"title": "Wrong total", "owner": "Di Orr", "due": "Jun 7, 2026"},
]


def page(elements: list[dict[str, Any]]) -> ObservedPage:
    return ObservedPage([Element(ref=at, **one) for at, one in enumerate(elements, 1)])


def table(rows: list[dict[str, str]], *, headed: bool = True) -> ObservedPage:
    elements: list[dict[str, Any]] = [{"role": "heading", "level": 1, "name": "Tickets", "place": "main>h1"}]
    if headed:
        heads = [
            {"role": "columnheader", "name": name, "row": 0, "column": at}
            for at, name in enumerate(("Title", "Who", "Due"))
        ]
        elements += [{**head, "place": "table>thead>tr>th"} for head in heads]
    for number, row in enumerate(rows, 1):
        for at, (name, header) in enumerate((("title", "Title"), ("owner", "Who"), ("due", "Due"))):
            cell = {"role": "cell", "name": row[name], "row": number, "column": at, "place": "table>tbody>tr>td"}
            elements.append({**cell, "header": header} if headed else cell)
    return page(elements)


def cards(rows: list[dict[str, str]], *, noise: bool = True) -> ObservedPage:
    elements: list[dict[str, Any]] = [{"role": "heading", "level": 1, "name": "Tickets", "place": "main>h1"}]
    for row in rows:
        elements.append({"role": "link", "name": row["title"], "url": f"/t/{row['title']}", "place": "ul>li>h3>a"})
        elements.append({"role": "text", "name": f"assigned to {row['owner']}", "place": "ul>li>p"})
        elements.append({"role": "text", "name": row["due"], "place": "ul>li>time"})
    if noise:
        elements.append({"role": "link", "name": "Imprint", "place": "footer>a"})
    return page(elements)


def values(reading: Any) -> list[dict[str, str | None]]:
    return [{name: one.value for name, one in row.items()} for row in reading.rows]


def test_a_table_is_read_from_two_of_its_rows():
    rules = learn_list([WrittenList(table(ROWS[:3]), ROWS[:2])])
    reading = read_list(rules, table(ROWS))
    assert (values(reading), reading.agree) == (ROWS, True)
    assert any(isinstance(separator, ByTableRow) for separator, _ in rules.ways)


def test_repeated_blocks_without_labels_are_read():
    rules = learn_list([WrittenList(cards(ROWS), [ROWS[0], ROWS[2]])])
    reading = read_list(rules, cards(ROWS[::-1]))
    assert (values(reading), reading.agree) == (ROWS[::-1], True)
    assert {type(separator) for separator, _ in rules.ways} == {ByFirstElement}


def test_a_row_that_lacks_a_value_has_none_and_not_that_of_its_neighbour():
    short = cards(ROWS, noise=False).elements
    without = ObservedPage([one for one in short if one.name != "Mar 3, 2026"])
    reading = read_list(learn_list([WrittenList(cards(ROWS), ROWS[1:3])]), without)
    assert values(reading)[0]["due"] is None
    assert values(reading)[1:] == ROWS[1:]


def test_a_table_without_heads_is_read_by_the_numbers_of_its_cells():
    rules = learn_list([WrittenList(table(ROWS[:3], headed=False), ROWS[:2])])
    reading = read_list(rules, table(ROWS, headed=False))
    assert (values(reading), reading.agree) == (ROWS, True)
    joined = [one for one in table(ROWS, headed=False).elements if one.name != "Bo Xi"]
    lacking = read_list(rules, ObservedPage(joined))
    assert set(values(lacking)[1].values()) == {None}  # which of its cells is missing is not told


def test_rows_that_stand_in_one_record_teach_nothing():
    both = [{"title": "Printer on fire", "owner": "Ann Lee"}, {"title": "Printer on fire", "owner": "Ann Lee"}]
    assert learn_list([WrittenList(cards(ROWS), both)]).ways == ()
    assert read_list(learn_list([WrittenList(cards(ROWS), both)]), cards(ROWS)).rows == ()


@cases(("rows", "words"), [(ROWS[:1], "1 row"), ([ROWS[0], {"title": "x"}], "different columns")])
def test_rows_that_cannot_teach_are_refused(rows, words):
    with pytest.raises(ValueError, match=words):
        learn_list([WrittenList(cards(ROWS), rows)])


HEADS, NOTES, FOOT = "ul>li>h3>a", "ul>li>p", "footer>a"


def by_place(path: str) -> FieldRules:
    where = AtPlace(path=path, nth=0, of=1)
    return FieldRules(rules=(ExtractionRule(where=where, attribute="name", part=Whole()),))


def test_ways_that_are_sure_of_different_values_agree_on_nothing():
    first, second = (({"title": by_place(path)}) for path in (HEADS, NOTES))
    ways = tuple((ByFirstElement(path=HEADS), columns) for columns in (first, second))
    assert not read_list(ListRules(ways=ways), cards(ROWS[:2], noise=False)).agree
    assert read_list(ListRules(ways=(ways[0], ways[0])), cards(ROWS[:2], noise=False)).agree


@pytest.mark.parametrize("paths", [(HEADS, FOOT), (FOOT, HEADS)])
def test_ways_that_give_another_number_of_rows_do_not_agree(paths: tuple[str, str]):
    rules = ListRules(ways=tuple((ByFirstElement(path=path), {"title": by_place(path)}) for path in paths))
    reading = read_list(rules, cards(ROWS[:2]))
    assert (len(reading.rows), reading.agree) == (2 if paths[0] == HEADS else 1, False)


def part(headline: str, rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    own: list[dict[str, Any]] = [{"role": "heading", "level": 2, "name": headline, "place": "main>h2"}]
    for row in rows:
        own += [{"role": "cell", "name": text, "row": id(row), "place": "table>tbody>tr>td"} for text in row.values()]
    return own


def test_a_list_with_a_twin_is_read_under_its_own_heading():
    def twins(rows: list[dict[str, str]], others: list[dict[str, str]]) -> ObservedPage:
        return page([*part("Open", rows), *part("Closed", others)])

    examples = [WrittenList(twins(ROWS[:2], ROWS[2:]), ROWS[:2]), WrittenList(twins(ROWS[3:], []), ROWS[3:])]
    assert read_list(learn_list(examples), twins(ROWS[:1], ROWS[1:])).rows[1:]  # the rows of both
    rules = learn_list(examples, whole=True)
    assert rules.under is not None
    assert rules.under.text == "open"
    assert values(read_list(rules, twins(ROWS[:1], ROWS[1:]))) == ROWS[:1]
    renamed = page(part("Waiting", ROWS[:1]))
    assert read_list(rules, renamed).rows == ()


def test_a_way_that_finds_more_than_all_rows_is_none():
    two = [WrittenList(table(ROWS[:3]), ROWS[:2])]
    assert learn_list(two).ways
    assert learn_list(two, whole=True).ways == ()


def test_equal_records_are_one_row():
    rules = learn_list([WrittenList(table([ROWS[0], ROWS[0], ROWS[1]]), ROWS[:2])], whole=True)
    assert values(read_list(rules, table(ROWS))) == ROWS
