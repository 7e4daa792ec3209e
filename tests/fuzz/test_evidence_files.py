"""Whatever is done to the files of a sealed run: `verify` names the file, and nothing that reads it breaks."""

from __future__ import annotations

import asyncio
import json
import shutil
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.evidence_format.files.flow import parse_flow_file
from shared.evidence_format.files.run import parse_lessons, parse_run_file
from shared.evidence_format.files.sample import parse_result
from shared.evidence_format.log_codec import parse_log
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.zip import ZipSource
from shared.evidence_format.verify.verify_run import check_run
from tests.fuzz.hostile import EXAMPLES, VALUES, WHATEVER, changed
from tests.handlers.evidence.evidence_desk import KEY, Desk
from tests.handlers.evidence.sealed_rounds import rounds

DEEP = b"[" * 50_000 + b"]" * 50_000


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    desk = Desk(tmp_path_factory.mktemp("whole") / "evidence")
    asyncio.run(rounds(desk))
    return desk.root / "run_1"


def flipped(held: bytes, at: int, bit: int) -> bytes:
    return held[:at] + bytes([held[at] ^ 1 << bit]) + held[at + 1 :]


def changes(name: str, held: bytes) -> st.SearchStrategy[bytes]:
    """Other contents of a file: a flipped bit, the file cut off, other values, whatever."""
    places = st.integers(0, len(held) - 1)
    others = [
        st.builds(flipped, st.just(held), places, st.integers(0, 7)),
        places.map(lambda at: held[:at]),
        st.binary(max_size=50),
        st.sampled_from([DEEP, b"\xff\xfe", b"null", b"[]", b"{}"]),
    ]
    if name.endswith(".json"):
        others.append(changed([json.loads(held)]).map(lambda one: json.dumps(one).encode()))
    return st.one_of(others).filter(lambda after: after != held)


@contextmanager
def copied(whole: Path, run: Path) -> Generator[Path]:
    yield Path(shutil.copytree(whole, run))
    shutil.rmtree(run)


def test_a_changed_file_is_named_whatever_it_holds_now(whole: Path, ram_path: Path):
    names = [name for name in files_of(whole) if (whole / name).stat().st_size]
    assert len(names) > 10

    @settings(WHATEVER, max_examples=EXAMPLES * 2)
    @given(st.sampled_from(names), st.data())
    def each(name: str, data: st.DataObject) -> None:
        with copied(whole, ram_path / "run_1") as run:
            after = data.draw(changes(name, (run / name).read_bytes()))
            (run / name).unlink()  # a file with several names is changed under this one only
            (run / name).write_bytes(after)
            checked = check_run(FolderSource(run), KEY.public)
            assert not checked.stands
            assert name in {problem.path for problem in checked.problems}

    each()


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def moved(run: Path, how: str, one: str, other: str) -> set[str]:
    """Change a folder; return the names that a check has to tell, one of them at least."""
    if how == "remove":
        (run / one).unlink()
    elif how == "add":
        (run / f"{one}.new").write_bytes(b"")
        return {f"{one}.new"}
    elif how == "rename":
        (run / one).rename(run / f"{one}.new")
        return {one, f"{one}.new"}
    elif how == "copy":
        shutil.copyfile(run / other, run / one)
    else:
        (run / one).rename(run / "x")
        (run / other).rename(run / one)
        (run / "x").rename(run / other)
        return {one, other}
    return {one}


def test_whatever_is_removed_added_renamed_or_exchanged_is_found(whole: Path, ram_path: Path):
    names = files_of(whole)

    @settings(WHATEVER, max_examples=EXAMPLES)
    @given(st.sampled_from(["remove", "add", "rename", "copy", "exchange"]), st.sampled_from(names), st.data())
    def each(how: str, one: str, data: st.DataObject) -> None:
        others = [name for name in names if (whole / name).read_bytes() != (whole / one).read_bytes()]
        with copied(whole, ram_path / "run_1") as run:
            named = moved(run, how, one, data.draw(st.sampled_from(others)))
            checked = check_run(FolderSource(run), KEY.public)
            assert not checked.stands
            words = {word for problem in checked.problems for word in (problem.path, *problem.message.split())}
            assert named & words or one in ("manifest.json", "seal.json"), checked.problems

    each()


def test_a_bit_of_a_zip_that_is_flipped_changes_no_evidence_unseen(whole: Path, ram_path: Path):
    """Some bits of a zip say nothing of what is in it, such as times; then what is in it is what was sealed."""
    packed = Path(shutil.make_archive(str(ram_path / "packed"), "zip", whole.parent, whole.name)).read_bytes()
    sealed = {name: (whole / name).read_bytes() for name in files_of(whole)}

    @settings(WHATEVER, max_examples=EXAMPLES * 2)
    @given(st.integers(0, len(packed) - 1), st.integers(0, 7))
    def each(at: int, bit: int) -> None:
        other = ram_path / "flipped.zip"
        other.write_bytes(flipped(packed, at, bit))
        source = ZipSource(other)
        checked = check_run(source, KEY.public)
        source.close()
        if checked.stands:
            with zipfile.ZipFile(other) as file:
                assert {name: file.read(f"run_1/{name}") for name in sealed} == sealed

    each()


READERS: dict[str, Callable[[bytes], Any]] = {
    "result.json": parse_result,
    "run.json": parse_run_file,
    "action_log.json": parse_log,
    "flow.json": parse_flow_file,
    "memory.json": parse_lessons,
}


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_reader_gives_what_it_promises_or_says_that_the_file_is_damaged(whole: Path, name: str):
    known = [json.loads(path.read_bytes()) for path in whole.rglob(name)] or [{}]

    @settings(WHATEVER, max_examples=EXAMPLES * 2)
    @given(
        st.one_of(
            changed(known).map(lambda one: json.dumps(one).encode()),
            VALUES.map(lambda one: json.dumps(one).encode()),
            st.binary(max_size=50),
        )
    )
    @example(DEEP)
    def each(data: bytes) -> None:
        try:
            READERS[name](data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return

    each()
