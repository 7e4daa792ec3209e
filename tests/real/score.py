"""``python tests/real/score.py COMBINED_CSV``: score the table by field against the tracker.

A cell is correct if its value is, and if it is marked "not present" exactly where the tracker has none. A sample that
was not done has no correct field.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.real.roundup_app import MISSING, Issue, ground_truth

FIELDS = ("issue", "title", "priority", "issue_status", "assigned_to", "keywords")


@dataclass(frozen=True)
class Score:
    """``right`` and ``asked`` are counts per field; ``wrong`` describes each wrong cell and row."""

    right: Mapping[str, int]
    asked: Mapping[str, int]
    wrong: tuple[str, ...]

    @property
    def perfect(self) -> bool:
        return not self.wrong and self.right == self.asked


def score(combined_csv: Path, issues: Sequence[Issue]) -> Score:
    with combined_csv.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [row.get("sample_id", "") for row in rows]
    by_name = dict(zip(names, rows, strict=True))
    right: dict[str, int] = dict.fromkeys(FIELDS, 0)
    wrong = [f"{name}: {names.count(name)} rows" for name in dict.fromkeys(names) if names.count(name) > 1]
    for issue in issues:
        row = by_name.get(issue.name)
        for field in FIELDS:
            problem = f"{issue.name}: no row" if row is None else _problem(row, field, issue)
            right[field] += problem is None
            wrong += [problem] if problem else []
    wrong += [problem for name in MISSING if (problem := _missing_problem(by_name.get(name), name))]
    asked: dict[str, int] = dict.fromkeys(FIELDS, len(issues))
    return Score(right, asked, tuple(dict.fromkeys(wrong)))


def report(result: Score) -> str:
    """Return one line per field, and the total."""
    lines = [f"{'field':<12} {'right':>5} / asked"]
    lines += [f"{field:<12} {result.right[field]:>5} / {result.asked[field]}" for field in FIELDS]
    lines += [f"{'total':<12} {sum(result.right.values()):>5} / {sum(result.asked.values())}"]
    return "\n".join([*lines, *(f"  wrong: {text}" for text in result.wrong)])


def _problem(row: Mapping[str, str], field: str, issue: Issue) -> str | None:
    wanted = _wanted(issue)[field]
    got = _list(row.get(field, "")) if field == "keywords" else _typed(row.get(field, ""))
    empty = not wanted
    if row.get("status") != "done":
        return f"{issue.name}: {row.get('status')} ({row.get('reason')})"
    if got != wanted:
        return f"{issue.name}, {field}: expected {wanted!r}, got {got!r}"
    if empty != (field in _names(row, "not_present")) or field in _names(row, "not_found"):
        what = "is empty" if empty else "has a value"
        return f"{issue.name}, {field}: {what} on the page, but the table's not_present and not_found do not say so"
    return None


def _missing_problem(row: Mapping[str, str] | None, name: str) -> str | None:
    if row is None:
        return f"{name}: no row"
    if (row.get("status"), row.get("reason")) != ("failed", "not_found"):
        return f"{name}: expected failed (not_found), got {row.get('status')} ({row.get('reason')})"
    filled = [field for field in FIELDS if row.get(field)]
    return f"{name}: does not exist, but has {', '.join(filled)}" if filled else None


def _wanted(issue: Issue) -> dict[str, str | list[str]]:
    return {
        "issue": issue.name,
        "title": issue.title,
        "priority": issue.priority,
        "issue_status": issue.status,
        "assigned_to": issue.assigned_to or "",
        "keywords": list(issue.keywords),
    }


def _typed(cell: str) -> str:
    """Return the text without the guard against formula injection."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@") else cell


def _list(cell: str) -> list[str]:
    """Parse a list of a table: JSON, or separated by semicolons."""
    items = json.loads(cell) if cell.startswith("[") else cell.split(";")
    return sorted(item.strip() for item in items if item.strip())


def _names(row: Mapping[str, str], column: str) -> set[str]:
    return set(filter(None, row.get(column, "").split(";")))


if __name__ == "__main__":
    outcome = score(Path(sys.argv[1]), ground_truth())
    print(report(outcome))
    raise SystemExit(0 if outcome.perfect else 1)
