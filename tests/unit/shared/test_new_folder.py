"""A folder is there as a whole or not at all, and takes no place that is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.whole_files import new_folder


def names(folder: Path) -> list[str]:
    return sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*"))


def test_it_has_its_name_with_all_of_its_files(tmp_path: Path):
    with new_folder(tmp_path / "made") as folder:
        (folder.path / "a").write_text("a")
        assert "made" not in names(tmp_path)
        folder.put_in_place()
    assert names(tmp_path) == ["made", "made/a"]


@pytest.mark.parametrize("in_place", [False, True])
def test_nothing_is_left_after_an_error(tmp_path: Path, in_place: bool):
    def fail() -> None:
        with new_folder(tmp_path / "made") as folder:
            (folder.path / "a").write_text("a")
            if in_place:
                folder.put_in_place()
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        fail()
    assert names(tmp_path) == []


@pytest.mark.parametrize("files", [(), ("theirs",)], ids=["empty", "with a file"])
def test_what_is_there_already_stays(tmp_path: Path, files: tuple[str, ...]):
    (tmp_path / "made").mkdir()
    for name in files:
        (tmp_path / "made" / name).write_text("theirs")
    before = names(tmp_path)

    def write() -> None:
        with new_folder(tmp_path / "made") as folder:
            (folder.path / "a").write_text("a")
            folder.put_in_place()

    with pytest.raises(FileExistsError, match="made is there already"):
        write()
    assert names(tmp_path) == before


def test_a_folder_without_files_is_not_made(tmp_path: Path):
    with new_folder(tmp_path / "made") as folder:
        folder.put_in_place()
    assert names(tmp_path) == []
