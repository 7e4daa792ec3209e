"""Who may ask the console in the browser, and what a browser may do with its answers.

It is the outermost part: nothing of an app behind it is asked before host, session and form are right, and every
answer, also one of an error, has the headers. A session begins with an address that opens once.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.console.web.forms import FormTooLarge, SentForm, read_form
from services.console.web.people.audit_log import MOST_ID_CHARS, AuditEntry, AuditLog
from services.console.web.people.kept_sessions import KeptSessions
from services.console.web.people.roles import WebPerson
from services.console.web.people.trusted_proxy import ProxyRefusal, TrustedProxy

audit = logging.getLogger("services.console.web.audit")
ENTER, STATIC = "/enter", "/static/"
CSRF = "form_key"
MOST_METHOD_CHARS = 20
MOST_SESSIONS, MOST_BROWSERS = 64, 4096
"""Open at a time, and known of those that come through a proxy; the oldest ends with the next."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "{frames}base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer, a browser names no origin for a form
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def policy(frames: str = "") -> str:
    """Return the content security policy of a page. ``frames``: the origin of stored pages, where it shows one."""
    return POLICY.format(frames=f"frame-src {frames}; " if frames else "")


@dataclass
class WebSessions:
    """The addresses that open once, and the sessions that began with one.

    ``told``: is called with each new way in after the first, so that whoever started the server can hand it on.
    ``kept``: the sessions of the server before this one at its address, so that a page goes on once it is there again.
    """

    kept: KeptSessions | None = None
    told: Callable[[str], None] = lambda _: None
    _token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _known: dict[str, int] = field(default_factory=dict[str, int])
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _begun: int = 0

    def __post_init__(self) -> None:
        if self.kept is not None and (found := self.kept.read()) is not None:
            self._key, self._known, self._begun = found.key, dict(found.sessions), found.begun
        else:
            self._keep()

    def _keep(self) -> None:
        if self.kept is not None:
            self.kept.write(self._key, self._known, self._begun)

    @property
    def way_in(self) -> str:
        """The path that begins one session."""
        return f"{ENTER}?{urlencode({'token': self._token})}"

    def begin(self, token: str) -> str | None:
        """Return the secret of a new session; None for a token that is none, or none any more."""
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        self._token = secrets.token_urlsafe(32)
        secret = secrets.token_urlsafe(32)
        self._begun += 1
        while len(self._known) >= MOST_SESSIONS:
            del self._known[next(iter(self._known))]
        self._known[_digest(secret)] = self._begun
        self._keep()
        self.told(self.way_in)
        return secret

    def number_of(self, secret: str) -> int:
        """Return the number of the session, from 1; 0: there is none."""
        return self._known.get(_digest(secret), 0)

    def number_for(self, secret: str, person: str) -> int:
        """Return the number of a browser of a person whom the proxy has named. It is another one for each person."""
        known = _digest(f"{secret} {person}")
        if known not in self._known:
            while len(self._known) >= MOST_BROWSERS:
                del self._known[next(iter(self._known))]
            self._begun += 1
            self._known[known] = self._begun
            self._keep()
        return self._known[known]

    def form_key(self, secret: str) -> str:
        """Return what each form of the session sends along."""
        return hmac.new(self._key, secret.encode(), hashlib.sha256).hexdigest()

    def is_form_key(self, secret: str, given: str) -> bool:
        return hmac.compare_digest(self.form_key(secret).encode(), given.encode())


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True)
class Guard:
    """An ASGI app around another one.

    ``hosts``: values of the header Host that are this server; another one is a name that somebody else has pointed
    here. ``files_at``: paths whose forms may bring files. ``proxy``: says who looks, so that no address begins a
    session; nobody else is answered then. The app behind finds ``session``, ``form_key``, ``form``, ``files``, and with
    a proxy ``person``, in ``scope["state"]``.
    """

    app: ASGIApp
    sessions: WebSessions
    hosts: Collection[str]
    cookie: str = "exhibit_session"
    files_at: Collection[str] = ()
    proxy: TrustedProxy | None = None
    audit_log: AuditLog | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        answer = _with_headers(send)
        person: WebPerson | None = None
        if self.proxy is not None:
            told = self.proxy.person(_peer(scope), scope["headers"])
            if isinstance(told, ProxyRefusal):
                await self._turn_away(scope, answer, told.status, told.message)
                return
            person = told
        refused = self._refuse(scope, headers)
        if refused is not None:
            await self._turn_away(scope, answer, *refused, person)
            return
        if scope["path"] == ENTER and person is None:
            await self._enter(scope, answer)
            return
        secret = _cookie(headers.get("cookie", ""), self.cookie)
        if person is not None:
            secret, answer = self._session_of(scope, secret, answer)
        number = self.sessions.number_of(secret) if person is None else self.sessions.number_for(secret, person.name)
        if not number and not scope["path"].startswith(STATIC):
            await self._turn_away(scope, answer, 401, NO_SESSION, person)
            return
        bound = secret if person is None else f"{secret} {person.name}"
        form = SentForm()
        if scope["method"] == "POST":
            kind = headers.get("content-type", "")
            try:
                form = await read_form(kind, receive, takes_files=scope["path"] in self.files_at)
            except FormTooLarge:
                await self._turn_away(scope, answer, 413, TOO_LARGE, person, number)
                return
            if not self.sessions.is_form_key(bound, form.fields.get(CSRF, "")):
                message = "The form is not of this session. Go back, load the page again, and repeat it."
                await self._turn_away(scope, answer, 403, message, person, number)
                return
        scope.setdefault("state", {}).update(
            session=number,
            form_key=self.sessions.form_key(bound),
            form=form.fields,
            files=form.files,
            method=scope["method"],
            person=person,
        )
        await self.app(scope, receive, answer)

    def _refuse(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        if headers.get("host", "") not in self.hosts:
            return 421, "This server answers under its own address only. Open the address that it has printed."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "This method is not allowed."
        own = f"http://{headers['host']}" if self.proxy is None else self.proxy.address
        if scope["method"] == "POST" and headers.get("origin", "") != own:
            return 403, "The form was sent from another site."
        if scope["method"] == "POST" and headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403, "The form was sent from another site."
        return None

    async def _turn_away(
        self, scope: Scope, send: Send, status: int, message: str, person: WebPerson | None = None, session: int = 0
    ) -> None:
        """Refuse, and note it. ``person``: whom the proxy has named; ``session``: its number, as far as it is known."""
        if self.audit_log is not None:
            entry = AuditEntry(
                at=datetime.now(UTC),
                person="" if person is None else person.name,
                roles=() if person is None else tuple(sorted(person.roles)),
                session=session,
                peer=_peer(scope),
                method=scope["method"][:MOST_METHOD_CHARS],
                status=status,
                why=message,
                path=scope["path"][:MOST_ID_CHARS],
            )
            self.audit_log.refuse(entry)
        await _say(send, status, message)

    def _session_of(self, scope: Scope, secret: str, send: Send) -> tuple[str, Send]:
        """Return the secret of a browser that comes through the proxy, and how it is answered. One that has none is
        given one; a form of it is refused, for its key is not of it."""
        if _SECRET.fullmatch(secret):
            return secret, send
        made = secrets.token_urlsafe(32)
        safe = "; Secure" if self.proxy is not None and self.proxy.is_https else ""
        cookie = f"{self.cookie}={made}; Path=/; HttpOnly; SameSite=Strict{safe}"

        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"set-cookie", cookie.encode())]
            await send(message)

        return made, send if scope["path"].startswith(STATIC) else send_with

    async def _enter(self, scope: Scope, send: Send) -> None:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        secret = self.sessions.begin(given)
        if secret is None:
            audit.warning("refused: a way in that is none, or was used")
            await self._turn_away(scope, send, 401, NO_SESSION)
            return
        audit.info("session %d begins", self.sessions.number_of(secret))
        cookie = f"{self.cookie}={secret}; Path=/; HttpOnly; SameSite=Strict"
        await _say(send, 303, "", {"Location": "/", "Set-Cookie": cookie})


