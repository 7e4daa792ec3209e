"""Asks an API under the rules of a session: its hosts, private addresses, rate limits and secrets.

The name is resolved once and that address is connected to, so that what was checked is what is asked.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

import httpx2

from services.browser_pool.adapters.guard.session_guard import SessionGuard
from services.browser_pool.ports import ApiRequest, ApiResponse, FetchRefused
from shared.contracts.browser.responses import ApiHeader, FetchCode
from shared.hosts import Origin, fits_any, parse_origin, private_address
from shared.network.checked_transport import CheckedTransport, TooMuchOutput, tls_context
from shared.network.host_access import AccessDenied, HostAccess
from shared.network.host_policy import document_refusal
from shared.secrets.redaction import redacted_text
from shared.secrets.store import Vault

MAX_RESPONSE_BYTES = 2_000_000
MAX_CONTENT_TYPE = 200
SENT_ANYWAY = {"accept": "application/json", "user-agent": "Exhibit"}
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: httpx2.Headers
    body: bytes


class _Refused(Exception):
    """The request is not sent, or its answer not used."""

    def __init__(self, refusal: FetchRefused) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


async def fetch_response(request: ApiRequest, guard: SessionGuard, vault: Vault) -> ApiResponse | FetchRefused:
    """Return the complete response, or why there is none. A response with a secret in it is none.

    The wait for the turn of the domain is as long as that of a page, and not a part of the time for the response.
    """
    try:
        await _check_address(request.url, guard)
        headers = await _headers(request, guard, vault)
        admission = await guard.pace.admit(request.url)
        if not admission.ok:
            raise _refuse("timeout", admission.reason)
        status: int | None = None
        retry_after: str | None = None
        try:
            answer = await _ask(request, headers, guard)
            status, retry_after = answer.status, answer.headers.get("retry-after")
        finally:
            guard.pace.record_answer(request.url, status, retry_after)
        return _checked(answer, vault)
    except _Refused as refused:
        return refused.refusal


async def _check_address(url: str, guard: SessionGuard) -> None:
    if guard.sealed:
        raise _refuse("policy_denied", "a stored page is shown, and nothing is asked beside it")
    origin = parse_origin(url)
    if isinstance(origin, Origin) and "@" in url.partition("://")[2].partition("/")[0]:
        raise _refuse("policy_denied", "an address with a user name or a password is not asked")
    known = await guard.names.addresses(origin.host) if isinstance(origin, Origin) else ()
    refusal = document_refusal(url, (), guard.bounds) or document_refusal(url, known, guard.bounds)
    if url == "about:blank" or refusal is not None:
        raise _refuse("policy_denied", refusal or "this is no address of an API")


async def _headers(request: ApiRequest, guard: SessionGuard, vault: Vault) -> dict[str, str]:
    """Return the headers with their secrets. They go to an allowed host, over https or to a named private address."""
    if any(one.secret for one in request.headers):
        origin = parse_origin(request.url)
        assert isinstance(origin, Origin)
        addresses = await guard.names.addresses(origin.host)
        inside = private_address(origin.host, addresses) is not None and fits_any(origin, guard.bounds.private)
        if origin.scheme != "https" and not inside:
            raise _refuse("policy_denied", "a secret is sent over https only, unless the host is a named private one")
    return {**SENT_ANYWAY, **{one.name.lower(): await _value(one, vault) for one in request.headers}}


async def _value(header: ApiHeader, vault: Vault) -> str:
    if not header.secret:
        return header.value
    secret = await vault.reveal(header.secret)
    if secret is None:
        named = ", ".join(vault.names) or "none"
        raise _refuse("no_secret", f"the secret {header.secret!r} is not known here, or none of the task's ({named})")
    if not secret.isascii() or not secret.isprintable():
        raise _refuse("no_secret", f"the secret {header.secret!r} has characters that a header cannot hold")
    return header.value + secret


async def _ask(request: ApiRequest, headers: dict[str, str], guard: SessionGuard) -> _Answer:
    access = HostAccess(guard.bounds.allowed, guard.bounds.private)
    transport = CheckedTransport(access, guard.names.addresses, await tls_context(), MAX_RESPONSE_BYTES)
    try:
        async with asyncio.timeout(request.timeout_s), httpx2.AsyncClient(transport=transport, timeout=None) as client:
            sent = client.build_request("GET", request.url, headers=headers)
            response = await client.send(sent, stream=True, follow_redirects=False)
            try:
                body = b"".join([piece async for piece in response.aiter_raw()])
                return _Answer(response.status_code, response.headers, body)
            finally:
                await response.aclose()
    except TooMuchOutput:
        raise _refuse("too_large", f"the response has more than {MAX_RESPONSE_BYTES} bytes") from None
    except (TimeoutError, httpx2.TimeoutException):
        raise _refuse("timeout", f"there was no complete response within {request.timeout_s:g} s") from None
    except AccessDenied as exc:
        raise _refuse("policy_denied", str(exc)) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, LookupError, OSError, ValueError) as exc:
        # No words of the error: it may quote a header.
        raise _refuse("unreachable", f"the API did not answer ({type(exc).__name__})") from None


def _checked(answer: _Answer, vault: Vault) -> ApiResponse:
    """Return the response, if it is what was asked for and shows no secret."""
    if answer.status in (301, 302, 303, 307, 308):
        raise _refuse("redirected", f"it answered {answer.status} with a redirect, and redirects are not followed")
    encoding = answer.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise _refuse("encoded", f"it answered with the content encoding {encoding[:40]!r}, which was not asked for")
    content_type = answer.headers.get("content-type", "")[:MAX_CONTENT_TYPE]
    if _shows_secret(answer.body, vault) or _shows_secret(content_type.encode(), vault):
        raise _refuse("shows_secret", "the response shows a secret of the task, so it is neither stored nor used")
    return ApiResponse(answer.status, content_type, answer.body)


def _shows_secret(body: bytes, vault: Vault) -> bool:
    """Return whether a secret stands in the body, also with the escapes of JSON."""
    text = body.decode("utf-8", errors="replace")
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[2], text) if "\\" in text else text
    return any(redacted_text(one, vault.hidden) != one for one in {text, plain})


def _refuse(code: FetchCode, message: str) -> _Refused:
    return _Refused(FetchRefused(code, message))
