"""The files that the portal serves: pure functions of an employee, with reproducible bytes."""

from __future__ import annotations

import csv
import hashlib
import io
from datetime import UTC, datetime
from typing import Any

import xlsxwriter  # pyright: ignore[reportMissingTypeStubs]

from practice.hr_portal import pdf
from practice.hr_portal.data import TODAY, Attachment, Employee, shown_date

CONTENT_TYPES = {
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_HEAD = ("Type", "First day", "Last day", "Working days")


def report_name(employee: Employee, kind: str) -> str:
    """Return the file name of a report, such as ``leave-report-E-1042.pdf``."""
    return f"leave-report-{employee.employee_id}.{kind}"


def report(employee: Employee, kind: str) -> bytes:
    """Return the leave report as ``pdf``, ``csv`` or ``xlsx``. Raises KeyError for another kind."""
    return {"pdf": _as_pdf, "csv": _as_csv, "xlsx": _as_xlsx}[kind](employee)


def attached(employee: Employee, attachment: Attachment) -> bytes:
    """Return the bytes of an attachment."""
    return pdf.render(
        [
            ("title", attachment.title),
            ("text", f"Employee: {employee.name}"),
            ("text", f"Number: {employee.employee_id}"),
            ("text", f"Filed on {shown_date(attachment.added)}"),
        ]
    )


def company_document(title: str) -> bytes:
    return pdf.render([("title", title), ("text", "Larkspur Group"), ("dim", "For all employees.")])


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _rows(employee: Employee) -> list[tuple[str, str, str, int]]:
    return [
        (leave.kind, leave.first_day.isoformat(), leave.last_day.isoformat(), leave.days) for leave in employee.leaves
    ]


def _as_pdf(employee: Employee) -> bytes:
    lines: list[tuple[pdf.Style, str]] = [
        ("title", "Leave report"),
        ("text", f"Employee: {employee.name}"),
        ("text", f"Number: {employee.employee_id}"),
        ("text", f"Department: {employee.department}, {employee.office}"),
        ("text", f"Leave balance: {employee.balance_days} days"),
        ("text", ""),
    ]
    leaves: list[tuple[pdf.Style, str]] = [
        ("text", f"{kind}: {first} to {last}, {days} working days") for kind, first, last, days in _rows(employee)
    ]
    return pdf.render([*lines, *leaves, ("text", ""), ("dim", f"Larkspur Group, as of {shown_date(TODAY)}")])


def _as_csv(employee: Employee) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(("Employee number", "Employee", *_HEAD))
    writer.writerows((employee.employee_id, employee.name, *row) for row in _rows(employee))
    return out.getvalue().encode()


def _as_xlsx(employee: Employee) -> bytes:
    """Return the report as XLSX. ``created`` is set because the library would use the current time."""
    out = io.BytesIO()
    book: Any = xlsxwriter.Workbook(out, {"in_memory": True})
    book.set_properties({"title": "Leave report", "created": datetime(TODAY.year, TODAY.month, TODAY.day, tzinfo=UTC)})
    sheet = book.add_worksheet("Leave")
    bold = book.add_format({"bold": True})
    sheet.set_column(0, 3, 18)
    sheet.write_row(0, 0, (employee.employee_id, employee.name), bold)
    sheet.write_row(2, 0, _HEAD, bold)
    for number, row in enumerate(_rows(employee), start=3):
        sheet.write_row(number, 0, row)
    book.close()
    return out.getvalue()
