"""Only pinned archives are accepted, and only regular files are unpacked from a hostile archive."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from scripts.fetch_packages import LISTS, CannotFetch, Pinned, parse_pin, unpack_package


def _packed(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return whole.getvalue()


def _pinned(archive: bytes) -> Pinned:
    return Pinned("thing", "1.0", "sha512", hashlib.sha512(archive).hexdigest())


class _Shelf:
    """Where archives come from, and how often one was asked for."""

    def __init__(self, archive: bytes) -> None:
        self.archive = archive
        self.asked = 0

    def __call__(self, one: Pinned, into: Path) -> None:
        self.asked += 1
        (into / f"{one.name}.tgz").write_bytes(self.archive)


def test_every_line_of_our_lists_is_pinned_and_names_no_host():
    for kind in ("miniwob", "npm", "kits"):
        lines = (LISTS / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
        assert [one for line in lines if (one := parse_pin(line))]
        assert not [line for line in lines if "://" in line]


@pytest.mark.parametrize("line", ["jquery", "jquery@4.0.0", "jquery@^4 sha512-x", "miniwob==1.1.0", "a @ file:b"])
def test_what_is_not_pinned_is_refused(line: str):
    with pytest.raises(ValueError, match="not a pinned package"):
        parse_pin(line)


def test_it_is_fetched_once(tmp_path: Path):
    archive = _packed((tarfile.TarInfo("package/a.js"), b"1"))
    shelf = _Shelf(archive)
    for _ in range(2):
        assert (unpack_package(_pinned(archive), shelf, tmp_path) / "package" / "a.js").read_bytes() == b"1"
    assert shelf.asked == 1


def test_what_is_not_what_was_pinned_is_refused(tmp_path: Path):
    wanted = _pinned(_packed((tarfile.TarInfo("package/a.js"), b"1")))
    with pytest.raises(CannotFetch, match="not what is pinned"):
        unpack_package(wanted, _Shelf(_packed((tarfile.TarInfo("package/a.js"), b"2"))), tmp_path)
    assert not list((tmp_path / "unpacked").iterdir())


def test_an_archive_that_was_changed_here_is_fetched_again(tmp_path: Path):
    archive = _packed((tarfile.TarInfo("package/a.js"), b"1"))
    shelf = _Shelf(archive)
    unpack_package(_pinned(archive), shelf, tmp_path)
    for kept in (tmp_path / "archives").iterdir():
        kept.write_bytes(b"else")
    assert (unpack_package(_pinned(archive), shelf, tmp_path) / "package" / "a.js").exists()
    assert shelf.asked == 2


def test_nothing_is_written_outside_and_links_are_left_out(tmp_path: Path):
    link = tarfile.TarInfo("package/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
    archive = _packed((tarfile.TarInfo("../../outside"), b"x"), (tarfile.TarInfo("package/a.js"), b"1"), (link, b""))
    folder = unpack_package(_pinned(archive), _Shelf(archive), tmp_path)
    assert [found.name for found in folder.rglob("*") if not found.is_dir()] == ["a.js"]
    assert not list(tmp_path.rglob("outside"))
