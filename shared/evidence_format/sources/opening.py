"""Opens a run that is to be checked: a folder, a zip file or a bucket."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.source import RunSource
from shared.evidence_format.sources.zip import ZipSource
from shared.s3.opening import open_bucket
from shared.settings import Settings


@contextmanager
def open_source(settings: Settings, place: Path | str) -> Generator[RunSource]:
    """Open a run for reading within the block.

    Args:
        place: a folder, a zip file, or the ``s3://`` address of a run; the settings have the credentials.

    Raises:
        PermanentError: the address is none, or what S3 servers need is not installed.
        Unavailable: the S3 server does not answer. A run that does not exist is found by `RunSource.list_files` only.
    """
    source = _source_of(settings, place)
    try:
        yield source
    finally:
        source.close()


def _source_of(settings: Settings, place: Path | str) -> RunSource:
    if isinstance(place, str):
        bucket = open_bucket(settings, place)
        from shared.evidence_format.sources.bucket import BucketSource  # needs the extra, which open_bucket has found

        return BucketSource(bucket)
    return ZipSource(place) if place.is_file() else FolderSource(place)
