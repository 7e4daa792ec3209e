"""Problems of rows are told once with their rows, and addresses that no pool would open are found before the start."""

from __future__ import annotations

from shared.contracts.discovery import Problem, Sample
from shared.submission.row_problems import RowName, RowProblem, find_refused_addresses, told_once
from shared.task.spec import TaskSpec
from tests.cases import cases


def spec(**more: object) -> TaskSpec:
    return TaskSpec.model_validate({"task_id": "t", "goal": "g", "output_schema": {"number": "string"}, **more})


def samples(*urls: str) -> list[Sample]:
    return [
        Sample(sample_id=f"s{row}", key=f"s{row}", row=row, url=url, fields={"url": url})
        for row, url in enumerate(urls, 1)
    ]


def refused(task: TaskSpec, *urls: str) -> dict[int, str]:
    return {problem.row.number: problem.message for problem in find_refused_addresses(task, samples(*urls))}


@cases(
    "url",
    [
        "http://127.0.0.1:8000/x", "http://localhost/x", "http://10.0.0.7/", "http://[::1]/", "http://2130706433/",
        "ftp://x/",
    ],
)  # fmt: skip
def test_an_address_that_only_a_row_names_may_not_be_private(url: str):
    assert list(refused(spec(start_url="{url}"), "https://example.com/1", url)) == [2]


def test_a_private_host_that_the_spec_names_is_none_of_the_problems():
    assert refused(spec(start_url="http://127.0.0.1:8000/{key}"), "") == {}
    assert refused(spec(start_url="{url}", allowed_hosts=["127.0.0.1:8000"]), "http://127.0.0.1:8000/x") == {}


def test_each_row_that_leads_to_another_host_than_the_allowed_ones_is_found():
    task = spec(start_url="{url}", allowed_hosts=["example.com", "*.example.org"])
    found = refused(
        task, "https://example.com/1", "https://evil.test/2", "https://a.example.org/3", "https://example.org"
    )
    assert list(found) == [2, 4]
    assert "evil.test" in found[2]
    assert "example.com, *.example.org" in found[2]


def test_a_row_that_lacks_a_column_of_the_address_is_not_refused_for_its_address():
    task = spec(start_url="https://example.com/{number}")
    assert list(find_refused_addresses(task, samples("https://example.com/1"))) == []


def test_the_same_problem_of_many_rows_is_told_once_with_their_number():
    many = [RowProblem(RowName(row), "url", "empty") for row in range(1, 41)]
    alone = RowProblem(RowName(7), "due", "no date")
    told = list(told_once([*many[:7], alone, *many[7:]]))
    assert told == [
        Problem(where="40 rows (1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 30 more), column url", message="empty"),
        Problem(where="row 7, column due", message="no date"),
    ]
