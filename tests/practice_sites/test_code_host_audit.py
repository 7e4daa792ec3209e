"""The inputs of the tasks on the code host; their checks detect every kind of error."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from practice.code_host import audit
from practice.code_host.data import commits_on_main, ground_truth

REPOSITORY = ground_truth().repositories[0]
COMMITS = commits_on_main(REPOSITORY)
BASE = "http://127.0.0.1:1"
Rows = list[dict[str, str]]


def _written(folder: Path, rows: Sequence[Mapping[str, str]], name: str = "combined.csv") -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _read(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def right() -> Rows:
    """What a right table says, written as somebody who looked at the pages would."""
    return [_right_row(index) for index in range(60)]


def _right_row(index: int) -> dict[str, str]:
    commit = COMMITS[index]
    row = {"sample_id": commit.sha, "status": "done", "commit_sha": commit.sha}
    one = REPOSITORY.pull_request(commit.pull_request)
    if one is None:
        names = ("pr_number", "pr_creator", "approvers", "merger", "checks_passed", "checks_failed")
        return {**row, **dict.fromkeys((*names, "merged_with_failures", "ci_failure_details", "jira_url"), "")}
    failed = [check for check in one.checks if check.state == "failed"]
    told = "; ".join(f"{check.name} ended with {check.error or 'a log that is gone'}" for check in failed)
    return {
        **row,
        "pr_number": f"#{one.number}",
        "pr_creator": one.creator,
        "approvers": json.dumps([review.login for review in one.reviews if review.state == "approved"][::-1]),
        "merger": f"@{one.merged_by}",
        "checks_passed": str(len([check for check in one.checks if check.state == "passed"])),
        "checks_failed": str(len(failed)),
        "merged_with_failures": "true" if failed else "false",
        "ci_failure_details": told,
        "jira_url": f"http://127.0.0.1:4711/browse/{one.ticket}" if one.ticket else "",
    }


def test_the_audit_asks_for_the_last_60_commits(tmp_path: Path):
    path = tmp_path / "commits.csv"
    assert audit.write_audit_input(path, BASE, REPOSITORY) == 60
    assert [row["sha"] for row in _read(path)] == [commit.sha for commit in REPOSITORY.commits[:60]]
    assert _read(path)[0]["url"] == f"{BASE}/harbourline/ledger-core/commit/{REPOSITORY.commits[0].sha}"


def test_a_right_table_has_no_difference(tmp_path: Path, right: Rows):
    table = _written(tmp_path, right)
    assert audit.compare_audit(table, REPOSITORY) == []
    assert audit.compare_audit(table, REPOSITORY, audit.audit_answers(REPOSITORY)) == []


def _direct(rows: Rows) -> dict[str, str]:
    return next(row for row in rows if not row["pr_number"])


def _red(rows: Rows) -> dict[str, str]:
    return next(row for row in rows if row["merged_with_failures"] == "true")


def _green(rows: Rows) -> dict[str, str]:
    return next(row for row in rows if row["merged_with_failures"] == "false" and row["jira_url"])


@pytest.mark.parametrize(
    ("pick", "column", "wrong"),
    [
        (_direct, "pr_number", "#141"),
        (_direct, "pr_creator", "zlindqvist"),
        (_direct, "merged_with_failures", "false"),
        (_direct, "checks_failed", "0"),
        (_red, "status", "needs_review"),
        (_red, "commit_sha", "4f76a36"),
        (_red, "pr_number", "1621"),
        (_red, "approvers", '["nobody"]'),
        (_red, "checks_passed", "99"),
        (_red, "merged_with_failures", "false"),
        (_red, "ci_failure_details", "something went wrong"),
        (_red, "ci_failure_details", ""),
        (_green, "ci_failure_details", "lint failed"),
        (_green, "jira_url", "http://127.0.0.1:4711/browse/LED-1001"),
        (_green, "jira_url", ""),
        (_green, "merger", "somebody"),
    ],
)
def test_one_wrong_cell_is_one_difference(
    tmp_path: Path, right: Rows, pick: Callable[[Rows], dict[str, str]], column: str, wrong: str
):
    row = pick(right)
    row[column] = wrong
    [difference] = audit.compare_audit(_written(tmp_path, right), REPOSITORY)
    assert (difference.sample, difference.column, difference.got) == (row["sample_id"], column, wrong)
    assert column in str(difference)


def test_rows_lost_doubled_or_made_up_and_columns_that_lack_are_differences(tmp_path: Path, right: Rows):
    lost = right.pop()
    right += [dict(right[0]), {**right[1], "sample_id": "f" * 40}]
    found = {(one.sample, one.column, one.got) for one in audit.compare_audit(_written(tmp_path, right), REPOSITORY)}
    assert found == {
        (lost["sample_id"], "row", "0 rows"),
        (right[0]["sample_id"], "row", "2 rows"),
        ("f" * 40, "row", "a row"),
    }
    for row in right:
        del row["merger"]
    told = {one.got for one in audit.compare_audit(_written(tmp_path, right), REPOSITORY) if one.column == "merger"}
    assert told == {"(no such column)"}


def test_a_wrong_answer_and_one_not_given_are_differences(tmp_path: Path, right: Rows):
    answers: dict[str, str] = dict(audit.audit_answers(REPOSITORY))
    wrong, silent = COMMITS[0].sha, COMMITS[1].sha
    answers[wrong] = "maybe"
    del answers[silent]
    found = audit.compare_audit(_written(tmp_path, right), REPOSITORY, answers)
    assert [(one.sample, one.column, one.got) for one in found] == [
        (wrong, "answer", "maybe"),
        (silent, "answer", "(no answer)"),
    ]


@pytest.mark.parametrize("repository", ground_truth().repositories, ids=lambda repository: repository.name)
def test_the_lines_asked_about_stand_in_one_place_and_are_of_every_kind(repository: audit.Repository):
    samples = audit.blamed_samples(repository)
    for sample in samples:
        holding = [
            (path, line.commit)
            for path, lines in repository.files.items()
            for line in lines
            if sample.code_string in line.text
        ]
        assert holding == [(sample.file_path, sample.commit.index)]
    assert len({sample.sample_id for sample in samples}) == len(samples)
    kinds = [sample.commit.material for sample in samples]
    assert (kinds.count("yes"), kinds.count("no")) == (4, 4)
    assert kinds.count("inconclusive") >= 1


def _blamed() -> Rows:
    return [
        {
            "sample_id": sample.sample_id,
            "status": "done",
            "code_string": sample.code_string,
            "file_path": sample.file_path,
            "last_modified_date": f"{sample.commit.committed_at:%Y-%m-%d}",
            "author": audit.words.PEOPLE[sample.commit.author],
        }
        for sample in audit.blamed_samples(REPOSITORY)
    ]


def test_right_blame_has_no_difference_and_every_wrong_cell_is_one(tmp_path: Path):
    assert audit.compare_blame(_written(tmp_path, _blamed()), REPOSITORY, audit.blame_answers(REPOSITORY)) == []
    for column in ("code_string", "file_path", "last_modified_date", "author"):
        rows = _blamed()
        rows[2][column] += "x"
        [difference] = audit.compare_blame(_written(tmp_path, rows), REPOSITORY)
        assert (difference.sample, difference.column) == (rows[2]["sample_id"], column)


def test_the_input_of_blame_has_the_columns_of_such_tasks(tmp_path: Path):
    path = tmp_path / "lines.csv"
    assert audit.write_blame_input(path, BASE, REPOSITORY) == len(audit.blamed_samples(REPOSITORY))
    row = _read(path)[0]
    assert list(row) == ["sample_id", "code_string", "repo_url", "url"]
    assert row["repo_url"] == f"{BASE}/harbourline/ledger-core"


@pytest.mark.parametrize("column", ["sample_id", "commit_sha"])
def test_found_commits_are_compared_whatever_their_order(tmp_path: Path, column: str):
    url = f"{BASE}/harbourline/ledger-core/commit"
    rows = [{column: commit.sha, "url": f"{url}/{commit.sha}"} for commit in reversed(COMMITS)]
    assert audit.compare_commits(_written(tmp_path, rows), REPOSITORY) == []
    rows[0]["url"] = f"{url}/{rows[1][column]}"
    lost = rows.pop()
    rows.append({column: REPOSITORY.commits[60].sha, "url": ""})
    found = {(one.sample, one.column) for one in audit.compare_commits(_written(tmp_path, rows), REPOSITORY)}
    assert found == {(rows[0][column], "url"), (lost[column], "row"), (rows[-1][column], "row")}


def test_the_input_of_discovery_is_the_list(tmp_path: Path):
    path = tmp_path / "lists.csv"
    assert audit.write_commits_input(path, BASE, REPOSITORY) == 1
    assert _read(path) == [{"repository": "ledger-core", "url": f"{BASE}/harbourline/ledger-core/commits/main"}]


def test_nothing_found_is_60_differences(tmp_path: Path):
    path = tmp_path / "samples.csv"
    path.write_text("sample_id,url,discovered_at\n")
    assert len(audit.compare_commits(path, REPOSITORY)) == 60


def test_a_cell_that_was_guarded_against_formulas_is_read_as_it_was(tmp_path: Path):
    rows = _blamed()
    rows[0]["author"] = "'=1+1"
    [difference] = audit.compare_blame(_written(tmp_path, rows), REPOSITORY)
    assert difference.got == "=1+1"
