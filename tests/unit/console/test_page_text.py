"""Pages and results of actions, as `exhibit drive` prints them for people."""

from __future__ import annotations

from pathlib import Path

from services.console.text.page_text import page_text, result_text
from shared.contracts.results import ActionResult, Change
from tests.unit.planner.planner_pages import page, text


def test_a_page_is_printed_with_its_address_and_without_what_would_steer_a_terminal():
    shown = page_text(page(text("Ticket\x1b[2J one")))
    assert "\x1b" not in shown
    assert shown.startswith(page(text("x")).url)


def test_an_action_says_what_came_of_it_where_the_tab_is_now_and_what_was_saved():
    moved = Change(url_before="http://x/", url_after="http://x/7", http_status=200)
    told = result_text(ActionResult(ok=True, code="ok", message="clicked", change=moved), [Path("drive/01_a.png")])
    assert told.splitlines() == ["ok: clicked", "    now at http://x/7 (HTTP 200)", "    saved drive/01_a.png"]
    stayed = Change(url_before="http://x/", url_after="http://x/")
    told = result_text(ActionResult(ok=False, code="stale_ref", message="the page is another one", change=stayed))
    assert told == "failed (stale_ref): the page is another one\n"
