"""A run in a bucket, where the name of captured bytes is a small object that points to the bytes below ``objects/``."""

from __future__ import annotations

import io
from tempfile import SpooledTemporaryFile

from shared.errors import PermanentError, Unavailable
from shared.evidence_format.layout import OBJECTS
from shared.evidence_format.sources.source import FileInfo, Finding, NoRun, RunListing, Unreadable
from shared.s3.bucket import S3Bucket
from shared.s3.client import AT_ONCE
from shared.s3.location import parse_pointer

IN_MEMORY_BYTES = 4_000_000


class BucketSource:
    """See :class:`shared.evidence_format.sources.source.RunSource`. ``bucket`` is opened at the run's prefix.

    Only the latest version of each object is read. Listing raises Unavailable if the server does not answer.
    """

    def __init__(self, bucket: S3Bucket) -> None:
        self._bucket = bucket
        self.place, self.readers = str(bucket.location), AT_ONCE

    def list_files(self) -> RunListing:
        listing, objects = RunListing(), list[str]()
        for number, one in enumerate(self._bucket.list_objects(recursive=True)):
            if any(part in ("", ".", "..") for part in one.key.split("/")):
                message = f"{one.key!r} in the bucket could lead out of the folder it is copied to"
                listing.problems.append(Finding(one.key, "unsafe_name", message))
            elif one.is_folder:
                if one.size_bytes:  # what marks a folder for some programs is empty; bytes could be hidden in one
                    message = f"was added since it was sealed: an object of {one.size_bytes} bytes whose name ends in /"
                    listing.problems.append(Finding(f"{one.key}/", "added", message))
            elif one.key.startswith(f"{OBJECTS}/"):
                objects.append(one.key)
            else:
                listing.files[one.key] = FileInfo(one.size_bytes, one.key, number)
        listing.objects = tuple(objects) or None
        if not listing.files:
            raise NoRun(f"nothing lies in {self.place}")
        return listing

    def open(self, path: str) -> io.RawIOBase:
        """Fetch the whole object, so that a broken connection raises here and not while the file is read."""
        file = SpooledTemporaryFile[bytes](IN_MEMORY_BYTES)
        try:
            self._fetch(path, file)
        except (Unavailable, PermanentError) as exc:
            file.close()
            raise Unreadable(str(exc)) from exc
        except BaseException:
            file.close()
            raise
        return _FetchedFile(file)

    def _fetch(self, path: str, file: SpooledTemporaryFile[bytes]) -> None:
        stat = self._bucket.fetch(path, file.write)
        pointer = parse_pointer(stat.media_type, stat.metadata) if stat is not None else None
        if pointer is not None:
            file.seek(0)
            if file.read(len(pointer.text) + 1) != pointer.text:
                raise Unreadable("what a person reads under this name in the bucket is not what was written there")
            file.seek(0)
            file.truncate()
            stat = self._bucket.fetch(pointer.key, file.write)
        if stat is None:
            raise Unreadable("its bytes are gone" if pointer is not None else "it is gone")
        file.seek(0)

    def close(self) -> None: ...


class _FetchedFile(io.RawIOBase):
    def __init__(self, file: SpooledTemporaryFile[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
