"""Runs compared as evidence has filed and sealed them, with what a signed-off review says of them."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from services.evidence.comparisons import AT_ONCE, Comparisons
from services.evidence.handlers import compare_two_runs
from shared.comparing.read_run import StoredRun, in_threads
from shared.comparing.run_comparison import SampleComparison, compare_runs
from shared.comparing.sides import NotComparable
from shared.contracts.comparing import CompareRuns, ComparisonTold
from shared.contracts.sessions.reviewing import ShownWhere
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.source import NoRun
from tests.handlers.evidence.evidence_desk import KEY, Desk, closed, ended, found, sample, started
from tests.handlers.evidence.review_room import ReviewRoom, for_review
from tests.typed import there
from tests.unit.shared.reviewing.review_people import ANN


def compared(a: Desk, b: Desk) -> dict[str, SampleComparison]:
    sources = [FolderSource(desk.root / "run_1") for desk in (a, b)]
    runs = [StoredRun(source, KEY.public) for source in sources]
    assert [run.seal.signed for run in runs] == ["by_known_key"] * 2
    return {one.key: one for one in compare_runs(runs[0], runs[1], in_threads(sources[0])).samples}


@pytest.fixture
async def other(tmp_path: Path) -> Desk:
    """A run in which A-1 has the number 8, and A-2 the number 7."""
    desk = Desk(tmp_path / "other", products=())
    await desk.begun(sample("A-1"), sample("A-2", row=2))
    await desk.tell(ended(sample("A-1"), number="8"), ended(sample("A-2", row=2)))
    return desk


async def corrected(room: ReviewRoom, value: str) -> None:
    """Correct the number of A-1 and accept the sample."""
    number = next(item for item in await room.items() if item.target.field == "number")
    picture: dict[str, Any] = room.desk.json("A-1/result.json")["artifacts"][0]
    where = ShownWhere(file=picture["filename"], sha256=picture["sha256"])
    assert await room.code(ANN, "correct", number, value=value, where=where) == ""
    assert await room.code(ANN, "accept") == ""


async def test_a_correction_counts_once_the_review_is_signed_off(desk: Desk, other: Desk):
    await for_review(desk)
    room = ReviewRoom(desk)
    await corrected(room, "8")
    before = desk.files()
    open_ = compared(desk, other)["A-1"]
    assert (open_.verdict, there(open_.fields[0].a).state) == ("unclear", "for_review")
    assert desk.files() == before
    assert await room.code(ANN, "sign") == ""
    await room.close()
    assert {key: one.verdict for key, one in compared(desk, other).items()} == {"A-1": "same", "A-2": "same"}


async def test_a_corrected_value_that_differs_is_told_with_what_was_read_and_who_has_corrected_it(
    desk: Desk, other: Desk
):
    await for_review(desk)
    room = ReviewRoom(desk)
    await corrected(room, "9")
    assert await room.code(ANN, "sign") == ""
    await room.close()
    told = compared(desk, other)["A-1"]
    side = there(told.fields[0].a)
    assert (told.verdict, side.value, side.read, side.decision, side.decided_by) == (
        "changed", "9", "7", "correct", ("ann",),
    )  # fmt: skip
    assert side.where.startswith("A-1/")
    assert (desk.root / "run_1" / side.where).is_file()


async def test_a_decision_that_was_changed_after_the_sign_off_is_refused(desk: Desk, other: Desk):
    await for_review(desk)
    room = ReviewRoom(desk)
    await corrected(room, "8")
    assert await room.code(ANN, "sign") == ""
    await room.close()
    path = desk.root / "run_1/review.rounds/1/000001.json"
    path.write_bytes(path.read_bytes().replace(b'"8"', b'"9"'))
    with pytest.raises(NotComparable, match=r"000001\.json: was changed since it was sealed"):
        compared(desk, other)


async def test_a_run_at_work_is_refused_and_a_population_that_is_not_complete_is_told(tmp_path: Path, other: Desk):
    desk = Desk(tmp_path / "work", products=())
    await desk.tell(started(), found(sample("A-1")))
    with pytest.raises(NotComparable, match="is not finished"):
        StoredRun(FolderSource(desk.root / "run_1"), None)
    partial = replace(closed(1), complete=False, note="the list ended early")
    await desk.tell(partial, ended(sample("A-1"), number="8"))
    assert {key: one.verdict for key, one in compared(other, desk).items()} == {"A-1": "same", "A-2": "maybe_gone"}


def comparing(desk: Desk, **others: Desk) -> Comparisons:
    """Return what compares the run of a desk, ``run_1``, and those of others under the names that are given."""
    desks = {"run_1": desk, **others}
    return Comparisons(lambda run_id: nullcontext(FolderSource(desks.get(run_id, desk).root / "run_1")), KEY.public)


async def test_the_changes_of_a_run_are_told_on_the_bus(desk: Desk, other: Desk):
    await desk.begun(sample("A-1"), sample("A-2", row=2))
    await desk.tell(ended(sample("A-1")), ended(sample("A-2", row=2)))
    desk.deps.comparisons = comparing(desk, run_0=other)
    told = await compare_two_runs(CompareRuns(run_a="run_0", run_b="run_1"), desk.deps)
    assert (told.same, told.changed, told.refused) == (False, {"number": 1}, "")
    assert (told.counts["changed"], told.counts["same"]) == (1, 1)


async def test_what_cannot_be_compared_is_told_with_the_reason(desk: Desk, tmp_path: Path):
    await desk.begun(sample("A-1"))  # it is at work
    desk.deps.comparisons = comparing(desk, run_0=Desk(tmp_path / "nothing", products=()))

    async def refused(run_a: str, run_b: str) -> str:
        told = await compare_two_runs(CompareRuns(run_a=run_a, run_b=run_b), desk.deps)
        assert told == ComparisonTold(run_a=run_a, run_b=run_b, refused=told.refused)
        return told.refused

    assert "is not finished" in await refused("run_1", "run_1")
    assert "there is no folder" in await refused("run_0", "run_1")
    assert "no id of a run" in await refused("../run_1", "run_1")


async def test_a_comparison_that_takes_too_long_holds_nothing_up():
    let_go = threading.Event()

    def open_run(run_id: str) -> AbstractContextManager[FolderSource]:
        let_go.wait()
        raise NoRun(run_id)

    before = threading.active_count()
    try:
        slow = Comparisons(open_run, KEY.public, longest_s=0.0)
        told = [await slow.compare("run_1", "run_2") for _ in range(AT_ONCE + 2)]
        assert threading.active_count() - before <= AT_ONCE, "those that were given up do not add up"
    finally:
        let_go.set()
    assert "`exhibit compare run_1 run_2` has the time" in told[0].refused
