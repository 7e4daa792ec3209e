"""The directory's web application: pages rendered on the server, JSON and HTML fragments for its script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from practice.drift import DriftCookie, drift_of
from practice.people import asking
from practice.people.data import DEFAULT_SEED, ground_truth
from practice.people.finding import Asked, home_page, lost_page, results_page, sign_in_page, slow_down_page
from practice.people.frame import View, address, notice, page
from practice.people.html import written
from practice.people.listing import PAGERS, Pager, companies_page, list_rows, people_page
from practice.people.profile import profile_page
from practice.sign_in import Sessions, form_of

_STATIC = Path(__file__).parent / "static"
_HEADERS = {
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    "cache-control": "no-store",
}
_BY_NAME: dict[str, Pager] = {pager: pager for pager in PAGERS}
_SOON = ("jobs", "messages", "alumni", "about", "privacy", "terms", "help")
Wall = Literal["off", "profiles", "site"]
Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Options:
    """Options of the site.

    ``wall`` requires a sign-in for profiles, or for every page. Every ``limit_every``-th page is answered with 429 and
    ``retry_after_s``; 0 is never. ``pager`` is the paging of lists if the address does not set it.
    """

    seed: int = DEFAULT_SEED
    wall: Wall = "off"
    limit_every: int = 0
    retry_after_s: int = 2
    pager: Pager = "url"


class PeopleSite:
    """The application for one seed. Its state: the signed-in users and the number of pages served."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._people = ground_truth(options.seed)
        self._by_slug = {person.slug: person for person in self._people}
        employed = (person.current_company for person in self._people)
        self._companies = Counter(company for company in employed if company).most_common()
        self._sessions = Sessions("acquaint_session")
        self._pages = count(1)

    def app(self) -> ASGIApp:
        walled = self._options.wall
        routes = [
            Route("/", self._page(self._home, walled == "site")),
            Route("/search", self._page(self._search, walled == "site")),
            Route("/in/{slug}", self._page(self._profile, walled != "off")),
            Route("/companies", self._page(self._company_list, walled == "site")),
            Route("/companies/{company}/people", self._page(self._company_people, walled == "site")),
            Route("/companies/{company}/people/rows", self._rows),
            Route("/login", self._page(self._sign_in, False), methods=["GET"]),
            Route("/login", self._signing_in, methods=["POST"]),
            Route("/logout", self._sign_out),
            Route("/api/suggest", self._suggest),
            Route("/app.css", _style),
            Mount("/static", StaticFiles(directory=_STATIC)),
            Route("/{path:path}", self._page(self._lost, False)),
        ]
        return DriftCookie(Starlette(routes=routes))

    # --- every page

    def _page(self, handler: Handler, walled: bool) -> Handler:
        async def answer(request: Request) -> Response:
            every = self._options.limit_every
            if every and next(self._pages) % every == 0:
                return self._too_many(request)
            if walled and not self._sessions.holds(request):
                return RedirectResponse(address("/login", next=_whole_path(request)), 302)
            return await handler(request)

        return answer

    def _too_many(self, request: Request) -> Response:
        seconds = self._options.retry_after_s
        answer = _html(slow_down_page(self._view(request), seconds), 429)
        answer.headers["retry-after"] = str(seconds)
        return answer

    def _view(self, request: Request) -> View:
        drift = drift_of(request)
        plain = View(drift, framed="frame" in request.query_params, signed_in=self._sessions.holds(request))
        if not drift.has("iframe") or plain.framed:
            return plain
        return replace(plain, inside=str(request.url.include_query_params(frame="1").replace(scheme="", netloc="")))

    def _shut(self, request: Request) -> bool:
        return self._options.wall == "site" and not self._sessions.holds(request)

    # --- pages

    async def _home(self, request: Request) -> Response:
        return _html(home_page(self._view(request), self._companies))

    async def _search(self, request: Request) -> Response:
        query = request.query_params
        number = _page_number(query.get("page", "1"))
        if number is None:
            return _html(lost_page(self._view(request)), 404)
        asked = Asked(query.get("name", ""), query.get("company", ""), query.get("place", ""), number)
        found = asking.search(self._people, asked.name, asked.company, asked.place)
        elsewhere = asking.same_name_elsewhere(self._people, asked.name, found) if asked.company.strip() else []
        return _html(results_page(self._view(request), asked, found, elsewhere))

    async def _profile(self, request: Request) -> Response:
        person = self._by_slug.get(request.path_params["slug"])
        if person is None:
            text = "It may have been removed, or the link is wrong."
            return _html(lost_page(self._view(request), "Profile not found", text), 404)
        others = [self._by_slug[slug] for slug in person.also_viewed]
        return _html(profile_page(self._view(request), person, str(request.base_url).rstrip("/"), others))

    async def _company_list(self, request: Request) -> Response:
        return _html(companies_page(self._view(request), self._companies))

    async def _company_people(self, request: Request) -> Response:
        company = asking.company_of(request.path_params["company"])
        at = _page_number(request.query_params.get("page", "1"))
        if company is None or at is None:
            return _html(lost_page(self._view(request), "Company not found"), 404)
        listed = asking.people_of(self._people, company)
        asked = request.query_params.get("pager", self._options.pager)
        pager = _BY_NAME.get(asked, self._options.pager)
        pages = asking.listed_pages(listed)
        at = at if pager == "url" else 1
        return _html(people_page(self._view(request), company, pages, len(listed), pager, at))

    async def _sign_in(self, request: Request) -> Response:
        return _html(sign_in_page(self._view(request), request.query_params.get("next", "/")))

    async def _signing_in(self, request: Request) -> Response:
        form = await form_of(request)
        user, to = form.get("user", ""), form.get("next", "/")
        answer = self._sessions.sign_in(user, form.get("password", ""), to)
        return answer or _html(sign_in_page(self._view(request), to, user=user, wrong=True), 422)

    async def _sign_out(self, request: Request) -> Response:
        return self._sessions.sign_out(request, "/login")

    async def _lost(self, request: Request) -> Response:
        view, path = self._view(request), request.path_params["path"]
        if path in _SOON:
            coming_soon = notice(path.capitalize(), "This part of the directory is not open yet.")
            return _html(page(view, path.capitalize(), coming_soon))
        return _html(lost_page(view), 404)

    # --- API of the script

    async def _rows(self, request: Request) -> Response:
        company = asking.company_of(request.path_params["company"])
        at = _page_number(request.query_params.get("page", ""))
        if self._shut(request) or company is None or at is None:
            return JSONResponse({"error": "Sign in first, or ask for a page."}, 401 if self._shut(request) else 404)
        rows = list_rows(asking.listed_pages(asking.people_of(self._people, company)), at)
        return _html("".join(written(row, drift_of(request)) for row in rows))

    async def _suggest(self, request: Request) -> Response:
        if self._shut(request):
            return JSONResponse({"error": "Sign in first."}, 401)
        return JSONResponse({"names": asking.suggestions(self._people, request.query_params.get("q", ""))})


async def _style(request: Request) -> Response:
    css = (_STATIC / "app.css").read_text(encoding="utf-8")
    return Response(drift_of(request).css(css), media_type="text/css", headers=_HEADERS)


def _html(text: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(text, status, headers=_HEADERS)


def _whole_path(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _page_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 and int(text) > 0 else None
