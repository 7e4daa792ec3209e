"""A round that only its review has changed takes tables and report from the round before, and they are what would be
made anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from services.console.web.run_facts import SIGNED_QUERY, SignedOff
from services.evidence.facts import RunFacts
from services.evidence.outputs.closed_block import START
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.outputs.products import OpenFile, OutputFile
from services.evidence.outputs.reviewed_products import TAKEN, is_taken
from services.evidence.sql.catalogue import TABLES
from shared.evidence_format.review.amounts import decided_words
from shared.evidence_view.sample_facts import SampleFacts
from tests.handlers.evidence.evidence_desk import Desk, closed, ended, sample, started
from tests.handlers.evidence.paper_world import corrected_run, paper_of
from tests.handlers.evidence.review_room import ReviewRoom, for_review, reviewing
from tests.unit.shared.reviewing.review_people import ANN


@dataclass
class Spy:
    """A product without files. ``taken``: for each closing of a run, what it took from the round before; ``logs``:
    whether the step logs were read."""

    makes: str = ""
    taken: list[set[str]] = field(default_factory=list[set[str]])
    logs: list[bool] = field(default_factory=list[bool])

    def make(self, run: RunFacts, _: Path) -> Spy:
        self.taken.append(set(run.before))
        return self

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self.logs.append(sample.files_read.log is not None)

    def finish(self) -> Iterable[OutputFile]:
        return []

    def close(self) -> None: ...


async def decided(root: Path) -> tuple[Desk, ReviewRoom, Spy]:
    """A run whose review is signed, and that is not closed with it yet."""
    spy = Spy()
    desk = Desk(root, products=(*ALL_PRODUCTS, spy.make))
    await for_review(desk, reviewing(ANN))
    room = ReviewRoom(desk)
    value = next(item for item in await room.items() if item.target.field == "number")
    assert await room.code(ANN, "correct", value, value="8", reason="<b>8</b>, as the page says") == ""
    assert [await room.code(ANN, act) for act in ("accept", "sign")] == ["", ""]
    return desk, room, spy


def table(path: Path) -> tuple[list[Any], list[Any]]:
    """Return columns with types, and rows in their order."""
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        described = db.execute(f"DESCRIBE FROM '{path}'").fetchall()
        return described, db.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM '{path}'").fetchall()


def cut(report: Path) -> None:
    report.write_bytes(report.read_bytes()[:-1])


@pytest.mark.parametrize("harm", [cut, Path.unlink])
async def test_what_is_taken_is_what_would_be_made_anew(tmp_path: Path, harm: Callable[[Path], None]):
    quick, anew, here = tmp_path / "quick", tmp_path / "anew", tmp_path / "evidence"
    desk, room, spy = await decided(here)
    await room.close()
    assert spy.taken == [set(), set(TAKEN)]
    assert spy.logs == [True, True, False, False]
    assert desk.check().problems == []
    here.rename(quick)
    _, room, spy = await decided(here)
    harm(here / "run_1/report.html")
    await room.close()
    assert spy.taken == [set(), set()], "what is not as it was sealed is not taken"
    here.rename(anew)
    for name in ("report.html", "combined.csv"):
        assert (quick / "run_1" / name).read_bytes() == (anew / "run_1" / name).read_bytes(), name
    assert "\\u003cb\\u003e8" in (quick / "run_1/report.html").read_text()
    for view in TABLES:
        one, other = (table(below / f"run_1/tables/{view.name}.parquet") for below in (quick, anew))
        assert one == other, view.name


async def test_what_was_decided_is_counted_alike_for_pages_and_papers(tmp_path: Path):
    desk = Desk(tmp_path, products=ALL_PRODUCTS)
    await corrected_run(desk)
    told = "1 sample accepted, 2 values corrected, 1 value rejected"
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        for view in ("reviews", "sign_offs"):
            db.execute(f"CREATE VIEW {view} AS FROM '{desk.root}/run_1/tables/{view}.parquet'")
        found = db.execute(f'SELECT * REPLACE (CAST("at" AS VARCHAR) AS "at") FROM ({SIGNED_QUERY})')
        (cells,) = found.fetchall()
        row = dict(zip((column[0] for column in found.description), cells, strict=True))
    assert SignedOff.of(row).counts == told
    assert decided_words(paper_of(desk)[0].decided) == told


def test_a_report_of_another_form_is_not_taken(tmp_path: Path):
    report, line = tmp_path / "report.html", f"{START}{{}}</script>\n"
    for text, taken in ((line, True), ("<p>\n", False), (line * 2, False), (f"<p>{line}", False)):
        report.write_text(text)
        assert is_taken("report.html", report, hashlib.sha256(text.encode()).hexdigest()) is taken


async def test_a_review_that_is_signed_off_again_has_the_last_decisions_only(tmp_path: Path):
    desk, room, spy = await decided(tmp_path)
    await room.close()
    assert await room.code(ANN, "reopen") == ""
    value = next(item for item in await room.items() if item.target.field == "number")
    assert [await room.code(ANN, act, *about) for act, about in (("accept", (value,)), ("sign", ()))] == ["", ""]
    await room.close()
    assert spy.taken == [set(), set(TAKEN), set(TAKEN)]
    with duckdb.connect() as db:
        query = (
            f"SELECT decision, reviewed_value FROM '{desk.root}/run_1/tables/fields.parquet' WHERE sample_id = 'A-1'"
        )
        assert db.execute(f"{query} AND field = 'number'").fetchall() == [("accept", None)]
    assert desk.check().problems == []


async def test_nothing_is_taken_where_more_than_the_review_is_new(tmp_path: Path):
    desk, room, spy = await decided(tmp_path)
    await room.close()
    again = sample("A-1")
    spec = desk.json("run.json")["record"]["spec"]
    await desk.tell(started(1, spec=spec, requested_by="dan"), closed(2, attempt_base=1))
    await desk.tell(ended(again, attempt=2, number="9"))
    assert spy.taken == [set(), set(TAKEN), set()]
    assert {row["sample_id"]: row["number"] for row in desk.rows()}["A-1"] == "9"


async def test_nothing_is_taken_where_a_sample_is_not_as_it_was_sealed(tmp_path: Path):
    desk, room, spy = await decided(tmp_path)
    manifest = desk.root / "run_1/A-2/manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b" ")
    await room.close()
    assert spy.taken == [set(), set()]
