"""The portal's web application: one shell for all pages, and the JSON API of its scripts."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import date
from html import escape
from itertools import count
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from practice.drift import DriftCookie, drift_of
from practice.hr_portal import files, words
from practice.hr_portal.data import DEFAULT_SEED, TODAY, Employee, departments_of, ground_truth
from practice.hr_portal.leave import LeaveRequest, confirmation_number, problems, read
from practice.sign_in import Sessions, form_of

_STATIC = Path(__file__).parent / "static"
_HEADERS = {
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    "cache-control": "no-store",
}
_MOST_FOUND = 8
_TABS = ("overview", "documents", "pay", "history")
Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Options:
    """Options of the site.

    ``login`` requires a sign-in for every page. ``latency_ms`` is the delay of lists and tabs, ``report_ms`` the time a
    report takes to generate.
    """

    seed: int = DEFAULT_SEED
    login: bool = False
    latency_ms: int = 150
    report_ms: int = 1200


@dataclass(frozen=True)
class Submission:
    """A submitted request; ``draft`` is the id of the confirmed draft."""

    number: str
    draft: str
    request: LeaveRequest


class PortalSite:
    """The application for one seed. Submissions are kept until the server stops, duplicates included."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._employees = {employee.employee_id: employee for employee in ground_truth(options.seed)}
        self._sessions = Sessions("larkspur_session")
        self._drafts: dict[str, LeaveRequest] = {}
        self.submissions: list[Submission] = []
        self._reports: dict[str, tuple[Employee, str, float]] = {}
        self._ids = count(1)

    def app(self) -> ASGIApp:
        pages = ("/", "/employees", "/employees/{id}", "/requests/new", "/requests/review/{id}", "/requests/{id}")
        api: dict[str, Handler] = {
            "/api/employees": self._find,
            "/api/employees/{id}/{tab}": self._tab,
            "/api/countries": self._countries,
            "/api/offices": self._offices,
            "/api/departments": self._departments,
            "/api/drafts/{id}": self._draft,
            "/api/requests/{id}": self._request,
            "/api/reports/{id}": self._report,
            "/files/reports/{id}/{name}": self._report_file,
            "/files/attachments/{id}/{name}": self._attachment,
            "/files/company/{name}": self._company_file,
        }
        posted: dict[str, Handler] = {
            "/api/drafts": self._new_draft,
            "/api/drafts/{id}/submit": self._submit,
            "/api/employees/{id}/reports": self._new_report,
        }
        return DriftCookie(
            Starlette(
                routes=[
                    *(Route(path, self._behind_login(self._page)) for path in pages),
                    *(Route(path, self._api(handler), methods=["POST"]) for path, handler in posted.items()),
                    *(Route(path, self._api(handler)) for path, handler in api.items()),
                    Route("/api/submissions", self._all_submissions),
                    Route("/login", self._page, methods=["GET"]),
                    Route("/login", self._sign_in, methods=["POST"]),
                    Route("/logout", self._sign_out),
                    Route("/app.css", _style),
                    Mount("/static", StaticFiles(directory=_STATIC)),
                    Route("/{path:path}", self._lost),
                ]
            )
        )

    # --- access

    def _shut(self, request: Request) -> bool:
        return self._options.login and not self._sessions.holds(request)

    def _behind_login(self, handler: Handler) -> Handler:
        async def answer(request: Request) -> Response:
            if self._shut(request):
                query = f"?{request.url.query}" if request.url.query else ""
                return RedirectResponse(f"/login?next={quote(request.url.path + query, safe='')}", 302)
            return await handler(request)

        return answer

    def _api(self, handler: Handler) -> Handler:
        async def answer(request: Request) -> Response:
            if self._shut(request):
                return _error(401, "Sign in first.")
            await asyncio.sleep(self._options.latency_ms / 1000)
            return await handler(request)

        return answer

    async def _sign_in(self, request: Request) -> Response:
        form = await form_of(request)
        to = form.get("next") or "/"
        answer = self._sessions.sign_in(form.get("user", ""), form.get("password", ""), to)
        return answer or RedirectResponse(f"/login?wrong=1&next={quote(to, safe='')}", 303)

    async def _sign_out(self, request: Request) -> Response:
        return self._sessions.sign_out(request, "/login")

    # --- pages

    async def _page(self, request: Request) -> Response:
        return self._shell(request, 200)

    async def _lost(self, request: Request) -> Response:
        return self._shell(request, 404)

    def _shell(self, request: Request, status: int) -> Response:
        drift = drift_of(request)
        framed = "frame" in request.query_params
        inside = drift.has("iframe") and not framed and request.url.path != "/login"
        filled = {
            "$DRIFT": escape(str(drift)),
            "$LOGIN": "yes" if self._options.login else "no",
            "$MODE": "frame" if framed else "outside" if inside else "whole",
            "$BASE": '<base target="_top">' if framed else "",
        }
        shell = (_STATIC / "index.html").read_text(encoding="utf-8")
        for name, value in filled.items():
            shell = shell.replace(name, value)
        return HTMLResponse(shell, status, headers=_HEADERS)

    # --- lists of the form

    async def _find(self, request: Request) -> Response:
        asked = re.findall(r"[\w'-]+", request.query_params.get("q", "").casefold())
        found = [
            employee for employee in self._employees.values() if all(word in _searched(employee) for word in asked)
        ]
        most = len(found) if request.query_params.get("all") else _MOST_FOUND
        return JSONResponse({"employees": [_summary(employee) for employee in found[:most]], "total": len(found)})

    async def _countries(self, request: Request) -> Response:
        return JSONResponse({"names": sorted(words.OFFICES)})

    async def _offices(self, request: Request) -> Response:
        return JSONResponse({"names": words.OFFICES.get(request.query_params.get("country", ""), ())})

    async def _departments(self, request: Request) -> Response:
        office = request.query_params.get("office", "")
        known = any(office in offices for offices in words.OFFICES.values())
        return JSONResponse({"names": departments_of(office) if known else ()})

    # --- requests

    async def _new_draft(self, request: Request) -> Response:
        sent = await _json(request)
        draft = read(sent)
        wrong = problems(draft, list(self._employees.values()))
        if wrong:
            return JSONResponse({"errors": wrong}, 422)
        name = f"D{next(self._ids)}"
        self._drafts[name] = draft
        return JSONResponse({"draft": name}, 201)

    async def _draft(self, request: Request) -> Response:
        draft = self._drafts.get(request.path_params["id"])
        return _error(404, "There is no such draft.") if draft is None else JSONResponse(self._draft_json(draft))

    async def _submit(self, request: Request) -> Response:
        name = request.path_params["id"]
        draft = self._drafts.get(name)
        if draft is None:
            return _error(404, "There is no such draft.")
        earlier = sum(submission.request == draft for submission in self.submissions)
        submission = Submission(confirmation_number(draft, earlier), name, draft)
        self.submissions.append(submission)
        return JSONResponse({"number": submission.number}, 201)

    async def _request(self, request: Request) -> Response:
        number = request.path_params["id"]
        found = next((submission for submission in self.submissions if submission.number == number), None)
        if found is None:
            return _error(404, "There is no such request.")
        return JSONResponse({**self._draft_json(found.request), "number": number, "state": "Submitted"})

    async def _all_submissions(self, request: Request) -> Response:
        """Return all submissions in order. For tests; no page shows the whole list."""
        listed = [
            {"number": submission.number, "draft": submission.draft, **asdict(submission.request)}
            for submission in self.submissions
        ]
        return JSONResponse({"submissions": listed})

    def _draft_json(self, draft: LeaveRequest) -> dict[str, Any]:
        return {**asdict(draft), "employee": self._employees[draft.employee_id].name}

    # --- the page of an employee

    async def _tab(self, request: Request) -> Response:
        employee, tab = self._employees.get(request.path_params["id"]), request.path_params["tab"]
        if employee is None or tab not in _TABS:
            return _error(404, "No employee has this number.")
        whole = cast("dict[str, Any]", _plain(asdict(employee)))
        content = {
            "overview": {name: whole[name] for name in ("title", "country", "office", "manager", "joined")}
            | {"balance_days": employee.balance_days, "email": employee.email, "today": TODAY.isoformat()},
            "documents": {"attachments": whole["attachments"], "company": words.COMPANY_DOCUMENTS},
            "pay": {"payslips": whole["payslips"]},
            "history": {"leaves": whole["leaves"], "sent": self._sent_for(employee)},
        }
        return JSONResponse({**_summary(employee), **content[tab]})

    def _sent_for(self, employee: Employee) -> list[dict[str, str]]:
        return [
            {
                "number": submission.number,
                "kind": submission.request.request_type,
                "first_day": submission.request.first_day,
            }
            for submission in self.submissions
            if submission.request.employee_id == employee.employee_id
        ]

    async def _new_report(self, request: Request) -> Response:
        employee = self._employees.get(request.path_params["id"])
        kind = str((await _json(request)).get("format", ""))
        if employee is None or kind not in words.FORMATS:
            return _error(404, "There is no such report.")
        name = f"R{next(self._ids)}"
        ready_at = asyncio.get_running_loop().time() + self._options.report_ms / 1000
        self._reports[name] = (employee, kind, ready_at)
        return JSONResponse({"report": name}, 202)

    def _finished_report(self, name: str) -> tuple[Employee, str] | None:
        """Return the report's employee and kind; None until it is ready."""
        employee, kind, ready_at = self._reports[name]
        return (employee, kind) if asyncio.get_running_loop().time() >= ready_at else None

    async def _report(self, request: Request) -> Response:
        name = request.path_params["id"]
        if name not in self._reports:
            return _error(404, "There is no such report.")
        report = self._finished_report(name)
        filename = files.report_name(*report) if report else ""
        return JSONResponse({"ready": report is not None, "name": filename, "url": f"/files/reports/{name}/{filename}"})

    async def _report_file(self, request: Request) -> Response:
        name = request.path_params["id"]
        report = self._finished_report(name) if name in self._reports else None
        if report is None or request.path_params["name"] != files.report_name(*report):
            return _error(404, "There is no such report.")
        return _file(files.report(*report), files.report_name(*report), report[1])

    async def _attachment(self, request: Request) -> Response:
        employee = self._employees.get(request.path_params["id"])
        filename = request.path_params["name"]
        found = (
            next((attachment for attachment in employee.attachments if attachment.filename == filename), None)
            if employee
            else None
        )
        if employee is None or found is None:
            return _error(404, "There is no such file.")
        return _file(files.attached(employee, found), filename, "pdf")

    async def _company_file(self, request: Request) -> Response:
        title = request.path_params["name"].removesuffix(".pdf")
        if title not in words.COMPANY_DOCUMENTS:
            return _error(404, "There is no such file.")
        return _file(files.company_document(title), f"{title}.pdf", "pdf")


async def _style(request: Request) -> Response:
    css = (_STATIC / "app.css").read_text(encoding="utf-8")
    return Response(drift_of(request).css(css), media_type="text/css", headers=_HEADERS)


async def _json(request: Request) -> dict[str, object]:
    """Return the posted JSON object; an empty one for anything else."""
    try:
        sent = json.loads(await request.body())
    except ValueError:
        return {}
    return cast("dict[str, object]", sent) if isinstance(sent, dict) else {}


def _file(body: bytes, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(body, media_type=files.CONTENT_TYPES[kind], headers=headers)


def _error(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status_code=status)


def _searched(employee: Employee) -> str:
    return f"{employee.name} {employee.employee_id} {employee.department} {employee.office}".casefold()


def _summary(employee: Employee) -> dict[str, str]:
    return {
        "employee_id": employee.employee_id,
        "name": employee.name,
        "department": employee.department,
        "office": employee.office,
    }


def _plain(value: Any) -> Any:
    """Return ``value`` with every date as ISO text, as JSON needs it."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return value
