"""What each reader says of the stored pages is what is written beside them. `make corpus` writes it anew."""

from __future__ import annotations

import functools

import pytest

from tests.corpus import stored
from tests.corpus.readers.all_readers import read_all
from tests.corpus.rows import Row, Rows, differences, merged, read_rows
from tests.corpus.truth import contradictions

MOST_BYTES = 3_000_000
LEAST_PAGES = 1000


@functools.lru_cache(maxsize=1)
def group_of(name: str) -> stored.Group:
    return stored.read_group(name)


@pytest.mark.parametrize("name", stored.group_names())
def test_each_reading_is_the_one_that_is_written(name: str):
    found = read_all(group_of(name), stored.read_observed(name))
    changes = differences(read_rows(name), found, name)
    assert not changes, "\n".join([*changes, "Look at each, then run `make corpus`."])


@pytest.mark.parametrize("name", stored.group_names())
def test_no_reading_is_wrong_but_those_that_are_marked(name: str):
    group, rows = group_of(name), read_rows(name)
    wrong = contradictions(group, rows)
    assert [f"{page} {row.reader} {row.field}: {row.said}, not {right}" for page, row, right in wrong] == []


def test_each_page_is_stored_with_what_it_is_made_of():
    pages = 0
    for name in stored.group_names():
        asked, observed, served = group_of(name).pages, stored.read_observed(name), stored.read_served(name)
        assert [one.name for one in asked] == list(observed) == list(read_rows(name)), name
        assert {one.url for one in asked} <= served.keys(), name
        pages += len(asked)
    assert pages >= LEAST_PAGES
    assert sum(path.stat().st_size for path in stored.FOLDER.rglob("*") if path.is_file()) <= MOST_BYTES


# --- what is told as a change

RIGHT = Row("labels", "owner", "value", "Ann", "cell of 'Owner'")
MARKED = Row("labels", "owner", "value", "Ann", by_hand="The cell beside it says so.", read="value Bo")


def told(written: Row, found: Row | None) -> list[str]:
    return differences({"p": [written]}, {"p": [] if found is None else [found]}, "g")


def reading(state: str, value: str | None = None, at: str = "cell of 'Owner'") -> Row:
    return Row("labels", "owner", state, value, at)


def test_a_change_of_value_element_or_certainty_is_told():
    assert told(RIGHT, RIGHT) == []
    assert told(RIGHT, reading("value", "Bo")) == [
        "g/p, labels owner: value Ann | cell of 'Owner' -> value Bo | cell of 'Owner'"
    ]
    assert told(RIGHT, reading("value", "Ann", "cell of 'Backup'"))
    assert told(RIGHT, reading("ambiguous"))
    assert told(RIGHT, None) == ["g/p, labels owner: value Ann | cell of 'Owner' -> (no reading)"]
    assert differences({}, {"p": [RIGHT]}, "g") == ["g/p, labels owner: (no reading) -> value Ann | cell of 'Owner'"]


def test_a_known_wrong_reading_may_go_to_a_person_but_not_become_right_unmarked_or_wrong_in_another_way():
    assert told(MARKED, reading("value", "Bo")) == []
    assert told(MARKED, reading("ambiguous")) == []
    assert told(MARKED, Row("labels", "owner", "value", "Bo", doubt="ink absent")) == []
    assert "it is right now" in told(MARKED, reading("value", "Ann"))[0]
    nothing = Row("labels", "owner", "doubt", by_hand="A box covers it.", read="value Bo")
    assert "it is right now" in told(nothing, reading("ambiguous"))[0]
    assert told(MARKED, reading("value", "Cy")) == [
        "g/p, labels owner: right is value Ann, value Bo was read -> value Cy | cell of 'Owner'"
    ]


def test_what_is_written_by_hand_is_kept_with_what_is_read_now():
    def after(found: Row) -> list[Row]:
        rows: Rows = merged({"p": [MARKED]}, {"p": [found]})
        return rows["p"]

    assert after(reading("value", "Bo")) == [MARKED]
    assert after(reading("value", "Ann")) == [reading("value", "Ann")]
    assert after(reading("value", "Cy"))[0].read == "value Cy"
    assert after(reading("value", "Cy"))[0].value == "Ann"
