"""The table of a run, the pages of its cells and of what a model said, over the handlers of evidence and its SQL."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from services.console.web.desk import Desk
from services.console.web.guard import CSRF, Guard, WebSessions
from services.console.web.new_run.saved_specs import save_spec
from services.console.web.page_origin import PageOrigin
from services.console.web.people.roles import WebRole
from services.console.web.review.table_facts import SheetCell, decided_cell, field_cell, settled_cell, table_rows
from services.console.web.run_facts import LISTED_QUERY, SIGNED_QUERY
from services.console.web.static_files import static_files
from services.console.web.web_app import make_app
from services.evidence.handlers import actor
from shared.client import Client
from shared.client.person_keys import load_person_key, person_key_path
from shared.contracts.sessions.reviewing import LookedAt, ReviewItem, ReviewTarget, ShownDecision
from shared.evidence_format.files.review import ReviewFile, parse_review
from shared.settings import Settings
from tests.handlers.evidence.evidence_desk import KEY
from tests.handlers.evidence.sql_room import Room, opened
from tests.handlers.evidence.sql_world import MODEL
from tests.unit.console.asked_pages import HOST, SentPage, ask_page

TABLE = "/runs/run_1/table"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script>\u202e{{7*7}}'\"%"


@dataclass
class Sheet:
    """The console of ann over `run_1`, which has ended, and `run_2`, which is at work."""

    room: Room
    roles: frozenset[WebRole] = frozenset(WebRole)
    sessions: WebSessions = field(default_factory=WebSessions)

    @property
    def settings(self) -> Settings:
        return self.room.settings

    async def ask(self, path: str, form: dict[str, str] | None = None) -> SentPage:
        pages = PageOrigin("http://p", (), self.settings)
        desk = Desk(Client(cast("Any", self.room.bus)), self.settings, "ann", static_files(), pages, roles=self.roles)
        return await ask_page(Guard(make_app(desk), self.sessions, {HOST}), self.sessions, path, form)

    async def cells(self, path: str = TABLE) -> dict[str, str]:
        """Return the text of each cell by its name."""
        shown = await self.ask(path)
        assert shown.status == 200, shown.text
        found = re.findall(r'<a class="cell" id="([^"]+)"[^>]*>(.*?)</a>', shown.text, re.DOTALL)
        return {unescape(name): text_of(html) for name, html in found}

    async def act(self, act: str, cell: str, query: str = "", **given: str) -> SentPage:
        shown = await self.ask(f"{TABLE}/{cell}{query}")
        form = re.search(rf'<form method="post" action="/runs/run_1/review/{act}".*?</form>', shown.text, re.DOTALL)
        assert form is not None, shown.text
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form[0])
        sent = {name: unescape(value) for name, value in hidden if name != CSRF}
        return await self.ask(f"/runs/run_1/review/{act}", {**sent, **given})

    def filed(self) -> list[ReviewFile]:
        found = sorted((self.settings.evidence_dir / "run_1/review.rounds").rglob("*.json"))
        return [parse_review(path.read_bytes()) for path in found]


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


@pytest.fixture
async def sheet(tmp_path: Path) -> AsyncIterator[Sheet]:
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", nats_url=None)
    load_person_key("ann", settings)
    async with opened(settings, KEY) as room:
        room.deps.now = lambda: datetime.now(UTC)  # clock: who asks proves that it is just now
        room.deps.publishes = room.bus
        room.bus.host(actor, room.deps)
        yield Sheet(room)


async def test_each_cell_has_its_value_and_its_state_in_words(sheet: Sheet):
    cells = await sheet.cells()
    assert len(cells) == 5 * (1 + 6 + 1)  # the sample, its fields, its judgment
    assert {name: cells[name] for name in cells if name.startswith(("TCK-1", "TCK-3"))} == {
        "TCK-1": "Done",
        "TCK-1.assignee": "=Ann \U0001f600 ● certain",
        "TCK-1.merged_with_failures": "True ● certain",
        "TCK-1.checks": "failing ● certain",
        "TCK-1.amount": "1234567.89 ● certain",
        "TCK-1.due": "2026-02-28 ● certain",
        "TCK-1.changed": "2026-02-28T23:30:00+02:00 ● certain",
        "TCK-1:judgment": "no ● certain",
        "TCK-3": "Failed identity mismatch",
        **{f"TCK-3{end}": "· no result" for end in (
            ".assignee", ".merged_with_failures", ".checks", ".amount", ".due", ".changed", ":judgment")},
    }  # fmt: skip
    # Its sample is flagged.
    assert cells["TCK-2.assignee"] == "none ▲ for review"
    assert cells["TCK-2.checks"] == "passing ▲ for review"
    assert cells["TCK-2.amount"] == "? not found"
    assert cells["TCK-5.checks"] == "failing ▲ for review"  # its sample is for review


@pytest.mark.parametrize(
    ("query", "samples"),
    [
        ("status=failed", ["TCK-3", "TCK-4"]),
        ("status=waiting", []),
        ("q=1234567", ["TCK-1"]),
        ("q=IDENTITY+mismatch", ["TCK-3"]),
        ("q=yes", ["TCK-2"]),
        ("q=failing&status=done", ["TCK-1"]),
        ("page=2", []),
        ("page=1&status=none", ["TCK-1", "TCK-2", "TCK-3", "TCK-4", "TCK-5"]),
        ("q=%27+or+1%3D1+--", []),
        ("q=%25", []),
    ],
)
async def test_the_address_says_which_samples_are_shown(sheet: Sheet, query: str, samples: list[str]):
    cells = await sheet.cells(f"{TABLE}?{query}")
    assert [name for name in cells if re.fullmatch(r"TCK-\d", name)] == samples


async def test_a_cell_opens_the_boxed_part_of_its_picture(sheet: Sheet):
    shown = (await sheet.ask(f"{TABLE}/TCK-1.assignee?status=done")).text
    assert '<image href="/runs/run_1/samples/TCK-1/01_t.png" x="0.0" y="0.0" width="1280.0" height="720.0"' in shown
    assert '<rect class="heal-box" x="7.5" y="17.0" width="306.0" height="24.0"' in shown
    assert 'viewBox="0.0 0.0 524.0 220.0"' in shown
    assert 'href="/runs/run_1/samples/TCK-1#step=4">Step 4, which read it' in shown
    assert f'href="{TABLE}/TCK-1.merged_with_failures?status=done" rel="next"' in shown
    assert f'href="{TABLE}?status=done#TCK-1.assignee"' in shown


async def test_a_picture_that_is_gone_or_another_one_is_said_to_be(sheet: Sheet):
    picture = sheet.settings.evidence_dir / "run_1/TCK-1/01_t.png"
    picture.unlink()
    picture.write_bytes(b"another picture")
    assert "not as it was captured" in (await sheet.ask(f"{TABLE}/TCK-1.assignee")).text
    picture.unlink()
    shown = (await sheet.ask(f"{TABLE}/TCK-1.assignee")).text
    assert "The picture is gone" in shown
    assert "<image" not in shown


async def test_a_decision_in_the_table_is_that_of_the_review(sheet: Sheet):
    answered = await sheet.act("correct", "TCK-2.amount", "?q=yes&x=1", value="12.50", reason=HOSTILE)
    assert (answered.status, answered.headers["location"]) == (303, f"{TABLE}/TCK-2.amount?q=yes")
    await sheet.act("accept", "TCK-1.assignee")
    await sheet.act("reject", "TCK-1:judgment", reason="not the question")
    await sheet.act("comment", "TCK-1.assignee", reason="seen in the register too")
    await sheet.act("accept", "TCK-3")
    assert [(one.signed.decision.act, one.signed.decision.targets[0].target) for one in sheet.filed()] == [
        ("correct", ReviewTarget(kind="value", sample_id="TCK-2", field="amount")),
        ("accept", ReviewTarget(kind="value", sample_id="TCK-1", field="assignee")),
        ("reject", ReviewTarget(kind="judgment", sample_id="TCK-1")),
        ("comment", ReviewTarget(kind="value", sample_id="TCK-1", field="assignee")),
        ("accept", ReviewTarget(kind="sample", sample_id="TCK-3")),
    ]
    cells = await sheet.cells()
    today = f"by ann, {sheet.filed()[0].signed.decision.at:%-d %b %Y}"
    assert cells["TCK-2.amount"] == f"12.50 → corrected {today} read: not found"
    assert cells["TCK-1.assignee"] == f"=Ann \U0001f600 ● certain ✓ accepted {today} ✎ comment {today}"
    assert cells["TCK-1:judgment"] == f"no ● certain ✗ rejected {today}"
    assert cells["TCK-3"] == f"✓ accepted {today} the run: Failed, identity mismatch"
    page = (await sheet.ask(f"{TABLE}/TCK-2.amount")).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


async def test_a_cell_whose_sample_is_decided_shows_the_decision_and_is_not_for_review_any_more(sheet: Sheet):
    await sheet.act("accept", "TCK-5")
    await sheet.act("comment", "TCK-2", reason="looked at")
    cells = await sheet.cells()
    assert cells["TCK-5.checks"] == "failing \u2713 accepted with its sample"
    assert cells["TCK-2.checks"] == "passing \u25b2 for review"
    shown = text_of((await sheet.ask(f"{TABLE}/TCK-5.checks")).text)
    assert "failing \u2713 accepted with its sample" in shown
    assert await sheet.room.rows(SIGNED_QUERY) == []
    listed = await sheet.room.rows(LISTED_QUERY)
    assert {(row[0], row[-5:]) for row in listed} == {("run_1", (None,) * 5), ("run_2", (None,) * 5)}


@pytest.mark.parametrize(("standing", "is_decided"), [("open", False), ("decided", True), ("stale", False)])
def test_a_cell_is_decided_once_the_review_says_so(standing: Any, is_decided: bool):
    said = ShownDecision(act="accept", by="ben", at=NOW, number=1)
    item = ReviewItem(
        target=ReviewTarget(kind="sample", sample_id="A-1"), looked_at=LookedAt(content_sha256="c"), why="flagged",
        decisions=(said,), standing=standing,
    )  # fmt: skip
    whole = decided_cell(SheetCell("A-1", "sample", "nothing"), item)
    of_sample = settled_cell(SheetCell("A-1.owner", "owner", "review"), whole)
    own = decided_cell(SheetCell("A-1.owner", "owner", "review"), item)
    assert (of_sample.is_decided, own.is_decided) == (is_decided, is_decided), "two may be asked for"


async def test_a_sample_that_its_values_have_decided_has_no_cell_for_review_any_more(sheet: Sheet):
    before = await sheet.cells()
    assert before["TCK-2.assignee"] == "none ▲ for review", "one word for a value that the page says is none"
    item: dict[str, Any] = {"looked_at": LookedAt(content_sha256="c"), "standing": "decided"}
    told = [
        {"sample_id": "A-1", "key": "A-1", "row": 1, "status": "needs_review", "reason": "missing_fields",
         "flagged": False, "found": 1, "field": name, "state": state, "items": None, "lacking": None, "text": text,
         "value": text, "title": None, "first": None, "answer": None}
        for name, state, text in (("owner", "not_found", None), ("number", "value", "7"), ("due", "not_present", ""))
    ]  # fmt: skip
    said = ShownDecision(act="correct", by="ben", at=NOW, number=1, value="Ann")
    owner_of = ReviewTarget(kind="value", sample_id="A-1", field="owner")
    known = [
        ReviewItem(target=ReviewTarget(kind="sample", sample_id="A-1"), why="missing_fields", **item),
        ReviewItem(target=owner_of, why="not_found", decisions=(said,), **item),
    ]
    [row] = table_rows(told, ["owner", "number", "due"], known, ended=True, judged=False)
    owner, number, due = row.cells
    assert row.own.decided_by_values
    assert (owner.corrected, owner.read_words) == ("Ann", "not found")
    assert (number.state, number.text) == ("certain", "7")
    assert (due.state, due.text) == ("none", "none")
    known[0] = msgspec.structs.replace(known[0], standing="open")
    [row] = table_rows(told, ["owner", "number", "due"], known, ended=True, judged=False)
    assert [one.state for one in row.cells] == ["not_found", "review", "review"]
    assert not row.own.decided_by_values


def test_a_corrected_value_stands_first_only_where_the_review_counts_it():
    first = ShownDecision(act="correct", by="ben", at=NOW, number=1, value="Ann")
    other = ShownDecision(act="correct", by="cleo", at=NOW, number=2, value="Bob")
    stale = ShownDecision(act="correct", by="cleo", at=NOW, number=2, value="Bob", stale=True)
    comment = ShownDecision(act="comment", by="cleo", at=NOW, number=3)
    cases: list[tuple[tuple[ShownDecision, ...], Any, str]] = [
        ((first,), "decided", "Ann"),
        ((first, comment), "decided", "Ann"),
        ((first, stale), "decided", "Ann"),
        ((first,), "open", ""),  # another reviewer has to decide too
        ((first, other), "disagreed", ""),
        ((first, other), "decided", ""),  # an approver has decided between them: both are shown
        ((stale,), "stale", ""),
    ]
    for decisions, standing, corrected in cases:
        item = ReviewItem(
            target=ReviewTarget(kind="value", sample_id="A-1", field="owner"), looked_at=LookedAt(content_sha256="c"),
            decisions=decisions, standing=standing,
        )  # fmt: skip
        cell = decided_cell(SheetCell("A-1.owner", "owner", "review", "Al"), item)
        assert cell.corrected == corrected, (decisions, standing)
        assert cell.read_words == "Al"


@pytest.mark.parametrize(("status", "state"), [("done", "none"), ("needs_review", "review"), ("failed", "review")])
def test_that_a_page_has_none_is_in_doubt_with_its_sample(status: str, state: str):
    told = {"state": "not_present", "status": status, "flagged": False, "lacking": None, "items": None, "text": "-"}
    told |= {"value": None, "title": None}
    assert field_cell("A-1", "owner", told, {}, ended=True).state == state


def test_a_date_that_only_the_markup_says_stands_beside_its_text():
    told = {"state": "value", "status": "done", "flagged": False, "lacking": None, "items": None}
    told |= {"text": "3 days ago", "value": "2026-11-26", "title": "Nov 26, 2026"}
    assert field_cell("A-1", "due", told, {}, ended=True).value == "2026-11-26"
    taken_as_text = told | {"value": "3 days ago", "title": "Seen at Nov 26, 2026"}
    assert field_cell("A-1", "due", taken_as_text, {}, ended=True).value == "2026-11-26"


async def test_what_is_refused_stands_beside_the_crop_with_what_was_typed(sheet: Sheet):
    refused = await sheet.act("reject", "TCK-1.assignee", "?status=done", reason=" ")
    assert refused.status == 409
    assert "whoever reads the decision must see why" in refused.text
    assert 'id="cell"' in refused.text
    refused = await sheet.act("correct", "TCK-1.amount", value=HOSTILE, reason="")
    assert 'value="&lt;script&gt;alert(1)' in refused.text
    assert HOSTILE not in refused.text
    assert sheet.filed() == []


async def test_a_decision_on_evidence_that_has_changed_meanwhile_is_refused(sheet: Sheet):
    shown = await sheet.ask(f"{TABLE}/TCK-1.assignee")
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', shown.text))
    sent = {name: unescape(value) for name, value in hidden.items() if name != CSRF}
    sent["on.0"] = sent["on.0"].replace('"picture_sha256":"', '"picture_sha256":"0')
    refused = await sheet.ask("/runs/run_1/review/accept", sent)
    assert (refused.status, "the evidence is not what was looked at" in refused.text) == (409, True)
    assert sheet.filed() == []


async def test_of_a_run_at_work_cells_are_shown_and_nothing_is_decided(sheet: Sheet):
    cells = await sheet.cells("/runs/run_2/table")
    assert (cells["TCK-1.checks"], cells["TCK-4"]) == ("failing ◐ read so far", "Waiting")
    for path in ("/runs/run_2/table", "/runs/run_2/table/TCK-1.checks"):
        shown = (await sheet.ask(path)).text
        assert "decide nothing yet" in shown
        assert '<form method="post"' not in shown


async def test_who_has_a_role_that_reads_is_told_so_and_shown_no_form(sheet: Sheet):
    sheet.roles = frozenset({WebRole.VIEWER})
    for path in (TABLE, f"{TABLE}/TCK-1.checks", "/runs/run_1/review?case=TCK-1.checks"):
        shown = await sheet.ask(path)
        assert (shown.status, "Your roles on this console do not decide" in shown.text) == (200, True), path
        assert '<form method="post"' not in shown.text


async def test_a_key_that_is_made_in_the_table_leads_back_to_its_cell(sheet: Sheet):
    person_key_path("ann", sheet.settings).unlink()
    made = await sheet.act("key", "TCK-1.checks", "?status=done")
    assert (made.status, made.headers["location"]) == (303, f"{TABLE}?status=done#TCK-1.checks")
    assert 'data-key="a"' in (await sheet.ask(f"{TABLE}/TCK-1.checks")).text


@pytest.mark.parametrize(
    "path",
    [
        "/runs/run_9/table",
        f"{TABLE}/TCK-9",
        f"{TABLE}/TCK-1.none",
        f"{TABLE}/.",
        f"{TABLE}/..%2Frun.json",
        f"{TABLE}/TCK-1:x",
    ],
)
async def test_what_the_run_has_not_is_not_found(sheet: Sheet, path: str):
    assert (await sheet.ask(path)).status == 404


# --- what a model said


async def test_each_step_of_a_model_is_told_with_its_tokens_and_cost(sheet: Sheet):
    shown = await sheet.ask("/runs/run_1/samples/TCK-5/model")
    found = re.findall(r'<li class="card model-step".*?</li>', shown.text, re.DOTALL)
    steps = [text_of(one.replace("</", " </")) for one in found]
    assert [one[: one.index(" Answered")] for one in steps] == [
        f"Step 1 {MODEL} · 2 calls · 1360 tokens · $0.0134 Of a picture failing claude-haiku-5-5",
        f"Step 2 {MODEL} · 1 call · 1050 tokens · $0.0123",
    ]
    assert "That is all." in steps[1]
    assert "2 of 2" in text_of(shown.text)
    assert "No model was asked" in (await sheet.ask("/runs/run_1/samples/TCK-1/model")).text
    assert 'href="/runs/run_1/samples/TCK-5/model"' in (await sheet.ask("/runs/run_1/samples/TCK-5")).text
    assert "/model" not in (await sheet.ask("/runs/run_1/samples/TCK-1")).text
    assert (await sheet.ask("/runs/run_1/samples/TCK-9/model")).status == 404


async def test_running_it_again_offers_the_rows_of_the_run_and_its_task_as_it_is_saved_now(sheet: Sheet):
    shown = (await sheet.ask("/new?like=run_1")).text
    assert 'name="of_run" value="run_1" checked' in shown
    assert "as it is saved now" not in shown
    task = re.search(r'<option value="run_1" selected>([^<]+)</option>', shown)
    assert task is not None
    save_spec(sheet.settings, {"task_id": task[1]}, replace=False)
    assert f"/new?saved={task[1]}&amp;rows=run_1" in (await sheet.ask("/new?like=run_1")).text
    again = (await sheet.ask(f"/new?saved={task[1]}&rows=run_1")).text
    assert 'name="of_run" value="run_1" checked' in again
    assert '<option value="run_1" selected>' not in again
    assert 'name="of_run"' not in (await sheet.ask("/new?rows=run_none")).text
