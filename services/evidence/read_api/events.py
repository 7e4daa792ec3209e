"""Reads the event log of a run: events of the bus as entries, from any index on."""

from __future__ import annotations

from services.evidence.deps import EvidenceDeps
from services.evidence.state.event_log import LOGGED, first_sequence, log_entries, unreadable, unsigned
from services.evidence.state.reply_pages import first_page
from shared.bus.decoding import decode_or_skip
from shared.bus.ports import EventReader, StoredEvent
from shared.contracts.discovery import RunStarted, SubmissionRejected
from shared.contracts.evidence import RunUnknown
from shared.contracts.sessions.events import (
    MAX_EVENTS,
    EventsLoaded,
    EventsReply,
    FollowedEvent,
    FollowRun,
    LoadEvents,
    LoggedEvent,
    RunFollowed,
)
from shared.evidence_format import layout
from shared.subjects import RunEvent, any_of_run, ends_of_run, subjects_of_run


async def read_event_log(deps: EvidenceDeps, reader: EventReader, request: LoadEvents) -> EventsReply:
    """Return the entries from ``since`` on; those of the past too, for whoever comes late."""
    limit = min(max(request.limit, 1), MAX_EVENTS)
    if not layout.is_safe(request.run_id):
        return _unknown(deps, request)
    # Each event has at least one entry, and those of the first may be given already: two more than asked for, so that
    # it is known whether there are more.
    subjects = subjects_of_run(request.run_id, LOGGED)
    stored = await reader.read_events(subjects, first_sequence(request.since), limit + 2)
    entries = [entry for one in stored for entry in _of(one) if entry.index >= request.since]
    page = first_page(entries[:limit])
    if not stored and request.since <= 0 and await deps.ledger.find(request.run_id) is None:
        return _unknown(deps, request)
    return EventsLoaded(
        run_id=request.run_id,
        events=page,
        next_index=page[-1].index + 1 if page else max(request.since, 0),
        more=len(entries) > len(page),
        from_beginning=request.since > 0 or (bool(stored) and _is_beginning(stored[0])),
    )


async def read_followed(reader: EventReader, request: FollowRun) -> RunFollowed:
    """Return events of a run as they are stored; none of a run that there is not, or not yet."""
    if not layout.is_safe(request.run_id):
        return RunFollowed(events=())
    limit = min(max(request.limit, 1), MAX_EVENTS)
    subjects = ends_of_run(request.run_id) if request.ends_only else any_of_run(request.run_id)
    stored = await reader.read_events(subjects, max(request.after, 0) + 1, limit + 1)
    page = first_page(_followed(one) for one in stored[:limit])
    return RunFollowed(events=page, more=len(stored) > len(page))


def _followed(one: StoredEvent) -> FollowedEvent:
    text = one.data.decode("utf-8", "replace")
    return FollowedEvent(sequence=one.sequence, subject=one.subject, data=text, signature=one.signature)


def _of(one: StoredEvent) -> list[LoggedEvent]:
    event: RunEvent | None = decode_or_skip(one.data, RunEvent)
    if event is not None and not one.believed:
        return [unsigned(one.sequence, one.at)]
    return [unreadable(one.sequence, one.at)] if event is None else log_entries(event, one.sequence, one.at)


def _is_beginning(first: StoredEvent) -> bool:
    event: RunEvent | None = decode_or_skip(first.data, RunEvent) if first.believed else None
    return isinstance(event, SubmissionRejected) or (isinstance(event, RunStarted) and event.attempt_base == 0)


def _unknown(deps: EvidenceDeps, request: LoadEvents) -> RunUnknown:
    return RunUnknown(run_id=request.run_id, message=layout.no_run(request.run_id, deps.store.location("")))
