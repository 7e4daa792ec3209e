"""Pure: where the browser may go for a task, and which of that may be private."""

from __future__ import annotations

from urllib.parse import urlsplit

from services.planner.identity import start_url
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
