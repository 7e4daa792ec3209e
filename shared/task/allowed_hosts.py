"""The hosts that the browser may visit for a task, and which of them may be private. Pure."""

from __future__ import annotations

from shared.contracts.discovery import Sample
from shared.hosts import host_of
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


def known_hosts(spec: TaskSpec) -> tuple[str, ...]:
    """Return the hosts that all samples of the spec may visit; empty where the rows decide."""
    return tuple(spec.allowed_hosts) or _literal_host(spec)


def private_hosts(spec: TaskSpec) -> tuple[str, ...]:
    """Return the hosts that the spec itself names, in `allowed_hosts` or literally in `start_url`; never one from a row
    only."""
    return (*spec.allowed_hosts, *_literal_host(spec))


def _literal_host(spec: TaskSpec) -> tuple[str, ...]:
    host = host_of(PLACEHOLDER.sub("\x00", spec.start_url))
    return (host,) if host and "\x00" not in host else ()
