"""A submitted leave request: its validation and its confirmation number. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date

from practice.hr_portal import words
from practice.hr_portal.data import TODAY, Employee, departments_of

_PHONE = re.compile(r"^\+?[0-9][0-9 ()/-]{5,19}$")
_LEAST_REASON, _MOST_REASON = 10, 400


@dataclass(frozen=True)
class LeaveRequest:
    """All fields of a request; the days are ISO dates."""

    employee_id: str
    request_type: str
    country: str
    office: str
    department: str
    first_day: str
    last_day: str
    half_day: bool
    cover: str
    phone: str
    reason: str
    handover: bool


def read(sent: Mapping[str, object]) -> LeaveRequest:
    """Parse a request; missing fields become empty texts. Nothing is validated yet."""

    def text(name: str) -> str:
        value = sent.get(name)
        return value.strip() if isinstance(value, str) else ""

    texts = {name: text(name) for name, kind in LeaveRequest.__annotations__.items() if kind == "str"}
    return LeaveRequest(**texts, half_day=sent.get("half_day") is True, handover=sent.get("handover") is True)


def problems(request: LeaveRequest, employees: Sequence[Employee]) -> dict[str, str]:
    """Return the validation messages of the form, by field; empty if the request is valid."""
    checks = {
        "employee_id": _employee(request, employees),
        "request_type": "" if request.request_type in words.REQUEST_TYPES else "Choose a type of leave.",
        **_location(request),
        **_days(request),
        "cover": "" if len(request.cover) >= 2 else "Name somebody who covers for you.",
        "phone": "" if _PHONE.match(request.phone) else "Enter a phone number, such as +49 30 1234567.",
        "reason": _reason(request.reason),
        "handover": "" if request.handover else "Confirm that open work has been handed over.",
    }
    return {name: wrong for name, wrong in checks.items() if wrong}


def confirmation_number(request: LeaveRequest, earlier: int = 0) -> str:
    """Return a number derived from the request, known in advance; a repeated request gets ``-2``, ``-3``, ..."""
    serialised = json.dumps(asdict(request), sort_keys=True, ensure_ascii=False)
    number = f"LR-{hashlib.sha256(serialised.encode()).hexdigest()[:8].upper()}"
    return f"{number}-{earlier + 1}" if earlier else number


def day_of(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _employee(request: LeaveRequest, employees: Sequence[Employee]) -> str:
    known = any(employee.employee_id == request.employee_id for employee in employees)
    return "" if known else "Choose an employee from the list."


def _location(request: LeaveRequest) -> dict[str, str]:
    offices = words.OFFICES.get(request.country, ())
    departments = departments_of(request.office) if request.office in offices else ()
    return {
        "country": "" if offices else "Choose a country.",
        "office": "" if request.office in offices else "Choose an office.",
        "department": "" if request.department in departments else "Choose a department.",
    }


def _days(request: LeaveRequest) -> dict[str, str]:
    first, last = day_of(request.first_day), day_of(request.last_day)
    wrong = {"first_day": _day(first, "first"), "last_day": _day(last, "last")}
    if first and last and last < first and not wrong["last_day"]:
        wrong["last_day"] = "The last day is before the first day."
    return wrong


def _day(day: date | None, which: str) -> str:
    if day is None:
        return f"Choose the {which} day."
    if day <= TODAY:
        return "Leave can only begin after today."
    return "" if day.weekday() < 5 else "Choose a working day."


def _reason(text: str) -> str:
    if len(text) < _LEAST_REASON:
        return f"Give a reason in at least {_LEAST_REASON} characters."
    return "" if len(text) <= _MOST_REASON else f"Keep the reason under {_MOST_REASON} characters."
