"""Where the browser may go for a task, and which of these hosts may be private."""

from __future__ import annotations

from collections.abc import Iterable

from shared.contracts.discovery import Sample
from shared.hosts import Origin, browser_form, fits_any, host_of, parse_origin
from shared.task.row_values import start_url
from shared.task.spec import PLACEHOLDER, TaskSpec


def allowed_hosts(spec: TaskSpec, sample: Sample) -> tuple[str, ...]:
    """Return the allowed hosts of the spec, else the host of the start URL; empty if the row lacks a column of it."""
    if spec.allowed_hosts:
        return tuple(spec.allowed_hosts)
    try:
        host = host_of(start_url(spec, sample))
    except KeyError:
        return ()
    return (host,) if host else ()


def private_hosts(spec: TaskSpec) -> tuple[str, ...]:
    """Return the hosts that the spec itself names, in `allowed_hosts` or literally in `start_url`; never one from a row
    only."""
    host = host_of(PLACEHOLDER.sub("\x00", spec.start_url))
    literal = (host,) if host and "\x00" not in host else ()
    return (*spec.allowed_hosts, *literal)


def may_open(url: str, spec: TaskSpec, sample: Sample) -> bool:
    """Return whether the address is on an allowed host. The browser pool, which decides in the end, uses the same
    rules."""
    origin = _web_origin(url)
    return origin is not None and fits_any(origin, allowed_hosts(spec, sample))


def is_on_visited_host(url: str, visited: Iterable[str]) -> bool:
    """Return whether the address is on the host and port of a visited address."""
    origin = _web_origin(url)
    known = (_web_origin(one) for one in visited)
    return origin is not None and origin.netloc in {one.netloc for one in known if one is not None}


def _web_origin(url: str) -> Origin | None:
    origin = parse_origin(browser_form(url))
    return origin if isinstance(origin, Origin) and origin.scheme in ("http", "https") else None
