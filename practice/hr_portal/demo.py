"""The requests of the task, and the comparison of results and submissions with the expected ones."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path

from practice.comparing import Difference
from practice.hr_portal import files, words
from practice.hr_portal.data import TODAY, Employee
from practice.hr_portal.leave import LeaveRequest, confirmation_number

COLUMNS: tuple[str, ...] = (
    *("request_ref", "employee_id", "employee_name", "request_type", "country", "office", "department"),
    *("first_day", "last_day", "half_day", "cover", "phone", "reason", "report_format"),
)
FIELDS = ("form_submitted", "confirmation_number", "report_file", "attachment_count")
ROWS = 20


def input_rows(employees: Sequence[Employee], count: int = ROWS) -> list[dict[str, str]]:
    """Return requests, each different: employees who share a name, with no file and with many; days this year and next.

    The first ones are the same for every ``count``; beyond the number of employees each has a second one, and so on.
    """
    chosen = _chosen(employees)
    return [_row(number, chosen[number % len(chosen)], employees) for number in range(count)]


def write_input(path: Path, employees: Sequence[Employee]) -> int:
    """Write :func:`input_rows` as a CSV with :data:`COLUMNS`; return the number of rows."""
    rows = input_rows(employees)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return len(rows)


def request_of(row: Mapping[str, str]) -> LeaveRequest:
    """Return the request that must be sent for a row."""
    same = {name: row[name] for name in LeaveRequest.__annotations__ if name in row and name != "half_day"}
    return LeaveRequest(**same, half_day=row["half_day"] == "yes", handover=True)


def report_sha256(row: Mapping[str, str], employees: Sequence[Employee]) -> str:
    """Return the SHA-256 of the report that must have been downloaded for a row."""
    return files.sha256(files.report(_employee(row, employees), _kind(row)))


def expected_cells(row: Mapping[str, str], employees: Sequence[Employee]) -> dict[str, str]:
    """Return the expected cells of a row in combined.csv."""
    employee = _employee(row, employees)
    return {
        "status": "done",
        "reason": "",
        "form_submitted": "true",
        "confirmation_number": confirmation_number(request_of(row)),
        "report_file": files.report_name(employee, _kind(row)),
        "attachment_count": str(len(employee.attachments)),
    }


def compare(
    combined_csv: Path,
    employees: Sequence[Employee],
    submissions: Sequence[Mapping[str, object]],
    downloads: Mapping[str, Collection[str]],
) -> list[Difference]:
    """Return all differences from the expected results; an empty list if there are none.

    ``submissions`` is the response of ``GET /api/submissions``: it must have each request exactly once and no other.
    ``downloads`` has the SHA-256 of all files that each sample downloaded: its report must be one of them.
    """
    with combined_csv.open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    rows = {row["request_ref"]: row for row in input_rows(employees)}
    found = _counted("row", [cells.get("sample_id") or "" for cells in table], list(rows))
    for got in table:
        if (row := rows.get(got.get("sample_id") or "")) is not None:
            found += _unlike(row["request_ref"], expected_cells(row, employees), got)
    for name, row in rows.items():
        wanted, brought = report_sha256(row, employees), downloads.get(name, ())
        found += [] if wanted in brought else [Difference(name, "report", wanted, ";".join(sorted(brought)))]
    return found + _sent(rows, submissions)


def _chosen(employees: Sequence[Employee]) -> list[Employee]:
    """Return the special cases first, then employees from the start of the list."""
    special = [
        *[employee for employee in employees if employee.name in words.NAMESAKES],
        *[employee for employee in employees if not employee.attachments][:2],
        *[employee for employee in employees if len(employee.attachments) == 5][:2],
        *[employee for employee in employees if "(" in employee.office][:1],
    ]
    return list(dict.fromkeys([*special, *employees]))


def _row(number: int, employee: Employee, employees: Sequence[Employee]) -> dict[str, str]:
    first = _working_day(TODAY + timedelta(days=3 + 23 * (number % ROWS)))
    last = _working_day(first + timedelta(days=number % 9))
    cover = employees[(number * 7 + 3) % len(employees)]
    return {
        "request_ref": f"LV-{number + 1:03d}",
        "employee_id": employee.employee_id,
        "employee_name": employee.name,
        "request_type": words.REQUEST_TYPES[number % len(words.REQUEST_TYPES)],
        "country": employee.country,
        "office": employee.office,
        "department": employee.department,
        "first_day": first.isoformat(),
        "last_day": last.isoformat(),
        "half_day": "yes" if number % 3 == 1 else "no",
        "cover": cover.name,
        "phone": f"+49 30 55 {number:02d} 17",
        "reason": words.REASONS[number % len(words.REASONS)],
        "report_format": list(words.FORMATS.values())[number % len(words.FORMATS)],
    }


def _working_day(day: date) -> date:
    return day + timedelta(days=max(0, 7 - day.weekday())) if day.weekday() > 4 else day


def _employee(row: Mapping[str, str], employees: Sequence[Employee]) -> Employee:
    return next(employee for employee in employees if employee.employee_id == row["employee_id"])


def _kind(row: Mapping[str, str]) -> str:
    return next(kind for kind, shown in words.FORMATS.items() if shown == row["report_format"])


def _counted(column: str, got: Sequence[str], wanted: Sequence[str]) -> list[Difference]:
    counted = [Difference(name, column, "1", str(got.count(name))) for name in wanted if got.count(name) != 1]
    return counted + [
        Difference(name, column, "0", str(got.count(name))) for name in dict.fromkeys(got) if name not in wanted
    ]


def _unlike(sample: str, wanted: Mapping[str, str], got: Mapping[str, str]) -> list[Difference]:
    return [
        Difference(sample, column, value, got.get(column) or "")
        for column, value in wanted.items()
        if _shown(got.get(column)) != value
    ]


def _shown(cell: str | None) -> str:
    """Normalise a cell: numbers without a fraction, booleans in lower case (a table may have 3.0 and True)."""
    text = "(no such column)" if cell is None else cell
    return text.lower() if text in ("True", "False") else text.removesuffix(".0")


def _sent(rows: Mapping[str, Mapping[str, str]], submissions: Sequence[Mapping[str, object]]) -> list[Difference]:
    """Return the requests that were not sent exactly once as expected, by sample."""
    bare = [{name: submission.get(name) for name in LeaveRequest.__annotations__} for submission in submissions]
    wanted = {name: asdict(request_of(row)) for name, row in rows.items()}
    times = {name: bare.count(request) for name, request in wanted.items()}
    found = [Difference(name, "submissions", "1", str(count)) for name, count in times.items() if count != 1]
    other = [submission for submission in bare if submission not in wanted.values()]
    return found + [
        Difference(str(submission["employee_id"]), "submissions", "none like this", str(submission))
        for submission in other
    ]
