"""Which addresses the browser may open for a task."""

from __future__ import annotations

from collections.abc import Iterable

from shared.contracts.discovery import Sample
from shared.hosts import Origin, browser_form, fits_any, parse_origin
from shared.task.allowed_hosts import allowed_hosts
from shared.task.spec import TaskSpec


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
