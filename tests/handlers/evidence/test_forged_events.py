"""Events that nobody who works on a run has sent: they reach the quarantine, and never the run."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from services.evidence.refused_results import LOOKS_BETWEEN_TRIES
from services.evidence.store.quarantine import MAX_CONTENT_BYTES, MAX_EVENTS
from shared.contracts.discovery import Sample
from shared.contracts.steps import FieldValue, ValueSource
from shared.errors import InvalidMessage
from shared.evidence_format import layout
from shared.streams import ARTIFACTS
from shared.subjects import SAMPLE_FINISHED
from tests.handlers.evidence.evidence_desk import (
    NOW,
    Desk,
    closed,
    ended,
    found,
    found_values,
    outcomes,
    sample,
    started,
    took,
)

ONE, TWO, STRANGER = sample("A-1"), sample("A-2", 2), sample("B-9", 9)


@pytest.fixture
async def sealed(desk: Desk) -> Desk:
    """A run of one sample that is done and sealed."""
    await desk.begun(ONE)
    filed = await desk.capture(ONE)
    await desk.tell(took(ONE, filed), ended(ONE, filed))
    return desk


@pytest.fixture
async def at_work(desk: Desk) -> Desk:
    """A run of two samples; the first is at its second step, and the second has not begun."""
    await desk.begun(ONE, TWO)
    await desk.tell(took(ONE, await desk.capture(ONE)), took(ONE, step=2))
    return desk


async def refuse(desk: Desk, *messages: Any) -> list[tuple[str, str]]:
    """Send just these messages. Return what is in quarantine after them; no file of a run has changed."""
    before = desk.files()
    for message in messages:
        assert await desk.hand(message) is None
    assert desk.files() == before
    return desk.refused()


# --- a sealed run


@pytest.mark.parametrize(
    "forged",
    [
        ended(ONE, attempt=2, number="66"),
        ended(ONE, attempt=2, number="66", steps=1),
        ended(ONE, attempt=1, number="66", steps=1),
        ended(ONE, attempt=1, status="failed", reason="not_found", steps=1),
        ended(ONE, attempt=2, status="failed", reason="not_found"),
        ended(STRANGER, number="66"),
        took(ONE, attempt=2),
        took(ONE, step=2),
        took(STRANGER),
        replace(took(ONE), message="something else"),
        found(STRANGER),
        found(replace(ONE, fields={"team": "blue"})),
        closed(2),
        closed(1, attempt_base=1),
        replace(closed(1), complete=False, note="there may be more"),
        started(1, spec={"output_schema": {"number": "string"}}),
        started(1, created_at=NOW.replace(year=2020)),
    ],
    ids=lambda forged: f"{type(forged).__name__}",
)
async def test_nothing_changes_a_sealed_run(sealed: Desk, forged: Any):
    assert sealed.check().stands
    assert [event for event, _ in await refuse(sealed, forged)] == [type(forged).__name__]
    sealed.restart()
    assert [event for event, _ in await refuse(sealed, forged, forged)] == [type(forged).__name__], "recorded once"
    assert sealed.check().stands
    loaded: Any = await sealed.load()
    assert [(one.sample, one.status, one.attempt) for one in loaded.samples] == [(ONE, "done", 1)]


async def test_a_step_of_an_earlier_attempt_does_not_reach_a_sealed_run_either(desk: Desk):
    await desk.begun(ONE)
    await desk.tell(took(ONE), took(ONE, attempt=2), ended(ONE, attempt=2))
    assert await refuse(desk, took(ONE, step=2)) == [("StepTaken", "run_sealed")]


async def test_blobs_that_a_refused_step_names_stay_where_they_are(sealed: Desk):
    filed = await sealed.capture(TWO)
    await refuse(sealed, took(ONE, filed, attempt=2), took(STRANGER, filed), took(ONE, filed, step=2))
    assert await sealed.bus.get(ARTIFACTS, filed.artifact.blob) == b"png"


# --- a run at work


@pytest.mark.parametrize(
    ("forged", "code"),
    [
        (ended(ONE, attempt=2), "steps_differ"),
        (ended(ONE, attempt=2, steps=2), "steps_differ"),
        (ended(ONE), "steps_differ"),
        (ended(ONE, steps=1), "steps_differ"),
        (ended(ONE, steps=3), "steps_differ"),
        (ended(ONE, steps=3, status="failed", reason="not_found"), "steps_differ"),
        (ended(ONE, attempt=2, status="failed", reason="not_found"), "steps_differ"),
        (ended(ONE, attempt=2, status="failed", reason="sample_unreadable"), "steps_differ"),
        (ended(ONE, status="failed", reason="not_found"), "steps_differ"),
        (ended(ONE, steps=2, number="66"), "not_logged"),
        (replace(ended(ONE, steps=2), sample=TWO), "other_sample"),
        (ended(STRANGER), "unknown_sample"),
        (replace(ended(ONE, steps=2), sample_id="_discovery"), "unknown_sample"),
        (took(STRANGER), "unknown_sample"),
        (took(ONE, step=4), "out_of_order"),
        (took(ONE, step=0), "out_of_order"),
        (took(ONE, attempt=2, step=3), "out_of_order"),
        (took(TWO, attempt=0), "other_round"),
        (took(TWO, attempt=-1), "other_round"),
        (replace(took(ONE), message="something else"), "other_content"),
        (replace(took(ONE, step=3), planner_id="another"), "other_planner"),
        (replace(took(ONE, step=2), planner_id="another"), "other_planner"),
        (replace(ended(ONE, steps=2), planner_id="another"), "other_planner"),
        (found(STRANGER), "population_closed"),
        (found(replace(ONE, fields={"team": "blue"})), "other_content"),
        (replace(found(ONE), sample=TWO), "other_sample"),
        (closed(1), "population_differs"),
        (closed(3), "population_differs"),
        (closed(2, attempt_base=7), "other_round"),
    ],
)
async def test_what_does_not_fit_is_refused_and_the_real_work_goes_on(at_work: Desk, forged: Any, code: str):
    assert await refuse(at_work, forged) == [(type(forged).__name__, code)]
    assert await at_work.tell(took(ONE, step=3), ended(ONE, steps=3)) is None
    assert outcomes(await at_work.tell(ended(TWO))) == {("done", ""): 2}
    assert at_work.json("A-1/result.json")["extracted"]["number"] == "7"


async def test_every_file_that_a_result_names_must_be_filed(at_work: Desk):
    filed = await at_work.capture(ONE, b"other", step=9)
    assert await refuse(at_work, ended(ONE, filed, steps=2)) == [("SampleFinished", "not_filed")]


@pytest.mark.parametrize("name", ["page_sha256", "observation_file_sha256", "screenshot_sha256"])
async def test_a_value_of_a_page_is_bound_to_a_filed_one(desk: Desk, name: str):
    await desk.begun(ONE)
    page = await desk.capture(ONE, b"page")
    await desk.tell(took(ONE, page))
    where = ValueSource(
        snapshot_id="s", observation_sha256="x", url="http://x", ref=1, role="cell", label=None, box=None, frame="main"
    )

    def bound(sha256: str) -> tuple[FieldValue, ...]:
        number, owner = found_values()
        return (replace(number, source=replace(where, **{name: sha256})), owner)

    forged = replace(ended(ONE, page, steps=1), values=bound("0" * 64))
    assert await refuse(desk, forged) == [("SampleFinished", "not_filed")]
    real = replace(ended(ONE, page, steps=1), values=bound(page.artifact.sha256))
    assert outcomes(await desk.tell(real)) == {("done", ""): 1}


async def test_whose_attempt_it_is_outlives_a_restart(desk: Desk):
    await desk.begun(ONE)
    await desk.tell(replace(took(ONE), planner_id="one"))
    desk.restart()
    forged = [replace(message, planner_id="two") for message in (took(ONE, step=2), ended(ONE, steps=1))]
    assert await refuse(desk, *forged) == [("SampleFinished", "other_planner"), ("StepTaken", "other_planner")]
    desk.restart()
    assert outcomes(await desk.tell(replace(ended(ONE, steps=1), planner_id="one"))) == {("done", ""): 1}
    assert desk.check().stands
    assert desk.json("A-1/action_log.json")[0]["planner_id"] == desk.json("A-1/result.json")["planner_id"] == "one"


async def test_events_of_another_round_are_refused(desk: Desk):
    await desk.begun(ONE)
    await desk.tell(started(3), closed(1, 3))
    forged = [took(ONE, attempt=3), ended(ONE, attempt=2, status="failed", reason="x")]
    assert await refuse(desk, *forged) == [("SampleFinished", "other_round"), ("StepTaken", "other_round")]
    assert outcomes(await desk.tell(ended(ONE, attempt=4))) == {("done", ""): 1}


async def test_a_run_is_not_started_under_the_name_of_another(desk: Desk):
    with pytest.raises(InvalidMessage):
        await desk.hand(started(run_id="run_2"))
    assert desk.files() == {}


# --- honest events are no suspects


async def test_a_sample_may_be_given_up_by_who_does_not_know_its_steps(at_work: Desk):
    await at_work.tell(replace(ended(ONE, status="failed", reason="retries_exhausted"), values=()))
    await at_work.hand(replace(ended(TWO, status="failed", reason="retries_exhausted", attempt=5), values=()))
    loaded: Any = await at_work.load()
    assert [(one.status, one.attempt) for one in loaded.samples] == [("failed", 1), ("failed", 5)]
    assert at_work.refused() == []


async def test_of_an_attempt_that_was_overtaken_nothing_is_said(at_work: Desk):
    two = {"planner_id": "two", "session_id": "s2"}
    await at_work.tell(replace(took(ONE, attempt=2), planner_id="two"), took(ONE, step=3), ended(ONE, steps=3))
    await at_work.tell(ended(ONE, attempt=2, **two))
    assert at_work.refused() == []
    assert (at_work.root / "run_1" / "A-1" / "attempt_1").is_dir()
    result = at_work.json("A-1/result.json")
    assert [result[name] for name in ("attempt", *two)] == [2, "two", "s2"]


# --- a result that is refused although it is the real one


async def test_a_sample_whose_only_result_was_refused_is_given_up_and_the_run_ends(at_work: Desk):
    await at_work.tell(ended(TWO))
    await refuse(at_work, ended(ONE, steps=3))
    for restarted in (False, True):
        if restarted:
            at_work.restart()
            await at_work.recall()
        assert await at_work.given_up() == [], "the planner is still at work"
    await at_work.end_work(ONE)
    [lost] = await at_work.given_up()
    assert (lost.status, lost.reason, lost.attempt) == ("failed", "result_refused", 2)
    assert "3 steps" in lost.message
    assert outcomes(await at_work.hand(lost)) == {("done", ""): 1, ("failed", "result_refused"): 1}
    assert at_work.check().stands
    assert (at_work.root / "run_1" / "A-1" / "attempt_1" / layout.ACTION_LOG).is_file(), "what it did is kept"
    assert await at_work.given_up() == []
    await at_work.tell(started(2), closed(2, 2))
    assert outcomes(await at_work.tell(ended(ONE, attempt=3))) == {("done", ""): 2}


async def test_a_refused_result_of_somebody_else_gives_up_nothing(at_work: Desk):
    await refuse(at_work, ended(ONE, steps=3), ended(ONE, attempt=2), ended(STRANGER))
    await at_work.tell(ended(ONE, steps=2))
    await at_work.end_work(ONE)
    assert await at_work.given_up() == []


async def test_a_sample_that_is_given_up_too_late_keeps_its_result(at_work: Desk):
    await refuse(at_work, ended(ONE, steps=3))
    await at_work.end_work(ONE)
    [lost] = await at_work.given_up()
    await at_work.tell(ended(ONE, steps=2), lost, ended(TWO), lost)
    loaded: Any = await at_work.load()
    assert [(one.status, one.attempt) for one in loaded.samples] == [("done", 1), ("done", 1)]
    assert at_work.refused() == [("SampleFinished", "steps_differ")]


async def test_an_id_that_the_bus_knows_keeps_no_run_open(at_work: Desk):
    await at_work.bus.publish(SAMPLE_FINISHED, ended(ONE, attempt=2))
    await refuse(at_work, ended(ONE, steps=3))
    await at_work.end_work(ONE)
    looks = [await at_work.given_up() for _ in range(2 * LOOKS_BETWEEN_TRIES)]
    assert [[one.attempt for one in given_up] for given_up in looks if given_up] == [[3]]


async def test_a_round_begins_above_every_attempt_that_somebody_was_seen_at(desk: Desk):
    await desk.begun(ONE)
    await desk.tell(took(ONE), ended(ONE, status="failed", reason="retries_exhausted"))
    await refuse(desk, took(ONE, attempt=2), took(ONE, attempt=3), took(ONE, attempt=99))
    loaded: Any = await desk.load()
    assert loaded.latest_attempt == 3


# --- the quarantine


async def test_a_refused_event_is_recorded_with_its_reason_and_what_it_said(sealed: Desk):
    forged = ended(ONE, attempt=2, number="66")
    await refuse(sealed, forged)
    [path] = (sealed.root / layout.QUARANTINE / "run_1").iterdir()
    told = sealed.json(f"../{layout.QUARANTINE}/run_1/{path.name}")
    assert (told["version"], told["run_id"], told["sample_id"], told["attempt"]) == (1, "run_1", "A-1", 2)
    assert (told["event"], told["code"]) == ("SampleFinished", "run_sealed")
    assert told["content"]["values"][0]["value"] == "66"


async def test_a_large_event_is_recorded_without_its_content(sealed: Desk):
    await refuse(sealed, replace(took(ONE, attempt=2), message="x" * MAX_CONTENT_BYTES))
    [path] = (sealed.root / layout.QUARANTINE / "run_1").iterdir()
    assert sealed.json(f"../{layout.QUARANTINE}/run_1/{path.name}")["content"] is None


async def test_a_flood_fills_no_disk(sealed: Desk):
    below = sealed.root / layout.QUARANTINE / "run_1"
    below.mkdir(parents=True)
    for number in range(MAX_EVENTS):
        (below / f"{number}.json").write_bytes(b"{}")
    await sealed.hand(took(ONE, attempt=2))
    assert len(list(below.iterdir())) == MAX_EVENTS


async def test_nobody_gets_a_folder_who_was_not_asked_for(desk: Desk):
    await desk.begun(ONE)
    other = Sample(sample_id="objects2", key="objects2", row=5)
    await refuse(desk, took(other), ended(other))
    assert sorted(path.name for path in (desk.root / "run_1").iterdir() if path.is_dir()) == ["A-1"]


async def test_after_the_result_of_a_sample_no_further_attempt_is_filed(at_work: Desk):
    await at_work.tell(ended(ONE, steps=2))
    assert await refuse(at_work, took(ONE, attempt=2)) == [("StepTaken", "sample_ended")]


async def test_a_result_names_a_file_with_the_bytes_that_were_filed(at_work: Desk):
    other = await at_work.capture(ONE, b"other", step=9, filename="01_t.png")
    assert await refuse(at_work, ended(ONE, other, steps=2)) == [("SampleFinished", "not_filed")]


async def test_that_there_is_no_value_is_logged_by_a_step_too(at_work: Desk):
    number, _ = found_values()
    values = (number, FieldValue(field="owner", state="not_found"))
    assert await refuse(at_work, replace(ended(ONE, steps=2), values=values)) == [("SampleFinished", "not_logged")]


async def test_a_population_does_not_count_fewer_samples_than_are_known(desk: Desk):
    await desk.tell(started(), found(ONE), found(TWO))
    assert await refuse(desk, closed(1)) == [("PopulationClosed", "population_differs")]
    await desk.tell(closed(3))
    assert desk.refused() == [("PopulationClosed", "population_differs")]
