"""Which run a person means: by its id, by where it lies, or simply the last one. Every command that takes a run asks
here, so that one name means one run, and what is not there is said in the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from shared.errors import PermanentError
from shared.evidence_format.layout import RUN
from shared.s3.location import is_s3_url, parse_location
from shared.s3.opening import open_bucket
from shared.settings import Settings
from shared.text.names import age_of_run

LAST = "last"
WAYS = "its id, its folder, s3://bucket/prefix/run, or last"
"""How a person may name a run; what is handed over may be a zip as well."""
_ID = re.compile(r"[A-Za-z0-9_-]+")


def place_of_run(settings: Settings, named: str) -> Path | str:
    """Where the run lies on this machine, its folder or its zip, or in a bucket, as ``s3://bucket/prefix/run``.

    What could be an id is a run of the place that evidence is kept in before it is anything that lies here. Raises
    PermanentError, saying where was looked, where there is no such run, as far as that can be seen without a server;
    only for the last run of a bucket its server is asked, and Unavailable raised where it does not answer.
    """
    if named == LAST:
        return _newest(settings)
    if is_s3_url(named):
        return str(parse_location(named))
    is_id = _ID.fullmatch(named) is not None
    if is_id and settings.evidence_bucket is not None:
        return f"{settings.evidence_bucket.rstrip('/')}/{named}"
    for path in (settings.evidence_dir / named, Path(named)) if is_id else (Path(named),):
        if path.exists():
            return path
    told = f" in {settings.evidence_dir.resolve()}, and neither a folder nor a zip of that name here"
    told = told if is_id else ": neither a folder nor a zip lies there"
    raise PermanentError(f"there is no run {named!r}{told}", code="no_run")


def run_kept(settings: Settings, named: str) -> tuple[Settings, str]:
    """The id of the run, and the settings under which services of our own find its evidence.

    Raises PermanentError as `place_of_run` does, and for what services cannot read: a zip, and where they run elsewhere
    anything but the id of a run.
    """
    if settings.nats_url is not None:
        if named == LAST or _ID.fullmatch(named) is None:
            told = f"the services at {settings.nats_url} have evidence of their own: name a run of theirs by its id"
            raise PermanentError(told, code="no_run")
        return settings, named
    place = place_of_run(settings, named)
    if isinstance(place, str):
        return _in_bucket(settings, place)
    if place.is_file():
        raise PermanentError(
            f"{place} is a file: only verify, export and reperform read a zip; unpack it first", code="no_run"
        )
    if not (place / RUN).is_file():
        raise PermanentError(f"there is no run in {place}: it has no {RUN}", code="no_run")
    if settings.evidence_bucket is None and place.parent == settings.evidence_dir:
        return settings, place.name
    folder = place.resolve()
    return settings.model_copy(update={"evidence_dir": folder.parent, "evidence_bucket": None}), folder.name


def runs_kept(settings: Settings, named: Sequence[str]) -> tuple[Settings, list[str]]:
    """As `run_kept`, for runs that are asked about together. PermanentError where they do not lie in one place."""
    found = [run_kept(settings, one) for one in named]
    places = {one.evidence_bucket or str(one.evidence_dir.resolve()): one for one, _ in found}
    if len(places) > 1:
        told = f"they lie in different places, and are asked about one by one: {', '.join(places)}"
        raise PermanentError(told, code="no_run")
    return next(iter(places.values()), settings), [run_id for _, run_id in found]


def _in_bucket(settings: Settings, place: str) -> tuple[Settings, str]:
    parent, _, run_id = place.rpartition("/")
    if not parse_location(place).prefix:
        raise PermanentError(f"{place} is a bucket: name a run in it, {place}/run", code="no_run")
    return settings.model_copy(update={"evidence_bucket": parent}), run_id


def _newest(settings: Settings) -> Path | str:
    if settings.evidence_bucket is not None:
        return _newest_in_bucket(settings, settings.evidence_bucket.rstrip("/"))
    runs = [path.parent for path in settings.evidence_dir.glob(f"*/{RUN}")]
    if not runs:
        raise PermanentError(f"there is no run in {settings.evidence_dir.resolve()}", code="no_run")
    return max(runs, key=lambda path: age_of_run(path.name))


def _newest_in_bucket(settings: Settings, place: str) -> str:
    bucket = open_bucket(settings)
    names = sorted((one.key for one in bucket.list_objects() if one.is_folder), key=age_of_run, reverse=True)
    for name in names:
        if bucket.stat(f"{name}/{RUN}") is not None:
            return f"{place}/{name}"
    raise PermanentError(f"there is no run in {place}", code="no_run")
