"""Write the parts of the documentation that are generated from code: pages, and tables between markers.

A table stands between ``<!-- table NAME, written by scripts/write_docs.py -->`` and ``<!-- end of table NAME -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from scripts import action_tables, code_tables, drift_page, settings_page
from services.evidence.sql import docs_page as sql_page
from shared.comparing.run_comparison import COMPARED_VERDICTS
from shared.comparing.sides import FIELD_STATES
from shared.evidence_format.files.reconciliation import FIELD_VERDICTS, RECORD_VERDICTS
from shared.papers.paper import MARKS
from shared.papers.workpaper.placeholders import LISTS, RUN_FACTS

ROOT = Path(__file__).parents[1]
PAGES: Mapping[str, Callable[[], str]] = {
    "docs/sql.md": sql_page.page,
    "docs/codes.md": code_tables.page,
    "docs/drift.md": drift_page.page,
    "docs/actions.md": action_tables.page,
    "docs/settings.md": settings_page.page,
}


def verdict_table(meanings: Mapping[str, str], head: str = "verdict") -> str:
    rows = (f"| `{verdict}` | {meaning} |\n" for verdict, meaning in meanings.items())
    return f"| {head} | meaning |\n|---|---|\n{''.join(rows)}"


def placeholder_table() -> str:
    """Return the placeholders of a template, a row for each group."""
    groups: dict[str, list[str]] = {}
    for word in RUN_FACTS:
        group, name = word.split(".")
        groups.setdefault(group, []).append(name)
    groups |= {name: [*facts] for name, facts in LISTS.items()}
    rows = (
        f"| {'each' if name in LISTS else ''} | `{name}.` | {', '.join(f'`{one}`' for one in names)} |\n"
        for name, names in groups.items()
    )
    return f"| | placeholder | what follows |\n|---|---|---|\n{''.join(rows)}"


TABLES: Mapping[str, Callable[[], str]] = {
    "reasons-by-status": code_tables.reasons_by_status,
    "sample-ends": code_tables.sample_ends,
    "record-verdicts": lambda: verdict_table({**RECORD_VERDICTS}),
    "field-verdicts": lambda: verdict_table({**FIELD_VERDICTS}),
    "compared-verdicts": lambda: verdict_table({**COMPARED_VERDICTS}),
    "field-states": lambda: verdict_table({**FIELD_STATES}, "state"),
    "tickmarks": lambda: verdict_table({**MARKS}, "mark"),
    "placeholders": placeholder_table,
}
WITH_TABLES = (
    "docs/architecture.md",
    "docs/comparing.md",
    "docs/papers.md",
    "docs/reconciling.md",
    "services/planner/README.md",
)
_TABLE = re.compile(
    r"(?P<begin><!-- table (?P<name>[a-z-]+), written by scripts/write_docs\.py -->\n)"
    r".*?(?P<end><!-- end of table (?P=name) -->)",
    re.S,
)


def render(path: str) -> str:
    """Return the new content of the file. ``path`` is relative to the root."""
    if path in PAGES:
        return PAGES[path]()
    text = (ROOT / path).read_text(encoding="utf-8")
    return _TABLE.sub(lambda found: f"{found['begin']}\n{TABLES[found['name']]()}\n{found['end']}", text)


if __name__ == "__main__":
    for each in (*PAGES, *WITH_TABLES):
        (ROOT / each).write_text(render(each), encoding="utf-8")
