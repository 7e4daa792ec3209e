"""The key ``integration`` of a task spec: an API that is asked for a record before a browser is used.

Only a row fills the path and the query of its address. The host is written in the spec, so that no row decides where a
secret is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast
from urllib.parse import quote

from pydantic import Field

from shared.hosts import browser_form, fits_any, host_of, parse_origin, private_address
from shared.task.output_field import Strict
from shared.text.normal import bare_key

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BASE = re.compile(r"^(https?://[^/?#]*)(.*)$", re.DOTALL)
_HEADER_NAME = re.compile(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_HEADER_TEXT = re.compile(r"^[\x20-\x7e]*\Z")
_POINTER = re.compile(r"^(/([^~/]|~[01])*)*\Z")
OWN_HEADERS = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te", "trailer", "upgrade"}
)
"""Headers that the connection itself sets."""
SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Headers whose value is always a secret."""
Place = tuple[str | int, ...]


class SecretHeader(Strict):
    """A header whose value is a secret. Only browser pools know it."""

    secret: str = Field(description="The name of the secret; it must be in `secrets` too.")
    prefix: str = Field(default="", description='What stands before it in the header, such as "Bearer ".')


class IntegrationSpec(Strict):
    """An API that is asked before the browser. It gives a JSON text."""

    url: str = Field(
        description="Its address; {column} in its path and query is filled from the row, URL-encoded. It is asked with "
        "GET, and redirects are not followed. Its host must be one of allowed_hosts."
    )
    headers: dict[str, str | SecretHeader] = Field(
        default={}, description='Headers to send: a text, or {"secret": "NAME", "prefix": "Bearer "}.'
    )
    fields: dict[str, str] = Field(
        description="Output fields that the response holds, each with its JSON pointer (RFC 6901): "
        '{"state": "/data/0/state"}. The fields of `identity` must be among them.'
    )
    timeout_s: Annotated[float, Field(gt=0, le=60)] = Field(
        default=20.0, description="Most time for the whole response; then the browser does the work."
    )


@dataclass(frozen=True)
class SpecAround:
    """The parts of a spec that its integration must agree with."""

    fields: Sequence[str]
    identity: Sequence[str]
    secrets: Sequence[str]
    allowed_hosts: Sequence[str]
    start_url: str
    phase: str


def as_around(spec: Mapping[str, Any]) -> SpecAround:
    """Return these parts of a spec as it is written, which may be wrong elsewhere."""
    start = spec.get("start_url", "{url}")
    return SpecAround(
        fields=_names(spec.get("output_schema")),
        identity=_names(spec.get("identity")),
        secrets=_names(spec.get("secrets")),
        allowed_hosts=_names(spec.get("allowed_hosts")),
        start_url=start if isinstance(start, str) else "",
        phase=str(spec.get("phase", "execution")),
    )


def _names(written: object) -> tuple[str, ...]:
    if not isinstance(written, Mapping | list | tuple):
        return ()
    return tuple(one for one in cast("Iterable[object]", written) if isinstance(one, str))


def integration_problems(written: object, around: SpecAround) -> Iterator[tuple[Place, str]]:
    """Yield everything that is wrong with a written integration, each with its place below the key. What has another
    type than it must have is left to the model."""
    if not isinstance(written, Mapping):
        return
    parts = cast("Mapping[str, object]", written)
    url, headers, fields = parts.get("url"), parts.get("headers"), parts.get("fields")
    if around.phase == "discovery":
        yield (), "a discovery task lists records, and an integration gives the fields of one"
    secret_headers = _secret_names(headers) if isinstance(headers, Mapping) else ()  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(url, str):
        for message in _url_problems(url, around, sends_secret=bool(secret_headers)):
            yield ("url",), message
    if isinstance(headers, Mapping):
        yield from _header_problems(cast("Mapping[str, object]", headers), around)
    if isinstance(fields, Mapping):
        yield from _field_problems(cast("Mapping[str, object]", fields), around)


