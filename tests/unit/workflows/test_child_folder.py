"""The folder of a child on disk: what is in it counts, however it is nested, and all of it goes."""

from __future__ import annotations

import os
from pathlib import Path

from services.workflows.execution.parent.child_folder import ENTRY_BYTES, is_larger, remove_folder


def test_a_folder_is_measured_with_its_folders_and_removed_however_deep_it_is(tmp_path: Path):
    flat, deep = tmp_path / "flat", tmp_path / "deep"
    flat.mkdir()
    for number in range(20):
        (flat / str(number)).mkdir()
    assert [is_larger(flat, entries * ENTRY_BYTES) for entries in (19, 20)] == [True, False]
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        name = "deep"
        for _ in range(3_000):
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here, name = below, "in"
    finally:
        os.close(here)
    assert is_larger(deep, 10**9)
    for folder in (flat, deep):
        remove_folder(folder)
    assert list(tmp_path.iterdir()) == []
