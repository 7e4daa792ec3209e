"""The page of a review over the handlers of evidence: what it shows to whom, and what its forms file."""

from __future__ import annotations

import asyncio
import base64
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from services.console.web.desk import Desk as WebDesk
from services.console.web.guard import CSRF, Guard, WebSessions
from services.console.web.page_origin import PageOrigin
from services.console.web.review.review_acts import ACTS
from services.console.web.web_app import make_app, static_files
from services.evidence.handlers import actor
from shared.client import Client
from shared.client.person_keys import load_person_key, person_key_path
from shared.contracts.sessions.reviewing import ReviewSignedOff, ReviewTarget
from shared.evidence_format.files.review import ReviewFile, parse_review
from shared.settings import Settings
from tests.handlers.evidence.evidence_desk import Desk, found, sample, started
from tests.handlers.evidence.review_room import with_open_values
from tests.unit.console.asked_pages import HOST, SentPage, ask_page

REVIEW = "/runs/run_1/review"
HOSTILE = '<script>alert(1)</script>\u202e{{7*7}}"'
HOSTILE_SHOWN = "&lt;script&gt;alert(1)&lt;/script&gt;"


@dataclass
class Room:
    """A run of A-1 and A-2, of which nobody knows the owner, and A-3 done; the console over it, whose user is
    ``person``."""

    desk: Desk
    settings: Settings
    person: str = "ann"
    opens_writer: Any = None
    sessions: WebSessions = field(default_factory=WebSessions)

    def app(self) -> Guard:
        self.desk.deps.now = lambda: datetime.now(UTC)  # clock: who asks proves that it is just now
        self.desk.bus.host(actor, self.desk.deps)
        client = Client(cast("Any", self.desk.bus))
        web = WebDesk(
            client,
            self.settings,
            self.person,
            static_files(),
            PageOrigin("http://p", (), self.settings),
            self.opens_writer,
        )
        return Guard(make_app(web), self.sessions, {HOST})

    async def begin(self, **record: Any) -> None:
        spec = {"output_schema": {"number": "string", "owner": "string | null"}, **record.pop("spec", {})}
        await with_open_values(self.desk, spec=spec, **{"requested_by": "dan", **record})

    async def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> SentPage:
        return await ask_page(self.app(), self.sessions, path, form, **headers)

    async def form(self, path: str) -> dict[str, str]:
        """Return what the first form of a page that decides sends."""
        shown = await self.ask(path)
        assert shown.status == 200, shown.text
        form = re.search(r'<form method="post".*?</form>', shown.text, re.DOTALL)
        assert form is not None, shown.text
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form[0])
        return {name: unescape(value) for name, value in hidden if name != CSRF}

    async def act(self, act: str, path: str = REVIEW, **given: str) -> SentPage:
        return await self.ask(f"{REVIEW}/{act}", {**await self.form(path), **given})

    async def sign(self) -> None:
        """Sign, as the last one who has to; the run is closed with it, as the service does."""
        signing = asyncio.create_task(self.ask(f"{REVIEW}/sign", {}))
        async with asyncio.timeout(60):
            while not self.desk.bus.events(ReviewSignedOff):
                assert not signing.done(), signing.result().text
                await asyncio.sleep(0)
            await self.desk.tell(self.desk.bus.events(ReviewSignedOff)[-1])
            assert (await signing).headers["location"] == REVIEW

    def filed(self) -> list[ReviewFile]:
        found = sorted((self.desk.root / "run_1/review.rounds").rglob("*.json"))
        return [parse_review(path.read_bytes()) for path in found]

    def make_key(self, name: str) -> str:
        """Make the key of a person; return its fingerprint."""
        return load_person_key(name, self.settings).public.fingerprint


@pytest.fixture
async def room(tmp_path: Path) -> Room:
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", nats_url=None)
    room = Room(Desk(tmp_path / "evidence", products=()), settings)
    room.make_key("ann")
    return room


def people(room: Room, *names: str, **more: Any) -> dict[str, Any]:
    """Return a spec whose reviewers these are."""
    named = [{"name": name, "role": "reviewer", "key": room.make_key(name)} for name in names]
    return {"review": {"reviewers": len(names), "people": named, **more}}


async def test_a_decision_is_filed_with_the_key_of_the_person_and_leads_to_the_next_case(room: Room):
    await room.begin()
    answered = await room.act("accept", reason="seen")
    assert (answered.status, answered.headers["location"]) == (303, f"{REVIEW}?why=unread_values&after=A-1.owner#case")
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


async def test_equal_cases_are_one_decision(room: Room):
    await room.begin()
    assert "Decide 2 equal open cases as one" in (await room.ask(REVIEW)).text
    await room.act("accept", f"{REVIEW}?case=A-1.owner&alike=1")
    [file] = room.filed()
    assert [one.target.sample_id for one in file.signed.decision.targets] == ["A-1", "A-2"]


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


async def test_who_has_no_key_may_look_and_none_is_made(room: Room):
    await room.begin()
    room.person = "ben"
    shown = await room.ask(REVIEW)
    assert "exhibit review key" in shown.text
    assert "A-1.owner" in shown.text
    assert '<form method="post"' not in shown.text
    for act in sorted(ACTS):
        refused = await room.ask(f"{REVIEW}/{act}", {"reason": "r", "value": "v"})
        assert (refused.status, "exhibit review key" in refused.text) == (403, True), act
    assert (await room.ask(f"{REVIEW}/sign")).status == 403
    assert not person_key_path("ben", room.settings).exists()
    assert room.filed() == []


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
    assert 'data-fact="review">2 to review</a>' in (await room.ask("/runs/run_1")).text


async def test_a_console_without_services_says_so_and_begins_no_run(room: Room):
    room.opens_writer = object
    for form in (None, {"pasted": "number\nA-1"}):
        answered = await room.ask("/new", form)
        assert (answered.status, "exhibit up" in answered.text) == (409, True)
    assert (await room.ask("/new/none/all", {})).status == 409
