"""The guard of the console in the browser: who is let in, and what a browser may do with any answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from services.console.web.forms import MOST_FIELDS, MOST_FILES, MOST_FORM_BYTES
from services.console.web.guard import CSRF, HEADERS, MOST_SESSIONS, Guard, WebSessions
from services.console.web.routes import routes

HOST = "127.0.0.1:4280"
FORM = "application/x-www-form-urlencoded"


@dataclass
class Answered:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class House:
    """A guard around an app that notes what comes to it."""

    sessions: WebSessions = field(default_factory=WebSessions)
    came: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    files: list[dict[str, tuple[str, bytes]]] = field(default_factory=list[dict[str, tuple[str, bytes]]])

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        self.came.append(dict(request.state.form))
        self.files.append({name: (one.name, one.data) for name, one in request.state.files.items()})
        await PlainTextResponse("inside", headers={"X-Own": "yes"})(scope, receive, send)

    async def ask(self, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> Answered:
        given = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
        path, _, query = path.partition("?")
        scope: Scope = {
            "type": "http", "method": method, "path": path, "query_string": query.encode(), "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        }  # fmt: skip
        sent: list[Message] = []
        whole: Message = {"type": "http.request", "body": body, "more_body": True}
        gone: list[Message] = [{"type": "http.disconnect"}, whole] if headers.get("gone") else []

        async def receive() -> Message:
            if not gone:
                return {"type": "http.request", "body": body, "more_body": False}
            return gone.pop()

        async def send(message: Message) -> None:
            sent.append(message)

        await Guard(self.app, self.sessions, {HOST}, files_at=("/files",))(scope, receive, send)
        heads = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Answered(sent[0]["status"], heads, b"".join(one.get("body", b"") for one in sent[1:]))

    async def enter(self) -> str:
        """Return the cookie of a new session."""
        answered = await self.ask(self.sessions.way_in)
        assert answered.status == 303
        return answered.headers["set-cookie"].split(";")[0]

    def form_key(self, cookie: str) -> str:
        return self.sessions.form_key(cookie.partition("=")[2])


@pytest.fixture
def house() -> House:
    return House()


async def test_the_address_begins_one_session_and_no_second(house: House):
    way_in = house.sessions.way_in
    answered = await house.ask(way_in)
    assert (answered.status, answered.headers["location"]) == (303, "/")
    assert re.fullmatch(r"exhibit_session=[\w-]{43}; Path=/; HttpOnly; SameSite=Strict", answered.headers["set-cookie"])
    again = await house.ask(way_in)
    assert again.status == 401
    assert "set-cookie" not in again.headers
    inside = await house.ask("/", cookie=answered.headers["set-cookie"].split(";")[0])
    assert inside.body == b"inside"


async def test_whoever_started_the_server_is_told_the_way_in_for_the_next_one():
    told: list[str] = []
    house = House(WebSessions(told=told.append))
    await house.enter()
    assert told == [house.sessions.way_in]
    assert (await house.ask(told[0])).status == 303


@pytest.mark.parametrize("cookie", ["", "exhibit_session=", "exhibit_session=guessed", "other=1", "\x00;;=;"])
async def test_without_a_session_nothing_behind_it_is_asked(house: House, cookie: str):
    for path in ("/", "/runs/run_1", "/enter", "/enter?token=guessed", "/sql?q=select+1"):
        assert (await house.ask(path, cookie=cookie)).status == 401
    assert house.came == []


async def test_of_too_many_sessions_the_oldest_ends(house: House):
    first, *others = [await house.enter() for _ in range(MOST_SESSIONS + 1)]
    assert (await house.ask("/", cookie=first)).status == 401
    assert {(await house.ask("/", cookie=one)).status for one in others} == {200}


@pytest.mark.parametrize("host", ["", "evil.example", "127.0.0.1", "127.0.0.1:4281", "localhost.evil.example:4280"])
async def test_a_name_that_somebody_has_pointed_here_is_refused(house: House, host: str):
    cookie = await house.enter()
    assert (await house.ask("/", cookie=cookie, host=host)).status == 421
    assert (await house.ask(house.sessions.way_in, host=host)).status == 421
    assert house.came == []


async def test_a_form_of_the_session_comes_through(house: House):
    cookie = await house.enter()
    body = urlencode({CSRF: house.form_key(cookie), "text": "Größe & <b>"}).encode()
    answered = await house.ask("/x", "POST", body, cookie=cookie, origin=f"http://{HOST}", content_type=FORM)
    assert answered.status == 200
    assert house.came == [{CSRF: house.form_key(cookie), "text": "Größe & <b>"}]


async def test_a_form_of_another_session_or_site_is_refused(house: House):
    cookie, other = await house.enter(), await house.enter()
    own = urlencode({CSRF: house.form_key(cookie)}).encode()
    here = f"http://{HOST}"
    tried = [
        (urlencode({CSRF: house.form_key(other)}).encode(), {"origin": here}),
        (b"", {"origin": here}),
        (own, {}),
        (own, {"origin": "null"}),
        (own, {"origin": "http://127.0.0.1:9999"}),
        (own, {"origin": f"https://{HOST}"}),
        (own, {"origin": here, "sec_fetch_site": "same-site"}),
    ]
    for body, headers in tried:
        assert (await house.ask("/x", "POST", body, cookie=cookie, **headers)).status == 403
    assert house.came == []


async def test_a_form_without_end_is_refused(house: House):
    cookie = await house.enter()
    body = b"x" * (MOST_FORM_BYTES + 1)
    assert (await house.ask("/x", "POST", body, cookie=cookie, origin=f"http://{HOST}")).status == 413


def parts(*given: tuple[str, str, bytes]) -> tuple[bytes, str]:
    """Return a form with files as a browser sends it, and its type; without a file name it is a field."""
    body = b"".join(
        b'--limit\r\ncontent-disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
        % (name.encode(), b'; filename="%s"' % file.encode() if file else b"", data)
        for name, file, data in given
    )
    return body + b"--limit--\r\n", "multipart/form-data; boundary=limit"


async def test_files_are_taken_where_a_page_takes_some_and_with_the_form_key_only(house: House):
    cookie = await house.enter()
    key, sent = house.form_key(cookie).encode(), ("rows", "C:\\lists\\rows.csv", b"number\nA-1\n")
    body, kind = parts((CSRF, "", key), ("rows", "", b""), sent, ("spec", "none.json", b""))
    there = {"cookie": cookie, "origin": f"http://{HOST}", "content_type": kind}
    assert (await house.ask("/files", "POST", body, **there)).status == 200
    assert house.files == [{"rows": ("rows.csv", b"number\nA-1\n")}]
    assert (await house.ask("/x", "POST", body, **there)).status == 403, "there it is no form"
    assert (await house.ask("/files", "POST", parts(sent)[0], **there)).status == 403
    wrong, _ = parts((CSRF, "", b"0" * 64), sent)
    assert (await house.ask("/files", "POST", wrong, **there)).status == 403
    assert len(house.came) == 1


async def test_half_a_form_is_not_used(house: House):
    """A browser that goes away has sent its form key, and not all that belongs to it."""
    cookie = await house.enter()
    key = house.form_key(cookie)
    body, kind = parts((CSRF, "", key.encode()), ("rows", "rows.csv", b"number\nA-1\n"))
    there = {"cookie": cookie, "origin": f"http://{HOST}", "gone": "yes"}
    assert (await house.ask("/files", "POST", body[:-20], content_type=kind, **there)).status == 403
    assert (await house.ask("/x", "POST", f"{CSRF}={key}&reason=as+the".encode(), **there)).status == 403
    assert house.came == []


async def test_a_form_with_files_has_its_limits(house: House):
    cookie = await house.enter()
    key = (CSRF, "", house.form_key(cookie).encode())
    there = {"cookie": cookie, "origin": f"http://{HOST}", "content_type": parts()[1]}
    for given in (
        [key, *[(f"f{number}", "a.csv", b"x") for number in range(MOST_FILES + 1)]],
        [key, *[(f"n{number}", "", b"x") for number in range(MOST_FIELDS + 1)]],
        [key, ("text", "", b"x" * (MOST_FORM_BYTES + 1))],
    ):
        assert (await house.ask("/files", "POST", parts(*given)[0], **there)).status == 413
    assert house.came == []


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE"])
async def test_other_methods_are_refused(house: House, method: str):
    assert (await house.ask("/", method, cookie=await house.enter())).status == 405


@pytest.mark.parametrize("route", [route.path for route in routes()])
async def test_every_answer_has_the_headers(house: House, route: str):
    path = re.sub(r"\{\w+\}", "x", route)
    cookie = await house.enter()
    for answered in (
        await house.ask(path),
        await house.ask(path, cookie=cookie),
        await house.ask(path, host="evil.example"),
        await house.ask(path, "POST", cookie=cookie),
    ):
        policy = answered.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
        for part in ("frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "trusted-types 'none'"):
            assert part in policy
        assert "unsafe" not in policy
        assert {name: answered.headers[name.lower()] for name in HEADERS} == HEADERS
        assert answered.headers["cache-control"] == "no-store"


def test_what_changes_something_is_asked_by_post_alone():
    changing = {route.path for route in routes() if "POST" in (route.methods or ())}
    assert changing == {
        "/new", "/new/{draft}/{act}", "/runs/{run}/control/{control}", "/runs/{run}/review/{act}",
        "/runs/{run}/review/key",
        "/runs/{run}/drift/approve", "/flows/{name}/rollback", "/runs/{run}/answer/{key}", "/several/{control}",
        "/views", "/views/remove", "/new/{draft}/build", "/builds/{build}/do", "/builds/{build}/go-on",
        "/runs/{run}/samples/{sample}/live/steer", "/specs", "/specs/{draft}/use", "/specs/{draft}/try",
        "/specs/{draft}/learn", "/specs/{draft}/list/{act}",
        "/specs/{draft}/{act}", "/runs/{run}/tags", "/new/ask", "/new/ask/{asked}/{act}",
        "/settings/logins", "/settings/logins/{login}/{act}",
    }  # fmt: skip
    assert all((route.methods or set()) <= {"GET", "HEAD", "POST"} for route in routes())
