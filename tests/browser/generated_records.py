"""Generated pages of one record: fields in any layout, decorated, empty, absent or twice, among texts that are none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import strategies as st

ASKED = {"Status": "status", "Owner": "owner", "Due date": "due", "Points": "points"}
"""The labels that the pages use, and the fields that are asked for."""
OWN = {
    "Status": ("Open", "In progress", "Closed: fixed", "On hold (vendor)"),
    "Owner": ("Ann Lee", "O'Brien, Kate", "Dr. J. St. Clair", "12 Main St"),
    "Due date": ("Mar 3, 2026", "2026-03-04", "5 March 2026"),
    "Points": ("12", "1,234.50", "0"),
}
FOREIGN = {"Status": "Rejected", "Owner": "Bob Ray", "Due date": "Jul 9, 2024", "Points": "77"}
"""What stands beside a label, but is not the record's value."""
OLDER = {"Status": "Reopened", "Owner": "Cy Poe", "Due date": "Jan 8, 2023", "Points": "55"}
FILLERS = (("Reporter", "Zed Quill"), ("Component", "Paper tray"), ("Watchers", "4"), ("Room", ""))

BADGE = "display:inline-block;padding:2px 6px;background:#ddd;border-radius:6px"
UNSEEN = "position:absolute;width:1px;height:1px;clip:rect(0,0,0,0);overflow:hidden"
PLAIN = ("@", "<span>@</span>", "<b>@</b>", "<div>@</div>", "<p>@</p>", "<a href='#o'>@</a>", "<em><span>@</span></em>")
DECORATED = (
    f"@ <span style='{BADGE}'>VIP</span>",
    "@ <span class='label badge'>VIP</span>",
    f"@ <span style='{BADGE}'>VIP</span> <span style='{BADGE}'>Away</span>",
    "@ <button>Edit</button>",
    "<a href='#o'>@</a> <button title=Remove><span>×</span></button>",
    "<span>@</span> <span class=clear>×</span>",
    f"@ <span style='{UNSEEN}'>(opens a window)</span>",
    "<del>Gone Away</del> <ins>@</ins>",
    "<i class='icon icon-user'></i> @",
)
"""The value is certain, whatever stands beside it."""
UNSURE = (
    "@ <a href='#e'>edit</a>",
    "@ <small>Sales</small>",
    "<div>@</div><div style='font-size:10px'>Sales</div>",
    "<div style='display:flex;gap:20px'><span>@</span><span>Sales</span></div>",
    f"<span style='{BADGE}'>Sales</span> @",
    "<ul><li>@</li><li>Sales</li></ul>",
    "@<br>",
    "<img alt='' width=10 height=10> @",
)
"""A person may have to choose."""


def rows(parts: list[tuple[str, str]], row: str, around: str) -> str:
    body = "".join(row.replace("LABEL", label).replace("VALUE", value) for label, value in parts)
    return around.replace("ROWS", body)


ROWS = {
    "th": ("<tr><th>LABEL</th><td>VALUE</td></tr>", "<table>ROWS</table>"),
    "td": ("<tr><td>LABEL:</td><td>VALUE</td></tr>", "<table>ROWS</table>"),
    "linked": ("<tr><td><a href='#l'>LABEL</a></td><td>VALUE</td></tr>", "<table>ROWS</table>"),
    "column and value": (
        "<tr><td>LABEL</td><td>VALUE</td></tr>",
        "<table><thead><tr><th>Column</th><th>Value</th></tr></thead><tbody>ROWS</tbody></table>",
    ),
    "dl": ("<dt>LABEL</dt><dd>VALUE</dd>", "<dl>ROWS</dl>"),
    "dl of divs": ("<div><dt>LABEL</dt><dd>VALUE</dd></div>", "<dl>ROWS</dl>"),
    "divs": ("<div><div>LABEL</div><div>VALUE</div></div>", "<section>ROWS</section>"),
    "spans": (
        "<div><span>LABEL</span> <span style='margin-left:30px'>VALUE</span></div>",
        "<section>ROWS</section>",
    ),
    "grid": (
        "<div>LABEL</div><div>VALUE</div>",
        "<section style='display:grid;grid-template-columns:200px 300px'>ROWS</section>",
    ),
    "lines": ("<li><b>LABEL:</b> VALUE</li>", "<ul>ROWS</ul>"),
    "paragraphs": ("<p><strong>LABEL:</strong> VALUE</p>", "<section>ROWS</section>"),
}
ONE_ROW = "one row"
LAYOUTS = (*ROWS, ONE_ROW)
ONE_TEXT = frozenset({"lines", "paragraphs", "spans"})
"""Layouts in which an empty value has no place of its own."""


def record(layout: str, parts: list[tuple[str, str]]) -> str:
    if layout == ONE_ROW:
        heads = "".join(f"<th>{label}</th>" for label, _ in parts)
        return f"<table><tr>{heads}</tr><tr>{''.join(f'<td>{value}</td>' for _, value in parts)}</tr></table>"
    return rows(parts, *ROWS[layout])


# --- what is no value of the record

