"""The page of a review over the handlers of evidence: what it shows to whom, and what its forms file."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.console.web.guard import CSRF
from services.console.web.review.review_acts import ACTS
from shared.client.person_keys import load_person_key, person_key_path
from shared.contracts.sessions.reviewing import ReviewTarget
from shared.contracts.steps import FieldValue
from tests.handlers.evidence.evidence_desk import closed, ended, found, sample, started, took
from tests.unit.console.web_room import REVIEW, Room, make_room

HOSTILE = '<script>alert(1)</script>\u202e{{7*7}}"'
HOSTILE_SHOWN = "&lt;script&gt;alert(1)&lt;/script&gt;"


@pytest.fixture
async def room(tmp_path: Path) -> Room:
    return make_room(tmp_path)


def people(room: Room, *names: str, **more: Any) -> dict[str, Any]:
    """Return a spec whose reviewers these are."""
    named = [{"name": name, "role": "reviewer", "key": room.make_key(name)} for name in names]
    return {"review": {"reviewers": len(names), "people": named, **more}}


async def test_a_decision_is_filed_with_the_key_of_the_person_and_leads_to_the_next_case(room: Room):
    await room.begin()
    answered = await room.act("accept", reason="seen")
    assert (answered.status, answered.headers["location"]) == (303, f"{REVIEW}?why=missing_fields&after=A-1.owner#case")
    [file] = room.filed()
    said = file.signed.decision
    assert (said.by, said.act, said.reason) == ("ann", "accept", "seen")
    assert [one.target for one in said.targets] == [ReviewTarget(kind="value", sample_id="A-1", field="owner")]
    assert file.signed.public_key == load_person_key("ann", room.settings).public.pem
    assert room.desk.check().problems == []
    shown = await room.ask(answered.headers["location"])
    assert 'id="case-title"><bdi>A-2.owner</bdi>' in shown.text


async def test_each_act_is_filed_as_what_it_is(room: Room):
    await room.begin()
    reason = {"reason": "as the page says"}
    for act, given in (
        ("correct", {"value": "Ann Lee"}),
        ("reject", {}),
        ("not_applicable", {}),
        ("comment", {}),
    ):
        assert (await room.act(act, f"{REVIEW}?case=A-1.owner", **reason, **given)).status == 303
    assert [(one.signed.decision.act, one.signed.decision.value) for one in room.filed()] == [
        ("correct", "Ann Lee"), ("reject", ""), ("not_applicable", ""), ("comment", ""),
    ]  # fmt: skip


async def test_a_decision_on_what_need_not_be_decided_stays_in_sight(room: Room):
    await room.begin()
    answered = await room.act("correct", f"{REVIEW}?case=A-3.owner", value="Ann Lee", reason="as the invoice says")
    assert (answered.status, answered.headers["location"]) == (303, f"{REVIEW}?case=A-3.owner#case")
    shown = await room.ask(answered.headers["location"])
    assert "<strong>Corrected</strong> to <q><bdi>Ann Lee</bdi></q>" in shown.text


async def test_cases_without_a_certain_value_are_one_decision_when_that_is_confirmed_and_never_one_correction(
    room: Room,
):
    await room.begin()
    assert "Decide 2 open cases without a certain value as one" in (await room.ask(REVIEW)).text
    both = f"{REVIEW}?case=A-1.owner&alike=1"
    shown = (await room.ask(both)).text
    assert ("each page may show another one" in shown, "Correct" in shown) == (True, False)
    assert (await room.act("accept", both)).status == 409
    refused = await room.act("correct", both, value="Ann", reason="as the page says", differ="1")
    assert (refused.status, "correct one at a time" in refused.text, room.filed()) == (409, True, [])
    await room.act("accept", both, none="1")
    [file] = room.filed()
    assert [one.target.sample_id for one in file.signed.decision.targets] == ["A-1", "A-2"]


async def test_where_nothing_was_read_the_first_act_is_to_correct_and_none_is_accepted_by_accident(room: Room):
    await room.begin()
    shown = (await room.ask(REVIEW)).text
    acts = shown[shown.index('<div class="acts">') :]
    assert acts.index('<details class="act-form" open><summary data-key="e">') < acts.index("Accept that it has none")
    assert '<details class="act-form"><summary data-key="a">Accept that it has none' in acts
    assert 'data-key="a">Accept <kbd>' not in acts
    assert acts.index('data-key="a"') < acts.index("cases without a certain value as one")
    form = await room.form(REVIEW, "accept")
    refused = await room.ask(f"{REVIEW}/accept", form)
    assert (refused.status, "confirm that there is none, or correct it" in refused.text) == (409, True)
    assert room.filed() == []
    filed = await room.ask(f"{REVIEW}/accept", {**form, "none": "1"})
    assert (filed.status, [one.signed.decision.act for one in room.filed()]) == (303, ["accept"])
    read = (await room.ask(f"{REVIEW}?case=A-3.number")).text
    assert 'class="act" data-key="a">Accept <kbd>' in read, "a value that was read is accepted at once"


async def test_where_a_right_value_stands_is_kept_for_the_next_case_of_the_queue(room: Room):
    await room.desk.tell(started(requested_by="dan"))
    samples = [sample(f"A-{n}", row=n) for n in (1, 2, 3)]
    await room.desk.tell(*map(found, samples), closed(3))
    values = FieldValue(field="number", state="value", value="7"), FieldValue(field="owner", state="not_found")
    for one in samples:
        picture = await room.desk.capture(one)
        step = msgspec.structs.replace(took(one, picture), values=values)
        end = ended(one, picture, status="needs_review", reason="missing_fields")
        await room.desk.tell(step, msgspec.structs.replace(end, values=values))
    shown = (await room.ask(REVIEW)).text
    select = shown[shown.index('<select name="where">') : shown.index("</select>")]
    options = re.findall(r'<option value="([^"]*)" data-file="([^"]+)"( selected)?>([^<]+)</option>', select)
    [(value, name, _, _)] = options
    assert options == [(value, name, " selected", "picture 1, step 1")]
    answered = await room.act("correct", value="Ann Lee", reason="as the page says", where=unescape(value))
    led = answered.headers["location"]
    assert led == f"{REVIEW}?why=missing_fields&after=A-1.owner&where={name}#case"
    following = (await room.ask(led)).text
    assert f'data-file="{name}" selected' in following
    assert f'<input type="hidden" name="last" value="{name}">' in following
    answered = await room.act("correct", led.partition("#")[0], value="Bob", reason="as the register says", where="")
    led = answered.headers["location"]
    assert led.endswith("&where=-#case")
    third = (await room.ask(led)).text
    assert ('id="case-title"><bdi>A-3.owner' in third, " selected>picture 1" in third) == (True, False)


async def test_what_was_decided_is_undone_with_all_that_was_decided_with_it(room: Room):
    await room.begin()
    assert "Undo:" not in (await room.ask(REVIEW)).text
    led = (await room.act("accept", f"{REVIEW}?case=A-1.owner&alike=1", none="1")).headers["location"]
    assert "Undo: accepted, <bdi>2 cases</bdi>" in (await room.ask(led)).text
    named = (await room.ask(f"{REVIEW}?case=A-2.owner")).text
    assert "Undo: accepted, <bdi>2 cases</bdi>" in named
    assert "Undo only one: accepted, <bdi>A-2.owner</bdi>" in named
    undone = await room.ask(f"{REVIEW}/withdraw", await room.form(led, "withdraw"))
    assert (undone.status, undone.headers["location"]) == (303, f"{REVIEW}?why=missing_fields&case=A-1.owner#case")
    shown = (await room.ask(undone.headers["location"])).text
    assert ("0 of 2 samples</span>" in shown, "Undo:" in shown) == (True, False)
    assert [(one.signed.decision.act, len(one.signed.decision.targets)) for one in room.filed()] == [
        ("accept", 2), ("withdraw", 2),
    ]  # fmt: skip
    assert room.desk.check().problems == []


async def test_on_a_case_that_is_decided_that_decision_is_undone_and_elsewhere_the_last_one(room: Room):
    await room.begin()
    for sample_id in ("A-1", "A-2"):
        await room.act("reject", f"{REVIEW}?case={sample_id}.owner", reason="another page")
    for case, undone in (("A-1.owner", "A-1.owner"), ("A-2.owner", "A-2.owner"), ("A-3.owner", "A-2.owner")):
        assert f"Undo: rejected, <bdi>{undone}</bdi>" in (await room.ask(f"{REVIEW}?case={case}")).text
    form = await room.form(f"{REVIEW}?case=A-1.owner", "withdraw")
    assert (await room.ask(f"{REVIEW}/withdraw", form)).status == 303
    again = await room.ask(f"{REVIEW}/withdraw", form)
    assert (again.status, "nothing of it that could be withdrawn" in again.text) == (409, True)
    await room.act("accept", f"{REVIEW}?case=A-1.owner")
    await room.sign()
    assert "Undo:" not in (await room.ask(f"{REVIEW}?case=A-1.owner")).text


async def test_samples_of_one_reason_are_decided_as_one_when_that_is_confirmed_and_nothing_is_said_of_values(
    room: Room,
):
    await room.desk.tell(started(requested_by="dan"))
    samples = [msgspec.structs.replace(sample(f"A-{n}", row=n), key=f"Part {n}, \u51ac") for n in (1, 2)]
    await room.desk.tell(*map(found, samples), closed(2))
    for one in samples:
        end = ended(one, status="needs_review", reason="not_as_drawn", message="number: something is drawn beside it")
        await room.desk.tell(took(one), end)
    shown = (await room.ask(REVIEW)).text
    assert "Decide 2 open samples with the same reason as one" in shown
    assert 'id="case-title"><bdi>Part 1, \u51ac</bdi>' in shown
    assert "number: something is drawn beside it" in shown
    both = f"{REVIEW}?case=A-1&alike=1"
    assert "only their reason is the same for certain" in shown
    asked = (await room.ask(both)).text
    assert "2 samples with the same reason; no more of them is compared" in asked
    assert "I mean all 2, of which only the reason is the same for certain" in asked
    assert ("values differ" in shown, "values differ" in asked) == (False, False), "they may have none"
    refused = await room.act("accept", both)
    assert (refused.status, "no more of them is compared: confirm" in refused.text) == (409, True)
    assert room.filed() == []
    await room.act("accept", both, differ="1")
    [file] = room.filed()
    assert [one.target.sample_id for one in file.signed.decision.targets] == ["A-1", "A-2"]


async def test_who_signs_alone_what_he_has_requested_is_told_so_and_what_is_signed(room: Room):
    await room.begin(requested_by="ann")
    await room.act("accept", f"{REVIEW}?case=A-1.owner")
    await room.act("reject", f"{REVIEW}?case=A-2.owner", reason="another page")
    shown = (await room.ask(f"{REVIEW}/sign")).text
    assert "You requested this run and are its only reviewer" in shown
    assert 'data-fact="covers">1 value accepted, 1 value rejected<' in shown
    assert 'data-fact="beside"' not in shown
    await room.act("correct", f"{REVIEW}?case=A-3.number", value="8", reason=HOSTILE)
    await room.act("comment", f"{REVIEW}?case=A-1.owner", reason="looked at twice")
    shown = (await room.ask(f"{REVIEW}/sign")).text
    assert 'data-fact="covers">1 value accepted, 1 value corrected, 1 value rejected<' in shown
    assert 'data-fact="beside">of these, 1 value corrected that did not have to be decided<' in shown
    row = re.search(r"A-3\.number</bdi></a><small>not for review</small>.*?</tr>", shown, re.DOTALL)
    assert row is not None
    assert "Corrected to <b><bdi>8</bdi></b>" in row[0]
    assert HOSTILE_SHOWN in row[0]
    assert HOSTILE not in shown
    assert f'action="{REVIEW}/sign"' in shown
    await room.sign()
    assert f'action="{REVIEW}/sign"' not in (await room.ask(f"{REVIEW}/sign")).text
    shown = (await room.ask("/runs/run_1")).text
    assert re.search(r"signed off</a><small>by <bdi>ann</bdi>", shown)


async def test_a_run_that_is_signed_off_shows_nothing_as_open(room: Room):
    await room.begin(requested_by="ann")
    for sample_id in ("A-1", "A-2"):
        await room.act("correct", f"{REVIEW}?case={sample_id}.owner", value="Ann Lee", reason="as the page says")
    before = (await room.ask("/runs/run_1")).text
    assert ('data-count="review">2</b><span>for review<' in before, "Nothing is open" in before) == (True, False)
    assert "Corrected" not in (await room.ask("/runs/run_1/samples/A-1")).text
    await room.sign()
    shown = (await room.ask("/runs/run_1")).text
    assert 'data-count="review">2</b><span>reviewed</span>' in shown
    assert "Nothing is open." in shown
    assert '<sample-grid data-run="run_1" data-decided>' in shown
    assert '<small class="muted">the run: Needs review</small>' in shown
    assert "st-needs_review" not in shown.split("<h2", 2)[2], "no row of the list looks open"
    of_sample = (await room.ask("/runs/run_1/samples/A-1")).text
    assert re.search(
        r"settled\">corrected</span>\s*<span class=\"reason\">signed off, .*; the run: Needs review", of_sample
    )
    table = (await room.ask("/runs/run_1/samples/A-3")).text
    assert '<span class="status st-done">Done</span>' in table


async def test_the_list_of_a_run_at_work_says_that_it_is_as_of_its_loading(room: Room):
    await room.desk.tell(started(), found(sample("A-1")))
    shown = (await room.ask("/runs/run_1")).text
    assert '<a href="?q=&amp;status=#samples-title">Load it anew</a>' in shown
    assert 'data-fact="fitting">1 sample so far</span>' in shown


async def test_what_is_refused_is_told_by_its_words_and_what_was_typed_stays(room: Room):
    await room.begin()
    refused = await room.act("reject", reason=" ")
    assert refused.status == 409
    assert "whoever reads the decision must see why" in refused.text
    refused = await room.act("correct", value=HOSTILE, reason="")
    assert 'value="&lt;script&gt;alert(1)' in refused.text
    assert HOSTILE not in refused.text
    refused = await room.ask(f"{REVIEW}/sign", {})
    assert "ann has not decided A-1, A-2" in refused.text
    refused = await room.ask(f"{REVIEW}/reopen", {"reason": "r"})
    assert "the review is not signed off" in refused.text
    assert room.filed() == []


async def test_evidence_that_has_changed_since_the_page_was_shown_is_refused(room: Room):
    await room.begin()
    form = await room.form(f"{REVIEW}?case=A-1")
    manifest = room.desk.root / "run_1/A-1/manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b"\n")
    refused = await room.ask(f"{REVIEW}/accept", form)
    assert refused.status == 409
    assert "the evidence is not what was looked at" in refused.text
    assert room.filed() == []


async def test_who_has_no_key_may_look_and_none_is_made_unasked(room: Room):
    await room.begin()
    room.person = "ben"
    shown = await room.ask(REVIEW)
    assert "Make a key for" in shown.text
    assert "A-1.owner" in shown.text
    assert ("<small>by you</small>" in shown.text, "<small>in all</small>" in shown.text) == (False, True)
    assert re.findall(r'<form method="post" action="([^"]+)"', shown.text) == [f"{REVIEW}/key"]
    for act in sorted(ACTS):
        refused = await room.ask(f"{REVIEW}/{act}", {"reason": "r", "value": "v"})
        assert (refused.status, "The page of the review makes one" in refused.text) == (403, True), act
    assert (await room.ask(f"{REVIEW}/sign")).status == 403
    assert not person_key_path("ben", room.settings).exists()
    assert room.filed() == []


async def test_a_key_is_made_when_it_is_asked_for_and_then_kept(room: Room):
    await room.begin()
    room.person = "ben"
    form = await room.form(f"{REVIEW}?case=A-2.owner")
    for guessed in ({CSRF: "guessed"}, {}):
        refused = await room.ask(
            f"{REVIEW}/key", {**form, **guessed}, **({} if guessed else {"origin": "http://e.example"})
        )
        assert refused.status == 403
    assert not person_key_path("ben", room.settings).exists()
    made = await room.ask(f"{REVIEW}/key", form)
    assert (made.status, made.headers["location"]) == (303, f"{REVIEW}?why=missing_fields&case=A-2.owner#case")
    path = person_key_path("ben", room.settings)
    pem = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    fingerprint = load_person_key("ben", room.settings).public.fingerprint
    assert f"signs with the key {fingerprint[:16]}" in (await room.ask(REVIEW)).text
    await room.ask(f"{REVIEW}/key", form)
    assert path.read_bytes() == pem
    await room.act("accept", reason="seen")
    assert [file.signed.decision.by for file in room.filed()] == ["ben"]


async def test_behind_a_proxy_nobody_has_a_key_made(room: Room):
    await room.begin()
    room.person, room.behind_proxy = "ben", True
    shown = await room.ask(REVIEW)
    assert "exhibit review key --by NAME" in shown.text
    assert '<form method="post"' not in shown.text
    refused = await room.ask(f"{REVIEW}/key", {})
    assert (refused.status, "exhibit review key --by NAME" in refused.text) == (403, True)
    assert not person_key_path("ben", room.settings).exists()


async def test_a_form_of_another_session_or_site_files_nothing(room: Room):
    await room.begin()
    form = await room.form(REVIEW)
    for act in sorted(ACTS):
        assert (await room.ask(f"{REVIEW}/{act}", {**form, CSRF: "guessed"})).status == 403
        assert (await room.ask(f"{REVIEW}/{act}", form, origin="http://evil.example")).status == 403
    assert room.filed() == []


async def test_no_page_has_the_key_of_the_person(room: Room):
    await room.begin()
    pem = person_key_path("ann", room.settings).read_text()
    secret = "".join(pem.splitlines()[1:-1])
    raw = base64.b64decode(secret)[-32:]
    answers = [await room.ask(REVIEW), await room.ask(f"{REVIEW}/sign"), await room.act("reject", reason="")]
    for answer in answers:
        for form in (secret, raw.hex(), base64.b64encode(raw).decode(), "PRIVATE KEY"):
            assert form not in answer.text


async def test_who_has_requested_the_run_may_comment_alone(room: Room):
    await room.begin(requested_by="ann", spec=people(room, "ann", "ben"))
    shown = await room.ask(REVIEW)
    assert "who prepares does not review" in shown.text
    assert f'action="{REVIEW}/comment"' in shown.text
    assert f'action="{REVIEW}/accept"' not in shown.text
    refused = await room.act("accept")
    assert "four eyes" in refused.text
    assert room.filed() == []


async def test_who_is_not_named_by_the_task_may_look_alone(room: Room):
    await room.begin(spec=people(room, "ben"))
    shown = await room.ask(REVIEW)
    assert "is none of them" in shown.text
    assert '<form method="post"' not in shown.text
    assert (await room.ask(f"{REVIEW}/accept", {"reason": "r"})).status == 409
    assert room.filed() == []


async def test_the_second_reviewer_is_shown_the_first_decision_after_his_own(room: Room):
    await room.begin(spec=people(room, "ann", "ben"))
    await room.act("reject", f"{REVIEW}?case=A-1.owner", reason="told by the register")
    room.person = "ben"
    blind = await room.ask(f"{REVIEW}?case=A-1.owner")
    assert "1 of others, shown once you have decided" in blind.text
    assert "told by the register" not in blind.text
    await room.act("accept", f"{REVIEW}?case=A-1.owner")
    assert "told by the register" in (await room.ask(f"{REVIEW}?case=A-1.owner")).text


async def test_samples_are_drawn_by_a_seed_and_then_for_review(room: Room):
    await room.begin()
    given = {"n": "3", "strata": "doubt", "confidence": "0.95", "expected": "0", "tolerable": "0.1"}
    refused = await room.act("draw", seed=" ", **given)
    assert "name a seed" in refused.text
    refused = await room.act("draw", seed="s", **{**given, "tolerable": "2"})
    assert "tolerable rate" in refused.text
    assert (await room.act("draw", seed="2026-Q1", **given)).status == 303
    drawn = await room.ask(f"{REVIEW}?why=drawn")
    assert 'id="case-title"><bdi>A-3</bdi>' in drawn.text
    assert "2026-Q1" in drawn.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/runs/run_2/review", 404),
        ("/runs/..%2Frun_1/review", 404),
        (f"{REVIEW}?case=A-9", 404),
        (f"{REVIEW}?case=A-1.none", 404),
        (f"{REVIEW}?case=A-3", 200),  # it need not be decided, and can be
        (f"{REVIEW}?case=A-1&why=none&candidate=x", 200),
        (f"{REVIEW}/accept", 405),
    ],
)
async def test_what_is_not_there_is_said(room: Room, path: str, status: int):
    await room.begin()
    assert (await room.ask(path)).status == status


async def test_a_form_that_the_page_has_not_made_files_nothing(room: Room):
    await room.begin()
    assert (await room.ask(f"{REVIEW}/accept", {"on.0": "x"})).status == 400
    assert (await room.ask(f"{REVIEW}/steal", {"on.0": "x"})).status == 404
    no_such = {"target": {"kind": "sample", "sample_id": "A-9"}, "looked_at": {"content_sha256": ""}}
    refused = await room.ask(f"{REVIEW}/accept", {"on.0": msgspec.json.encode(no_such).decode()})
    assert "has no such thing" in refused.text
    assert room.filed() == []


async def test_what_was_signed_off_stands_on_the_page_of_its_sample_also_when_it_is_reopened(room: Room):
    await room.begin()
    await room.act("correct", f"{REVIEW}?case=A-1.owner", value="Ann Lee", reason=HOSTILE)
    assert HOSTILE_SHOWN not in (await room.ask("/runs/run_1/samples/A-1")).text
    await room.act("accept", f"{REVIEW}?case=A-2.owner")
    await room.sign()
    for _ in range(2):
        shown = (await room.ask("/runs/run_1/samples/A-1")).text
        assert "<strong>Corrected</strong> to <q><bdi>Ann Lee</bdi></q> by <bdi>ann</bdi>" in shown
        assert HOSTILE_SHOWN in shown
        assert HOSTILE not in shown
        assert ("Before</a>" in shown, '/samples/A-2" rel="next"' in shown) == (False, True)
        await room.ask(f"{REVIEW}/reopen", {"reason": "a page was missed"})
    assert [one.signed.decision.act for one in room.filed()] == ["correct", "accept", "sign", "reopen"]
    first = room.desk.root / "run_1/review.rounds/1/000001.json"
    first.write_bytes(b"{")
    assert "cannot be read here" in (await room.ask("/runs/run_1/samples/A-1")).text


async def test_a_run_at_work_is_not_reviewed(room: Room):
    await room.desk.tell(started(), found(sample("A-1")))
    answered = await room.ask(REVIEW)
    assert (answered.status, "has not ended" in answered.text) == (409, True)


async def test_a_run_tells_how_much_is_for_review(room: Room):
    await room.begin()
    assert 'data-fact="review">2 samples to decide</a>' in (await room.ask("/runs/run_1")).text


async def test_a_run_without_a_flow_in_what_is_done_says_so_and_does_not_lead_to_what_has_moved(room: Room):
    await room.begin()
    answered = await room.ask("/runs/run_1/drift")
    assert (answered.status, "No sample of this run that is done used a flow" in answered.text) == (200, True)
    assert "/drift" not in (await room.ask("/runs/run_1")).text
    assert (await room.ask("/runs/run_1/drift/approve")).status == 404


async def test_the_rows_of_an_earlier_run_are_taken_over_unless_others_are_given(room: Room):
    await room.desk.tell(started())
    rows = [{"number": "1", "note": "=a, \u51ac"}, {"number": "2", "note": "b"}]
    samples = [msgspec.structs.replace(sample(f"A-{n}", row=n), fields=row) for n, row in enumerate(rows, 1)]
    await room.desk.tell(*map(found, reversed(samples)), closed(2))
    task = json.dumps(
        {"task_id": "tickets", "goal": "g", "start_url": "http://site/", "output_schema": {"x": "string"}}
    )
    sent = await room.ask("/new", {"written": task, "of_run": "run_1"})
    draft = room.drafts.get(sent.headers["location"].removeprefix("/new/"))
    assert draft is not None
    assert list(csv.DictReader(io.StringIO(draft.data.decode()))) == rows
    sent = await room.ask("/new", {"written": task, "of_run": "run_1", "pasted": "number\n7"})
    draft = room.drafts.get(sent.headers["location"].removeprefix("/new/"))
    assert draft is not None
    assert draft.data == b"number\n7"


async def test_a_console_without_services_says_so_and_begins_no_run(room: Room):
    room.opens_writer = object
    for form in (None, {"pasted": "number\nA-1"}):
        answered = await room.ask("/new", form)
        assert (answered.status, "exhibit up" in answered.text) == (409, True)
    assert (await room.ask("/new/none/all", {})).status == 409
