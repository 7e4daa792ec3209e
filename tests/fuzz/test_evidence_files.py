"""Whatever is written into a file of a sealed run: `verify` names the file, and nothing that reads it breaks."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
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
from shared.evidence_format.verify.run import check_run
from tests.fuzz.hostile import EXAMPLES, VALUES, WHATEVER, changed
from tests.handlers.evidence.evidence_desk import KEY, Desk
from tests.handlers.evidence.sealed_rounds import rounds

DEEP = b"[" * 50_000 + b"]" * 50_000


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    desk = Desk(tmp_path_factory.mktemp("whole") / "evidence")
    asyncio.run(rounds(desk))
    return desk.root / "run_1"


def json_files(run: Path) -> list[str]:
    return sorted(str(path.relative_to(run)) for path in run.rglob("*.json"))


def test_a_changed_file_is_named_whatever_it_holds_now(whole: Path, ram_path: Path):
    names = json_files(whole)
    assert len(names) > 10
    run = ram_path / "run_1"

    @settings(WHATEVER, max_examples=EXAMPLES * 2)
    @given(st.sampled_from(names), st.data())
    def each(name: str, data: st.DataObject) -> None:
        shutil.copytree(whole, run)
        try:
            before = (run / name).read_bytes()
            after = data.draw(
                st.one_of(
                    changed([json.loads(before)]).map(lambda one: json.dumps(one).encode()),
                    st.integers(0, len(before) - 1).map(lambda at: before[:at]),
                    st.binary(max_size=50),
                    st.sampled_from([DEEP, b"\xff\xfe", b"null", b"[]", b"{}"]),
                )
            )
            (run / name).write_bytes(after)
            checked = check_run(FolderSource(run), KEY.public)
            assert after == before or not checked.whole
            assert after == before or name in {problem.path for problem in checked.problems}
        finally:
            shutil.rmtree(run)

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
