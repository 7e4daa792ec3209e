"""`exhibit explain`: the story of one sample, from real runs of an earlier version and from what was done to them."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from services.console.cli import app
from services.console.text.sample_story import NOT_ENDED, SampleStory, StepStory
from services.console.text.story_lines import MOST_STEPS, chosen_steps
from shared.contracts.codes import REASONS
from shared.contracts.explained import KEY_WORDS, NEAR_WORDS
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.refused import RefusedEvent

EARLIER_RUNS = Path(__file__).parents[2] / "fixtures/earlier_runs"
SCREEN_LINES, WIDTH = 40, 100


def explained(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["explain", *words])
    return ended.exit_code, ended.output


def lines_of(*words: str) -> list[str]:
    code, out = explained(*words)
    assert code == 0, out
    return out.splitlines()


def story(*words: str) -> SampleStory:
    code, out = explained(*words, "--json")
    assert code == 0, out
    return msgspec.json.decode(out, type=SampleStory)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of three samples, one of which had two attempts."""
    with zipfile.ZipFile(EARLIER_RUNS / "resumed.zip") as file:
        file.extractall(tmp_path)
    (found,) = tmp_path.glob("run_*")
    return found


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


@pytest.mark.parametrize(
    ("name", "sample"), [("resumed", "A-3"), ("submitted", "LV-001"), ("judged", "LED-05"), ("replayed", "A-2")]
)
def test_a_sample_fits_on_one_screen(name: str, sample: str):
    lines = lines_of(str(EARLIER_RUNS / f"{name}.zip"), sample)
    assert lines[0].startswith(f"{sample}, row ")
    assert lines[0].endswith(": DONE")
    assert len(lines) <= SCREEN_LINES
    assert max(map(len, lines)) <= WIDTH


def test_the_story_says_who_decided_and_where_each_value_was_read():
    told = story(str(EARLIER_RUNS / "judged.zip"), "LED-05")
    log = {step.number: step for step in told.steps}
    assert told.steps_by == {"rules": 1, "claude-sonnet-5-5": 12}
    assert (log[1].driver, log[2].driver, log[2].outcome) == ("rules", "model", "ok")
    assert log[2].words == "type searchbox “Search code” text “return round(late_charge, 2)”"
    (date,) = [value for value in told.values if value.field == "last_modified_date"]
    assert (date.value, date.shown, date.role, date.label) == ("2026-07-20", "Jul 20, 2026", "cell", "Last modified")
    assert (date.picture, date.page) == ("01_blame.png", "01_blame.mhtml.zst")
    assert told.judgment is not None
    assert (told.judgment.answer, told.usage.llm_calls, told.advice) == ("no", 11, "")


def test_many_steps_are_folded_and_listed_on_request():
    place = str(EARLIER_RUNS / "submitted.zip")
    shown = [line for line in lines_of(place, "LV-001") if re.match(r" +\d+ +\d+\.\d s ", line)]
    assert len(shown) == MOST_STEPS
    assert "      ... 20 steps, all ok; --all lists them" in lines_of(place, "LV-001")
    whole = [line for line in lines_of(place, "LV-001", "--all") if re.match(r" +\d+ +\d+\.\d s ", line)]
    assert len(whole) == 32


def steps(count: int, **outcomes: str) -> list[StepStory]:
    return [
        StepStory(
            number=number, at_s=0, took_s=0, words="", outcome=outcomes.get(f"n{number}", "ok"), decided_by="rules",
            driver="rules",
        )
        for number in range(1, count + 1)
    ]  # fmt: skip


def test_what_went_wrong_is_never_folded_before_what_went_well():
    chosen = [step.number for step in chosen_steps(steps(60, n20="timeout", n31="refused"))]
    assert len(chosen) == MOST_STEPS
    assert {1, 20, 31, 60} <= set(chosen)
    assert chosen == sorted(chosen)


def test_one_that_is_not_done_says_why_and_what_to_do(run: Path):
    for name in ("result.json", "action_log.json"):
        (run / "A-3" / name).write_bytes((run / "A-3/attempt_1" / name).read_bytes())
    lines = lines_of(str(run), "A-3")
    facts = REASONS["missing_fields"]
    assert lines[0].endswith(": NEEDS REVIEW, missing_fields")
    assert lines[1].startswith(f"Why       {facts.words}: ")
    start = next(at for at, line in enumerate(lines) if line.startswith("To do"))
    assert facts.advice in " ".join(line.strip() for line in lines[start : start + 3])
    told = story(str(run), "A-3")
    assert [(one.number, one.status) for one in told.attempts] == [(1, "needs_review"), (1, "needs_review")]
    assert any(value.state == "not_found" and value.required for value in told.values)
    assert any(step.outcome == "refused" and step.told == told.message for step in told.steps)
    assert any(line.strip() == "as said above under Why" for line in lines)


