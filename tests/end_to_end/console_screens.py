"""The screens of the console: every page is walked, here or where a test names it."""

from __future__ import annotations

from urllib.parse import quote

HOSTILE = '<img src=x onerror="document.title=1">\u202e{{7*7}}'

SCREENS = {
    "runs": "/",
    "narrowed": "/?state=ended&q=looked",
    "run": "RUN",
    "samples": "RUN?status=failed",
    "sample": "RUN/samples/A-1",
    "review": "RUN/review?case=R-1.owner",
    "papers": "RUN/papers",
    "seal": "RUN/seal",
    "table": "RUN/table?status=done",
    "cell": "RUN/table/R-1.owner",
    "model": "RUN/samples/A-1/model",
    "values": "/values?q=onerror",
    "several": f"/several/pause?run=ID&run={quote(HOSTILE)}",
    "flows": "/flows",
    "flow": "/flows/looked_at_flow",
    "difference": "/flows/looked_at_flow/diff",
    "roll_back": "/flows/looked_at_flow/rollback?version=EARLIER",
    "builds": "/builds",
    "live": "RUN/samples/A-1/live",
    "sign": "RUN/review/sign",
    "fleet": "/fleet",
    "settings": "/settings",
    "logins": "/settings/logins",
    "new": "/new",
    "draft": "DRAFT",
    "specs": "/specs",
    "pointed": "POINTED?value=1",
    "list": "POINTED/list",
    "confirm": f"RUN/control/message?text={quote(HOSTILE)}",
    "chart": "/sql?q="
    + quote("select shown, count(*) as n from fields where shown is not null group by all")
    + "&run=ID",
    "sql": "/sql?q=" + quote("select sample_id, field, shown from fields order by all") + "&run=ID",
}

IN_ORDER_OF_SIGHT = ("sample", "sql", "chart", "review", "table", "cell", "values", "pointed", "list")
"""Screens of what was read off pages."""
NOTHING_OF_OTHERS = ("new", "fleet", "settings", "logins", "specs", "builds", "live", "sign", "papers", "seal", "model")
"""Screens without text of sites, models and lists here; `unit/console/test_operations_pages.py` has some on them."""

ELSEWHERE = {
    "asked": "test_console_asking.py",
    "build": "test_console_builds.py",
    "drift": "test_console_flows.py",
    "ask_to_approve": "test_console_flows.py",
    "login": "test_console_logins.py",
    "settings_checks": "../unit/console/test_operations_pages.py",
}
"""Pages that are looked at in tests of their own: what they show takes long to come to."""
NO_PAGES = frozenset({
    "wait_for_asked", "spec_file", "spec_picture", "list_file", "run_cells", "run_events", "live_picture",
    "live_frames", "login_picture", "sample_file", "build_events", "build_frames", "build_look", "build_picture",
    "sql_answer", "export", "static",
})  # fmt: skip
"""Routes that send what pages load, and files."""
