"""The rows of the task's input that a build session works on, and a browser for one of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shared.contracts.browser_pool import LeaseSession, ProfilePaused
from shared.contracts.discovery import AS_IT_IS, Problem, ReadAs, Sample
from shared.errors import PermanentError
from shared.host.connections import LEASE_TIMEOUT_S, LEASE_WAIT_S, ManualSession
from shared.hosts import EVERY_HOST, host_of
from shared.recordings.recording import Recording
from shared.sessions import lease_session
from shared.submission.samples import used_columns
from shared.tables.excel import open_workbook
from shared.tables.files import parse_table
from shared.task.row_values import start_url
from shared.task.spec import TaskSpec, fill, placeholders

if TYPE_CHECKING:
    from shared.bus.nats_bus import Bus

RUN_ID = "build"


@dataclass(frozen=True)
class BuildRow:
    """A row of the input. ``number``: from 1."""

    sample_id: str
    number: int
    fields: Mapping[str, str]

    def start_url(self, spec: TaskSpec) -> str:
        url = self.fields.get("url")
        given = Sample(sample_id=self.sample_id, key=self.sample_id, row=self.number, url=url, fields=dict(self.fields))
        return start_url(spec, given)

    def recorded(self) -> Recording:
        """Return the row as a sample of which nothing is recorded yet."""
        row = {"sample_id": self.sample_id, "key": self.sample_id, **self.fields}
        return Recording(RUN_ID, self.sample_id, row, ())


def read_rows(
    spec: TaskSpec, path: Path | None, written: Sequence[str], how: ReadAs = AS_IT_IS
) -> tuple[list[BuildRow], list[Problem]]:
    """Return the rows of a file, or the one that is written as ``NAME=VALUE``; and every problem."""
    problems: list[Problem] = []
    tables: list[Mapping[str, str]] = []
    if path is not None:
        try:
            table, found = parse_table(path.read_bytes(), path.name, open_workbook, how)
        except OSError as exc:
            return [], [Problem(where=str(path), message=f"cannot be read: {exc.strerror}")]
        problems += found
        if table is not None:
            tables += [one.cells for one in table.rows]
            used = used_columns(spec, None)
            problems += [flaw.problem for flaw in table.flaws if flaw.column in used]
    if written:
        row: dict[str, str] = {}
        for pair in written:
            name, equals, value = (part.strip() for part in pair.partition("="))
            if not equals or not name or name in row:
                problems.append(Problem(where=f"--row {pair}", message="write each NAME=VALUE once"))
            row[name] = value
        tables.append(row)
    if not tables and not problems:
        problems.append(Problem(where="--input", message="name a file of rows, or one row: --row name=value ..."))
    needed = dict.fromkeys([*spec.input_schema, *placeholders(spec.start_url), *placeholders(spec.sample_id)])
    rows: list[BuildRow] = []
    for number, cells in enumerate(tables, 1):
        missing = [name for name in needed if not cells.get(name, "").strip() and name != "sample_id"]
        if missing:
            problems.append(Problem(where=f"row {number}", message=f"it has no {', '.join(missing)}"))
            continue
        given = {"sample_id": str(number), **cells}
        rows.append(BuildRow(fill(spec.sample_id, given).strip(), number, dict(cells)))
    known: set[str] = set()
    for one in rows:
        if one.sample_id in known:
            problems.append(Problem(where=f"row {one.number}", message=f"{one.sample_id} is there twice"))
        known.add(one.sample_id)
    return rows, problems


@asynccontextmanager
async def open_row(bus: Bus, spec: TaskSpec, row: BuildRow) -> AsyncGenerator[ManualSession]:
    """Lease a browser that may do what the task may, for one row.

    Raises PermanentError (`login_required`) when the login state has to be recorded again.
    """
    host = host_of(row.start_url(spec))
    hosts = (*((host,) if host else ()), *spec.allowed_hosts)
    request = LeaseSession(
        run_id=RUN_ID,
        sample_id=f"row{row.number}",
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
