"""Appending to the step log: constant cost per step, and no step is lost."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from services.evidence.step_files import merge_step_files, read_log, write_step
from services.evidence.store.folder_store import FolderStore
from shared.contracts.actions import Done
from shared.evidence_format.files.json_files import with_indent
from shared.evidence_format.log_codec import LogEntry, encode_entry, encode_log, entry_of, split_piece
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


LINES = "run_1/A-1/_log/steps.jsonl"


async def test_the_lines_make_the_file_that_the_whole_list_would_make(store: FolderStore, tmp_path: Path):
    entries = [entry(step) for step in (1, 2, 10, 300)]
    for one in entries:
        await write_step(store, FOLDER, one)
    assert await read_log(store, FOLDER) == entries
    await merge_step_files(store, FOLDER)
    assert files(tmp_path) == {"run_1/A-1/action_log.json": encode_log(entries)}
    assert not (tmp_path / "run_1/A-1/_log").exists()
    assert await read_log(store, FOLDER) == entries


async def test_each_step_is_written_once(store: FolderStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written: list[int] = []
    write = os.write

    def counted(handle: int, data: bytes) -> int:
        written.append(len(data))
        return write(handle, data)

    monkeypatch.setattr(os, "write", counted)
    for step in range(1, 301):
        await write_step(store, FOLDER, entry(step))
    assert sum(written) == (tmp_path / LINES).stat().st_size


async def test_a_line_that_was_cut_off_is_no_step(store: FolderStore, tmp_path: Path):
    """At every byte: what has no end was not acknowledged, and its event comes again."""
    lines = [encode_entry(entry(step)) + b"\n" for step in (1, 2, 3)]
    for length in range(len(lines[2])):
        assert split_piece(LINES, b"".join(lines)[: length - len(lines[2])]) == [line[:-1] for line in lines[:2]]
    for step in (1, 2, 3):
        await write_step(store, FOLDER, entry(step))
    os.truncate(tmp_path / LINES, len(b"".join(lines)) - 1)
    assert await read_log(store, FOLDER) == [entry(1), entry(2)]


async def test_what_was_cut_off_is_gone_with_the_next_line(store: FolderStore, tmp_path: Path):
    """At every byte, also of the first line."""
    whole = b'{"step": 1}\n{"step": 2}\n'
    for length in range(len(whole)):
        (tmp_path / "lines").write_bytes(whole[:length])
        lines = whole[:length].count(b"\n")
        for line in whole.splitlines(keepends=True)[lines:]:
            await store.append_line("lines", line, "")
        assert (tmp_path / "lines").read_bytes() == whole


async def test_cut_off_in_its_first_line_there_is_no_log(store: FolderStore, tmp_path: Path):
    await write_step(store, FOLDER, entry(1))
    (tmp_path / LINES).write_bytes((tmp_path / LINES).read_bytes()[:40])
    assert await read_log(store, FOLDER) is None


async def test_a_step_that_is_written_again_counts_as_it_was_written_last(store: FolderStore):
    """A disk that reports a fault may have written the line all the same."""
    first, again = entry(2), entry_of(replace(entry(2).step, planner_id="again"))
    for one in (entry(1), first, again, entry(3)):
        await write_step(store, FOLDER, one)
    assert await read_log(store, FOLDER) == [entry(1), again, entry(3)]


WRITER = """
import asyncio, sys
from pathlib import Path
from msgspec.structs import replace
from services.evidence.step_files import write_step
from services.evidence.store.folder_store import FolderStore
from shared.evidence_format.log_codec import entry_of
from tests.handlers.evidence.test_step_files import FOLDER, entry

async def main():
    store, one = FolderStore(Path(sys.argv[1])), replace(entry(1).step, message="x" * 500_000)
    for step in range(1, 1_000_000):
        await write_step(store, FOLDER, entry_of(replace(one, step=step)))
        print(step, flush=True)

asyncio.run(main())
"""


@pytest.mark.system
@pytest.mark.parametrize("steps", [1, 7])
def test_a_process_that_is_killed_has_lost_no_step_that_it_acknowledged(store: FolderStore, tmp_path: Path, steps: int):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    with writer:
        assert writer.stdout is not None
        for _ in range(steps):
            writer.stdout.readline()
        writer.kill()
        acknowledged = steps + len(writer.stdout.readlines())

    async def found() -> list[int]:
        return [one.step.step for one in await read_log(store, FOLDER) or []]

    steps_found = asyncio.run(found())
    assert acknowledged <= len(steps_found) <= acknowledged + 1
    asyncio.run(write_step(store, FOLDER, entry(len(steps_found) + 1)))
    assert asyncio.run(found()) == list(range(1, len(steps_found) + 2))


async def test_where_there_is_no_log_there_is_none_afterwards(store: FolderStore, tmp_path: Path):
    await store.write(f"{FOLDER}/sample.json", b"{}")
    await merge_step_files(store, FOLDER)
    assert await read_log(store, FOLDER) is None
    assert list(files(tmp_path)) == ["run_1/A-1/sample.json"]


# --- a file for each step: in a bucket, and in a folder of an earlier version


async def write_file(store: FolderStore, one: LogEntry) -> None:
    await store.write(f"{FOLDER}/_log/{one.step.step:06d}.json", with_indent(encode_entry(one)))


async def test_a_log_that_was_begun_with_files_goes_on_with_lines(store: FolderStore, tmp_path: Path):
    entries = [entry(step) for step in (1, 2, 3, 4)]
    for one in entries[:2]:
        await write_file(store, one)
    for one in entries[2:]:
        await write_step(store, FOLDER, one)
    assert await read_log(store, FOLDER) == entries
    await merge_step_files(store, FOLDER)
    assert files(tmp_path) == {"run_1/A-1/action_log.json": encode_log(entries)}


@pytest.mark.parametrize("removed", [(), (1,), (1, 2), (1, 2, 3)])
async def test_cut_off_while_the_pieces_go_it_is_the_same_file_once_more(
    store: FolderStore, tmp_path: Path, removed: tuple[int, ...]
):
    entries = [entry(step) for step in (1, 2, 3)]
    await store.write(f"{FOLDER}/action_log.json", encode_log(entries))
    for one in entries[:2]:
        await write_file(store, one)
    await write_step(store, FOLDER, entries[2])
    for step in removed:
        (tmp_path / (LINES if step == 3 else f"{FOLDER}/_log/{step:06d}.json")).unlink()
    assert await read_log(store, FOLDER) == entries
    await merge_step_files(store, FOLDER)
    assert files(tmp_path) == {"run_1/A-1/action_log.json": encode_log(entries)}
