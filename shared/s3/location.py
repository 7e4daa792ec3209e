"""Locations in a bucket, pointers to bytes that are stored elsewhere, and facts about objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from shared.errors import PermanentError, PolicyDenied

SCHEME = "s3://"
META = "x-amz-meta-"
_URL = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(?P<prefix>.*))?", re.DOTALL)
_NO_BUCKET = re.compile(r"\.\.|\.-|-\.|^[0-9.]+$|^xn--")

POINTER_TYPE = "application/vnd.exhibit.pointer"
"""Media type of a pointer to bytes in its run's ``objects/``; in a folder a hard link takes its place."""
_SHA256, _SIZE = "exhibit-sha256", "exhibit-size-bytes"
_HEX = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class S3Location:
    """A bucket and a prefix of all keys: empty, or a path without ``/`` at its ends."""

    bucket: str
    prefix: str = ""

    def name_of(self, key: str) -> str:
        """Return the object's name. Raises PolicyDenied for a key that would lead out of the prefix."""
        parts = key.split("/") if key else []
        if any(part in ("", ".", "..") for part in parts):
            raise PolicyDenied(f"{key!r} leads out of {self}", code="unsafe_name")
        return "/".join(part for part in (self.prefix, key) if part)

    def url_of(self, key: str) -> str:
        return f"{SCHEME}{self.bucket}/{self.name_of(key)}"

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.prefix}" if self.prefix else f"{SCHEME}{self.bucket}"


def is_s3_url(text: str) -> bool:
    return text.startswith(SCHEME)


def parse_location(url: str) -> S3Location:
    """Parse ``s3://bucket`` or ``s3://bucket/prefix``. Raises PermanentError (``bad_place``) for anything else."""
    found = _URL.fullmatch(url)
    if found is None or _NO_BUCKET.search(found["bucket"]):
        told = f"{url!r} names no bucket: s3://bucket or s3://bucket/prefix, a bucket in lower case, digits, - and ."
        raise PermanentError(told, code="bad_place")
    prefix = (found["prefix"] or "").strip("/")
    if any(part in (".", "..") or not part.isprintable() for part in prefix.split("/")) or "//" in prefix:
        raise PermanentError(f"{url!r}: the prefix is no path", code="bad_place")
    return S3Location(found["bucket"], prefix)


@dataclass(frozen=True)
class Pointer:
    """Refers to bytes by their hash and size."""

    sha256: str
    size_bytes: int

    @property
    def metadata(self) -> dict[str, str]:
        return {_SHA256: self.sha256, _SIZE: str(self.size_bytes)}

    @property
    def text(self) -> bytes:
        """The pointer's content, for a person who opens it."""
        return f"The {self.size_bytes} bytes of this name lie in {self.key} of this run.\n".encode()

    @property
    def key(self) -> str:
        """Key of the bytes, below the run."""
        return object_key(self.sha256)


def object_key(sha256: str) -> str:
    """Return the key of the bytes with this hash, below a run. Raises PolicyDenied where it is no hash."""
    if _HEX.fullmatch(sha256) is None:
        raise PolicyDenied(f"{sha256!r} is no SHA-256", code="unsafe_name")
    return f"objects/{sha256[:2]}/{sha256}"


def parse_pointer(media_type: str, metadata: Mapping[str, str]) -> Pointer | None:
    """Return the pointer that an object is, or None when it is none.

    Raises PermanentError (``bad_pointer``) for one that names no bytes.
    """
    if media_type != POINTER_TYPE:
        return None
    sha256, size = metadata.get(_SHA256, ""), metadata.get(_SIZE, "")
    if _HEX.fullmatch(sha256) is None or not (size.isascii() and size.isdecimal()):
        raise PermanentError(f"a name in the bucket points at nothing: {dict(metadata)!r:.200}", code="bad_pointer")
    return Pointer(sha256, int(size))


@dataclass(frozen=True)
class ObjectStat:
    """An object as a server reports it. ``metadata`` has the names without ``x-amz-meta-``, in lower case."""

    size_bytes: int
    media_type: str
    version: str | None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    etag: str = ""
    age_s: float | None = None
    """Seconds since it was written, by the server's own clock; None where the server does not say."""

    @property
    def has_version(self) -> bool:
        """Whether it is one of several versions. S3 calls what was written without versions ``null``."""
        return self.version not in (None, "null")


@dataclass(frozen=True)
class ListedObject:
    """``key`` is relative to the location's prefix; a folder has no size. ``deleted``: a delete marker."""

    key: str
    is_folder: bool
    size_bytes: int
    version: str | None = None
    is_latest: bool = True
    deleted: bool = False


def parse_stat(headers: Mapping[str, Any], version: str | None) -> ObjectStat:
    lower = {str(name).lower(): str(text) for name, text in headers.items()}
    own = {name.removeprefix(META): text for name, text in lower.items() if name.startswith(META)}
    return ObjectStat(
        int(lower.get("content-length", "0")),
        lower.get("content-type", ""),
        version,
        own,
        lower.get("etag", "").strip('"'),
        _age_s(lower.get("last-modified"), lower.get("date")),
    )


def _age_s(written: str | None, now: str | None) -> float | None:
    try:
        age = parsedate_to_datetime(now or "") - parsedate_to_datetime(written or "")
    except (ValueError, TypeError):  # one of them is missing, is no time, or has no zone
        return None
    return max(age.total_seconds(), 0.0)
