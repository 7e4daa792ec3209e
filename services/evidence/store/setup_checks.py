"""What evidence needs: a place that it can write, kept as it should be, and a key of its own that seals runs."""

from __future__ import annotations

import http.client
import os
import ssl
import stat
import tempfile
import time
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

from shared.evidence_format.signing import key_path, load_known_key
from shared.s3.opening import open_bucket
from shared.settings import Settings
from shared.setup.check import SetupCheck, SetupFinding, fine, in_thread, problem, warning

GB = 1_000_000_000
LEAST_BYTES, FEW_BYTES = 1 * GB, 5 * GB
LATE_S, REFUSED_S = 60.0, 900.0
"""S3 servers refuse a request whose time differs by more than 15 minutes."""
CLOCK_BOUND_S = 3.0
OTHERS = stat.S_IRWXG | stat.S_IRWXO


async def check_place(settings: Settings) -> SetupFinding:
    if settings.evidence_bucket is not None:
        return await in_thread(lambda: _bucket_finding(settings))
    return await in_thread(lambda: folder_finding(settings.evidence_dir))


def folder_finding(folder: Path) -> SetupFinding:
    """Write a file of no bytes where the evidence is kept, or would be, and look how much fits there."""
    nearest = existing(folder)
    if not nearest.is_dir():
        return problem(f"{nearest} is no folder, so {folder} cannot hold evidence", "Name another with --evidence.")
    try:
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as exc:
        return problem(
            f"{nearest} cannot be written: {exc.strerror}",
            "Give this user the right to write, or set EXHIBIT_EVIDENCE_DIR.",
        )
    return _space_finding(nearest, folder)


def _space_finding(nearest: Path, folder: Path) -> SetupFinding:
    found = os.statvfs(nearest)
    free_bytes = found.f_bavail * found.f_frsize
    where = f"{folder} can be written" if nearest == folder else f"{folder} will be made in {nearest}"
    told = f"{where}; {free_bytes / GB:.1f} GB are free"
    if free_bytes < LEAST_BYTES:
        return problem(told, "Free space: evidence waits when its disk is full.")
    return warning(told, "A run of 1,000 samples takes about 1 GB.") if free_bytes < FEW_BYTES else fine(told)


def existing(path: Path) -> Path:
    """Return the path, or its nearest parent that exists."""
    return next(one for one in (path, *path.resolve().parents) if one.exists())


def _bucket_finding(settings: Settings) -> SetupFinding:
    bucket = open_bucket(settings)
    from shared.s3.features import find_features  # needs the extra, which open_bucket has found

    where = f"{bucket.location} at {bucket.endpoint}"
    features = find_features(bucket)
    if features is None:
        return warning(f"{where}: there is no such bucket", "It is made by the first run, if these credentials may.")
    if settings.s3_retention_days and not features.object_lock:
        return problem(
            f"{where} has no object lock, and EXHIBIT_S3_RETENTION_DAYS is {settings.s3_retention_days}",
            "Name a bucket with object lock, or one to make, or set it to 0.",
        )
    lacks = [
        name for name, has in (("versions", features.versioning), ("object lock", features.object_lock)) if not has
    ]
    if lacks:
        told = f"{where} can be read, and keeps no {' and no '.join(lacks)}"
        return warning(told, "Who may write there can replace evidence without a trace: use a bucket that has both.")
    return fine(f"{where} can be read, and has versions and object lock; the right to write was not tried")


async def check_key(settings: Settings) -> SetupFinding:
    path = key_path(settings)
    if not path.exists():
        nearest = existing(path.parent)
        if os.access(nearest, os.W_OK):
            return fine(f"there is no signing key yet; it is made at {path} by the first run")
        return problem(f"there is no signing key, and {nearest} cannot be written", "Set EXHIBIT_STATE_DIR.")
    known = await in_thread(lambda: load_known_key(settings))
    if stat.S_IMODE(path.stat().st_mode) & OTHERS:
        return problem(f"{path} can be read by others, who could seal evidence as yours", f"chmod 0600 {path}")
    return fine(f"runs are sealed by the key {known.fingerprint[:16] if known is not None else ''}, in {path}")


async def check_clock(settings: Settings) -> SetupFinding:
    """Compare the clock with that of the S3 server, where there is one."""
    if settings.evidence_bucket is None:
        return fine("not compared: there is no S3 server")
    try:
        differs_s = await in_thread(lambda: server_time_s(settings.s3_endpoint, settings.s3_ca) - time.time())
    except (OSError, http.client.HTTPException, ValueError) as exc:
        return warning(
            f"not compared: {settings.s3_endpoint} cannot be asked for its time: {exc or type(exc).__name__}",
            "Look whether EXHIBIT_S3_ENDPOINT is right, and its server runs.",
        )
    told = f"the clock differs from that of {settings.s3_endpoint} by {differs_s:+.0f} s"
    if abs(differs_s) > REFUSED_S:
        return problem(f"{told}, and the server refuses what differs by more than 15 minutes", "Set the clock (NTP).")
    return (
        warning(told, "Set the clock (NTP): evidence has its times from it.") if abs(differs_s) > LATE_S else fine(told)
    )


def server_time_s(endpoint: str, ca: Path | None = None) -> float:
    """Return what an HTTP server says the time is. Raises OSError when it does not answer, HTTPException or
    ValueError when what answers is no such server."""
    place = urlsplit(endpoint)
    if place.scheme == "https":
        context = ssl.create_default_context(cafile=ca)
        connection = http.client.HTTPSConnection(place.netloc, timeout=CLOCK_BOUND_S, context=context)
    else:
        connection = http.client.HTTPConnection(place.netloc, timeout=CLOCK_BOUND_S)
    try:
        connection.request("HEAD", "/")
        told = connection.getresponse().getheader("Date")
    finally:
        connection.close()
    if told is None:
        raise OSError(f"{endpoint} tells no time")
    return parsedate_to_datetime(told).timestamp()


SETUP_CHECKS = (
    SetupCheck("evidence place", check_place, 15.0, "Look whether EXHIBIT_S3_ENDPOINT is right, and its server runs."),
    SetupCheck("signing key", check_key),
    SetupCheck("clock", check_clock),
)
