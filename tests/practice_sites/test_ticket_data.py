"""The data set is a pure function of the seed, with cases that separate good readers from bad ones."""

from __future__ import annotations

import unicodedata
from datetime import date

import pytest

from practice.tickets.data import ground_truth, shown_date
from practice.tickets.demo import ABSENT


def test_equal_seeds_give_equal_tickets_and_others_do_not():
    assert ground_truth(3) == ground_truth(3)
    assert ground_truth(3) != ground_truth(4)


@pytest.mark.parametrize("seed", [1, 7, 99])
def test_numbers_and_titles_are_unique_and_in_order(seed: int):
    tickets = ground_truth(seed)
    assert [ticket.number for ticket in tickets] == [f"TCK-{number}" for number in range(1001, 1241)]
    assert len({ticket.title for ticket in tickets}) == len(tickets)
    assert not set(ABSENT) & {ticket.number for ticket in tickets}


@pytest.mark.parametrize("seed", [1, 7, 99])
def test_every_kind_of_ticket_is_there(seed: int):
    kinds = {(ticket.assignee is None, ticket.due_date is None) for ticket in ground_truth(seed)}
    assert kinds == {(False, False), (False, True), (True, False), (True, True)}


def test_a_careless_reader_would_get_it_wrong():
    for ticket in ground_truth():
        told = " ".join(event.what for event in ticket.activity)
        assert "Previous assignee: " in told
        assert "Previous due date: " in told
        assert ticket.assignee is None or ticket.assignee not in told
        assert ticket.due_date is None or shown_date(ticket.due_date) not in told
        assert ticket.number not in ticket.related


def test_a_ticket_is_never_updated_before_it_was_created():
    assert all(ticket.updated >= ticket.created for ticket in ground_truth())


def test_names_go_beyond_ascii_and_are_in_one_normal_form():
    names = {ticket.assignee for ticket in ground_truth() if ticket.assignee}
    assert any(not name.isascii() for name in names)
    assert all(unicodedata.is_normalized("NFC", name) for name in names)


def test_dates_are_shown_in_english_without_a_leading_zero():
    assert shown_date(date(2027, 3, 14)) == "Mar 14, 2027"
    assert shown_date(date(2026, 12, 1)) == "Dec 1, 2026"
