"""What became of a sample is told by the site's truth, not by what the sample says of itself."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from practice.drift import Drift
from practice.hr_portal import demo, files, words
from practice.hr_portal.data import ground_truth
from tests.drift.outcomes import Expectation, Outcome, outcomes_of, table_of
from tests.drift.subjects import files_taken_wrongly, sent_wrongly

STAFF = ground_truth()
ROWS = demo.input_rows(STAFF)
POPUP = Drift(("popup",))


def written_run(folder: Path, row: dict[str, str], *steps: dict[str, Any]) -> Path:
    sample = folder / "one"
    sample.mkdir()
    (sample / "sample.json").write_text(json.dumps({"sample_id": "one"}))
    (sample / "action_log.json").write_text(json.dumps(steps))
    with (folder / "combined.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["sample_id", *row])
        writer.writeheader()
        writer.writerow({"sample_id": "one", **row})
    return folder


def step(decided_by: str = "flow", **more: Any) -> dict[str, Any]:
    return {"action": "done", "decided_by": decided_by, **more}


DONE = {"status": "done", "reason": "", "owner": "Ann"}
REVIEW = {"status": "needs_review", "reason": "flow_stopped", "owner": "", "message": "no owner"}
ANN = Expectation({"owner": "Ann"})


@pytest.mark.parametrize(
    ("row", "steps", "expected", "verdict", "healed"),
    [
        (DONE, [step()], ANN, "right", 0),
        (DONE, [step(heals=[{"kind": "popup"}]), step()], ANN, "right", 1),
        (DONE, [step("rule")], ANN, "closed", 0),
        (REVIEW, [step("rule")], ANN, "closed", 0),
        ({**DONE, "owner": "Bob"}, [step()], ANN, "false", 0),
        ({**DONE, "owner": "Bob"}, [step("rule")], ANN, "false", 0),
        (DONE, [step()], Expectation({"team": "Sales"}), "false", 0),
        ({**DONE, "owner": "ANN"}, [step()], Expectation({"owner": "Ann"}, same={"owner": str.__ne__}), "right", 0),
        (REVIEW, [step("rule")], Expectation({"owner": "Ann"}, wrongly=("sent twice",)), "false", 0),
    ],
)
def test_verdicts(tmp_path, row, steps, expected, verdict, healed):
    (found,) = outcomes_of("tickets", POPUP, written_run(tmp_path, row, *steps), {"one": expected})
    assert (found.verdict, found.healed) == (verdict, healed)
    assert bool(found.why) == (verdict == "false" or row is REVIEW)


def test_the_table_has_a_line_for_each_drift():
    outcomes = [
        Outcome("tickets", POPUP, "a", "right", healed=2),
        Outcome("tickets", POPUP, "b", "right"),
        Outcome("tickets", POPUP, "c", "closed"),
        Outcome("tickets", Drift(), "a", "false"),
    ]
    assert table_of(outcomes).splitlines()[2:] == [
        "| tickets | popup | 3 | 1 | 1 | 1 | 0 |",
        "| tickets | (plain) | 1 | 0 | 0 | 0 | 1 |",
    ]


def test_a_request_that_was_sent_otherwise_than_its_row_says_is_wrong():
    rows = ROWS[:3]
    right = [demo.request_of(row) for row in rows]
    wrong = demo.request_of({**rows[1], "office": "Nairobi"})
    assert [sent_wrongly(row, rows, right) for row in rows] == [[], [], []]
    assert [len(sent_wrongly(row, rows, [*right, right[0]])) for row in rows] == [1, 0, 0]
    assert [len(sent_wrongly(row, rows, [right[0], wrong])) for row in rows] == [0, 1, 0]


def test_files_of_others_are_wrong_and_so_are_missing_ones(tmp_path):
    row = next(row for row in ROWS if demo.expected_cells(row, STAFF)["attachment_count"] == "5")
    employee = next(one for one in STAFF if one.employee_id == row["employee_id"])
    folder = tmp_path / row["request_ref"]
    folder.mkdir()
    for number, attachment in enumerate(employee.attachments):
        (folder / f"{number}.pdf").write_bytes(files.attached(employee, attachment))

    def ended(status: str) -> list[str]:
        (folder / "result.json").write_text(json.dumps({"status": status}))
        return files_taken_wrongly(tmp_path, row)

    assert (ended("needs_review"), len(ended("done"))) == ([], 1)
    kind = {shown: kind for kind, shown in words.FORMATS.items()}[row["report_format"]]
    (folder / f"report.{kind}").write_bytes(files.report(employee, kind))
    assert ended("done") == []
    (folder / "other.pdf").write_bytes(files.company_document("Code of conduct"))
    assert ended("done") == ended("needs_review") == ["downloaded other.pdf"]
