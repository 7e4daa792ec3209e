"""Pure: facts about an object, as a server reports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

META = "x-amz-meta-"


@dataclass(frozen=True)
class ObjectStat:
    """``metadata`` has the names without ``x-amz-meta-``, in lower case."""

    size_bytes: int
    media_type: str
    version: str | None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    etag: str = ""
    age_s: float | None = None
    """Seconds since it was written, by the server's own clock; None where the server does not say."""


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
