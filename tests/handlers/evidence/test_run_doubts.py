"""An order of dates that one sample refutes: what was done by it is for a person, in every output and round."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from services.evidence.outputs.combined_tables import CombinedTables
from services.evidence.outputs.enriched_table import EnrichedTable
from services.evidence.outputs.xlsx.workbook import Workbook
from shared.contracts.discovery import RunStarted, Sample
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FieldValue
from tests.handlers.evidence.evidence_desk import Desk, closed, ended, found, outcomes, sample, started
from tests.handlers.evidence.mortal import Disk, Fragile, hidden, told_until_done, unclosed

SPEC = {"output_schema": {"number": "string", "opened": {"type": "date | null", "date_order": "dmy"}}}
ONE, TWO, THREE = (sample(f"A-{number}", row=number, ticket=f"A-{number}") for number in (1, 2, 3))
REFUTED = ("needs_review", "date_order_refuted")


def dated(attempt_base: int = 0) -> RunStarted:
    return started(attempt_base, spec=SPEC, input_columns=("ticket",))


def opened(one: Sample, shown: str, value: str | None, attempt: int = 1) -> SampleFinished:
    """Return the result of a sample whose page shows this date; without a value it was refused."""
    date = FieldValue(field="opened", state="value", value=value, shown=shown)
    ending: dict[str, Any] = {} if value else {"status": "needs_review", "reason": "invalid_values"}
    return replace(ended(one, attempt=attempt, **ending), values=(date,))


def story() -> list[Any]:
    """Three samples; the order by which the first was read is refuted by the second, and the third needs none."""
    return [
        dated(), *map(found, (ONE, TWO, THREE)), closed(3),
        opened(ONE, "03/04/2024", "2024-04-03"),
        opened(THREE, "25/03/2024", "2024-03-25"),
        opened(TWO, "03/25/2024", None),
    ]  # fmt: skip


async def test_no_output_has_it_as_done(tmp_path: Path):
    desk = Desk(tmp_path / "evidence", products=(CombinedTables, Workbook, EnrichedTable))
    finished = await desk.tell(*story())
    assert outcomes(finished) == {REFUTED: 1, ("needs_review", "invalid_values"): 1, ("done", ""): 1}
    assert finished.flagged == 1
    result = desk.json("A-1/result.json")
    assert (result["status"], result["reason"]) == REFUTED
    assert result["refuted"] == [
        {
            "field": "opened",
            "shown": "03/04/2024",
            "order": "dmy",
            "settled_by": "task",
            "refuted_by": "A-2",
            "shown_there": "03/25/2024",
        }
    ]
    assert result["extracted"] == {"opened": "2024-04-03"}
    enriched = list(csv.DictReader(io.StringIO((desk.root / "run_1" / "enriched.csv").read_text())))
    for rows in (desk.rows(), enriched):
        assert [(row["status"], row["reason"]) for row in rows][::2] == [REFUTED, ("done", "")]
    assert desk.json("run.json")["finished"]["outcomes"] == [
        {"status": "done", "reason": "", "samples": 1},
        {"status": "needs_review", "reason": "date_order_refuted", "samples": 1},
        {"status": "needs_review", "reason": "invalid_values", "samples": 1},
    ]
    assert desk.check().problems == []


async def test_the_result_before_stays_beside_it_and_told_again_it_changes_nothing(desk: Desk):
    messages = story()
    await desk.tell(*messages[:-1])
    before = desk.files()
    await desk.tell(messages[-1])
    after = desk.files()
    for name in ("result.json", "manifest.json"):
        assert after[f"run_1/A-1/doubted_1/{name}"] == before[f"run_1/A-1/{name}"]
    assert not any("A-3/doubted" in name for name in after)
    await desk.tell(*messages[3:])
    desk.restart()
    await desk.tell(*messages[3:])
    assert desk.files() == after
    assert desk.refused() == []


async def test_a_later_round_refutes_what_an_earlier_one_has_sealed(desk: Desk):
    await desk.tell(dated(), *map(found, (ONE, TWO)), closed(2), opened(ONE, "03/04/2024", "2024-04-03"))
    first = await desk.tell(ended(TWO, status="failed", reason="http_error"))
    assert outcomes(first)["done", ""] == 1
    second = await desk.tell(dated(1), closed(2, 1), opened(TWO, "03/25/2024", None, attempt=2))
    assert outcomes(second) == {REFUTED: 1, ("needs_review", "invalid_values"): 1}
    assert desk.check().problems == []


async def test_a_resumed_run_does_not_work_on_it_again_and_holds_the_doubt(desk: Desk):
    await desk.tell(*story())
    finished = await desk.tell(dated(1), closed(3, 1), opened(TWO, "25/03/2024", "2024-03-25", attempt=2))
    assert outcomes(finished) == {REFUTED: 1, ("done", ""): 2}
    assert desk.json("A-1/result.json")["attempt"] == 1
    assert desk.check().problems == []


@unclosed
@pytest.mark.parametrize("how", ["killed", "full"])
async def test_where_a_change_fails_the_folder_is_the_same_in_the_end(tmp_path: Path, how: str):
    async def left(disk: Disk) -> dict[str, bytes]:
        shutil.rmtree(tmp_path / "evidence", ignore_errors=True)
        desk = Fragile(tmp_path / "evidence", products=())
        await told_until_done(desk, story(), disk)
        return {name: data for name, data in desk.files().items() if not hidden(name)}

    whole = Disk(full=how == "full")
    wanted = await left(whole)
    first = next(at for at, path in enumerate(whole.made) if "doubted_1" in path)
    last = max(at for at, path in enumerate(whole.made) if path.endswith("A-1/manifest.json"))
    for fail_at in range(first + 1, last + 3):
        assert await left(Disk(fail_at, full=how == "full")) == wanted
