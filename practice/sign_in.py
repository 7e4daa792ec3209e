"""Sign-in to a practice site: one account; sessions last until the server stops."""

from __future__ import annotations

import secrets
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

USER = "auditor@example.com"
PASSWORD = "practice-password"  # noqa: S105  the practice sites' one account; it opens nothing else


class Sessions:
    """The signed-in users, by the cookie ``name``."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: set[str] = set()

    def holds(self, request: Request) -> bool:
        return request.cookies.get(self._name) in self._open

    def sign_in(self, user: str, password: str, to: str) -> Response | None:
        """Open a session and redirect to ``to``; return None when user or password is wrong."""
        if (user.strip().casefold(), password) != (USER, PASSWORD):
            return None
        token = secrets.token_hex(16)
        self._open.add(token)
        answer = RedirectResponse(own_path(to), 303)
        answer.set_cookie(self._name, token, httponly=True, samesite="lax")
        return answer

    def sign_out(self, request: Request, to: str) -> Response:
        self._open.discard(request.cookies.get(self._name, ""))
        answer = RedirectResponse(to, 303)
        answer.delete_cookie(self._name)
        return answer


def own_path(path: str) -> str:
    """Return ``path`` if it belongs to this site, else the site's first page: prevents open redirects."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a posted form, the last of each name."""
    body = (await request.body()).decode("utf-8", "replace")
    return {name: values[-1] for name, values in parse_qs(body, keep_blank_values=True).items()}
