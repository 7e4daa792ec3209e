"""What the practice sites show follows from a seed, and has the cases that part good readers from careless ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from practice.code_host.data import commits_on_main
from practice.code_host.data import ground_truth as world_of
from practice.code_host.model import Repository
from practice.hr_portal import demo as hr
from practice.hr_portal import words as hr_words
from practice.hr_portal.data import ground_truth as employees_of
from practice.hr_portal.leave import confirmation_number, problems
from practice.people import asking, words
from practice.people.data import ground_truth as people_of
from practice.people.demo import expected_cells, input_rows
from practice.tickets.data import ground_truth as tickets_of
from practice.tickets.data import shown_date

WORLD = world_of()
each_repository = pytest.mark.parametrize("repository", WORLD.repositories, ids=lambda repository: repository.name)
each_seed = pytest.mark.parametrize("seed", [1, 11, 99])


@pytest.mark.parametrize("truth", [tickets_of, world_of, people_of, employees_of])
def test_equal_seeds_give_equal_worlds_and_others_do_not(truth: Callable[[int], object]):
    assert truth(3) == truth(3)
    assert truth(3) != truth(4)


# --- tickets


@each_seed
def test_a_careless_reader_gets_tickets_of_every_kind_wrong(seed: int):
    tickets = tickets_of(seed)
    assert [one.number for one in tickets] == [f"TCK-{number}" for number in range(1001, 1241)]
    assert len({(one.assignee is None, one.due_date is None) for one in tickets}) == 4
    for one in tickets:
        told = " ".join(event.what for event in one.activity)
        assert "Previous assignee: " in told
        assert "Previous due date: " in told
        assert one.assignee is None or one.assignee not in told
        assert one.due_date is None or shown_date(one.due_date) not in told
        assert one.number not in one.related


# --- people


@each_seed
def test_the_company_settles_who_is_meant_by_a_name_unless_nothing_does(seed: int):
    people = people_of(seed)
    assert len({one.slug for one in people}) == len(people) == 400
    for name in words.HOMONYM_NAMES:
        same = [one for one in people if one.name == name]
        assert len({one.current_company for one in same}) == len(same) == 3
        assert all(asking.settle(people, name, one.current_company or "").person == one for one in same)
    for name in words.TWIN_NAMES:
        one, other = (person for person in people if person.name == name)
        assert one.current_company == other.current_company
        assert asking.settle(people, name, one.current_company or "") == asking.Answer("ambiguous")
    assert {asking.settle(people, name, words.COMPANIES[0][0]).kind for name in words.ABSENT_NAMES} == {"not_found"}


def test_the_rows_of_people_are_of_every_kind():
    people = people_of()
    rows = input_rows(people)
    assert Counter(asking.settle(people, row["name"], row["company"]).kind for row in rows) == {
        "found": 55,
        "ambiguous": 6,
        "near": 4,
        "not_found": 4,
    }
    wanted = [expected_cells(people, row, "http://127.0.0.1:1") for row in rows]
    left = [
        one for row, one in zip(rows, wanted, strict=True) if one.get("current_company") not in ("", row["company"])
    ]
    assert len(left) >= 6
    assert sum(one.get("not_present") == "current_company;tenure" for one in wanted) >= 2


# --- repositories


@each_repository
def test_every_case_of_the_audit_occurs(repository: Repository):
    commits = commits_on_main(repository)
    pulls = [repository.pull_request(commit.pull_request) for commit in commits]
    known = [one for one in pulls if one is not None]
    assert len(commits) == 60
    assert None in pulls
    assert len(set(known)) < len(known), "a pull request that brought in two commits"
    assert {one.answer for one in known} == {"yes", "no", "inconclusive"}
    assert {check.state for one in known for check in one.checks} == {"passed", "failed", "pending", "skipped"}
    assert {check.named for one in known for check in one.checks} == {True, False}
    reviews = {review.state for one in known for review in one.reviews}
    assert reviews == {"approved", "requested", "dismissed", "commented"}
    assert {len(one.approvers) for one in known} == {0, 1, 2}
    assert {one.ticket is None for one in known} == {True, False}
    assert {one.merged_by == one.creator for one in known} == {True, False}


# --- leave requests


@each_seed
def test_every_row_of_leave_is_a_request_of_another_kind_that_the_portal_takes(seed: int):
    employees = employees_of(seed)
    rows = hr.input_rows(employees)
    assert [problems(hr.request_of(row), employees) for row in rows] == [{}] * 20
    assert len({confirmation_number(hr.request_of(row)) for row in rows}) == 20
    assert {row["employee_name"] for row in rows} >= set(hr_words.NAMESAKES)
    assert {row["report_format"] for row in rows} == set(hr_words.FORMATS.values())
    assert {row["half_day"] for row in rows} == {"yes", "no"}
    assert {row["first_day"][:4] for row in rows} == {"2026", "2027", "2028"}
    assert {"0", "5"} <= {hr.expected_cells(row, employees)["attachment_count"] for row in rows}
