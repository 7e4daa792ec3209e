from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from rich.console import Console

from services.console.terminal.run_view import live_view, run_summary
from services.console.text.tally import Settling, Tally, driver_lines, headline, settling_line, workflow_offer
from shared.contracts.actions import Goto, UseWorkflow
from shared.contracts.base import Usage
from shared.contracts.discovery import PopulationClosed, Sample, SampleFound
from shared.contracts.evidence import DriversCount, EvidenceBlocked, NoFlowCount, OutcomeCount, RunFinished
from shared.contracts.explained import FieldExplained, SettlingKey
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import ObservationRef, StepTaken
from shared.statuses import Status
from tests.typed import expect

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER = datetime(2026, 3, 1, 12, 0, 10, tzinfo=UTC)


def sample(name: str) -> Sample:
    return Sample(sample_id=name, key=name, row=1)


def ended(name: str, status: Status = "done", attempt: int = 1, **changes) -> SampleFinished:
    return SampleFinished(
        run_id="r",
        sample_id=name,
        attempt=attempt,
        status=status,
        sample=sample(name),
        started_at=NOON,
        finished_at=NOON,
        **changes,
    )


def step(name: str, attempt: int = 1) -> StepTaken:
    seen = ObservationRef(snapshot_id="s", sha256="", url="", title="", http_status=200, dom_confidence=1)
    return StepTaken(
        run_id="r",
        sample_id=name,
        attempt=attempt,
        step=1,
        started_at=NOON,
        ended_at=NOON,
        observation=seen,
        decided_by="rules",
        action=Goto(url="http://127.0.0.1/[x]"),
        message="opened [/red] it",
    )


def explained(field: str, *keys: dict[str, Any]) -> FieldExplained:
    settled = [SettlingKey(keys=one, entry={"type": "string", **one}, why="label_alike", state="value") for one in keys]
    return FieldExplained(field=field, settled_by=tuple(settled))


def test_the_key_that_settles_most_samples_is_told():
    tally = Tally("r")
    assert tally.settling is None
    label, dmy, mdy = {"labels": ["Assigned to"]}, {"date_order": "dmy"}, {"date_order": "mdy"}
    for number in range(3):
        tally.add(ended(f"A{number}", "needs_review", explained=(explained("assignee", label),)))
    tally.add(ended("A3", "needs_review", explained=(explained("due", dmy, mdy),)))
    tally.add(ended("A4", explained=(explained("due", dmy, mdy),)))  # it is done
    assert tally.settling == Settling("assignee", ('"labels": ["Assigned to"]',), 3, others=1)
    for number in range(5, 7):
        tally.add(ended(f"A{number}", "needs_review", explained=(explained("due", dmy, mdy),)))
    assert expect(tally.settling, Settling).field == "assignee", "of two as frequent the one that leaves no choice"
    for number in range(7, 10):
        tally.add(ended(f"A{number}", "needs_review", explained=(explained("due", dmy, mdy),)))
    settling = tally.settling
    assert settling is not None
    assert settling_line(settling).startswith(
        'due: "date_order": "dmy" or "date_order": "mdy" (6 samples, 1 more field; '
    )


def finished(attempt_base: int = 0) -> RunFinished:
    return RunFinished(
        run_id="r",
        attempt_base=attempt_base,
        samples=60,
        outcomes=(
            OutcomeCount(status="failed", reason="not_found", samples=2),
            OutcomeCount(status="done", reason="", samples=58),
        ),
        location="evidence/r",
        table="evidence/r/combined.csv",
        llm_calls=0,
        cost_usd=0,
        started_at=NOON,
        finished_at=LATER,
    )


def tally_of(*events, **options) -> Tally:
    tally = Tally(run_id="r", **options)
    for event in events:
        tally.add(event)
    return tally


def test_a_run_is_counted_from_its_events():
    tally = tally_of(
        SampleFound(run_id="r", sample_id="a", sample=sample("a"), found_at=NOON),
        PopulationClosed(run_id="r", samples=3),
        step("a"),
        step("b"),
        ended("a", usage=Usage(llm_calls=2, cost_usd=0.5)),
    )
    assert (tally.found, tally.expected, tally.steps) == (1, 3, 2)
    assert tally.counts == {"done": 1}
    assert list(tally.active) == ["b"]
    assert (tally.usage.llm_calls, tally.usage.cost_usd) == (2, 0.5)


