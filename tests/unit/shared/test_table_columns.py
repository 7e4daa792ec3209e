from __future__ import annotations

from services.evidence.adapters.duckdb_table import AFTER, BEFORE, JUDGED
from shared.task_spec import OWN_COLUMNS


def test_the_names_no_field_can_bear_are_the_columns_every_table_has():
    assert {*BEFORE, *AFTER, *JUDGED} == OWN_COLUMNS