def _url_problems(url: str, around: SpecAround, *, sends_secret: bool) -> Iterator[str]:
    base = _BASE.match(url)
    if base is None:
        yield "an address begins with http:// or https:// and its host; a row must not decide which host is asked"
        return
    if _PLACEHOLDER.search(base[1]) or "{" in base[1]:
        yield "the host must be written out: only path and query are filled, so that no row decides which host is asked"
        return
    if "@" in base[1]:
        yield "an address with a user name or a password is not asked; send a header with a secret"
        return
    if "#" in url:
        yield "a fragment (#) is never sent"
    origin = parse_origin(browser_form(base[1] + "/"))
    if isinstance(origin, str):
        yield origin
        return
    rules = tuple(around.allowed_hosts) or _start_host(around.start_url)
    if not fits_any(origin, rules):
        yield f'{origin.netloc} is none of the hosts of this task; add it: "allowed_hosts": ["{origin.netloc}"]'
    if sends_secret and origin.scheme == "http" and private_address(origin.host, ()) is None:
        yield "a secret is sent over https only, unless the host is a private address that is written here"


def _start_host(start_url: str) -> tuple[str, ...]:
    base = _BASE.match(start_url)
    return (host_of(base[1]),) if base is not None and "{" not in base[1] else ()


def _secret_names(headers: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(
        cast("Mapping[str, object]", one).get("secret") for one in headers.values() if isinstance(one, Mapping)
    )


def _header_problems(headers: Mapping[str, object], around: SpecAround) -> Iterator[tuple[Place, str]]:
    lowered = [name.lower() for name in headers]
    for name, value in headers.items():
        place: Place = ("headers", name)
        if not _HEADER_NAME.match(name):
            yield place, "this is no name of a header"
        elif name.lower() in OWN_HEADERS:
            yield place, "the connection sets this header itself"
        if lowered.count(name.lower()) > 1:
            yield place, "another header has this name but for capitals"
        text = cast("Mapping[str, object]", value).get("prefix", "") if isinstance(value, Mapping) else value
        if isinstance(text, str) and not _HEADER_TEXT.match(text):
            yield place, "a header holds printable ASCII only, on one line"
        if isinstance(value, str) and name.lower() in SECRET_HEADERS:
            yield place, 'its value is a secret, which no spec holds: write {"secret": "NAME"}'
        secret = cast("Mapping[str, object]", value).get("secret") if isinstance(value, Mapping) else None
        if isinstance(secret, str) and secret not in around.secrets:
            yield place, f"{secret!r} is not in secrets"


def _field_problems(fields: Mapping[str, object], around: SpecAround) -> Iterator[tuple[Place, str]]:
    if not fields:
        yield ("fields",), "name at least one field with its JSON pointer"
    for name, pointer in fields.items():
        if name not in around.fields:
            yield ("fields", name), f"{name!r} is not in output_schema"
        if isinstance(pointer, str) and not _POINTER.match(pointer):
            yield ("fields", name), f"{pointer!r} is no JSON pointer (RFC 6901), such as /data/0/name; ~ is written ~0"
    if not around.identity:
        yield (), "the task has no identity, so a response could be of another record: name a field that proves it"
    for name in around.identity:
        if name not in fields:
            yield ("fields",), f"{name!r} proves the record (identity), so it needs a pointer too"


def pointers_of(spec: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the JSON pointer of each field that the integration of a written spec names; none without one."""
    written: object = spec.get("integration")
    fields: object = cast("Mapping[str, object]", written).get("fields") if isinstance(written, Mapping) else None
    return cast("Mapping[str, str]", fields) if isinstance(fields, Mapping) else {}


# --- filled for one sample


def missing_in(template: str, row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns that the address needs and that the row lacks."""
    return tuple(name for name in dict.fromkeys(_PLACEHOLDER.findall(template)) if not row.get(name, "").strip())


def filled_url(template: str, row: Mapping[str, str]) -> str:
    """Return the address for a row. Values are URL-encoded, without a mark such as # before a key.

    A value that is ``.`` or ``..`` would name another path, so its dots are encoded as well.
    """
    return _PLACEHOLDER.sub(lambda match: _encoded(row[match[1]]), template)


def _encoded(value: str) -> str:
    text = quote(bare_key(value.strip()), safe="")
    return text.replace(".", "%2E") if text in (".", "..") else text
