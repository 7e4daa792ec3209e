"""The folder: files that people write, edit and remove."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from services.workflows.library import versions
from services.workflows.library.storage.library_folder import LOOK_EVERY_S, FolderStorage
from shared.contracts.workflows.library import WorkflowRefused, WorkflowShown
from shared.errors import PermanentError
from tests.handlers.workflows.storages import GREET, GREET_LOUDLY, folder_library, open_library
from tests.raising import raises_code


async def test_files_are_found_and_the_module_docstring_describes_them(folder):
    (folder / "greet.py").write_text('"""Say hello.\n\nMore about it."""\n' + GREET)
    (folder / "other.py").write_text(GREET)
    (folder / "_draft.py").write_text("this is no Python")
    (folder / "notes.txt").write_text("nor this")
    versions, problems = await folder_library(folder).list()
    assert [(one.name, one.description, one.author) for one in versions] == [
        ("greet", "Say hello.", "file"),
        ("other", "Return a greeting.", "file"),
    ]
    assert problems == ()


async def test_a_broken_file_is_reported_with_its_line_and_the_rest_load(folder):
    (folder / "good.py").write_text(GREET)
    (folder / "broken.py").write_text("def run():\n    return (\n")
    (folder / "silent.py").write_text("def run():\n    try:\n        a()\n    except:\n        return {}\n")
    (folder / "binary.py").write_bytes(b"\xff\xfe")
    (folder / "list.py").write_text(GREET)
    (folder / "nowhere.py").symlink_to(folder / "missing")
    versions, problems = await folder_library(folder).list()
    assert [one.name for one in versions] == ["good"]
    assert [(one.file, one.line) for one in problems] == [
        ("binary.py", 0),
        ("broken.py", 2),
        ("list.py", 0),
        ("silent.py", 4),
        ("silent.py", 4),
    ]


async def test_a_file_that_is_edited_in_place_is_listed_anew(folder):
    at = [0.0]
    library = open_library(FolderStorage(folder, clock=lambda: at[0]))
    file = folder / "greet.py"
    file.write_text(GREET)
    for _ in range(3):  # until nothing is left to record
        await library.list()
    before = folder.stat()
    file.write_text(GREET.replace("Return a greeting", "Welcome somebody"))
    os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))
    at[0] += LOOK_EVERY_S
    assert [one.description for one in (await library.list())[0]] == ["Welcome somebody."]


async def test_a_file_that_is_no_regular_file_is_reported_and_waits_for_nobody(folder):
    os.mkfifo(folder / "pipe.py")
    async with asyncio.timeout(60):
        _, problems = await folder_library(folder).list()
    assert [(one.file, one.message) for one in problems] == [("pipe.py", "it is no regular file")]


async def test_a_file_name_that_is_not_utf_8_is_reported(folder):
    (folder / os.fsdecode(b"\xff.py")).write_text(GREET)
    _, problems = await folder_library(folder).list()
    assert [one.file for one in problems] == ["\\xff.py"]
    assert msgspec.json.encode(problems)


async def test_a_file_that_is_edited_into_nonsense_is_not_used_any_more(folder):
    library = folder_library(folder)
    await library.create("greet", GREET)
    (folder / "greet.py").write_text("def run(:")
    with raises_code(PermanentError, "workflow_unreadable", match=r"greet\.py:1"):
        await library.get("greet")
    reply = await library.create("greet", GREET)
    assert isinstance(reply, WorkflowRefused)
    assert reply.findings[0].code == "name_taken"
    (folder / "greet.py").write_text(GREET)
    assert isinstance(await library.get("greet"), WorkflowShown)


async def test_a_file_that_is_removed_is_a_tombstone(folder):
    library = folder_library(folder)
    await library.create("greet", GREET)
    (folder / "greet.py").unlink()
    assert (await library.list())[0] == ()
    assert [one.kind for one in await library.history("greet")] == ["created", "deleted"]


async def test_asking_a_folder_that_is_not_there_does_not_make_it(tmp_path):
    library = folder_library(tmp_path / "mistyped")
    assert await library.list() == ((), ())
    assert list(tmp_path.iterdir()) == []


async def test_a_stored_source_that_was_changed_is_not_used(folder):
    library = folder_library(folder)
    await library.create("greet", GREET)
    (stored,) = (folder / ".library" / "sources").iterdir()
    stored.write_text(GREET_LOUDLY)
    with pytest.raises(PermanentError, match="was changed"):
        await library.get("greet")


async def test_a_damaged_history_is_reported_and_not_overwritten(folder):
    library = folder_library(folder)
    await library.create("greet", GREET)
    history = folder / ".library" / "history" / "greet.json"
    history.write_text("{")
    with pytest.raises(PermanentError, match=r"greet\.json is damaged"):
        await library.get("greet")
    assert history.read_text() == "{"


async def test_an_edit_that_the_history_cannot_hold_is_told(folder, monkeypatch):
    monkeypatch.setattr(versions, "MAX_ENTRIES", 1)
    (folder / "greet.py").write_text(GREET)
    library = folder_library(folder)
    assert [one.name for one in (await library.list())[0]] == ["greet"]
    (folder / "greet.py").write_text(GREET_LOUDLY)
    with pytest.raises(PermanentError, match="which is the most"):
        await library.get("greet")


@pytest.mark.system
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_of_another_user_is_read_only():
    with TemporaryDirectory() as name:  # pytest's own folders cannot be read by others
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "greet.py").write_text(GREET)
        done = subprocess.run([sys.executable, "-c", AS_NOBODY, name], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["['greet'] True", "cannot_write"], done.stderr


AS_NOBODY = f"""
import asyncio, concurrent.futures.thread, os, sys
sys.path.insert(0, {str(Path.cwd())!r})
from services.workflows.library import versions
from services.workflows.library.storage.library_folder import FolderStorage
from tests.handlers.workflows.storages import GREET, open_library
from pathlib import Path
from shared.errors import PermanentError
os.setuid(65534)
async def main():
    library = open_library(FolderStorage(Path(sys.argv[1])))
    print([one.name for one in (await library.list())[0]], (await library.get("greet")).source == GREET)
    try:
        await library.create("other", GREET)
    except PermanentError as exc:
        print(exc.code)
asyncio.run(main())
"""
