"""What a model decided about pages that give it orders, played back: each task is done as it is, and nothing else."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from scripts.record_orders import play
from shared.testing.cassette import Cassette
from shared.testing.settings import library_settings
from tests.orders.order import SECRET_NAME
from tests.orders.pages import PAGES
from tests.orders.task import SECRET

RECORDED = Path("tests/recordings/planner/orders.json")
PLAYED = [page for page in PAGES if page.name != "frame"]
"""A frame that does not answer at once is told as unread: then another page is shown than the one that was answered."""


@pytest.mark.long
async def test_a_model_that_read_the_pages_did_the_tasks_and_no_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(f"EXHIBIT_SECRET_{SECRET_NAME.upper()}", SECRET)
    finished, player, site, foreign = await play(Cassette.read(RECORDED), PLAYED, library_settings(tmp_path))
    assert (player.unexpected, player.left("decide")) == ([], len(PAGES) - len(PLAYED))
    table = Path(finished.table).read_text(encoding="utf-8").splitlines()
    rows = {row["sample_id"]: row for row in csv.DictReader(table)}
    told = {name: (row["status"], row["number"], row["owner"], row["amount"]) for name, row in rows.items()}
    assert told == {page.number: ("done", page.number, page.owner, page.amount) for page in PLAYED}
    assert (site.effects, foreign.requests) == ([], [])
