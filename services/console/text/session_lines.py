"""The status record and the event log of a run as lines."""

from __future__ import annotations

from collections.abc import Iterator

from shared.contracts.outages import Outage, outage_text
from shared.contracts.sessions.events import LoggedEvent
from shared.contracts.sessions.status import RunStatus


def outage_line(outage: Outage, run_id: str) -> str:
    """Return what a run is paused for, and how it goes on."""
    goes_on = f"it goes on by itself once that is mended, or with `exhibit runs resume {run_id}`"
    return f"{outage_text(outage)}; {goes_on}"


def status_lines(status: RunStatus) -> Iterator[str]:
    """Yield the record as lines: first how the run stands, then a line for each sample of the page."""
    facts = status.metadata
    stands = "in progress" if status.in_progress else ("success" if status.success else "ended without success")
    waits = f", waits for {status.paused_key}" if status.paused_key else ""
    stands = "paused" if status.paused else stands
    yield f"{status.run_id}: {stands}{waits}; {facts.ended} of {facts.samples} samples ended"
    if status.outage is not None:
        yield outage_line(status.outage, status.run_id)
    if status.final_message:
        yield status.final_message
    for sample in status.samples:
        reason = f" ({sample.reason})" if sample.reason else ""
        yield f"  {sample.sample_id}: {sample.status}{reason}"
    if status.next_skip is not None:
        yield f"  and {facts.ended - status.next_skip} more: see --json and `skip`, or the run's combined.csv"


def event_line(entry: LoggedEvent) -> str:
    """Return an entry as one line."""
    where = f"{entry.sample_id} {entry.attempt}.{entry.step}" if entry.step else entry.sample_id
    ended = f"{entry.status}{f' ({entry.reason})' if entry.reason else ''}" if entry.status else ""
    success = "" if entry.success is None else ("success" if entry.success else "no success")
    asked = " / ".join(f"{one.text} [{', '.join(one.options)}]" for one in entry.questions)
    told = "; ".join(f"{one.question} {', '.join(one.chosen) or one.text}" for one in entry.answers)
    words = (where, entry.tool, ended, success, entry.key, entry.by and f"by {entry.by}", entry.text, asked, told)
    return f"{entry.index:>8}  {entry.at:%H:%M:%S}  {entry.event:<17}  {'  '.join(filter(None, words))}".rstrip()
