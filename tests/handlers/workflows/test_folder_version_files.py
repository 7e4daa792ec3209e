"""The files of a workflow in a folder: what people edit there, and what is left after a crash."""

from __future__ import annotations

import pytest

from services.console.commands.workflows.files import read_import, write_export
from services.workflows.library.storage.library_folder import LIBRARY_FOLDER, LOOK_EVERY_S, FolderStorage
from services.workflows.library.versions import hash_of
from shared.contracts.workflows.library import WorkflowCreated
from shared.errors import PermanentError
from tests.handlers.workflows.storages import GREET, GREET_LOUDLY, folder_library, open_library, shown
from tests.raising import raises_code

FILES = {"workspace/dropdown_mappings.json": '{"state": {}}', "data/notes.txt": "one\n"}


async def test_the_current_version_is_a_file_and_its_files_lie_beside_it(folder):
    library = folder_library(folder)
    await library.create("greet", GREET, files=FILES)
    assert (folder / "greet.py").read_text() == GREET
    assert (folder / "greet.files" / "data" / "notes.txt").read_text() == "one\n"
    await library.delete("greet")
    assert not (folder / "greet.files").exists()
    assert not (folder / "greet.py").exists()


async def test_a_file_that_is_edited_is_a_new_version(folder):
    at = [0.0]
    library = open_library(FolderStorage(folder, clock=lambda: at[0]))
    await library.create("greet", GREET, files=FILES, author="anna")
    await library.list()
    (folder / "greet.files" / "data" / "notes.txt").write_text("two\n")
    (folder / "greet.files" / ".notes.txt.swp").write_bytes(b"\xff")
    at[0] += LOOK_EVERY_S
    changed = {**FILES, "data/notes.txt": "two\n"}
    assert [one.hash for one in (await library.list())[0]] == [hash_of(GREET, changed)]
    assert (await shown(library, "greet")).files == changed
    assert [(one.kind, one.author) for one in await library.history("greet")] == [
        ("created", "anna"),
        ("deleted", "file"),
        ("created", "file"),
    ]
    assert (await shown(library, "greet", hash_of(GREET, FILES))).files == FILES


async def test_a_file_that_no_version_may_have_is_reported(folder):
    library = folder_library(folder)
    await library.create("greet", GREET, files=FILES)
    await library.create("other", GREET, files=FILES)
    (folder / "greet.files" / "workspace" / "dropdown_mappings.json").write_text("{")
    (folder / "other.files" / "data" / "notes.txt").write_bytes(b"\xff")
    versions, problems = await folder_library(folder).list()
    assert versions == ()
    assert [one.file for one in problems] == ["greet.py", "other.files/data/notes.txt"]
    assert "dropdown_mappings.json" in problems[0].message


async def test_a_replacement_that_was_cut_off_is_finished(folder, monkeypatch):
    library = folder_library(folder)
    first = await library.create("greet", GREET, files=FILES, author="anna")
    assert isinstance(first, WorkflowCreated)

    def crash(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("services.workflows.library.storage.library_folder.write_version_files", crash)
        with pytest.raises(KeyboardInterrupt):
            FolderStorage(folder)._append(
                "greet", _replacement(first.workflow, GREET_LOUDLY), (GREET_LOUDLY, {"data/other.txt": "x"})
            )
    now = await shown(folder_library(folder), "greet")
    assert (now.source, now.files, now.workflow.author) == (GREET_LOUDLY, {"data/other.txt": "x"}, "bert")
    assert (folder / "greet.py").read_text() == GREET_LOUDLY
    assert list((folder / LIBRARY_FOLDER / "writing").iterdir()) == []
    assert len(await library.history("greet")) == 3


def _replacement(current, source):
    from services.workflows.library.versions import make_version, replaced

    files = {"data/other.txt": "x"}
    version = make_version("greet", source, files, description="", author="bert", at=current.created_at)
    return replaced(current, version)


async def test_files_that_are_kept_nowhere_else_are_not_overwritten(folder):
    (folder / "greet.files").mkdir()
    (folder / "greet.files" / "mine.txt").write_text("mine")
    library = folder_library(folder)
    with raises_code(PermanentError, "name_taken", match=r"greet\.files"):
        await library.create("greet", GREET, files=FILES)
    assert (folder / "greet.files" / "mine.txt").read_text() == "mine"


async def test_what_was_left_beside_a_removed_file_makes_place(folder):
    library = folder_library(folder)
    await library.create("greet", GREET, files=FILES)
    (folder / "greet.py").unlink()
    await library.create("greet", GREET_LOUDLY)
    assert (await shown(library, "greet")).files == {}
    assert not (folder / "greet.files").exists()


@pytest.mark.parametrize("target", ["export.zip", "export"])
async def test_an_export_takes_the_files_along(folder, tmp_path, target):
    library = folder_library(folder)
    await library.create("greet", GREET, files=FILES)
    one = await shown(library, "greet")
    write_export(tmp_path / target, [one])
    found, problems = read_import(tmp_path / target)
    assert problems == []
    assert [(each.name, each.source, each.files, each.version) for each in found] == [
        ("greet", GREET, FILES, one.workflow)
    ]


async def test_one_file_is_imported_with_the_files_beside_it(folder):
    await folder_library(folder).create("greet", GREET, files=FILES)
    (found,), _ = read_import(folder / "greet.py")
    assert found.files == FILES
