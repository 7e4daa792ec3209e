"""Appending to the step log: constant cost per step, and no step is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from services.evidence.step_files import merge_step_files, read_log, write_step
from services.evidence.store.folder_store import FolderStore
from shared.contracts.actions import Done
from shared.evidence_format.files.json_files import with_indent
from shared.evidence_format.log_codec import LogEntry, encode_entry, encode_log, entry_of
from tests.handlers.evidence.evidence_desk import sample, took

FOLDER = "run_1/A-1"


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path)


def entry(step: int) -> LogEntry:
    words = 'a line\nanother, "quoted", \u2028 and {} [],'
    action = Done(values={"empty": [], "none": {}, "list": [{"a": [1.5, None, True]}]}, reason=words)
    return entry_of(replace(took(sample(), step=step), action=action, message=words))


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


async def test_the_pieces_make_the_file_that_the_whole_list_would_make(store: FolderStore, tmp_path: Path):
    entries = [entry(step) for step in (1, 2, 10, 300)]
    for one in entries:
        await write_step(store, FOLDER, one)
    assert await read_log(store, FOLDER) == entries
    await merge_step_files(store, FOLDER)
    assert files(tmp_path) == {"run_1/A-1/action_log.json": encode_log(entries)}
    assert not (tmp_path / "run_1/A-1/_log").exists()
    assert await read_log(store, FOLDER) == entries


async def test_each_step_is_written_once(store: FolderStore, tmp_path: Path):
    written: list[int] = []
    write = store.write

    async def counted(key: str, data: bytes) -> None:
        written.append(len(data))
        await write(key, data)

    store.write = counted
    for step in range(1, 301):
        await write_step(store, FOLDER, entry(step))
    assert max(written) <= len(with_indent(encode_entry(entry(300))))


async def test_where_there_is_no_log_there_is_none_afterwards(store: FolderStore, tmp_path: Path):
    await store.write(f"{FOLDER}/sample.json", b"{}")
    await merge_step_files(store, FOLDER)
    assert await read_log(store, FOLDER) is None
    assert list(files(tmp_path)) == ["run_1/A-1/sample.json"]


@pytest.mark.parametrize("removed", [(), (1,), (1, 2), (1, 2, 3)])
async def test_cut_off_while_the_pieces_go_it_is_the_same_file_once_more(
    store: FolderStore, tmp_path: Path, removed: tuple[int, ...]
):
    entries = [entry(step) for step in (1, 2, 3)]
    await store.write(f"{FOLDER}/action_log.json", encode_log(entries))
    for one in entries:
        await write_step(store, FOLDER, one)
    for step in removed:
        (tmp_path / FOLDER / "_log" / f"{step:06d}.json").unlink()
    assert await read_log(store, FOLDER) == entries
    await merge_step_files(store, FOLDER)
    assert files(tmp_path) == {"run_1/A-1/action_log.json": encode_log(entries)}
