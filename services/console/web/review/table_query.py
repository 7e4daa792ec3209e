"""The query for one page of the table of a run. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from urllib.parse import urlencode

from shared.contracts.evidence import WAITING
from shared.statuses import STATUSES

TABLE_ROWS = 50
"""Samples on a page."""
MOST_CELLS = 20_000
MOST_TEXT_CHARS = 300
"""Of a value in its cell. The crop and the sample have all of it."""
MOST_WORD_CHARS = 200


@dataclass(frozen=True)
class TableAsked:
    """What the address of a table asks for. ``status``: of samples, or ``waiting``; empty: all. ``page`` is from 1."""

    text: str = ""
    status: str = ""
    page: int = 1

    @classmethod
    def of(cls, given: Mapping[str, str]) -> TableAsked:
        """Return what an address or a form asks for. What it has no meaning for is left out."""
        page, status = given.get("page", ""), given.get("status", "")
        return cls(
            given.get("q", "").strip()[:MOST_WORD_CHARS],
            status if status in (*STATUSES, WAITING) else "",
            max(int(page), 1) if page.isascii() and page.isdecimal() and len(page) < 7 else 1,
        )

    @property
    def filters(self) -> str:
        """What is asked for without the page, as in an address."""
        return urlencode({name: value for name, value in (("q", self.text), ("status", self.status)) if value})

    @property
    def query(self) -> str:
        """All that is asked for, as in an address; empty: the first page of all samples."""
        page = f"page={self.page}" if self.page > 1 else ""
        return "&".join(part for part in (self.filters, page) if part)


_TABLE = Template(
    "with wanted as (select sample_id, key, row, status, reason, flagged from samples where $wanted), "
    "shown as (select *, count(*) over () as found from wanted order by row nulls last, sample_id "
    "limit $limit offset $begin)$firsts "
    "select p.sample_id, p.key, p.row, p.status, p.reason, p.flagged, p.found, f.field, f.state, f.items, f.lacking, "
    "left(coalesce(f.shown, f.value), $chars) as text, left(f.value, $chars) as value, f.title, $first as first, "
    "$answer as answer "
    "from shown p left join fields f on f.sample_id = p.sample_id $joins order by p.row nulls last, p.sample_id"
)
_FIRSTS = (
    ", firsts as (select sample_id, field, "
    "string_agg(coalesce(shown, value), ', ' order by is_id desc, column_name) as first "
    "from items where item = 1 and state = 'value' group by all)"
)
_JOIN_FIRSTS = "left join firsts i on i.sample_id = f.sample_id and i.field = f.field"
_JOIN_ANSWER = "left join judgments j on j.sample_id = p.sample_id"
_HAS_TEXT = Template("contains(lower($column), lower($text))")
_WITHIN = Template("sample_id in (select sample_id from $view where $has)")


def table_query(asked: TableAsked, *, has_rows: bool, judged: bool) -> str:
    """Return the query: a row for each sample of the page and field; ``found`` is how many samples the filters leave.

    Args:
        asked: the page and the filters.
        has_rows: whether a field of the task is one of rows, whose first is then told as ``first``.
        judged: whether the task asks for a judgment, told as ``answer``.
    """
    return _TABLE.substitute(
        wanted=_wanted(asked, judged=judged),
        limit=TABLE_ROWS,
        begin=(asked.page - 1) * TABLE_ROWS,
        chars=MOST_TEXT_CHARS,
        firsts=_FIRSTS if has_rows else "",
        first=f"left(i.first, {MOST_TEXT_CHARS})" if has_rows else "null",
        answer=f"left(j.answer, {MOST_TEXT_CHARS})" if judged else "null",
        joins=" ".join([_JOIN_FIRSTS] * has_rows + [_JOIN_ANSWER] * judged),
    )


def _wanted(asked: TableAsked, *, judged: bool) -> str:
    """Return which samples are asked for."""
    parts = ["true"]
    if asked.status:
        parts.append("status is null" if asked.status == WAITING else f"status = '{asked.status}'")
    if asked.text:
        text = "'" + asked.text.replace("\0", "").replace("'", "''") + "'"

        def has(*columns: str) -> str:
            return " or ".join(_HAS_TEXT.substitute(column=one, text=text) for one in columns)

        views: dict[str, tuple[str, ...]] = {
            "fields": ("shown", "value", "reviewed_value"),
            "items": ("shown", "value"),
        }
        if judged:
            views["judgments"] = ("answer",)
        within = [_WITHIN.substitute(view=name, has=has(*columns)) for name, columns in views.items()]
        either = [has("sample_id", "key", "replace(reason, '_', ' ')"), *within]
        parts.append(f"({' or '.join(either)})")
    return " and ".join(parts)
