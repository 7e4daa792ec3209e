"""The pages on which a person signs in to a site with a browser of the pool, and the login state is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.login_recording import check_name
from services.console.web.desk import Desk, desk_of, page
from services.console.web.logins.login_forms import LoginControl, actions_in, controls_of
from services.console.web.logins.open_logins import ENDED, TAKEN, OpenLogin, OpenLogins
from services.console.web.new_run.new_web import need_services
from services.console.web.pointing.page_looks import PageShot, address_problem
from services.console.web.sample_web import FILE_POLICY
from shared.contracts.discovery import Problem
from shared.errors import ExhibitError, PermanentError
from shared.host.connections import ManualSessionTerms
from shared.hosts import browser_form, host_of, is_spec_rule
from shared.pages.boxes import has_centre
from shared.secrets.store import secret_store
from shared.setup.login_facts import read_logins

LOGINS: Final = "/settings/logins"


def open_logins_of(request: Request) -> OpenLogins:
    return request.app.state.open_logins


def login_of(request: Request) -> OpenLogin:
    """Return the login of the address. Raises HTTPException (404) where it is over, or another person's."""
    found = open_logins_of(request).get(request.path_params["login"], desk_of(request).person)
    if found is None:
        raise HTTPException(404, f"There is no such login: {ENDED}. Begin it again on Settings.")
    return found


async def show_logins(request: Request) -> Response:
    """Show the form that begins a login."""
    need_services(desk_of(request))
    return _form(request, 200, ())


def _form(request: Request, status: int, problems: Sequence[Problem]) -> Response:
    given: Mapping[str, str] = request.state.form
    return page(
        request, "logins.html", status, problems=problems, name=given.get("name", ""), url=given.get("url", ""),
        hosts=given.get("hosts", ""), replace=given.get("replace", "") == "1",
        begun=open_logins_of(request).of(desk_of(request).person),
    )  # fmt: skip


async def begin_login(request: Request) -> Response:
    """Open the address in a session of the pool, and lead to its page; tell all that is wrong."""
    desk = desk_of(request)
    need_services(desk)
    form: Mapping[str, str] = request.state.form
    request.state.named = f"begin {form.get('name', '')[:60]}"
    name, url, hosts = form.get("name", "").strip(), form.get("url", "").strip(), tuple(form.get("hosts", "").split())
    replace = form.get("replace", "") == "1"
    problems = await asyncio.to_thread(_problems_of, desk, name, url, hosts, replace=replace)
    if problems:
        return _form(request, 400, problems)
    typed = await asyncio.to_thread(_secrets_for, desk, (host_of(url) or "", *hosts))
    terms = ManualSessionTerms(browser_form(url), hosts, typed)
    try:
        login = await open_logins_of(request).begin(desk.client.bus, desk.person, name, terms, replaces=replace)
    except ExhibitError as exc:
        return _form(request, 409, (Problem(where="", message=str(exc)),))
    return RedirectResponse(f"{LOGINS}/{login.login_id}", 303)


def _problems_of(desk: Desk, name: str, url: str, hosts: Sequence[str], *, replace: bool) -> list[Problem]:
    problems: list[Problem] = []
    try:
        check_name(name)
    except PermanentError as exc:
        problems.append(Problem(where="name", message=str(exc)))
    if told := address_problem(url):
        problems.append(Problem(where="address", message=told))
    for host in hosts:
        if not is_spec_rule(host) or "*" in host:
            problems.append(Problem(where="hosts", message=f"{host!r} is no host, such as login.example.com"))
    if not problems and not replace and _is_recorded(desk, name):
        problems.append(Problem(where="name", message=TAKEN))
    return problems


def _secrets_for(desk: Desk, hosts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the secrets of this machine that may be typed at these hosts; none where they cannot be
    read: Settings says why."""
    try:
        store = secret_store(desk.settings, bound_only=True)  # on a shared bus a pool refuses the others
        return tuple(name for name in store.names() if not store.refusals((name,), hosts))
    except ExhibitError:
        return ()


async def show_login(request: Request) -> Response:
    """Show the page of the site: its picture, and a form with its controls."""
    need_services(desk_of(request))
    login = login_of(request)
    look = login.look
    controls = controls_of(look.page) if look is not None else ()
    problems = [Problem(where="", message=login.problem)] if login.problem else []
    return page(
        request, "login.html", login=login, look=look, controls=controls, base=f"{LOGINS}/{login.login_id}",
        may_replace=await asyncio.to_thread(_is_recorded, desk_of(request), login.name), problems=problems,
        shots=[(one, _on(one, controls)) for one in look.shots] if look is not None else [],
    )  # fmt: skip


def _on(shot: PageShot, controls: Sequence[LoginControl]) -> list[LoginControl]:
    """Return the fields and buttons that a picture shows."""
    return [one for one in controls if one.kind != "link" and one.box is not None and has_centre(shot.area, one.box)]


async def login_picture(request: Request) -> Response:
    """Send a picture of the page."""
    login = login_of(request)
    shots = login.look.shots if login.look is not None else ()
    shot = next((one for one in shots if one.sha256 == request.path_params["sha256"]), None)
    if shot is None:
        raise HTTPException(404, "There is no such picture.")
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "no-store"}
    return Response(shot.data, media_type="image/png", headers=headers)


async def change_login(request: Request) -> Response:
    """Do what the form says on the page of the site, record the login, or leave it."""
    need_services(desk_of(request))
    login, act = login_of(request), request.path_params["act"]
    request.state.named = f"{act} {login.name}"
    here = RedirectResponse(f"{LOGINS}/{login.login_id}", 303)
    try:
        over = await _apply(request, login, act)
    except ExhibitError as exc:
        login.problem = str(exc)
        if exc.code == "session_lost":  # the page of the login says that it is over
            await open_logins_of(request).end(login)
        return here
    if not over:
        return here
    await open_logins_of(request).end(login)
    return RedirectResponse("/settings#logins-title", 303)


async def _apply(request: Request, login: OpenLogin, act: str) -> bool:
    """Do it; return whether the login is over with that."""
    form: Mapping[str, str] = request.state.form
    if act == "leave":
        return True
    if act == "record":
        replace = form.get("replace", "") == "1"
        return await login.record(lambda: not replace and _is_recorded(desk_of(request), login.name))
    if act == "look":
        await login.act(lambda _: ())
    elif act == "open":
        url = form.get("url", "").strip()
        if told := address_problem(url):
            login.problem = f"the address: {told}"
        else:
            await login.open(url)
    elif act == "do":
        try:
            await login.act(lambda page: actions_in(form, page) if page is not None else (), form.get("page", ""))
        except ValueError as exc:
            raise HTTPException(400, "The form is not one of this page. Load the page again.") from exc
    else:
        raise HTTPException(404, "There is no such act.")
    return False


def _is_recorded(desk: Desk, name: str) -> bool:
    return any(one.name == name for one in read_logins(desk.settings))