def test_what_nearly_matched_and_what_would_settle_it_are_told_and_a_pasted_line_is_never_cut(run: Path):
    labels = [f"Label number {at} of a long list" for at in range(5)]
    entry = {"type": "string | null", "labels": labels, "under": "\x1b[2J"}
    key = {"keys": {"labels": labels}, "entry": entry, "why": "label_alike", "state": "value", "value": "Ann\nLee"}
    none = {"keys": {}, "entry": {"type": "string | null"}, "why": "may_be_empty", "state": "not_present"}
    near = [{"shown": "Bo", "label": "Old owner", "why": "past"}]
    fields = json.loads((run / "A-2/result.json").read_text())["fields"]
    name = next(iter(fields))
    told = {**fields, name: {"state": "not_found", "near": near, "settled_by": [key, none]}}
    change(run / "A-2/result.json", status="needs_review", reason="missing_fields", fields=told)
    lines = lines_of(str(run), "A-2")
    assert any(line.strip() == f"nearly: Old owner: “Bo”: {NEAR_WORDS['past']}" for line in lines)
    start = lines.index("This in the spec would settle it")
    assert lines[start + 1] == f"  {name} “Ann; Lee”: {KEY_WORDS['label_alike']}"
    end = lines.index(f"  or not present: {KEY_WORDS['may_be_empty']}")
    assert json.loads(f"{{{''.join(lines[start + 2 : end])}}}") == {name: entry}
    assert json.loads(f"{{{lines[end + 1]}}}") == {name: {"type": "string | null"}}
    assert all(letter.isprintable() for line in lines for letter in line)


def test_a_message_of_several_lines_is_told_on_one(run: Path):
    change(run / "A-2/result.json", status="failed", reason="not_found", message="first\n  second\r\nthird")
    (why,) = (line for line in lines_of(str(run), "A-2") if line.startswith("Why"))
    assert why.endswith(": first; second; third")


def test_attempts_before_the_one_that_counts_are_told(run: Path):
    told = story(str(run), "A-3")
    assert [(one.number, one.status, one.reason) for one in told.attempts] == [
        (1, "needs_review", "missing_fields"),
        (2, "done", ""),
    ]


def as_files(entries: list[Any]) -> dict[str, str]:
    return {f"{entry['step']:06d}.json": json.dumps(entry) for entry in entries}


def as_lines(entries: list[Any]) -> dict[str, str]:
    return {"steps.jsonl": "".join(json.dumps(entry) + "\n" for entry in entries) + '{"step": 3, "thi'}


@pytest.mark.parametrize("written", [as_files, as_lines])
def test_one_that_is_still_worked_on_has_its_steps_so_far(run: Path, written: Callable[[list[Any]], dict[str, str]]):
    sample = run / "A-1"
    log = json.loads((sample / "action_log.json").read_text())
    (sample / "result.json").unlink()
    (sample / "action_log.json").unlink()
    (sample / "_log").mkdir()
    for name, data in written(log[:2]).items():
        (sample / "_log" / name).write_text(data)
    told = story(str(run), "A-1")
    assert (told.status, told.advice, len(told.steps)) == (None, NOT_ENDED, 2)
    assert lines_of(str(run), "A-1")[0].endswith(": NO RESULT")


def test_damaged_files_are_named_and_the_rest_is_told(run: Path):
    (run / "A-1/result.json").write_text('{"status": ')
    (run / "A-2/action_log.json").write_text("[[[")
    told = story(str(run), "A-1")
    assert (told.status, told.reason, len(told.steps)) == ("failed", "result_unreadable", 3)
    assert told.problems == ("A-1/result.json: DecodeError: it is no result",)
    assert story(str(run), "A-2").problems == ("A-2/action_log.json: DecodeError: it is no step log",)


def test_what_was_refused_for_the_sample_is_told(run: Path):
    refused = RefusedEvent(
        run_id=run.name, sample_id="A-2", event="StepTaken", code="run_sealed", text="the run is finished",
        refused_at=datetime(2026, 3, 1, tzinfo=UTC), sha256="a" * 64, size_bytes=7,
    )  # fmt: skip
    folder = run.parent / ".quarantine" / run.name
    folder.mkdir(parents=True)
    (folder / "a.json").write_bytes(encode_file(refused))
    assert any(line == "Refused   StepTaken: the run is finished" for line in lines_of(str(run), "A-2"))
    assert story(str(run), "A-1").refused_events == ()


def test_a_terminal_obeys_nothing_of_a_site_or_a_row(run: Path):
    hostile = "\x1b]0;owned\x07\x1b[2J\u202ereversed\r\nStatus    DONE"
    change(run / "A-2/result.json", status="failed", reason="not_found", message=hostile)
    row = json.loads((run / "A-2/sample.json").read_text())
    change(run / "A-2/sample.json", fields={**row["fields"], hostile: hostile})
    for extra in ((), ("--all",)):
        code, out = explained(str(run), "A-2", *extra)
        assert code == 0
        assert all(letter.isprintable() or letter == "\n" for letter in out)
        assert not any(line.startswith("Status") for line in out.splitlines())
    assert story(str(run), "A-2").message == hostile, "programs get it as it is"


def test_a_sample_that_is_not_there_is_named_with_others_like_it(run: Path):
    code, out = explained(str(run), "A-9")
    assert code == 2
    assert "there is no sample 'A-9' in the run; there are 3, such as A-" in out
    assert explained(str(run), "../A-1")[0] == 2
    assert explained(str(run.parent / "nowhere"), "A-1")[0] == 2


def test_a_folder_and_its_zip_tell_the_same(run: Path):
    assert story(str(run), "A-3") == story(str(EARLIER_RUNS / "resumed.zip"), "A-3")
