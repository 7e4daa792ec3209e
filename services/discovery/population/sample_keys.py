"""The key that names a sample.

1. The spec's ``sample_id`` template, filled from the row.
2. When that is the default, ``{sample_id}``, and there is no such column: the first ``identity`` template, because its
   columns tell one record from another;
3. else the last part of the path in column ``url``, when every row has a different one;
4. else the number of the row, ``row-0001``.
"""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from services.discovery.tables.table import Row
from shared.task.spec import TaskSpec, fill, placeholders

DEFAULT_TEMPLATE = "{sample_id}"


def key_template(spec: TaskSpec, columns: tuple[str, ...]) -> str | None:
    """Return the template that names the rows of this table, or None when rule 3 or 4 applies."""
    if spec.sample_id != DEFAULT_TEMPLATE or "sample_id" in columns:
        return spec.sample_id
    identity = next(iter(spec.identity.values()), "")
    named = placeholders(identity)
    return identity if named and set(named) <= set(columns) else None


def sample_keys(template: str | None, rows: tuple[Row, ...]) -> tuple[str, ...]:
    """Return the key of each row. The table must have the columns of ``template``."""
    if template is not None:
        return tuple(fill(template, dict(row.cells)).strip() for row in rows)
    parts = tuple(last_path_part(row.cells.get("url", "")) for row in rows)
    if all(parts) and len(set(parts)) == len(parts):
        return parts
    return tuple(f"row-{row.number:04d}" for row in rows)


def last_path_part(url: str) -> str:
    """Return the last part of the path, decoded; empty when there is none or ``url`` is invalid."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return unquote(path.rstrip("/").rpartition("/")[2]).strip()
