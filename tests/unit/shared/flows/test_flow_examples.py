"""The example flows are what the compiler makes of the samples that lie beside them."""

from __future__ import annotations

from pathlib import Path

from scripts.write_flow_examples import compile_example, files_of, folders
from tests.cases import cases

FOLDERS = tuple(folders())


def test_every_practice_task_has_an_example():
    assert {one.name for one in FOLDERS} == {
        "practice_blame", "practice_commit_audit", "practice_hr_request", "practice_people", "practice_tickets",
    }  # fmt: skip


@cases("folder", FOLDERS)
def test_an_example_is_compiled_from_its_samples(folder: Path):
    flow = compile_example(folder)
    assert flow.problems == ()
    for name, text in files_of(flow).items():
        assert (folder / name).read_text(encoding="utf-8") == text, f"{name}: make examples"
