"""Pure: where the browser may go for a task, and which of that may be private."""

from __future__ import annotations

from urllib.parse import urlsplit

from services.planner.reading.identity import start_url
from shared.contracts.discovery import Sample
from shared.task_spec import PLACEHOLDER, TaskSpec


def allowed_hosts(spec: TaskSpec, sample: Sample) -> tuple[str, ...]:
    """What the spec says, else the host of the start URL; none where the row lacks what that is filled from."""
    if spec.allowed_hosts:
        return tuple(spec.allowed_hosts)
    try:
        host = urlsplit(start_url(spec, sample)).netloc.rpartition("@")[2]
    except (KeyError, ValueError):
        return ()
    return (host,) if host else ()


def private_hosts(spec: TaskSpec) -> tuple[str, ...]:
    """What the spec itself names, in ``allowed_hosts`` or literally in ``start_url``; never what only a row says."""
    named = [*spec.allowed_hosts]
    try:
        host = urlsplit(PLACEHOLDER.sub("\x00", spec.start_url)).netloc.rpartition("@")[2]
    except ValueError:
        host = ""
    if host and "\x00" not in host:
        named.append(host)
    return tuple(named)


def may_open(url: str, spec: TaskSpec, sample: Sample) -> bool:
    """Whether ``url`` is on one of the allowed hosts, as the browser pool, which has the last word, counts them."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return False
    return bool(host) and any(_fits(host, port, rule.lower()) for rule in allowed_hosts(spec, sample))


def _fits(host: str, port: int | None, rule: str) -> bool:
    name, colon, number = rule.rpartition(":")
    named, only = (name, int(number)) if colon and number.isdecimal() and not name.endswith(":") else (rule, None)
    bare = named.removeprefix("[").removesuffix("]").rstrip(".")
    if only is not None and only != port:
        return False
    return host.endswith(bare[1:]) if bare.startswith("*.") else host.removeprefix("www.") == bare.removeprefix("www.")
