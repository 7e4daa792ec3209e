"""HTTP servers as tools: every address is checked, and asked at the address that was checked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urljoin

import httpx2
import msgspec

from services.workflows.ports import HostCallError, ToolContext, ToolFacts
from services.workflows.tools.declared.call_forms import CallForm, call_forms, found_form, http_request_of, tool_facts
from services.workflows.tools.declared.declarations import HttpDeclaration, HttpRequest
from services.workflows.tools.declared.templates import parse_template, placeholders, render, render_json, text_of
from services.workflows.tools.outputs import beginning, output_value
from services.workflows.tools.tool_secrets import SecretsInUse, secrets_in_use
from shared.contracts.workflows.invocations import JsonValue
from shared.hosts import parse_origin
from shared.network.checked_transport import CheckedTransport, TooMuchOutput, tls_context
from shared.network.host_access import AccessDenied, Resolve, host_access
from shared.secrets.store import SecretStore


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    url: str
    encoding: str


class HttpTool:
    """See :class:`services.workflows.ports.Tool`."""

    def __init__(self, declaration: HttpDeclaration, store: SecretStore, resolve: Resolve) -> None:
        self._declaration, self._store, self._resolve = declaration, store, resolve
        self._forms = call_forms(declaration)
        self._access = host_access(declaration.hosts, declaration.private_hosts, declaration.base_url)

    @property
    def facts(self) -> ToolFacts:
        return tool_facts(self._declaration.name, "http", self._declaration.description, self._forms)

    async def call(self, recipe: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        form = found_form(self._declaration.name, self._forms, recipe)
        values = form.bind(arguments)
        request = http_request_of(self._declaration, self._declaration.recipes.get(recipe))
        parts = (request.query, request.headers, request.body)
        names = [one.name for part in parts for one in placeholders(part) if one.secret]
        secrets = await secrets_in_use(self._store, names, form.title)
        limits = self._declaration.limits
        try:
            outgoing = outgoing_request(self._declaration.base_url, request, values, secrets)
            async with asyncio.timeout(limits.timeout_s):
                answer = await self._ask(outgoing)
        except ValueError as exc:
            raise HostCallError("ValueError", _told(form, secrets, exc)) from exc
        except AccessDenied as exc:
            raise HostCallError("PermissionError", _told(form, secrets, exc)) from exc
        except (TimeoutError, httpx2.TimeoutException) as exc:
            message = f"{form.title}(): took longer than {limits.timeout_s:g} s"
            raise HostCallError("TimeoutError", message) from exc
        except TooMuchOutput as exc:
            raise HostCallError("RuntimeError", f"{form.title}(): {exc}") from exc
        except (httpx2.HTTPError, LookupError, OSError) as exc:
            raise HostCallError("ConnectionError", _told(form, secrets, exc)) from exc
        return self._value(form.title, answer, secrets)

    async def release(self, context: ToolContext) -> None:
        """Nothing is held between calls."""

    async def close(self) -> None:
        """Nothing is held between calls."""

    async def _ask(self, request: Outgoing) -> HttpAnswer:
        for _ in range(self._declaration.max_redirects + 1):
            answer = await self._send(request)
            target = answer.headers.get("location")
            if answer.status not in (301, 302, 303, 307, 308) or target is None:
                return answer
            request = redirected(request, answer.status, urljoin(request.url, target))
        raise httpx2.TooManyRedirects(f"more than {self._declaration.max_redirects} redirects")

    async def _send(self, request: Outgoing) -> HttpAnswer:
        """One client a request: no cookies and no connection of another host are used again."""
        self._access.check(request.url)  # as it is written; the transport checks it as it is asked
        limits = self._declaration.limits
        transport = CheckedTransport(self._access, self._resolve, await tls_context(), limits.output_bytes)
        async with httpx2.AsyncClient(transport=transport, timeout=limits.timeout_s) as client:
            asked = client.build_request(request.method, request.url, headers=request.headers, content=request.body)
            response = await client.send(asked, stream=True)
            try:
                return HttpAnswer(
                    response.status_code,
                    response.reason_phrase,
                    {name.lower(): value for name, value in response.headers.items()},
                    await _body(response, limits.output_bytes),
                    request.url,
                    response.encoding or "utf-8",
                )
            finally:
                await response.aclose()

    def _value(self, title: str, answer: HttpAnswer, secrets: SecretsInUse) -> JsonValue:
        kind = self._declaration.output
        if kind == "response":
            return secrets.masked(
                {
                    "status": answer.status,
                    "headers": dict(answer.headers),
                    "body": output_value(answer.body, "text", secrets, title, encoding=answer.encoding),
                    "url": answer.url,
                }
            )
        if not 200 <= answer.status < 300:
            shown = beginning(answer.body, secrets)
            message = f"{title}(): {answer.url} answered {answer.status} {answer.reason}{f': {shown}' if shown else ''}"
            raise HostCallError("RuntimeError", secrets.masked_text(message))
        if kind == "json" and not answer.body:
            return None
        return output_value(answer.body, kind, secrets, title, encoding=answer.encoding)


def _told(form: CallForm, secrets: SecretsInUse, exc: Exception) -> str:
    return secrets.masked_text(f"{form.title}(): {exc or type(exc).__name__}")


async def _body(response: httpx2.Response, limit: int) -> bytes:
    announced = response.headers.get("content-length", "")
    data = bytearray()
    if not announced.isdecimal() or int(announced) <= limit:
        async for piece in response.aiter_bytes():
            data += piece
            if len(data) > limit:
                break
        else:
            return bytes(data)
    raise TooMuchOutput(f"the answer has more than {limit} bytes")


# --- requests, as declarations and arguments make them

_UNFIT_IN_HEADER = re.compile(r"[^\x20-\x7e]")
_DOTS = re.compile(r"(^|[/\\])\.{1,2}($|[/\\])")


@dataclass(frozen=True)
class Outgoing:
    """A request as it is sent. ``secret_headers``: names of headers that hold secrets."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    secret_headers: frozenset[str]
    secret_body: bool


