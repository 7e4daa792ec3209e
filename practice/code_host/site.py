"""The three web applications: the code host, its CI and its tracker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from practice.code_host import code_pages, commit_pages, file_pages, other_pages, review_pages, words
from practice.code_host.code_pages import RepositoryContext
from practice.code_host.data import DEFAULT_SEED
from practice.code_host.model import World
from practice.code_host.view import Origins, SiteName, View
from practice.drift import DriftCookie, drift_of
from practice.markup import Markup, wrapped

_STATIC = Path(__file__).parent / "static"
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
_HEADERS = {"content-security-policy": _POLICY, "cache-control": "no-store"}
SEEN_NEWS = "seen_news"
"""The cookie of a visitor who has closed the dialog of ``popup``."""


@dataclass(frozen=True)
class Options:
    """Options of the sites. ``latency_ms`` is the delay of the parts that a page's script loads; 0 is no delay."""

    seed: int = DEFAULT_SEED
    latency_ms: int = 180


def code_app(world: World, origins: Origins, options: Options) -> Starlette:
    return _Code(world, origins, options, "code").app()


def ci_app(world: World, origins: Origins, options: Options) -> Starlette:
    return _Ci(world, origins, options, "ci").app()


def tracker_app(world: World, origins: Origins, options: Options) -> Starlette:
    return _Tracker(world, origins, options, "tracker").app()


Endpoint = Callable[[Request], Awaitable[Response]]


class _Site:
    """Base class of the three sites; none has state that a visitor can change."""

    def __init__(self, world: World, origins: Origins, options: Options, name: SiteName) -> None:
        self.world = world
        self.origins = origins
        self.options = options
        self.name: SiteName = name

    def app(self) -> Starlette:
        routes = [Route(path, endpoint) for path, endpoint in self.paths().items()]
        ends = [Route("/static/{name}", self._static), Route("/{path:path}", self.lost)]
        return Starlette(routes=[*routes, *ends], middleware=[Middleware(DriftCookie)])

    def paths(self) -> dict[str, Endpoint]:
        raise NotImplementedError

    def frame(self, view: View) -> tuple[Markup, Markup]:
        """Return header and footer."""
        return other_pages.nav(view), other_pages.footer(view)

    def view(self, request: Request) -> View:
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        inner = "frame" in request.query_params
        return View(self.name, drift_of(request), self.origins, asked, inner, SEEN_NEWS in request.cookies)

    def answer(self, view: View, title: str, main: Markup | None) -> Response:
        """Return the page; without content, the "not found" page."""
        if main is None:
            title, main, status = view.t("Page not found"), other_pages.not_found(view), 404
        else:
            status = 200
        top, foot = self.frame(view)
        return HTMLResponse(view.page(title, top, main, foot), status, _HEADERS)

    async def lost(self, request: Request) -> Response:
        return self.answer(self.view(request), "", None)

    async def fragment(self, view: View, part: Markup | None) -> Response:
        """Return a part that a page's script loads, after the delay."""
        await asyncio.sleep(self.options.latency_ms / 1000)
        return HTMLResponse(wrapped(part or "", view.drift), 200 if part else 404, _HEADERS)

    async def _static(self, request: Request) -> Response:
        path = _STATIC / request.path_params["name"]
        if path not in _FILES:
            return await self.lost(request)
        if path.suffix != ".css":
            return FileResponse(path, headers=_HEADERS)
        css = drift_of(request).css(path.read_text(encoding="utf-8"))
        return Response(css, headers=_HEADERS, media_type="text/css")


_FILES = frozenset(_STATIC.iterdir())