def test_of_two_ends_of_one_sample_the_later_attempt_counts():
    for order in ((1, 2), (2, 1)):
        ends = {1: ended("a", "failed", 1), 2: ended("a", "done", 2)}
        tally = tally_of(*(ends[attempt] for attempt in order))
        assert +tally.counts == {"done": 1}
        assert tally.troubles == []


def test_earlier_rounds_of_a_resumed_run_count_nothing():
    tally = tally_of(
        PopulationClosed(run_id="r", samples=3),
        step("a", attempt=1),
        ended("a", "failed", attempt=1),
        finished(attempt_base=0),
        PopulationClosed(run_id="r", samples=3, attempt_base=1),
        ended("b", attempt=2),
        attempt_base=1,
    )
    assert (dict(+tally.counts), tally.steps, tally.expected, tally.finished) == ({"done": 1}, 0, 3, None)


def test_progress_of_a_resumed_run_is_counted_without_what_was_done_before():
    tally = Tally("r", 1, 2)
    tally.add(PopulationClosed(run_id="r", samples=3, attempt_base=1))
    tally.add(ended("b", attempt=2))
    assert (tally.ended, tally.expected) == (1, 1)


def test_evidence_that_waits_is_shown_until_it_goes_on():
    blocked = EvidenceBlocked(run_id="r", sample_id="a", message="the disk is full", at=NOON)
    assert tally_of(blocked).blocked == "the disk is full"
    assert tally_of(blocked, ended("a")).blocked == ""


def test_the_last_line_has_the_same_words_whatever_the_order():
    assert headline(finished().outcomes, 60) == "60 samples: 58 done, 2 failed (not found)"
    assert headline(finished().outcomes[::-1], 60) == "60 samples: 58 done, 2 failed (not found)"
    assert headline((), 1) == "1 sample"


def test_what_pages_say_is_shown_as_text_and_never_as_markup():
    tally = tally_of(step("a"), ended("b", "failed", reason="not_found", message="[bold]gone[/bold] [/]"), finished())
    console = Console(width=100, record=True, file=io.StringIO())
    tally.active["a"] = tally_of(step("a")).active["a"]
    console.print(live_view(tally, "tick[ets]", 1.0))
    console.print(run_summary(finished(), tally, Path()))
    shown = console.export_text()
    what_went_wrong = "failed (not found)  [bold]gone[/bold] [/]"
    for text in ("opened [/red] it", what_went_wrong, "tick[ets]", "60 samples: 58 done, 2 failed (not found)"):
        assert text in shown


def test_a_list_that_was_counted_says_whether_it_is_complete():
    whole = replace(finished(), population_counted=60)
    partial = replace(finished(), population_complete=False, population_reason="missing_items", population_counted=90)
    for ended_as, told in ((whole, "Complete: 60, as many as the site counts."), (partial, "Incomplete: 60 of 90.")):
        console = Console(width=200, record=True, file=io.StringIO())
        console.print(run_summary(ended_as, tally_of(ended_as), Path()))
        assert told in console.export_text()


def test_the_same_failure_of_many_samples_is_told_once_with_their_number():
    def refused(key: str) -> SampleFinished:
        own = Sample(sample_id=key, key=key, row=1, fields={"ticket": key, "n": "1"})
        message = f"{key}: 10.0.0.1 is a private address"
        return replace(ended(key, "failed", reason="policy_denied", message=message), sample=own)

    keys = [f"TCK-{number}-{'long' * 24}" for number in range(14)]
    gone = ended("x", "failed", reason="not_found", message="no such record")
    tally = tally_of(*map(refused, keys), gone, finished())
    told = {(trouble.message, len(trouble.sample_ids)) for trouble in tally.troubles}
    assert told == {("{ticket}: 10.0.0.1 is a private address", 14), ("no such record", 1)}
    for shown in (live_view(tally, "tickets", 1.0), run_summary(finished(), tally, Path())):
        console = Console(width=110, record=True, file=io.StringIO())
        console.print(shown, soft_wrap=True)
        text = console.export_text()
        assert text.count("is a private address") == 1
        assert "14 samples" in text
    assert all(key in text for key in keys[:10])
    assert "and 4 more, in the table" in text
    assert "{ticket}: of each, what its row has there" in text