def outgoing_request(
    base_url: str, request: HttpRequest, values: Mapping[str, JsonValue], secrets: SecretsInUse
) -> Outgoing:
    """Return the request. Raises ValueError for a value that does not fit where it is put."""
    headers, secret_headers = _headers(request.headers, values, secrets)
    body: bytes | None = None
    if request.body is not None:
        body = msgspec.json.encode(render_json(request.body, values, secrets.values))
        headers = {"Content-Type": "application/json", **headers}
    return Outgoing(
        method=request.method,
        url=_address(base_url, request, values, secrets),
        headers=headers,
        body=body,
        secret_headers=secret_headers,
        secret_body=any(one.secret for one in placeholders(request.body)),
    )


def _headers(
    templates: Mapping[str, str], values: Mapping[str, JsonValue], secrets: SecretsInUse
) -> tuple[dict[str, str], frozenset[str]]:
    headers: dict[str, str] = {}
    for name, template in templates.items():
        text = render(template, values, secrets.values)
        if text is None:
            continue
        if _UNFIT_IN_HEADER.search(text):
            raise ValueError(f"the value of the header {name} has characters that headers cannot have")
        headers[name] = text
    return headers, frozenset(
        name for name, template in templates.items() if any(one.secret for one in placeholders(template))
    )


def _address(base_url: str, request: HttpRequest, values: Mapping[str, JsonValue], secrets: SecretsInUse) -> str:
    if base_url:
        address = base_url.rstrip("/") + _path(request.path or "", values)
    else:
        address = render(request.path or "", values) or ""
    query = [
        (name, text) for name, template in request.query.items() for text in _query_texts(template, values, secrets)
    ]
    if not query:
        return address
    written = "&".join(f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in query)
    before = address.partition("#")[0]
    return f"{before}{'&' if '?' in before else '?'}{written}"


def _path(template: str, values: Mapping[str, JsonValue]) -> str:
    """Fill a path; a value stays within its place: ``/`` and ``?`` in it are escaped, ``..`` is refused."""
    written = ""
    for part in parse_template(template):
        if isinstance(part, str):
            written += quote(part, safe="/:@!$&'()*+,;=~?%-._")
        elif part.shown is not None:
            written += part.shown if values.get(part.name) else ""
        else:
            value = values.get(part.name)
            if value is None:
                raise ValueError(f"argument {part.name!r} is part of the path and has no value")
            text = text_of(value)
            if not text or _DOTS.search(text):
                raise ValueError(f"argument {part.name!r} cannot be part of a path: {text!r}")
            written += quote(text, safe="")
    return written


def _query_texts(template: str, values: Mapping[str, JsonValue], secrets: SecretsInUse) -> list[str]:
    """A list is repeated; an argument without a value is left out."""
    value: Any = render_json(template, values, secrets.values)
    if value is None:
        return []
    return [text_of(one) for one in cast("list[Any]", value)] if isinstance(value, list) else [text_of(value)]


def redirected(request: Outgoing, status: int, url: str) -> Outgoing:
    """Return the request after a redirect. To another origin no header with a secret is sent.

    Raises AccessDenied where the body would take a secret to another origin.
    """
    elsewhere = parse_origin(url) != parse_origin(request.url)
    keeps = status in (307, 308) or request.method in ("GET", "HEAD")
    headers = {
        name: value
        for name, value in request.headers.items()
        if not (elsewhere and name in request.secret_headers) and (keeps or name.lower() != "content-type")
    }
    if keeps and elsewhere and request.secret_body:
        raise AccessDenied(f"the redirect to {url} would take a secret to another host")
    return Outgoing(
        method=request.method if keeps else "GET",
        url=url,
        headers=headers,
        body=request.body if keeps else None,
        secret_headers=request.secret_headers,
        secret_body=request.secret_body,
    )
