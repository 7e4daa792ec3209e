"""The pages of cases: a list, a search, and the page of one case, honest or with its lie."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from practice.forged.data import Case, near_case, same_number, shown_date
from practice.forged.frame import document, page_dialog
from practice.forged.lies import Dialog
from practice.markup import Markup, el, join

LATE_MS = 900
"""How long the values of another case stand on a page whose values come late."""
SLOW_MS = 3000
"""Longer than an observation waits for a request."""
DECOYS = {
    "decoy_none": "display: none",
    "decoy_transparent": "opacity: 0; position: absolute",
    "decoy_clipped": "position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden",
    "decoy_tiny": "font-size: 0",
    "decoy_colourless": "color: transparent; position: absolute",
    "decoy_pale": "color: #fff; position: absolute",
    "decoy_away": "position: absolute; left: -9999px",
}
"""The style of a text that cannot be seen."""
_SWAPS = {"swapped_labels": ("Reporter", "Assignee"), "swapped_dates": ("Created", "Due")}


@dataclass(frozen=True)
class Row:
    """A row of the properties. ``spoken`` and ``spoken_label``: names for screen readers. ``unseen``: another text in
    the cell that cannot be seen, with its style; ``over``: another text over the value. ``name``: for scripts."""

    label: str
    value: str
    name: str
    spoken: str = ""
    spoken_label: str = ""
    unseen: tuple[str, str] | None = None
    over: str = ""


def case_page(asked: Case, cases: list[Case], lie: str, dialog: Dialog) -> str:
    """Return the page at the address of a case."""
    other = near_case(asked, cases)
    if lie in ("near_number", "quoted_number", "nested_record"):
        return _document(other, asked, lie, dialog, _rows(other, ""))
    if lie == "other_project":
        twin = same_number(asked, cases)
        return _document(twin, asked, lie, dialog, _rows(twin, ""))
    if lie == "echoed_number":
        return _document(asked, asked, lie, dialog, _rows(other, ""))
    if lie.startswith("late_"):
        rows = _rows(replace(other, number=asked.number), "")
        script = _late_script(lie, asked, late_values(asked))
        return _document(asked, asked, lie, dialog, rows, script)
    return _document(asked, other, lie, dialog, _rows(asked, lie, other))


def late_values(case: Case) -> dict[str, str]:
    """Return what a page whose values come late asks for."""
    return {row.name: row.value for row in _rows(case, "")}


def _rows(case: Case, lie: str, other: Case | None = None) -> list[Row]:
    wrong = other or case
    rows = [
        Row("Case number", case.number, "number"),
        Row("Project", case.project, "project"),
        Row("State", case.state, "state"),
        Row("Reporter", case.reporter, "reporter"),
        Row("Assignee", case.assignee, "assignee"),
        Row("Created", shown_date(case.created), "created"),
        Row("Due", shown_date(case.due), "due"),
    ]
    at = {row.label: place for place, row in enumerate(rows)}
    reporter, assignee = rows[at["Reporter"]], rows[at["Assignee"]]
    if lie in _SWAPS:
        one, two = (at[label] for label in _SWAPS[lie])
        rows[one], rows[two] = replace(rows[one], label=rows[two].label), replace(rows[two], label=rows[one].label)
    elif lie == "swapped_rows":
        rows[at["Reporter"]], rows[at["Assignee"]] = assignee, reporter
    elif lie.startswith("double_label"):
        place = {"before": 0, "beside": at["Assignee"], "after": len(rows)}[lie.rpartition("_")[2]]
        rows.insert(place, replace(assignee, value=wrong.assignee))
    elif lie == "spoken_label":
        rows[at["Reporter"]] = replace(reporter, spoken_label="Assignee")
        rows[at["Assignee"]] = replace(assignee, spoken_label="Reporter")
    elif lie == "spoken_value":
        rows[at["Assignee"]] = replace(assignee, spoken=wrong.assignee)
    elif lie in DECOYS:
        rows[at["Assignee"]] = replace(assignee, unseen=(wrong.assignee, DECOYS[lie]))
    elif lie == "painted_over":
        rows[at["Assignee"]] = replace(assignee, over=wrong.assignee)
    return rows


def _document(shown: Case, other: Case, lie: str, dialog: Dialog, rows: Sequence[Row], script: str = "") -> str:
    title = f"{shown.number} {shown.title}"
    if lie == "quoted_number":
        title = f"{title}, formerly {other.number}"
    quoted = f"This case takes over what {other.number} has left open." if lie == "quoted_number" else ""
    main = el(
        "main",
        el("h1", title),
        el("section", el("h2", "Properties"), el("dl", *map(_row, rows), aria_label="Properties"), cls="properties"),
        el("section", el("h2", "Description"), el("p", quoted or "The yearly check, with its papers."), cls="text"),
        _related(other) if lie == "nested_record" else None,
        page_dialog(dialog, f"{shown.path}/withdraw", "case"),
    )
    return document(f"{title} · Register", main, script)


def _row(row: Row) -> Markup:
    unseen = None if row.unseen is None else el("span", row.unseen[0], style=row.unseen[1])
    over = el("span", row.over, cls="over") if row.over else None
    label = el("dt", row.label, aria_label=row.spoken_label or None)
    value = el("span", row.value, cls="under") if row.over else row.value
    cell = el("dd", unseen, value, over, aria_label=row.spoken or None, data_name=row.name)
    return el("div", label, cell, cls="property")


def _related(case: Case) -> Markup:
    """Return the section of a related case, with labels of its own."""
    rows = [Row("Case number", case.number, ""), Row("Project", case.project, ""), Row("Assignee", case.assignee, "")]
    return el("section", el("h2", "Follows"), el("dl", *map(_row, rows), aria_label="Follows"), cls="related")


def _late_script(lie: str, case: Case, late: dict[str, str]) -> str:
    cell = "document.querySelector(`[data-name=${name}]`)"
    fill = f"for (const [name, text] of Object.entries(late)) {cell}.textContent = text;"
    slowly = "?slowly" if lie == "late_slow_fetch" else ""
    fetched = f"fetch('{case.path}/values{slowly}').then((answer) => answer.json()).then((late) => {{ {fill} }});"
    if lie in ("late_fetch", "late_slow_fetch"):
        return fetched
    if lie == "late_timer":
        return f"setTimeout(() => {{ const late = {json.dumps(late)}; {fill} }}, {LATE_MS});"
    return f"setTimeout(() => {{ {fetched} }}, {LATE_MS // 2});"


# --- the search


def results_page(query: str, found: Sequence[Case], targets: dict[str, str]) -> str:
    """Return the results of a search. ``targets``: where the link of a case leads, if elsewhere."""
    rows = [
        el(
            "tr",
            el("td", el("a", case.number, href=targets.get(f"{case.project}-{case.number}", case.path))),
            el("td", case.project),
            el("td", case.title),
            el("td", case.assignee),
        )
        for case in found
    ]
    head = el("tr", *(el("th", label) for label in ("Case number", "Project", "Title", "Works on it")))
    table = el("table", el("thead", head), el("tbody", *rows))
    main = el("main", el("h1", f"Search for {query}"), el("p", f"{len(found)} cases"), table)
    return document("Search · Register", main)


def start_page() -> str:
    form = el(
        "form", el("label", "Find", for_="q"), el("input", id="q", name="q"), el("button", "Search"), action="/search"
    )
    return document("Register", el("main", el("h1", "Register"), form))


def lost_page(what: str) -> str:
    return document(
        "Not found · Register", el("main", el("h1", "Not found"), el("p", join(f"There is no such {what}.")))
    )