_SECRET = re.compile(r"[\w-]{43}", re.ASCII)


def _peer(scope: Scope) -> str:
    """Return the address of the connection itself, which no header can change."""
    client = scope.get("client")
    return client[0] if client else ""


NO_SESSION = (
    "There is no session here. The address that `exhibit web` or `exhibit up` prints begins one, and does so once. "
    "For another browser, use the address that was printed after it was used."
)

TOO_LARGE = (
    "What was sent is too large, or is no form. A file may have 100 MB, and what is written or pasted 200 kB: send a "
    "longer list as a file. Go back, and repeat it."
)


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _with_headers(send: Send) -> Send:
    """Return a ``send`` that adds what every answer has; a policy that the app has set stays."""

    async def send_with(message: Message) -> None:
        if message["type"] == "http.response.start":
            had = {name.lower() for name, _ in message["headers"]}
            added = {"Content-Security-Policy": policy(), "Cache-Control": "no-store", **HEADERS}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.lower().encode(), value.encode())
                    for name, value in added.items()
                    if name.lower().encode() not in had
                ),
            ]
        await send(message)

    return send_with


async def _say(send: Send, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
    given = {"Content-Type": "text/plain; charset=utf-8", **(headers or {})}
    pairs = [(name.lower().encode(), value.encode()) for name, value in given.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": text.encode()})
