"""Opens a run that is to be checked: a folder, a zip file or a bucket."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.source import RunSource
from shared.evidence_format.sources.zip import ZipSource
from shared.settings import Settings


@contextmanager
def open_source(settings: Settings, place: Path | str) -> Generator[RunSource]:
    """Open a run for reading within the block.

    Args:
        place: a folder, a zip file, or the ``s3://`` address of a run; the settings have the credentials.

    Raises:
        Unavailable: the S3 server does not answer. A run that does not exist is found by `RunSource.list_files` only.
    """
    source = _source_of(settings, place)
    try:
        yield source
    finally:
        source.close()


def _source_of(settings: Settings, place: Path | str) -> RunSource:
    if isinstance(place, str):
        # Imported here: a folder and a zip are read without the client of S3 servers, which takes long to load.
        from shared.evidence_format.sources.bucket import BucketSource
        from shared.s3.opening import open_bucket

        return BucketSource(open_bucket(settings, place))
    return ZipSource(place) if place.is_file() else FolderSource(place)