class _Code(_Site):
    def paths(self) -> dict[str, Endpoint]:
        root = f"/{words.ORG}/{{repository}}"
        return {
            "/": self._start,
            "/search": self._search,
            root: self._home,
            f"{root}/commits/main": self._commits,
            f"{root}/commit/{{sha}}": self._commit,
            f"{root}/blob/main/{{path:path}}": self._file("Code"),
            f"{root}/blame/main/{{path:path}}": self._file("Blame"),
            f"{root}/fragment/blame/{{path:path}}": self._blame,
            f"{root}/pulls": self._pulls,
            f"{root}/pull/{{number:int}}": self._pull,
            f"{root}/pull/{{number:int}}/checks": self._checks,
            f"{root}/pull/{{number:int}}/files": self._diff,
            f"{root}/fragment/checks/{{number:int}}": self._check_list,
        }

    def frame(self, view: View) -> tuple[Markup, Markup]:
        return code_pages.nav(view), code_pages.footer(self.world)

    async def _start(self, request: Request) -> Response:
        view = self.view(request)
        return self.answer(view, "Repositories", code_pages.repositories(view, self.world))

    async def _search(self, request: Request) -> Response:
        view = self.view(request)
        query = request.query_params.get("q", "")[:200]
        return self.answer(view, "Search", file_pages.search(view, self.world, query))

    async def _home(self, request: Request) -> Response:
        context = self._context(request)
        return self.answer(self.view(request), _name_of(context), context and code_pages.home(context))

    async def _commits(self, request: Request) -> Response:
        context = self._context(request)
        number, author = request.query_params.get("page", "1"), request.query_params.get("author", "")
        known = context is not None and number.isascii() and number.isdigit() and len(number) < 7
        page = commit_pages.commits(context, int(number), author) if context and known else None
        return self.answer(self.view(request), f"Commits of {_name_of(context)}", page)

    async def _commit(self, request: Request) -> Response:
        context = self._context(request)
        commit = context.repository.commit(request.path_params["sha"]) if context else None
        page = commit_pages.commit_page(context, commit) if context and commit else None
        return self.answer(self.view(request), commit.title if commit else "", page)

    def _file(self, tab: str) -> Endpoint:
        async def shown(request: Request) -> Response:
            context, path = self._context(request), request.path_params["path"]
            page = file_pages.file_page(context, path, tab) if context and path in context.repository.files else None
            return self.answer(self.view(request), path, page)

        return shown

    async def _blame(self, request: Request) -> Response:
        context, path = self._context(request), request.path_params["path"]
        part = file_pages.blame_fragment(context, path) if context and path in context.repository.files else None
        return await self.fragment(self.view(request), part)

    async def _pulls(self, request: Request) -> Response:
        context, number = self._context(request), request.query_params.get("page", "1")
        known = context is not None and number.isascii() and number.isdigit() and len(number) < 7
        page = review_pages.pull_requests(context, int(number)) if context and known else None
        return self.answer(self.view(request), f"Pull requests of {_name_of(context)}", page)

    async def _pull(self, request: Request) -> Response:
        return self._of_pull(request, review_pages.pull_request)

    async def _checks(self, request: Request) -> Response:
        return self._of_pull(request, review_pages.checks_page)

    async def _diff(self, request: Request) -> Response:
        return self._of_pull(request, review_pages.diff_page)

    async def _check_list(self, request: Request) -> Response:
        context = self._context(request)
        pull = context.repository.pull_request(request.path_params["number"]) if context else None
        return await self.fragment(
            self.view(request), review_pages.checks_fragment(context, pull) if context and pull else None
        )

    def _of_pull(self, request: Request, draw: Callable[..., Markup]) -> Response:
        context = self._context(request)
        pull = context.repository.pull_request(request.path_params["number"]) if context else None
        page = draw(context, pull) if context and pull else None
        return self.answer(self.view(request), f"{pull.title} #{pull.number}" if pull else "", page)

    def _context(self, request: Request) -> RepositoryContext | None:
        repository = self.world.repository(request.path_params["repository"])
        return RepositoryContext(self.view(request), repository) if repository else None


def _name_of(context: RepositoryContext | None) -> str:
    return context.repository.name if context else ""


class _Ci(_Site):
    def paths(self) -> dict[str, Endpoint]:
        return {"/": self._start, "/jobs/{job:int}": self._job, "/fragment/jobs/{job:int}": self._log}

    async def _start(self, request: Request) -> Response:
        return self.answer(self.view(request), "Projects", other_pages.ci_home(self.world))

    async def _job(self, request: Request) -> Response:
        view, found = self.view(request), self.world.job(request.path_params["job"])
        title = f"{found[2].name} · job {found[2].job}" if found else ""
        return self.answer(view, title, found and other_pages.job_page(view, *found))

    async def _log(self, request: Request) -> Response:
        found = self.world.job(request.path_params["job"])
        return await self.fragment(self.view(request), found and other_pages.log_fragment(*found))


class _Tracker(_Site):
    def paths(self) -> dict[str, Endpoint]:
        return {"/": self._start, "/browse/{key}": self._ticket}

    async def _start(self, request: Request) -> Response:
        view = self.view(request)
        return self.answer(view, "Board", other_pages.board(view, self.world))

    async def _ticket(self, request: Request) -> Response:
        view, found = self.view(request), self.world.ticket(request.path_params["key"])
        title = f"{found[1].key} {found[1].title}" if found else ""
        return self.answer(view, title, found and other_pages.ticket_page(view, *found))
