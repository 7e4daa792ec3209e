"""A browser for one row of a build session."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

from shared.contracts.browser_pool import LeaseSession, ProfilePaused
from shared.contracts.discovery import Sample
from shared.contracts.workflows.builds import BuildRow, WatchedRow
from shared.errors import PermanentError
from shared.host.connections import LEASE_TIMEOUT_S, LEASE_WAIT_S, ManualSession, SessionBus
from shared.hosts import EVERY_HOST, host_of
from shared.recordings.recording import Recording
from shared.sessions import lease_session
from shared.task.row_values import start_url
from shared.task.spec import TaskSpec

RUN_ID = "build"


def start_url_of(spec: TaskSpec, row: BuildRow) -> str:
    """Return the address that a row begins with."""
    fields = dict(row.fields)
    given = Sample(sample_id=row.sample_id, key=row.sample_id, row=row.number, url=fields.get("url"), fields=fields)
    return start_url(spec, given)


def recorded_row(row: BuildRow) -> Recording:
    """Return the row as a sample of which nothing is recorded yet."""
    return Recording(RUN_ID, row.sample_id, {"sample_id": row.sample_id, "key": row.sample_id, **row.fields}, ())


def watched_row(row: BuildRow) -> WatchedRow:
    """Return by what the browser of a row is seen: no other one, of any session, is seen by it."""
    return WatchedRow(run_id=f"{RUN_ID}-{uuid4().hex}", sample_id=f"row{row.number}")


@asynccontextmanager
async def open_row(
    bus: SessionBus, spec: TaskSpec, row: BuildRow, watched: WatchedRow | None = None
) -> AsyncGenerator[ManualSession]:
    """Lease a browser that may do what the task may, for one row. ``watched``: by what it is seen.

    Raises PermanentError (`login_required`) when the login state has to be recorded again.
    """
    host, seen_by = host_of(start_url_of(spec, row)), watched or watched_row(row)
    hosts = (*((host,) if host else ()), *spec.allowed_hosts)
    request = LeaseSession(
        run_id=seen_by.run_id,
        sample_id=seen_by.sample_id,
        auth_profile=spec.auth_profile,
        auth_concurrency=spec.auth_concurrency if spec.auth_profile is not None else 0,
        allowed_hosts=hosts,
        private_hosts=tuple(one for one in hosts if one != EVERY_HOST),
        secrets=tuple(spec.secrets),
    )
    async with lease_session(bus, request, wait_bound_s=LEASE_WAIT_S, lease_timeout_s=LEASE_TIMEOUT_S) as lease:
        if isinstance(lease, ProfilePaused):
            raise PermanentError(lease.reason, code="login_required")
        yield ManualSession(bus, lease.session)
