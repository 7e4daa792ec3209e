"""Exports that were damaged, encrypted, or made to be huge are reported, whatever they are."""

from __future__ import annotations

import zipfile

import pytest

from services.console.commands.workflows.files import INDEX, MAX_INDEX_BYTES, read_import

SOURCE = "def run() -> int:\n    return 1\n" * 20


def patched(path, local, central, value):
    """Write a zip, and change a byte of the header before its file and of the one at its end."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one.py", SOURCE)
    data = bytearray(path.read_bytes())
    data[data.find(b"PK\x03\x04") + local] = value
    data[data.find(b"PK\x01\x02") + central] = value
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(("local", "central", "value"), [(6, 8, 1), (8, 10, 97)], ids=["encrypted", "compression"])
def test_a_zip_that_cannot_be_read_is_a_problem(tmp_path, local, central, value):
    found, problems = read_import(patched(tmp_path / "export.zip", local, central, value))
    assert (found, len(problems)) == ([], 1)


def test_a_damaged_zip_is_a_problem(tmp_path):
    place = patched(tmp_path / "export.zip", 8, 10, zipfile.ZIP_DEFLATED)
    data = bytearray(place.read_bytes())
    start = data.find(b"one.py") + len("one.py")
    data[start : start + 2] = b"\xff\xff"
    place.write_bytes(data)
    found, problems = read_import(place)
    assert (found, len(problems)) == ([], 1)


def test_an_index_that_unpacks_to_too_much_is_not_unpacked(tmp_path):
    place = tmp_path / "export.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(INDEX, b" " * (MAX_INDEX_BYTES + 1))
    found, (problem,) = read_import(place)
    assert found == []
    assert str(MAX_INDEX_BYTES) in problem.message