HISTORIES = (
    "<h2>History</h2><ul><li>LABEL: OLD → NEW</li></ul>",
    "<h2>Activity</h2><p>LABEL changed from OLD to NEW</p><dl><dt>LABEL</dt><dd>NEW</dd></dl>",
    "<h2>Changes (2)</h2><table><tr><th>When</th><th>Field</th><th>Old value</th><th>New value</th></tr>"
    "<tr><td>2 May</td><td>LABEL</td><td>OLD</td><td>NEW</td></tr></table>",
    "<table><tr><th>Who</th><th>What</th><th>Removed</th><th>Added</th></tr>"
    "<tr><td>ann</td><td>LABEL</td><td>OLD</td><td>NEW</td></tr></table>",
    "<div class=changelog><p><b>LABEL:</b> NEW</p></div>",
    "<div role=feed><div>LABEL: <del>OLD</del> NEW</div></div>",
    "<ul><li><b>LABEL</b> changed from <i>OLD</i> to <i>NEW</i></li></ul>",
    "<ul><li>LABEL: OLD ⇒ NEW</li><li>LABEL: ⇒ OLD</li></ul>",
    "<table><tr><td>LABEL</td><td>OLD → NEW</td></tr></table>",
    "<div>ann changed LABEL from OLD to NEW</div>",
    "<div><strong>LABEL</strong> <span>OLD</span> <span>→</span> <span>NEW</span></div>",
)
OTHER_RECORDS = (
    "<h2>Related</h2><table><tr><th>Ticket</th><th>LABEL</th></tr><tr><td>TCK-2002</td><td>NEW</td></tr>"
    "<tr><td>TCK-2003</td><td>OLD</td></tr></table>",
    "<h2>Related</h2><table><tr><th>Ticket</th><th>LABEL</th></tr>"
    "<tr><td><a href='/t/TCK-2002'>TCK-2002</a></td><td>NEW</td></tr></table>",
    "<h2>Parent TCK-2002</h2><dl><dt>LABEL</dt><dd>NEW</dd></dl>",
    "<aside><h3><a href='/t/TCK-2002'>TCK-2002: Toner</a></h3><p>LABEL: NEW</p></aside>",
    "<h2>Children</h2><ul><li><a href='/t/TCK-2002'>TCK-2002</a> <span>LABEL: NEW</span></li></ul>",
)
NO_VALUES = (
    "<form method=get action=/list><label>LABEL <select><option selected>NEW</option></select></label></form>",
    "<form class=search-form><label>LABEL <input value='NEW'></label></form>",
    "<nav><ul><li><a href='#a'>LABEL</a></li><li><a href='#b'>NEW</a></li></ul></nav>",
    "<table><tr><td>Notes</td><td>LABEL: NEW? Ask again on Monday.</td></tr></table>",
    "<table><tr><th>Summary</th><td>LABEL: NEW since the move, Kim to be told</td></tr></table>",
    "<dl><dt>Description</dt><dd>LABEL: NEW</dd></dl>",
    "<p>LABEL: NEW until the move. Ask her about it.</p>",
    "<div class=comment><p>LABEL: NEW</p></div>",
    "<button>LABEL</button> <button>NEW</button>",
    "<p hidden>LABEL: NEW</p><template><dl><dt>LABEL</dt><dd>NEW</dd></dl></template>",
    "<h2>LABEL</h2><h2>NEW</h2>",
)
FOREIGN_PARTS = (*HISTORIES, *OTHER_RECORDS, *NO_VALUES)
RIVALS = ("<p>LABEL: NEW</p>", "<dl><dt>LABEL</dt><dd>NEW</dd></dl>", "<div><b>LABEL:</b> <span>NEW</span></div>")
"""They stand as the record's own values do."""


@dataclass(frozen=True)
class Page:
    html: str
    values: dict[str, str | None]
    """The right text of each asked field; None where the page shows no certain one."""


@st.composite
def record_pages(draw: st.DrawFn, *, certain: bool = False) -> Page:
    """Pages of TCK-1001. `certain`: nothing on them leaves a choice to a person."""
    layout = draw(st.sampled_from(LAYOUTS))
    states = (
        ("value", "value", "value", "empty", "absent") if certain else ("value", "value", "empty", "absent", "twin")
    )
    values: dict[str, str | None] = {}
    parts: list[tuple[str, str]] = []
    rivals: list[str] = []
    for label, field in ASKED.items():
        state = draw(st.sampled_from(states))
        if state == "empty" and certain and layout in ONE_TEXT:
            state = "absent"
        value = draw(st.sampled_from(OWN[label]))
        if certain and layout in ONE_TEXT:
            value = value.replace(":", "")
        decor = draw(st.sampled_from((*PLAIN, *DECORATED) if certain else (*PLAIN, *DECORATED, *UNSURE)))
        if state != "absent":
            parts.append((label, "" if state == "empty" else decor.replace("@", value)))
        values[field] = {"value": value, "empty": ""}.get(state)
        if state == "twin":
            rival = FOREIGN[label]
            apart = draw(st.booleans())
            if apart:
                rivals.append(_filled(draw(st.sampled_from(RIVALS)), label))
            else:
                parts.append((label, rival))
    parts += draw(st.lists(st.sampled_from(FILLERS), max_size=3, unique=True))
    parts = draw(st.permutations(parts))
    around = [
        _filled(one, draw(st.sampled_from(tuple(ASKED))))
        for one in draw(st.lists(st.sampled_from(FOREIGN_PARTS), max_size=3))
    ]
    before = draw(st.integers(0, len(around)))
    if certain:  # what stands below a heading may be under it
        around.sort(key=lambda one: re.search("<h[2-6]", one) is not None)
        before = min(before, sum(re.search("<h[2-6]", one) is None for one in around))
    body = [*around[:before], record(layout, parts), *rivals, *around[before:]]
    html = "<h1>TCK-1001: Printer on fire</h1>" + "\n".join(f"<div>{one}</div>" for one in body)
    return Page(html, values)


def _filled(template: str, label: str) -> str:
    return template.replace("LABEL", label).replace("NEW", FOREIGN[label]).replace("OLD", OLDER[label])
