"""Which run the user means: by its id, by its location, or as the last one.

Every command that takes a run uses this module, so that a name means the same run everywhere.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shared.errors import PermanentError
from shared.evidence_format.layout import RUN
from shared.s3.location import is_s3_url, parse_location
from shared.text.names import age_of_run

if TYPE_CHECKING:
    from shared.settings import Settings

LAST, LAST_RUN = "last", "last_run.json"
HOW_TO_NAME_A_RUN = "its id, its folder, s3://bucket/prefix/run, or last"
"""The ways to name a run, for help texts; some commands also take a zip."""
_ID = re.compile(r"[A-Za-z0-9_-]+")


def find_run(settings: Settings, named: str) -> Path | str:
    """Return the run's folder or zip, or its location in a bucket, ``s3://bucket/prefix/run``.

    A name that can be an id is looked up in the evidence store first, then as a path. Raises PermanentError when there
    is no such run; runs in a bucket are not checked here. ``last`` in a bucket asks its server, which may raise
    Unavailable.
    """
    if named == LAST:
        return _newest_run(settings)
    if is_s3_url(named):
        return str(parse_location(named))
    is_id = _ID.fullmatch(named) is not None
    if is_id and settings.evidence_bucket is not None:
        return f"{settings.evidence_bucket.rstrip('/')}/{named}"
    for path in (settings.evidence_dir / named, Path(named)) if is_id else (Path(named),):
        if path.exists():
            return path
    details = f" in {settings.evidence_dir.resolve()}, and neither a folder nor a zip of that name here"
    details = details if is_id else ": there is neither a folder nor a zip of that name"
    raise PermanentError(f"there is no run {named!r}{details}", code="no_run")


def locate_run(settings: Settings, named: str) -> tuple[Settings, str]:
    """Return the settings with which services of this process find the run, and the run's id.

    Raises PermanentError as `find_run` does, for a zip, and, when the services run elsewhere, for anything but an id.
    """
    if settings.nats_url is not None:
        if named == LAST or _ID.fullmatch(named) is None:
            message = f"the services at {settings.nats_url} have evidence of their own: name a run of theirs by its id"
            raise PermanentError(message, code="no_run")
        return settings, named
    location = find_run(settings, named)
    if isinstance(location, str):
        return _locate_in_bucket(settings, location)
    if location.is_file():
        raise PermanentError(
            f"{location} is a file: only verify, export and reperform read a zip; unpack it first", code="no_run"
        )
    if not (location / RUN).is_file():
        raise PermanentError(f"there is no run in {location}: it has no {RUN}", code="no_run")
    if settings.evidence_bucket is None and location.parent == settings.evidence_dir:
        return settings, location.name
    folder = location.resolve()
    return settings.model_copy(update={"evidence_dir": folder.parent, "evidence_bucket": None}), folder.name


def locate_runs(settings: Settings, named: Sequence[str]) -> tuple[Settings, list[str]]:
    """Return the same as `locate_run` for several runs. Raises PermanentError when they are in different places."""
    found = [locate_run(settings, name) for name in named]
    places = {each.evidence_bucket or str(each.evidence_dir.resolve()): each for each, _ in found}
    if len(places) > 1:
        message = f"they are in different places; query them one by one: {', '.join(places)}"
        raise PermanentError(message, code="no_run")
    return next(iter(places.values()), settings), [run_id for _, run_id in found]


def _locate_in_bucket(settings: Settings, place: str) -> tuple[Settings, str]:
    parent, _, run_id = place.rpartition("/")
    if not parse_location(place).prefix:
        raise PermanentError(f"{place} is a bucket: name a run in it, {place}/run", code="no_run")
    return settings.model_copy(update={"evidence_bucket": parent}), run_id


def _newest_run(settings: Settings) -> Path | str:
    """Return the newest run of the place of evidence, or the last one of this machine, wherever that was put."""
    bucket = settings.evidence_bucket
    here = _newest_in_folder(settings.evidence_dir) if bucket is None else _newest_in_bucket(settings, bucket)
    elsewhere = None if settings.evidence_named else _read_last_run(settings)
    found = [location for location in (here, elsewhere) if location is not None]
    if not found:
        place = settings.evidence_dir.resolve() if bucket is None else bucket.rstrip("/")
        raise PermanentError(f"there is no run in {place}", code="no_run")
    return max(found, key=lambda location: age_of_run(str(location).rpartition("/")[2]))


def _newest_in_folder(folder: Path) -> Path | None:
    runs = [path.parent for path in folder.glob(f"*/{RUN}")]
    return max(runs, key=lambda path: age_of_run(path.name), default=None)


def _newest_in_bucket(settings: Settings, place: str) -> str | None:
    from shared.s3.opening import open_bucket  # only here: the client of S3 servers takes long to load

    bucket = open_bucket(settings)
    names = sorted((entry.key for entry in bucket.list_objects() if entry.is_folder), key=age_of_run, reverse=True)
    name = next((name for name in names if bucket.stat(f"{name}/{RUN}") is not None), None)
    return f"{place.rstrip('/')}/{name}" if name is not None else None


def runs_to_read(settings: Settings) -> Iterator[Callable[[str], bytes | None]]:
    """Yield, for each run of the place of evidence, what reads a file of it; that returns None where there is none.

    Raises PermanentError where there is no such folder, OSError, and what a bucket raises.
    """
    if settings.evidence_bucket is not None:
        yield from _runs_in_bucket(settings)
        return
    if not settings.evidence_dir.is_dir():
        raise PermanentError(f"there is no folder {settings.evidence_dir.resolve()}", code="no_run")
    for path in sorted(settings.evidence_dir.glob(f"*/{RUN}")):
        yield partial(_read_in_folder, path.parent)


def _read_in_folder(run: Path, path: str) -> bytes | None:
    try:
        return (run / path).read_bytes()
    except FileNotFoundError:
        return None


def _runs_in_bucket(settings: Settings) -> Iterator[Callable[[str], bytes | None]]:
    from shared.s3.opening import open_bucket  # only here: the client of S3 servers takes long to load

    bucket = open_bucket(settings)

    def read(run: str, path: str) -> bytes | None:
        found = bucket.read(f"{run}/{path}")
        return None if found is None else found[1]

    for name in sorted(entry.key for entry in bucket.list_objects() if entry.is_folder):
        if bucket.stat(f"{name}/{RUN}") is not None:
            yield partial(read, name)


# --- the last run of this machine


def remember_run(settings: Settings, run_id: str) -> None:
    """Note where the evidence of a run is that this machine has started, so that ``last`` finds it without --evidence.

    Nothing is noted of a run of other services, nor where the state folder cannot be written: the run goes on.
    """
    if settings.nats_url is not None:
        return
    bucket = settings.evidence_bucket
    location = f"{bucket.rstrip('/')}/{run_id}" if bucket is not None else str(settings.evidence_dir.resolve() / run_id)
    path = settings.state_dir / LAST_RUN
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"version": 1, "location": location}), encoding="utf-8")
        part.replace(path)


def _read_last_run(settings: Settings) -> Path | str | None:
    """Return what was noted last; None where nothing was, or where the run is not there any more."""
    try:
        noted = json.loads((settings.state_dir / LAST_RUN).read_bytes())
        location = str(noted["location"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if is_s3_url(location):
        return location
    return Path(location) if (Path(location) / RUN).is_file() else None
