"""Runs that discover their samples by navigation: how samples and listed items are filed."""

from __future__ import annotations

import csv

from shared.contracts.discovery import PopulationClosed, RunRecord, RunStarted, Sample, SampleFound
from shared.contracts.planner import SampleFinished
from shared.text.names import DISCOVERY
from tests.handlers.evidence.evidence_desk import NOW

LIST = {"task_id": "list", "phase": "discovery", "output_schema": {"number": "string", "size": "number | null"}}
ROWS = {"A": 1, "B": 2, DISCOVERY: 0}
WORK = {"task_id": "work", "output_schema": {"number": "string"}}


def started(spec: dict, attempt_base: int = 0) -> RunStarted:
    record = RunRecord(run_id="run_1", spec=spec, planner=None, concurrency=1, created_at=NOW, discovery_spec=LIST)
    return RunStarted(run_id="run_1", record=record, attempt_base=attempt_base, discovering=True)


def found(key: str, row: int, size: int | None = None) -> SampleFound:
    fields = {"number": key, "size": "" if size is None else str(size), "url": f"http://x/{key}"}
    sample = Sample(sample_id=key, key=key, row=row, url=f"http://x/{key}", fields=fields)
    item = {"number": key, "size": size}
    return SampleFound(run_id="run_1", sample_id=key, sample=sample, found_at=NOW, found_on="http://x/list", item=item)


def ended(sample_id: str, attempt: int = 1, **changes) -> SampleFinished:
    given = {"status": "done", "sample": Sample(sample_id=sample_id, key=sample_id, row=ROWS[sample_id]), **changes}
    return SampleFinished(
        run_id="run_1", sample_id=sample_id, attempt=attempt, started_at=NOW, finished_at=NOW, **given
    )


def closed(samples: int, attempt_base: int = 0, **changes) -> PopulationClosed:
    return PopulationClosed(run_id="run_1", samples=samples, attempt_base=attempt_base, **changes)


async def test_the_search_is_filed_like_a_sample_and_is_none(tabled):
    await tabled.tell(started(WORK), found("A", 1), ended("A"), ended(DISCOVERY))
    finished = await tabled.tell(closed(1))
    assert (finished.samples, [(o.status, o.samples) for o in finished.outcomes]) == (1, [("done", 1)])
    assert [row["sample_id"] for row in tabled.rows()] == ["A"]
    assert tabled.json(f"{DISCOVERY}/result.json")["status"] == "done"


async def test_the_population_is_written_as_it_was_discovered(tabled):
    await tabled.tell(started(WORK), found("A", 1, 7), found("B", 2), closed(2))
    names = set(tabled.files())
    assert "run_1/discovered_samples.csv" in names
    assert "run_1/samples.csv" not in names
    with (tabled.root / "run_1/discovered_samples.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["sample_id", "url", "discovered_at", "number", "size"]
    assert (rows[0]["sample_id"], rows[0]["discovered_at"], rows[0]["size"]) == ("A", "2026-11-21T08:00:00Z", "7")


async def test_what_was_only_listed_is_the_table(tabled):
    await tabled.tell(started(LIST), found("A", 1, 7), found("B", 2), ended(DISCOVERY))
    finished = await tabled.tell(closed(2))
    assert [(o.status, o.samples) for o in finished.outcomes] == [("done", 2)]
    assert [(row["sample_id"], row["number"], row["size"]) for row in tabled.rows()] == [
        ("A", "A", "7"),
        ("B", "B", ""),
    ]
    result = tabled.json("A/result.json")
    assert result["extracted"] == {"number": "A", "size": 7}
    assert "http://x/list" in result["notes"][0]["text"]


async def test_a_run_is_not_over_while_more_samples_are_looked_for(tabled):
    assert await tabled.tell(started(WORK), found("A", 1), ended("A")) is None
    assert await tabled.tell(ended(DISCOVERY)) is None
    assert (await tabled.tell(closed(1))).population_complete


async def test_a_search_cut_short_is_said_kept_and_taken_up_again(tabled):
    await tabled.tell(started(WORK), found("A", 1), ended("A"), ended(DISCOVERY, 2, status="failed", reason="blocked"))
    finished = await tabled.tell(closed(1, complete=False, note="cut short"))
    assert (finished.population_complete, finished.population_note) == (False, "cut short")
    tabled.restart()
    loaded = await tabled.load()
    assert (loaded.population_complete, loaded.discovery_attempt) == (False, 2)
    assert await tabled.tell(started(WORK, 2), found("B", 2), ended("B", 3), ended(DISCOVERY, 3)) is None
    again = await tabled.tell(closed(2, 2))
    assert (again.samples, again.population_complete) == (2, True)


async def test_nothing_found_is_a_run_of_no_samples(tabled):
    await tabled.tell(started(LIST), ended(DISCOVERY))
    finished = await tabled.tell(closed(0, note="the list is empty"))
    assert (finished.samples, finished.population_note) == (0, "the list is empty")
    assert tabled.rows() == []
