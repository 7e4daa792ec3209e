"""Source that several threads convert at once."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.workflow_source.syntax_trees import compile_tree, parse_source

SOURCE = "\n".join(f"def f{number}(a, b=({number}, [1, {{2: 3}}])): return a, b" for number in range(50))


@pytest.fixture
def finalizers_that_change_the_thread() -> Iterator[None]:
    """Have the garbage collector run in the middle of each conversion, and another thread go on there."""

    def change_thread(phase: str, info: dict[str, int]) -> None:
        os.stat("/")  # noqa: PTH116  it must not make garbage

    before = gc.get_threshold()
    gc.callbacks.append(change_thread)
    gc.set_threshold(200)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(change_thread)


@pytest.mark.usefixtures("finalizers_that_change_the_thread")
def test_threads_that_convert_at_once_do_not_disturb_each_other():
    def convert(_: int) -> Any:
        names: dict[str, Any] = {}
        exec(compile_tree(parse_source(SOURCE), "source"), names)
        return names["f7"](1)

    with ThreadPoolExecutor(4) as threads:
        assert set(map(repr, threads.map(convert, range(300)))) == {"(1, (7, [1, {2: 3}]))"}
