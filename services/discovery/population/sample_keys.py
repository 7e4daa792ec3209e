"""Pure: what names a sample.

1. The spec's ``sample_id`` template, filled from the row.
2. Where that is left at its default, ``{sample_id}``, and there is no such column: the columns of the
   first ``identity`` template, for that is what tells one record from another;
3. else the last part of the path of the column ``url``, where that is there and different in every row;
4. else the number of the row, ``row-0001``.
"""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from services.discovery.tables.table import Row
from shared.task.spec import TaskSpec, fill, placeholders

DEFAULT = "{sample_id}"


def key_template(spec: TaskSpec, columns: tuple[str, ...]) -> str | None:
    """The template by which the rows of this table are named; None where rule 3 or 4 is left."""
    if spec.sample_id != DEFAULT or "sample_id" in columns:
        return spec.sample_id
    identity = next(iter(spec.identity.values()), "")
    named = placeholders(identity)
    return identity if named and set(named) <= set(columns) else None


def keys_of(template: str | None, rows: tuple[Row, ...]) -> tuple[str, ...]:
    """The key of each row; the columns of ``template`` must be there."""
    if template is not None:
        return tuple(fill(template, dict(row.cells)).strip() for row in rows)
    parts = tuple(_last_part(row.cells.get("url", "")) for row in rows)
    if all(parts) and len(set(parts)) == len(parts):
        return parts
    return tuple(f"row-{row.number:04d}" for row in rows)


def _last_part(url: str) -> str:
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return unquote(path.rstrip("/").rpartition("/")[2]).strip()
