"""The portal's employees, files and numbers are known in advance, and the check detects every deviation."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import python_calamine
from pypdf import PdfReader

from practice.hr_portal import files, words
from practice.hr_portal.data import TODAY, departments_of, ground_truth, shown_date, working_days
from practice.hr_portal.demo import compare, expected_cells, input_rows, report_sha256, request_of, write_input
from practice.hr_portal.leave import LeaveRequest, confirmation_number, problems, read

EMPLOYEES = ground_truth()
ROWS = input_rows(EMPLOYEES)
RIGHT = request_of(ROWS[0])
SEEDS = pytest.mark.parametrize("seed", [1, 5, 99])


def test_equal_seeds_give_equal_employees_and_others_do_not():
    assert ground_truth(3) == ground_truth(3)
    assert ground_truth(3) != ground_truth(4)


@SEEDS
def test_every_kind_of_employee_is_there(seed: int):
    employees = ground_truth(seed)
    assert [one.employee_id for one in employees] == [f"E-{number}" for number in range(1001, 1121)]
    names = [one.name for one in employees]
    assert {name for name in names if names.count(name) == 2} == set(words.NAMESAKES)
    assert {len(one.attachments) for one in employees} == {0, 1, 2, 3, 4, 5}
    assert all(one.office in words.OFFICES[one.country] for one in employees)
    assert all(one.department in departments_of(one.office) for one in employees)


@SEEDS
def test_every_row_is_a_request_the_portal_takes(seed: int):
    employees = ground_truth(seed)
    rows = input_rows(employees)
    assert len({row["request_ref"] for row in rows}) == 20
    assert [problems(request_of(row), employees) for row in rows] == [{}] * 20
    assert {row["employee_name"] for row in rows} >= set(words.NAMESAKES)
    assert {row["report_format"] for row in rows} == set(words.FORMATS.values())
    assert {row["half_day"] for row in rows} == {"yes", "no"}
    assert {row["first_day"][:4] for row in rows} == {"2026", "2027", "2028"}
    assert {"0", "5"} <= {expected_cells(row, employees)["attachment_count"] for row in rows}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"employee_id": "Anna Berg"}, "employee_id"),
        ({"request_type": "Holiday"}, "request_type"),
        ({"country": "Atlantis"}, "country"),
        ({"office": "Atlantis"}, "office"),
        ({"department": "Astrology"}, "department"),
        ({"first_day": TODAY.isoformat()}, "first_day"),
        ({"first_day": "2026-12-12", "last_day": "2026-12-14"}, "first_day"),
        ({"first_day": "2026-12-14", "last_day": "2026-12-11"}, "last_day"),
        ({"last_day": "soon"}, "last_day"),
        ({"cover": ""}, "cover"),
        ({"phone": "call me"}, "phone"),
        ({"reason": "Rest."}, "reason"),
        ({"reason": "x" * 401}, "reason"),
        ({"handover": False}, "handover"),
    ],
)
def test_what_is_wrong_is_said_of_its_field(change: dict[str, Any], field: str):
    wrong = problems(replace(RIGHT, **change), EMPLOYEES)
    assert field in wrong
    assert set(wrong) <= {field, "office", "department"}


def test_what_was_not_sent_is_empty_and_never_true():
    assert read({"reason": 7, "half_day": "yes", "cover": "  Ann "}) == LeaveRequest(
        **dict.fromkeys(("employee_id", "request_type", "country", "office", "department"), ""),
        **{"first_day": "", "last_day": "", "phone": "", "reason": ""},
        half_day=False,
        cover="Ann",
        handover=False,
    )


def test_the_number_is_made_from_what_is_sent_and_repeats_are_told_apart():
    assert confirmation_number(RIGHT) == confirmation_number(replace(RIGHT))
    assert confirmation_number(RIGHT) != confirmation_number(replace(RIGHT, half_day=not RIGHT.half_day))
    assert confirmation_number(RIGHT, 1) == f"{confirmation_number(RIGHT)}-2"


def test_days_and_dates():
    assert working_days(date(2026, 12, 11), date(2026, 12, 14)) == 2
    assert shown_date(date(2026, 12, 4)) == "4 December 2026"


@pytest.mark.parametrize("kind", list(words.FORMATS))
def test_a_report_is_the_same_bytes_every_time_and_differs_by_employee(kind: str):
    one, other = EMPLOYEES[:2]
    assert files.report(one, kind) == files.report(one, kind)
    assert files.report(one, kind) != files.report(other, kind)


def test_reports_can_be_read_and_say_the_same():
    employee = next(one for one in EMPLOYEES if len(one.leaves) >= 3 and one.name.isascii())
    text = PdfReader(io.BytesIO(files.report(employee, "pdf"))).pages[0].extract_text()
    assert employee.employee_id in text
    assert all(f"{one.kind}: {one.first_day}" in text for one in employee.leaves)
    rows = list(csv.reader(io.StringIO(files.report(employee, "csv").decode())))
    assert [row[2] for row in rows[1:]] == [one.kind for one in employee.leaves]
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(files.report(employee, "xlsx")))
    sheet = book.get_sheet_by_index(0).to_python()
    assert [row[0] for row in sheet[3:]] == [one.kind for one in employee.leaves]


def test_a_long_pdf_has_more_pages_and_keeps_its_signs():
    body = files.pdf.render([("title", "A (b) \\ é"), *[("text", f"line {number}") for number in range(70)]])
    pages = PdfReader(io.BytesIO(body)).pages
    assert len(pages) == 2
    assert "A (b) \\ é" in pages[0].extract_text()
    assert "line 69" in pages[1].extract_text()


# --- the check


def _table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


class Came:
    """What a run without a mistake brings back."""

    def __init__(self) -> None:
        self.table = [{"sample_id": row["request_ref"], **expected_cells(row, EMPLOYEES)} for row in ROWS]
        self.sent: list[dict[str, object]] = [{"number": "n", "draft": "d", **asdict(request_of(row))} for row in ROWS]
        self.files = {row["request_ref"]: {report_sha256(row, EMPLOYEES), "other"} for row in ROWS}


def test_what_is_right_has_no_difference(tmp_path: Path):
    came = Came()
    came.table[1].update(form_submitted="True", attachment_count=f"{came.table[1]['attachment_count']}.0")
    assert compare(_table(tmp_path / "c.csv", came.table), EMPLOYEES, came.sent, came.files) == []
    assert write_input(tmp_path / "in.csv", EMPLOYEES) == 20


def _cell(column: str, wrong: str) -> Callable[[Came], None]:
    return lambda came: came.table[3].update({column: wrong})


@pytest.mark.parametrize(
    ("spoil", "column"),
    [
        (_cell("confirmation_number", "LR-0"), "confirmation_number"),
        (_cell("attachment_count", "3 files"), "attachment_count"),
        (_cell("form_submitted", "false"), "form_submitted"),
        (_cell("status", "failed"), "status"),
        (lambda came: came.files.pop("LV-004"), "report"),
        (lambda came: came.sent.append(came.sent[3]), "submissions"),
        (lambda came: came.sent.pop(3), "submissions"),
        (lambda came: came.table.append(came.table[3]), "row"),
    ],
)
def test_one_mistake_is_one_difference(tmp_path: Path, spoil: Callable[[Came], None], column: str):
    came = Came()
    spoil(came)
    [difference] = compare(_table(tmp_path / "c.csv", came.table), EMPLOYEES, came.sent, came.files)
    assert (difference.sample, difference.column) == ("LV-004", column)


def test_a_request_that_nobody_asked_for_is_a_difference(tmp_path: Path):
    came = Came()
    came.sent.append({**came.sent[0], "half_day": True, "cover": "Nobody"})
    [difference] = compare(_table(tmp_path / "c.csv", came.table), EMPLOYEES, came.sent, came.files)
    assert (difference.column, difference.expected) == ("submissions", "none like this")
