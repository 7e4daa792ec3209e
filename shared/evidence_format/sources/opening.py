"""A run that was handed over, opened where it lies: in a folder, in a zip or in a bucket."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from shared.evidence_format.sources.base import Medium
from shared.evidence_format.sources.bucket import BucketMedium
from shared.evidence_format.sources.folder import FolderMedium
from shared.evidence_format.sources.zip import ZipMedium
from shared.s3.opening import open_bucket
from shared.settings import Settings


@contextmanager
def opened(settings: Settings, place: Path | str) -> Generator[Medium]:
    """``place``: a folder, a zip, or the address of a run in a bucket, ``s3://...``, for which the settings have the
    key. Raises Unavailable where a server cannot be asked; what is missing is told when the medium is listed."""
    medium = _medium(settings, place)
    try:
        yield medium
    finally:
        medium.close()


def _medium(settings: Settings, place: Path | str) -> Medium:
    if isinstance(place, str):
        return BucketMedium(open_bucket(settings, place))
    return ZipMedium(place) if place.is_file() else FolderMedium(place)
