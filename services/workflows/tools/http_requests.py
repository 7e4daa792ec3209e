"""HTTP requests as declarations and arguments make them, and what remains of one after a redirect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

import msgspec

from services.workflows.tools.declared.declarations import HttpRequest
from services.workflows.tools.declared.templates import parse_template, placeholders, render, render_json, text_of
from services.workflows.tools.tool_secrets import SecretsInUse
from shared.contracts.workflows.invocations import JsonValue
from shared.hosts import parse_origin
from shared.network.host_access import AccessDenied

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