def test_the_summary_says_what_to_change_where_the_spec_is_the_cause():
    gone = ended("a", "failed", reason="not_found", message="no such record")
    lost = [ended(key, "needs_review", reason="missing_fields", message="owner is missing") for key in "bc"]
    console = Console(width=400, record=True, file=io.StringIO())
    console.print(run_summary(finished(), tally_of(gone, *lost, finished()), Path()))
    advice, anew = (line for line in console.export_text().splitlines() if line.startswith("To do"))
    assert "missing fields" in advice
    assert "`shown_in`" in advice
    assert "Start a new run" in anew, "a resumed one keeps the spec that it began with"


def test_a_sample_that_is_done_at_a_later_attempt_is_no_trouble_any_more():
    wrong = [ended(key, "failed", reason="not_found", message="gone") for key in "ab"]
    tally = tally_of(*wrong, ended("a", "done", 2))
    assert [(trouble.sample_ids, trouble.message) for trouble in tally.troubles] == [(("b",), "gone")]


def test_the_summary_names_the_report_where_there_is_one():
    def said(report: str) -> str:
        console = Console(width=100, record=True, file=io.StringIO())
        console.print(run_summary(replace(finished(), report=report), tally_of(finished()), Path("/here")))
        return console.export_text()

    assert "Report" not in said("")
    assert "Report    evidence/r/report.html" in said("/here/evidence/r/report.html")


def test_long_ways_of_a_model_could_be_workflows():
    asked = Usage(llm_calls=3)
    used = replace(step("c"), action=UseWorkflow(name="w", hash="0" * 64))
    tally = tally_of(
        ended("a", steps=6, usage=asked),
        ended("b", steps=5, usage=asked),
        used,
        ended("c", steps=9, usage=asked),
        ended("d", steps=9),
        ended("e", "failed", steps=9, usage=asked),
    )
    assert tally.long_ways == 1
    assert workflow_offer(1).startswith("1 sample took more than 5 steps: ")
    assert '"save_workflow": true' in workflow_offer(2)


def test_the_summary_says_who_has_worked_on_the_samples_with_calls_and_cost_and_why():
    why = NoFlowCount(text="no flow was compiled:\nthe reason", samples=2)
    worked = (
        DriversCount(drivers=("flow",), samples=9, llm_calls=0, cost_usd=0),
        DriversCount(drivers=("flow", "rules", "model"), samples=1, llm_calls=3, cost_usd=0.02),
        DriversCount(drivers=("model",), samples=2, llm_calls=14, cost_usd=0.21, reasons=(why,)),
    )
    assert driver_lines(replace(finished(), worked=worked)) == [
        "flow: 9 samples, 0 calls, $0.0000",
        "flow, then rules, then model: 1 sample, 3 calls, $0.0200",
        "model: 2 samples, 14 calls, $0.2100",
        "    2 of them: no flow was compiled: the reason",
    ]


def of_flow_and_rules(by_flow: int, by_rules: int, absent: int = 0) -> list[str]:
    worked = (
        DriversCount(drivers=("flow",), samples=by_flow, llm_calls=0, cost_usd=0, done=by_flow),
        DriversCount(drivers=("flow", "rules"), samples=by_rules + absent, llm_calls=0, cost_usd=0, done=by_rules),
    )
    return driver_lines(replace(finished(), worked=worked))[len(worked) :]


def test_the_summary_says_where_the_rules_did_more_than_the_flow_at_which_it_had_stopped():
    assert of_flow_and_rules(1, 6) == [
        "The flow did 1 sample, and stopped at 6 that the rules did. Such a flow is set aside: see `exhibit flows show`"
    ]
    assert of_flow_and_rules(6, 6) == []


def test_records_that_are_absent_do_not_count_against_a_flow():
    assert of_flow_and_rules(4, 1, absent=9) == []


def test_a_run_without_flows_says_nothing_of_drivers():
    worked = (DriversCount(drivers=("model",), samples=12, llm_calls=0, cost_usd=0),)
    assert driver_lines(replace(finished(), worked=worked)) == []
    assert driver_lines(finished()) == []
