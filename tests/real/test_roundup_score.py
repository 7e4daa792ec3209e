"""The score counts correct cells and detects wrong ones."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.real.roundup_app import ISSUES, MISSING, Issue, ground_truth, input_rows
from tests.real.score import FIELDS, report, score


def test_the_ground_truth_has_every_case():
    issues = ground_truth()
    assert len(issues) == ISSUES == len({issue.title for issue in issues})
    assert ground_truth() == issues != ground_truth(12)
    assert {issue.assigned_to is None for issue in issues} == {True, False}
    assert {len(issue.keywords) for issue in issues} == {0, 1, 2}
    assert any(not issue.title.isascii() for issue in issues)


def _row(issue: Issue) -> dict[str, str]:
    none = [name for name, value in (("assigned_to", issue.assigned_to), ("keywords", issue.keywords)) if not value]
    return {
        "sample_id": issue.name,
        "status": "done",
        "reason": "",
        "issue": issue.name,
        "title": issue.title,
        "priority": issue.priority,
        "issue_status": issue.status,
        "assigned_to": issue.assigned_to or "",
        "keywords": ";".join(issue.keywords),
        "not_present": ";".join(none),
        "not_found": "",
    }


def _table(folder: Path, changes: dict[str, dict[str, str]]) -> Path:
    """A right table but for ``changes``."""
    rows = [_row(issue) for issue in ground_truth()]
    rows += [{"sample_id": name, "status": "failed", "reason": "not_found"} for name in MISSING]
    path = folder / "combined.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), restval="")
        writer.writeheader()
        writer.writerows({**row, **changes.get(row["sample_id"], {})} for row in rows)
    return path


def test_a_right_table_scores_every_field(tmp_path: Path):
    result = score(_table(tmp_path, {}), ground_truth())
    assert result.perfect
    assert dict(result.right) == dict.fromkeys(FIELDS, 60)
    assert report(result).splitlines()[-1].split() == ["total", "360", "/", "360"]


def test_wrong_cells_count_where_they_are(tmp_path: Path):
    free = next(issue for issue in ground_truth() if issue.assigned_to is None)
    taken = next(issue for issue in ground_truth() if issue.assigned_to and issue.keywords)
    changes = {
        free.name: {"not_present": "keywords" if not free.keywords else "", "not_found": "assigned_to"},
        taken.name: {"title": "Another", "keywords": "other"},
        MISSING[0]: {"status": "done", "reason": ""},
    }
    result = score(_table(tmp_path, changes), ground_truth())
    assert not result.perfect
    assert {field: 60 - right for field, right in result.right.items() if right < 60} == {
        "assigned_to": 1,
        "title": 1,
        "keywords": 1,
    }
    assert len(result.wrong) == 4


def test_a_sample_that_failed_or_was_lost_has_nothing_right(tmp_path: Path):
    issues = ground_truth()
    table = _table(tmp_path, {issues[0].name: {"status": "needs_review"}, issues[1].name: {"sample_id": "Issue77"}})
    assert dict(score(table, issues).right) == dict.fromkeys(FIELDS, 58)


def test_the_input_asks_for_every_issue_and_the_missing_ones():
    rows = input_rows("http://127.0.0.1:1/tracker/", ground_truth())
    assert len(rows) == len({row["issue"] for row in rows}) == ISSUES + len(MISSING)
    assert rows[0] == {"issue": "Issue1", "url": "http://127.0.0.1:1/tracker/issue1"}
