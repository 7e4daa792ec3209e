"""Runs of an earlier version, resumed by this one: old files are read, left unchanged, and sealed again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from msgspec.structs import replace

from services.evidence.deps import EvidenceDeps
from services.evidence.handlers import close_population, file_result, file_step, open_run
from services.evidence.read_api.read_handlers import load_steps
from services.evidence.state.run_state import RunState
from shared.contracts.actions import Done
from shared.contracts.discovery import PopulationClosed, RunStarted
from shared.contracts.evidence import LoadSteps, RunFinished, StepsLoaded
from shared.contracts.planner import Lessons, SampleFinished
from shared.contracts.steps import StepTaken, note_text
from shared.evidence_format.files.sample import parse_result
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from tests.handlers.evidence.earlier_runs import NOW, RUNS, deps_of, unpacked
from tests.handlers.evidence.evidence_desk import KEY
from tests.typed import expect

COLUMNS_SINCE = {"from_api": ""}
"""Of combined.csv: columns that it did not have then, and what they hold for such a run."""


async def known(deps: EvidenceDeps, run: Path) -> RunState:
    state = await deps.ledger.state(run.name)
    assert state is not None
    return state


async def next_round(deps: EvidenceDeps, run: Path, again: str) -> None:
    """Resume it: samples that are not done are open then, and ``again`` whatever it was, though a resume works on no
    sample that is done."""
    state = await known(deps, run)
    base, samples = last_attempt(state), len(state.samples)
    started = RunStarted(run_id=run.name, record=state.record, attempt_base=base)
    await open_run(started, deps, 1)
    (await known(deps, run)).reopen(again)
    await close_population(PopulationClosed(run_id=run.name, samples=samples, attempt_base=base), deps, 1)


def last_attempt(state: RunState) -> int:
    return max(ended.attempt for ended in state.ends.values())


async def try_again(deps: EvidenceDeps, run: Path, sample_id: str) -> RunFinished | None:
    """One more attempt, which says what the result of the latest one says."""
    state = await known(deps, run)
    result = parse_result((run / sample_id / "result.json").read_bytes())
    attempt = state.attempt_base + 1
    ids = {"run_id": run.name, "sample_id": sample_id, "attempt": attempt, "decided_by": "rules"}
    # The pages that they were read from are of the attempt before.
    values = tuple(replace(stored.to_value(name), source=None) for name, stored in result.fields.items())
    times: dict[str, Any] = {"started_at": NOW, "ended_at": NOW}
    action = Done(values=dict(result.extracted))
    await file_step(StepTaken(**ids, **times, step=1, observation=None, action=action, values=values), deps, 1)
    finished = SampleFinished(
        **ids,
        status="done",
        sample=state.samples[sample_id][0],
        values=values,
        lessons=Lessons(patterns=("It is still there.",)),
        steps=1,
        started_at=NOW,
        finished_at=NOW,
    )
    return await file_result(finished, deps, 1)


def rows(run: Path) -> dict[str, dict[str, str]]:
    with (run / "combined.csv").open(newline="", encoding="utf-8") as file:
        return {row["sample_id"]: row for row in csv.DictReader(file)}


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def steps(run: Path, sample_id: str) -> list[tuple[int, int]]:
    """How many steps each attempt has in SQL."""
    with duckdb.connect() as db:
        query = (
            f"SELECT attempt, count(*) FROM '{run}/tables/steps.parquet' WHERE sample_id = ? GROUP BY ALL ORDER BY 1"
        )
        return db.execute(query, [sample_id]).fetchall()


@pytest.mark.parametrize("name", RUNS)
async def test_its_tables_are_made_again_and_what_a_later_attempt_puts_aside_is_still_proven(tmp_path: Path, name: str):
    run = unpacked(name, tmp_path / "evidence")
    deps = deps_of(run)
    before, kept = rows(run), {path: path.read_bytes() for path in run.glob("*/*.json")}
    again, *others = before
    log, attempt = read(run / again / "action_log.json"), read(run / again / "result.json")["attempt"]
    await next_round(deps, run, again)
    finished = await try_again(deps, run, again)
    for other in [one for one in others if before[one]["status"] != "done"]:
        finished = await try_again(deps, run, other)
    assert finished is not None
    assert finished.not_made == ()
    assert check_run(FolderSource(run), KEY.public).problems == []

    done = {one for one in others if before[one]["status"] == "done"}
    now = {one: row for one, row in rows(run).items() if one in done}
    assert now == {one: {**before[one], **COLUMNS_SINCE} for one in done}
    assert [path for path, data in kept.items() if path.parent.name in done and path.read_bytes() != data] == []

    aside = run / again / f"attempt_{attempt}"
    assert (aside / "action_log.json").read_bytes() == kept[run / again / "action_log.json"]
    assert (attempt, len(log)) in steps(run, again)
    loaded = expect(await load_steps(LoadSteps(run_id=run.name, sample_id=again, attempt=attempt), deps), StepsLoaded)
    assert loaded.total == len(log)
    [new] = read(run / again / "action_log.json")
    assert new.keys() ^ log[0].keys() <= {"version", "route", "message", "counts"}
    result = read(run / again / "result.json")
    assert result.keys() ^ read(aside / "result.json").keys() == {"version", "problems", "drivers", "no_flow"}
    assert (new["version"], result["version"]) == (2, 2)
    since = {"version", "population_reason", "population_counted", "settlements", "pauses", "reviewed"}
    assert read(run / "run.json").keys() ^ read(run / "rounds" / "1" / "run.json").keys() <= since
    assert read(run / "memory" / "patterns.json")[-1]["text"] == "It is still there."


def test_every_result_of_theirs_is_read_in_the_current_shape(tmp_path: Path):
    for name in RUNS:
        for path in unpacked(name, tmp_path / name).glob("**/result.json"):
            written, result = read(path), parse_result(path.read_bytes())
            assert (result.version, "version" in written) == (1, False)
            now = json.loads(msgspec.json.encode(result))
            assert missing_in(now, {key: value for key, value in written.items() if key != "notes"}) == []
            assert [note_text(note) for note in result.notes] == written["notes"]


def missing_in(now: Any, then: Any, at: str = "") -> list[str]:
    """Where what was written then is not said any more; keys that were added since are none of it."""
    if isinstance(then, dict) and isinstance(now, dict):
        return [one for key in then for one in missing_in(now.get(key, "no such key"), then[key], f"{at}.{key}")]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [one for n, (a, b) in enumerate(zip(now, then, strict=True)) for one in missing_in(a, b, f"{at}[{n}]")]
    return [] if now == then else [at]
