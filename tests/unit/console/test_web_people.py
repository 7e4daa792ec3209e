"""Who looks at a console behind a proxy: whom it believes, what each role may do, and what the audit log says."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import socket
from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from services.console.web import event_stream as streams
from services.console.web import noted_views, web_app
from services.console.web.desk import Desk
from services.console.web.forms import MOST_FORM_BYTES
from services.console.web.guard import CSRF, Guard, WebSessions
from services.console.web.people.audit_log import MOST_ID_CHARS, MOST_REFUSED, AuditEntry, AuditLog, audit_file
from services.console.web.people.kept_sessions import KEPT_S, KeptSessions
from services.console.web.people.roles import NEEDS, WebPerson, WebRole, may
from services.console.web.people.trusted_proxy import ProxyRefusal, TrustedProxy, proxy_of
from services.console.web.routes import routes
from services.console.web.static_files import static_files
from services.console.web.web_server import serve_console
from shared.client import Client
from shared.errors import PermanentError, Unavailable
from shared.settings import Settings

SECRET, HOSTILE = "s" * 32, "<img src=x>"
PEER, ADDRESS = "10.0.0.5", "https://exhibit.example"
GIVEN: dict[str, Any] = {
    "web_proxies": "10.0.0.5, 10.1.0.0/24",
    "web_address": ADDRESS,
    "web_user_header": "X-Auth-User",
    "web_roles_header": "X-Auth-Groups",
    "web_roles": "team=preparer, leads=reviewer, leads-2=approver, all=viewer",
}


def settings(**changed: Any) -> Settings:
    given: dict[str, Any] = {**GIVEN, **changed}
    return Settings(**given)


def proxy(**changed: Any) -> TrustedProxy:
    found = proxy_of(settings(**changed))
    assert found is not None
    return found


def heads(*pairs: tuple[str, str | bytes]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), one if isinstance(one, bytes) else one.encode()) for name, one in pairs]


ANN = (("x-auth-user", "ann@exhibit.example"), ("x-auth-groups", "team, all, staff"))


@pytest.mark.parametrize("peer", ["10.0.0.5", "10.1.0.77", "::ffff:10.0.0.5"])
def test_a_trusted_proxy_says_who_looks_and_with_which_roles(peer: str):
    person = proxy().person(peer, heads(*ANN))
    assert not isinstance(person, ProxyRefusal)
    assert (person.name, person.roles) == ("ann@exhibit.example", {WebRole.PREPARER, WebRole.VIEWER})


@pytest.mark.parametrize("peer", ["127.0.0.1", "10.0.0.6", "::1", "", "10.0.0.5.evil.example", "unix"])
def test_headers_of_any_other_peer_are_refused(peer: str):
    assert isinstance(proxy().person(peer, heads(*ANN)), ProxyRefusal)


@pytest.mark.parametrize(
    "sent",
    [
        ANN[1:],
        ANN[:1],
        (("x-auth-user", ""), ANN[1]),
        (*ANN, ("x-auth-user", "root")),  # added to what was sent to the proxy, and not put in its place
        (*ANN, ("X-Auth-Groups", "leads")),
        (("x-auth-user", "ann,root"), ANN[1]),
        (("x-auth-user", "ann\u202egpj"), ANN[1]),
        (("x-auth-user", "ann\nroot"), ANN[1]),
        (("x-auth-user", b"\xff\xfe"), ANN[1]),
        (("x-auth-user", "a" * 201), ANN[1]),
        (ANN[0], ("x-auth-groups", "staff, Team, preparer")),
        (("x_auth_user", "ann"), ANN[1]),
    ],
)
def test_who_is_not_clearly_named_or_has_no_role_is_nobody(sent: tuple[tuple[str, str | bytes], ...]):
    assert isinstance(proxy().person(PEER, heads(*sent)), ProxyRefusal)


def test_a_proxy_with_a_secret_is_believed_with_it_alone():
    found = proxy(web_proxies="127.0.0.1", web_proxy_secret=SECRET)
    for sent in ((), (("exhibit-proxy-secret", SECRET[:-1]),), (("exhibit-proxy-secret", SECRET),) * 2):
        assert isinstance(found.person("127.0.0.1", heads(*ANN, *sent)), ProxyRefusal)
    assert not isinstance(found.person("127.0.0.1", heads(*ANN, ("Exhibit-Proxy-Secret", SECRET))), ProxyRefusal)
    assert SECRET not in repr(found)


def test_no_proxy_is_trusted_by_default():
    assert proxy_of(Settings()) is None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"web_address": None}, "EXHIBIT_WEB_ADDRESS"),
        ({"web_roles_header": ""}, "EXHIBIT_WEB_ROLES_HEADER"),
        ({"web_proxies": ""}, "EXHIBIT_WEB_PROXIES"),
        ({"web_proxies": "0.0.0.0/0"}, "everybody"),
        ({"web_proxies": "proxy.example"}, "no address"),
        ({"web_proxies": "127.0.0.1"}, "EXHIBIT_WEB_PROXY_SECRET"),
        ({"web_proxies": "126.0.0.0/7"}, "EXHIBIT_WEB_PROXY_SECRET"),
        ({"web_proxies": "10.0.0.5, ::/1"}, "EXHIBIT_WEB_PROXY_SECRET"),
        ({"web_proxies": "127.0.0.0/8", "web_proxy_secret": "short"}, "characters"),
        ({"web_roles": "team=owner"}, "team=owner"),
        ({"web_roles_header": "x-auth-user"}, "two headers"),
        (dict.fromkeys(GIVEN, "") | {"web_address": None, "web_host": "0.0.0.0"}, "EXHIBIT_WEB_HOST"),
    ],
)
def test_half_a_proxy_or_one_that_believes_too_much_is_none(changed: dict[str, Any], said: str):
    with pytest.raises(PermanentError, match=said):
        proxy_of(settings(**changed))


# --- what comes through the guard


class Behind:
    """A guard that believes a proxy, around an app that notes who has come."""

    def __init__(self, folder: Path) -> None:
        self.came: list[tuple[str, int]] = []
        self.log = AuditLog(folder / "audit.jsonl")
        self.sessions = WebSessions()
        self.guard = Guard(self.app, self.sessions, {"exhibit.example"}, "__Host-exhibit", (), proxy(), self.log)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        self.came.append((request.state.person.name, request.state.session))
        await PlainTextResponse(request.state.form_key)(scope, receive, send)

    async def ask(
        self, user: str, method: str = "GET", body: str = "", peer: str = PEER, path: str = "/", **more: str
    ) -> tuple[int, dict[str, str], str]:
        given = {"host": "exhibit.example", "x-auth-user": user, "x-auth-groups": "team", "origin": ADDRESS, **more}
        scope: Scope = {
            "type": "http", "method": method, "path": path, "query_string": b"", "root_path": "", "client": (peer, 9),
            "headers": heads(*((name.replace("_", "-"), value) for name, value in given.items())),
        }  # fmt: skip
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body.encode(), "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self.guard(scope, receive, send)
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], found, b"".join(one.get("body", b"") for one in sent[1:]).decode()

    def noted(self) -> list[AuditEntry]:
        """Return the lines of the audit log: whoever was refused."""
        return [msgspec.json.decode(line, type=AuditEntry) for line in self.log.path.read_bytes().splitlines()]

    async def begin(self, user: str) -> tuple[str, str]:
        """Return the cookie of a new browser, and the key of its forms."""
        _, headers, key = await self.ask(user)
        cookie = headers["set-cookie"]
        assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict; Secure")
        return cookie.partition(";")[0], key


@pytest.fixture
def behind(tmp_path: Path) -> Behind:
    return Behind(tmp_path)


FORM = {"content_type": "application/x-www-form-urlencoded"}


async def test_a_browser_that_the_proxy_names_has_a_session_of_its_own_and_its_forms_come_through(behind: Behind):
    cookie, key = await behind.begin("ann")
    status, headers, _ = await behind.ask("ann", "POST", f"{CSRF}={key}", cookie=cookie, **FORM)
    assert (status, "set-cookie" in headers) == (200, False)
    assert behind.came[0][0] == "ann"
    assert behind.came[0] == behind.came[1]


async def test_the_form_of_another_person_browser_or_site_is_refused(behind: Behind):
    cookie, key = await behind.begin("ann")
    _, other_key = await behind.begin("ben")
    came = len(behind.came)
    for refused in (
        # A person who has had the browser before, or has set its cookie, cannot have the next one act.
        await behind.ask("ben", "POST", f"{CSRF}={key}", cookie=cookie, **FORM),
        await behind.ask("ann", "POST", f"{CSRF}={other_key}", cookie=cookie, **FORM),
        await behind.ask("ann", "POST", f"{CSRF}={key}", **FORM),
        await behind.ask("ann", "POST", f"{CSRF}={key}", cookie=cookie, **FORM, origin="https://evil.example"),
        await behind.ask("ann", "POST", f"{CSRF}={key}", cookie=cookie, **FORM, origin="http://exhibit.example"),
        await behind.ask("ann", "POST", f"{CSRF}={key}", cookie=cookie, **FORM, sec_fetch_site="cross-site"),
    ):
        assert refused[0] == 403
    assert (await behind.ask("ann", host="10.0.0.9:4280"))[0] == 421
    assert len(behind.came) == came


async def test_nothing_is_asked_for_a_peer_that_is_no_proxy_and_it_is_noted(behind: Behind):
    way_in = behind.sessions.way_in
    for path in ("/", way_in.partition("?")[0], "/static/icon.svg"):
        status, headers, _ = await behind.ask("ann", peer="10.0.0.6", path=path, x_forwarded_for=PEER)
        assert (status, "set-cookie" in headers) == (403, False)
    assert behind.came == []
    noted = behind.noted()
    assert [(one.peer, one.status, one.person) for one in noted] == [("10.0.0.6", 403, "")] * 3
    assert [one.path for one in noted] == ["/", "/enter", "/static/icon.svg"]


async def test_a_refusal_is_noted_with_who_has_asked_for_what(behind: Behind):
    cookie, key = await behind.begin("ann")
    too_much = f"{CSRF}={key}&text={'x' * MOST_FORM_BYTES}"
    await behind.ask("ann", "POST", too_much, path="/runs/run_1/tags", cookie=cookie, **FORM)
    await behind.ask("ann", "POST", f"{CSRF}=other", path="/views", cookie=cookie, **FORM)
    await behind.ask("ann", "BREW", path=f"/{'x' * 5000}")
    noted = [(one.person, one.roles, one.method, one.path, one.session, one.status) for one in behind.noted()]
    assert noted[:2] == [
        ("ann", ("preparer",), "POST", "/runs/run_1/tags", 1, 413),
        ("ann", ("preparer",), "POST", "/views", 1, 403),
    ]
    assert noted[2][2:] == ("BREW", f"/{'x' * (MOST_ID_CHARS - 1)}", 0, 405)


def test_refusals_fill_no_disk(tmp_path: Path):
    log = AuditLog(tmp_path / "audit.jsonl")
    for _ in range(MOST_REFUSED + 5):
        log.refuse(AuditEntry(at=datetime(2026, 1, 1, tzinfo=UTC), peer="10.0.0.6", status=403, why="no"))
    assert len(log.path.read_bytes().splitlines()) == MOST_REFUSED


def test_sessions_are_kept_for_the_next_server_at_the_address_by_hashes_alone(tmp_path: Path):
    now = [1_000_000.0]
    kept = KeptSessions(tmp_path / "console" / "sessions_4280.json", lambda: now[0])
    before = WebSessions(kept)
    secret = before.begin(before.way_in.partition("token=")[2])
    assert secret is not None
    after = WebSessions(kept)
    assert after.number_of(secret) == before.number_of(secret) == 1
    assert after.is_form_key(secret, before.form_key(secret))
    assert after.way_in != before.way_in
    assert after.number_for(secret, "ann") == 2
    assert WebSessions(kept).number_for(secret, "ann") == 2, "a browser keeps its number, and no other one gets it"
    assert WebSessions(kept).number_for(secret, "bob") == 3
    assert secret.encode() not in kept.path.read_bytes()
    assert kept.path.stat().st_mode & 0o077 == 0
    now[0] += KEPT_S
    assert WebSessions(kept).number_of(secret) == 0
    now[0] -= KEPT_S
    kept.path.chmod(0o644)  # whoever could read it could have written it
    assert WebSessions(kept).number_of(secret) == 0


def test_what_cannot_be_noted_is_an_error(tmp_path: Path):
    (tmp_path / "audit.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable, match="audit log"):
        AuditLog(tmp_path / "audit.jsonl").add(AuditEntry(at=datetime(2026, 1, 1, tzinfo=UTC), status=200))
    assert not (tmp_path / "elsewhere").exists()


# --- roles


def test_each_act_needs_a_role_that_no_viewer_has():
    acts = {route.name for route in routes() if "POST" in (route.methods or ())}
    assert acts <= NEEDS.keys()
    assert NEEDS.keys() <= {route.name for route in routes()}
    viewer, reviewer, preparer = (frozenset({one}) for one in (WebRole.VIEWER, WebRole.REVIEWER, WebRole.PREPARER))
    assert not any(may(viewer, name) for name in NEEDS)
    reviews = {"review_act", "make_key"}
    assert {name for name in acts if may(reviewer, name)} == {*reviews, "save_view", "remove_view", "tag_run"}
    assert acts - {name for name in acts if may(preparer, name)} == reviews


def test_whoever_is_no_preparer_is_asked_for_with_the_rights_of_a_reviewer(tmp_path: Path):
    operator, reviewer = (cast(Client, NoBus()) for _ in range(2))
    found = Desk(operator, settings(state_dir=tmp_path), "server", {}, None, reader=reviewer, behind_proxy=True)
    clients = {role: found.seen_by(WebPerson("ann", frozenset({role}))).client for role in WebRole}
    assert clients == dict.fromkeys(WebRole, reviewer) | {WebRole.PREPARER: operator}
    both = found.seen_by(WebPerson("ann", frozenset({WebRole.PREPARER, WebRole.REVIEWER})))
    assert (both.client, both.person) == (operator, "ann")


@pytest.mark.parametrize(("behind_proxy", "heard"), [(True, 1), (False, 3)])
async def test_a_stream_behind_a_proxy_ends_so_that_its_reader_is_let_in_anew(
    monkeypatch: pytest.MonkeyPatch, behind_proxy: bool, heard: int
):
    async def events() -> AsyncGenerator[str]:
        for number in range(3):
            yield str(number)

    monkeypatch.setattr(streams, "STREAM_S", 0.0)
    answer = streams.event_stream(events(), behind_proxy=behind_proxy)
    told = [one async for one in answer.body_iterator]
    assert told == ["retry: 1000\n\n", "0", "1", "2"][: heard + 1]
    assert (answer.media_type, answer.headers["cache-control"]) == ("text/event-stream; charset=utf-8", "no-store")


class NoBus:
    """A client of which nothing is asked."""

    connected = True


async def test_the_bus_that_a_page_waits_for_is_that_by_which_its_person_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(noted_views, "BUS_BACK_S", 0.0)
    operator, reviewer = (cast(Client, NoBus()) for _ in range(2))
    desk = Desk(
        operator, settings(state_dir=tmp_path), "server", static_files(), None, reader=reviewer, behind_proxy=True,
        connected=lambda one: one is operator,
    )  # fmt: skip
    behind = Behind(tmp_path)
    behind.guard = replace(behind.guard, app=web_app.make_app(desk))
    told = {role: await behind.ask("ann", path="/values", **{"x-auth-groups": role}) for role in ("team", "all")}
    assert {role: status for role, (status, _, _) in told.items()} == {"team": 200, "all": 503}
    assert "the bus is away" in told["all"][2]


async def test_the_peer_is_who_is_connected_and_each_page_is_noted_with_who_has_asked(tmp_path: Path):
    """As it is served. No page that is asked for needs a bus."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    encodings: list[str] = []

    def ask(path: str, **more: str) -> tuple[int, str]:
        sent = {"host": "exhibit.example", "x-auth-user": "ann", "exhibit-proxy-secret": SECRET, **more}
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in sent.items()})
            answer = connection.getresponse()
            data = answer.read()
            encodings.append(answer.headers.get("content-encoding", ""))
            return answer.status, (gzip.decompress(data) if encodings[-1] else data).decode()

    near = settings(web_proxies="127.0.0.1", web_proxy_secret=SECRET, state_dir=tmp_path)
    far = settings(state_dir=tmp_path)
    async with serve_console(cast(Client, NoBus()), far, port):
        status, _ = await asyncio.to_thread(ask, "/settings", x_auth_groups="team", x_forwarded_for=PEER)
        assert status == 403
    async with serve_console(cast(Client, NoBus()), near, port) as address:
        assert address == f"{ADDRESS}/"
        refused, told = await asyncio.to_thread(ask, "/settings", x_auth_groups="all")
        files = [
            await asyncio.to_thread(ask, "/static/grid.js", x_auth_groups="all", accept_encoding=one)
            for one in ("gzip, br", "identity")
        ]
        shown, whole = await asyncio.to_thread(ask, "/settings", x_auth_groups="team, all", x_auth_user=HOSTILE)
    assert (refused, shown) == (403, 200)
    assert files[0] == files[1]
    assert encodings == ["", "", "gzip", "", ""]
    assert "This is for preparers. You are viewer." in told
    assert 'href="/new"' not in told
    assert HOSTILE not in whole
    assert "&lt;img src=x&gt;" in whole
    lines = audit_file(near).read_bytes().splitlines()
    noted = [msgspec.json.decode(line, type=AuditEntry) for line in lines]
    assert [(one.person, one.roles, one.page, one.status) for one in noted] == [
        ("", (), "", 403),
        ("ann", ("viewer",), "settings", 403),
        (HOSTILE, ("preparer", "viewer"), "settings", 200),
    ]
    assert audit_file(near).stat().st_mode & 0o077 == 0
