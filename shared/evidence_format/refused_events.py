"""Reads the refused events of a run, from the folder or the bucket in which its evidence is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from shared.errors import PermanentError
from shared.evidence_format import chain, layout
from shared.evidence_format.files.refused import RefusedEvent
from shared.settings import Settings


def read_refused(settings: Settings, place: Path | str) -> list[RefusedEvent]:
    """Return the events that were refused, in the order in which they were.

    Args:
        place: the folder of the run, or its ``s3://`` address; the settings have the credentials.

    Raises:
        PermanentError: the place is no folder of a run.
        Unavailable: the S3 server does not answer.
    """
    if isinstance(place, Path) and not (place / layout.RUN).is_file():
        message = f"{place} is no folder of a run: name the run where its evidence is kept; a zip has the run alone"
        raise PermanentError(message, code="no_run")
    written = _in_bucket(settings, place) if isinstance(place, str) else _in_folder(place.resolve())
    return sorted((one for data in written for one in _parse(data)), key=lambda one: (one.refused_at, one.sha256))


def _in_folder(run: Path) -> Iterator[bytes]:
    below = run.parent / layout.quarantine_key(run.name)
    return (path.read_bytes() for path in below.glob("*.json"))


def _in_bucket(settings: Settings, place: str) -> Iterator[bytes]:
    from shared.s3.opening import open_bucket  # only here: the client of S3 servers takes long to load

    parent, _, run_id = place.rstrip("/").rpartition("/")
    bucket = open_bucket(settings, parent)
    for one in bucket.list_objects(layout.quarantine_key(run_id)):
        read = bucket.read(one.key)
        if read is not None:
            yield read[1]


def _parse(data: bytes) -> list[RefusedEvent]:
    """Return the event; nothing for a file that is none of ours."""
    try:
        return [msgspec.json.decode(data, type=RefusedEvent)]
    except chain.NOT_JSON:
        return []
