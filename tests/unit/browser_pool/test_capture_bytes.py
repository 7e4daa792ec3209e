"""Bytes that are hashed while they are read."""

from __future__ import annotations

import hashlib
from pathlib import Path

from services.browser_pool.artifacts import discard, open_reader
from services.browser_pool.ports import Capture
from shared.hashing import HashingReader
from tests.cases import cases


def drain(source: HashingReader) -> bytes:
    buffer, pieces = bytearray(7), []
    while count := source.readinto(buffer):
        pieces.append(bytes(buffer[:count]))
    return b"".join(pieces)


@cases("data", [b"", b"x", b"0123456789" * 100])
def test_bytes_and_files_alike(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    for given in (data, file):
        with open_reader(given) as source:
            assert drain(source) == data
        assert (source.size_bytes, source.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_a_capture_on_disk_is_removed_once_and_for_all(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x")
    capture = Capture("download", "l", "x/y", "", file, "http://a.test/")
    discard(capture)
    discard(capture)
    assert not file.exists()
    discard(Capture("screenshot", "l", "image/png", ".png", b"png", "http://a.test/"))
