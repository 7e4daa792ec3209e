from __future__ import annotations

from shared.evidence_format.table.columns import AFTER, BEFORE, JUDGED, JUDGED_AFTER
from shared.task_spec import OWN_COLUMNS


def test_the_names_no_field_can_bear_are_the_columns_every_table_has():
    assert {column.name for column in (*BEFORE, *AFTER, *JUDGED, *JUDGED_AFTER)} == OWN_COLUMNS
