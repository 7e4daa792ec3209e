"""The query that finds values by a piece of their text. Pure."""

from __future__ import annotations

MOST_FOUND, MOST_WORD_CHARS = 200, 200
_VALUES = (
    "with found as (select run_id, task_id, sample_id, field, coalesce(shown, value) as shown, reviewed_value, value "
    "from fields where state = 'value' union all "
    "select run_id, task_id, sample_id, field || ', row ' || item || ', ' || column_name, coalesce(shown, value), "
    "null, value from items where state = 'value') "
    "select f.run_id, f.task_id, f.sample_id, s.key, s.status, f.field, f.shown, f.reviewed_value from found f "
    "join samples s using (run_id, sample_id) where contains(lower(f.shown), lower($text)) "
    "or contains(lower(f.value), lower($text)) or contains(lower(f.reviewed_value), lower($text)) "
    "order by f.run_id desc, s.row, f.field"
)


def values_query(text: str) -> str:
    """Return the query for all values, cells of rows too, in which this text stands, in any case."""
    quoted = text.replace("\0", "").replace("'", "''")
    return _VALUES.replace("$text", f"'{quoted}'")
