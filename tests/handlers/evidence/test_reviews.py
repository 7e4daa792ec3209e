"""Decisions of people who review a run: filed once, sealed, chained, and proven by `verify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from services.evidence.facts import RunFacts
from services.evidence.ingest.review_decisions import close_review
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.read_api import review_state
from services.evidence.recovery import read_sample_files
from services.evidence.reviews.review_logs import read_signed_off
from services.evidence.sql.review_views import REVIEWS, SIGN_OFFS, review_rows
from shared.contracts.results import ValueSource
from shared.contracts.sessions.reviewing import DecisionFiled, DrawWish, ReviewSignedOff, ShownWhere
from shared.contracts.steps import FieldValue
from shared.evidence_format.export import write_zip
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.reconciliation import (
    FiledRegister,
    ReconciledRecord,
    ReconciliationHead,
    count_records,
    write_reconciliation,
)
from shared.evidence_format.files.review import ReviewFile, sealed_bytes
from shared.evidence_format.review.reviewed import RunReview
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.verify.verify_run import check_run
from shared.evidence_view.sample_details import detail_of
from shared.papers.read_paper import read_paper
from shared.settings import Settings
from tests.handlers.evidence.evidence_desk import KEY, Desk, closed, ended, found, found_values, sample, started, took
from tests.handlers.evidence.mortal import SIGNER
from tests.handlers.evidence.review_room import DOUBTFUL, ReviewRoom, for_review, reviewing, with_open_values
from tests.typed import expect, there
from tests.unit.shared.reviewing.review_people import ANN, BEN, CLEO, Signatory

ROUND = "run_1/review.rounds/1"


@pytest.fixture
async def room(desk: Desk) -> ReviewRoom:
    await for_review(desk, reviewing(ANN, BEN, CLEO, reviewers=2))
    return ReviewRoom(desk)


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


async def signed_off(room: ReviewRoom) -> Any:
    for who in (ANN, BEN):
        assert [await room.code(who, act) for act in ("accept", "sign")] == ["", ""]
    assert await room.code(CLEO, "sign") == ""
    return await room.close()


async def test_a_decision_adds_one_file_and_changes_no_other_and_the_run_still_verifies(room: ReviewRoom):
    before = room.desk.files()
    assert await room.code(ANN, "accept") == ""
    assert changed(before, room.desk.files()) == {f"{ROUND}/000001.json"}
    checked = room.desk.check()
    assert checked.problems == []
    assert "review in review, round 1: 1 signed entry by ann" in checked.notes


async def test_a_signed_off_review_is_sealed_with_the_run_and_what_was_sealed_before_stays(room: ReviewRoom):
    before = room.desk.files()
    finished = await signed_off(room)
    assert finished.reviewed == 5
    after = room.desk.files()
    assert after["run_1/rounds/1/manifest.json"] == before["run_1/manifest.json"]
    sealed = {one["path"] for one in json.loads(after["run_1/manifest.json"])["files"]}
    assert {f"review.rounds/1/{number:06d}.json" for number in range(1, 6)} <= sealed
    checked = room.desk.check()
    assert checked.problems == []
    assert f"review signed by cleo (approver) with the key {CLEO.key}" in checked.notes
    state = await room.load()
    assert (state.state, state.missing, state.open_items) == ("signed_off", (), 0)


async def test_a_reopened_review_is_another_round_and_both_are_sealed(room: ReviewRoom):
    await signed_off(room)
    assert await room.code(ANN, "reject") == "signed_off"
    assert await room.code(CLEO, "reopen", reason="a page was missed") == ""
    for who in (ANN, BEN, CLEO):
        assert await room.code(who, "reject") == ""
        assert await room.code(who, "sign") == ""
    await room.close()
    assert room.desk.check().problems == []
    assert sorted(path.name for path in (room.desk.root / "run_1/rounds").iterdir()) == ["1", "2"]
    assert (await room.load()).round == 2


async def test_the_same_decision_again_changes_nothing_also_after_others_and_after_a_restart(room: ReviewRoom):
    first = ANN.sign(await room.said(ANN, "accept"))
    receipt = expect(await room.send(first), DecisionFiled)
    assert await room.code(ANN, "reject") == ""
    files = room.desk.files()
    room.desk.restart()
    again = expect(await room.send(first), DecisionFiled)
    assert (again.number, again.sha256) == (receipt.number, receipt.sha256)
    assert room.desk.files() == files


async def test_the_last_signature_is_answered_while_the_run_is_closed_with_it(room: ReviewRoom):
    for who in (ANN, BEN):
        assert [await room.code(who, act) for act in ("accept", "sign")] == ["", ""]
    last = CLEO.sign(await room.said(CLEO, "sign"))
    assert expect(await room.send(last), DecisionFiled).sealed is False
    state = there(await room.desk.deps.ledger.find("run_1"))
    await close_review(room.desk.deps, state, room.desk.bus.events(ReviewSignedOff)[-1])
    assert expect(await room.send(last), DecisionFiled).sealed is False
    assert getattr(await room.send(ANN.sign(last.decision)), "code", "") == "run_at_work"
    await room.close()
    assert expect(await room.send(last), DecisionFiled).sealed
    seal = room.desk.root / "run_1/seal.json"
    seal.rename(room.desk.root / "aside")  # the last file that is written when a run is closed
    assert expect(await room.send(last), DecisionFiled).sealed is False


async def test_what_is_forged_moved_or_out_of_order_is_refused_and_changes_no_file(room: ReviewRoom):
    files = room.desk.files()
    real = ANN.sign(await room.said(ANN, "accept"))
    other = msgspec.structs.replace(real.decision, act="reject")
    assert await room.code(Signatory("eve"), "accept") == "unknown_person"
    for forged, code in (
        (msgspec.structs.replace(real, decision=other), "bad_signature"),
        (msgspec.structs.replace(BEN.sign(real.decision), public_key=ANN.public.pem), "bad_signature"),
        (BEN.sign(real.decision), "other_key"),
        (ANN.sign(msgspec.structs.replace(real.decision, run_id="run_2")), "other_run"),
        (ANN.sign(msgspec.structs.replace(real.decision, number=2)), "out_of_order"),
        (ANN.sign(msgspec.structs.replace(real.decision, previous_sha256="0" * 64)), "out_of_order"),
        (ANN.sign(msgspec.structs.replace(real.decision, round=2)), "other_round"),
    ):
        replied = await room.send(forged)
        assert getattr(replied, "code", "") == code
    assert room.desk.files() == files


async def test_a_review_takes_as_many_decisions_as_the_settings_allow_and_can_be_signed_then(room: ReviewRoom):
    room.desk.deps.most_decisions = 4
    for who in (ANN, BEN):
        assert [await room.code(who, act) for act in ("accept", "comment")] == ["", ""]
    before = room.desk.files()
    assert [await room.code(ANN, act) for act in ("comment", "reject")] == ["review_full"] * 2
    assert room.desk.files() == before
    assert [await room.code(who, "sign") for who in (ANN, BEN, CLEO)] == [""] * 3
    await room.close()
    assert [await room.code(who, act) for who, act in ((CLEO, "comment"), (CLEO, "reopen"))] == ["review_full", ""]
    assert room.desk.check().problems == []


async def test_a_decision_on_a_sample_that_was_changed_since_is_stale(room: ReviewRoom):
    seen = ANN.sign(await room.said(ANN, "accept"))
    result = room.desk.root / "run_1/A-1/manifest.json"
    result.write_bytes(result.read_bytes() + b"\n")
    assert getattr(await room.send(seen), "code", "") == "stale"


async def test_a_corrected_value_fits_its_field_and_stands_on_a_file_of_the_sample(room: ReviewRoom):
    value = next(item for item in await room.items() if item.target.field == "number")
    picture = room.desk.json("A-1/result.json")["artifacts"][0]
    there = ShownWhere(file=picture["filename"], sha256=picture["sha256"])
    wrong = ShownWhere(file=picture["filename"], sha256="0" * 64)
    assert await room.code(ANN, "correct", value, value="") == "not_valid"
    assert await room.code(ANN, "correct", value, value="8", where=wrong) == "not_valid"
    assert await room.code(ANN, "correct", value, value="8", where=there) == ""


async def test_samples_come_with_their_uncertain_values_where_these_are_asked_for(desk: Desk):
    await with_open_values(desk)
    room = ReviewRoom(desk)
    assert [one.parts for one in (await room.load()).items] == [(), ()]
    parts = [one.parts for one in (await room.load(parts=True)).items]
    assert [[(one.target.field, one.why, one.looked_at) for one in some] for some in parts] == [
        [
            (one.target.field, "not_found", one.looked_at)
            for one in await room.items(sample_id)
            if one.why == "not_found"
        ]
        for sample_id in ("A-1", "A-2")
    ]
    assert await room.code(ANN, "accept", parts[0][0]) == ""
    assert (await room.load_as(ANN, ANN)).open_items == 1


async def test_of_named_samples_what_is_for_review_or_decided_is_told(desk: Desk):
    await with_open_values(desk)
    room = ReviewRoom(desk)

    async def told(*sample_ids: str) -> list[tuple[str, str, int, int]]:
        stands = await room.load(sample_ids=sample_ids)
        assert (stands.total, stands.open_items) == (len(stands.items), 2)
        return [(one.target.sample_id, one.target.field, len(one.decisions), one.hidden) for one in stands.items]

    assert await told("A-3", "A-1", "none") == [("A-1", "", 0, 0), ("A-1", "owner", 0, 0)]
    assert await room.code(ANN, "comment", (await room.items("A-3"))[0]) == ""
    number = next(one for one in await room.items("A-2") if one.target.field == "number")
    assert number.why == ""
    assert await room.code(ANN, "accept", number) == ""
    assert await told("A-3", "A-2") == [
        ("A-3", "", 0, 1), ("A-2", "", 0, 0), ("A-2", "number", 0, 1), ("A-2", "owner", 0, 0),
    ]  # fmt: skip


async def test_all_that_has_decisions_is_told_also_what_need_not_be_decided(desk: Desk):
    await with_open_values(desk)
    room = ReviewRoom(desk)
    assert (await room.load(decided=True)).items == ()
    number = next(one for one in await room.items("A-3") if one.target.field == "number")
    owner = next(one for one in await room.items("A-1") if one.target.field == "owner")
    assert await room.code(ANN, "correct", number, value="8", reason="the page says 8") == ""
    assert await room.code(ANN, "accept", owner, (await room.items("A-2"))[0]) == ""
    assert await room.code(ANN, "withdraw", (await room.items("A-2"))[0]) == ""
    assert await room.code(ANN, "comment", (await room.items("A-2"))[0]) == ""
    stands = await room.load(decided=True)
    assert [(one.target.sample_id, one.target.field, one.why) for one in stands.items] == [
        ("A-1", "owner", "not_found"), ("A-3", "number", ""),
    ]  # fmt: skip
    assert (stands.total, stands.open_items) == (2, 1), "A-1 is decided by its value, A-2 is open again"


async def test_a_page_of_items_ends_before_the_limit_of_a_message(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    await with_open_values(desk)
    room = ReviewRoom(desk)
    monkeypatch.setattr(review_state, "MOST_PAGE_BYTES", 1)
    pages = [await room.load(parts=True, skip=skip) for skip in (0, 1, 2)]
    assert [(page.total, [one.target.sample_id for one in page.items]) for page in pages] == [
        (2, ["A-1"]), (2, ["A-2"]), (2, []),
    ]  # fmt: skip


async def test_a_second_reviewer_is_shown_the_first_decision_after_his_own(room: ReviewRoom):
    assert await room.code(ANN, "reject") == ""
    hidden = (await room.load()).items[0]
    assert (hidden.decisions, hidden.hidden, hidden.standing) == ((), 1, "open")


async def test_a_run_without_the_key_review_is_reviewed_by_anybody_and_signed_off_by_one(desk: Desk):
    await for_review(desk)
    room = ReviewRoom(desk)
    assert await room.code(ANN, "sign") == "undecided"
    assert [await room.code(ANN, act) for act in ("accept", "sign")] == ["", ""]
    await room.close()
    assert desk.check().problems == []


async def test_a_population_that_is_not_complete_and_a_difference_are_decided_too(desk: Desk):
    one = sample("A-1")
    await desk.tell(
        started(), found(one), msgspec.structs.replace(closed(1), complete=False, note="the list ended early")
    )
    await desk.tell(ended(one))
    record = ReconciledRecord(verdict="missing_here", key="A-2", rows=(2,))
    register = FiledRegister(path="reconciliation/register_0.csv", name="r.csv", sha256="0", size_bytes=0)
    head = ReconciliationHead(
        run_id="run_1",
        register=register,
        key="number",
        key_column="number",
        keys="exact",
        columns=(),
        fields_without_column=(),
        columns_without_field=(),
        population_complete=False,
        counts=count_records(1, 2, {"missing_here": 1, "same": 1}),
    )
    compared = b"".join(write_reconciliation(head, [msgspec.json.encode(record)]))
    (desk.root / "run_1/reconciliation").mkdir()
    (desk.root / "run_1/reconciliation/reconciliation.json").write_bytes(compared)
    room = ReviewRoom(desk)
    population, difference = (await room.load()).items
    assert (population.target.kind, population.why) == ("population", "incomplete")
    assert (difference.target.key, difference.why) == ("A-2", "missing_here")
    assert [await room.code(ANN, "accept", population), await room.code(ANN, "sign")] == ["", "undecided"]
    assert [await room.code(ANN, "reject", difference), await room.code(ANN, "sign")] == ["", ""]
    await room.close()
    (desk.root / "run_1/reconciliation/reconciliation.json").write_bytes(compared)  # of which this desk makes none
    paper = read_paper(FolderSource(desk.root / "run_1"), desk.check())
    decided = {
        one.kind: (one.where, one.reviewed and (one.reviewed.decision, one.reviewed.by)) for one in paper.exceptions
    }
    assert decided["population"] == ("", ("accept", ("ann",)))
    assert decided["difference"] == ("A-2", ("reject", ("ann",)))


async def test_who_asks_proves_who_it_is_by_the_key_of_the_person(room: ReviewRoom):
    assert await room.code(ANN, "reject") == ""
    assert await room.code(BEN, "reject") == ""
    seen = [len((await room.load_as(*who)).items[0].decisions) for who in ((BEN, BEN), (BEN, ANN), (BEN, None))]
    assert seen == [2, 0, 0]


async def test_nobody_chooses_the_samples_that_are_drawn(room: ReviewRoom):
    wish = DrawWish(seed="7", size=1, by=("doubt",))
    drawn = there((await room.load(wish=wish)).wished)
    other = msgspec.structs.replace(drawn.strata[0], sample_ids=("A-2",) if "A-1" in str(drawn.strata[0]) else ("A-1",))
    chosen = msgspec.structs.replace(drawn, strata=(other, *drawn.strata[1:]))
    assert await room.code(ANN, "draw", draw=chosen) == "not_valid"
    assert await room.code(ANN, "draw", draw=drawn) == ""
    assert (await room.load()).draw == drawn


async def test_what_is_drawn_must_be_decided_and_its_rate_of_agreement_is_told(room: ReviewRoom):
    drawn = there((await room.load(wish=DrawWish(seed="7", size=2, by=()))).wished)
    assert await room.code(ANN, "draw", draw=drawn) == ""
    one, other = (await room.load(drawn=True)).items
    assert [await room.code(ANN, "accept", one), await room.code(ANN, "sign")] == ["", "undecided"]
    assert [await room.code(ANN, "reject", other), await room.code(ANN, "sign")] == ["", ""]
    told = there((await room.load_as(ANN, ANN)).agreement)
    hidden = there((await room.load_as(BEN, BEN)).agreement)
    assert (hidden.drawn, hidden.decided) == (2, 0)  # it would tell what Ann has decided
    assert (told.drawn, told.decided, told.agreed, told.within) == (2, 2, 1, False)


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (lambda files: files[1].unlink(), "missing"),
        (lambda files: files[0].unlink(), "missing"),
        (lambda files: files[0].write_bytes(files[0].read_bytes().replace(b"accept", b"reject")), "signature_wrong"),
        (lambda files: _swap(files[0], files[1]), "renamed"),
        (lambda files: files[0].write_bytes(b"{}"), "unreadable"),
    ],
    ids=["one between is gone", "the first is gone", "another act", "exchanged", "emptied"],
)
async def test_verify_finds_what_was_done_to_decisions_of_an_open_round(room: ReviewRoom, harm: Any, code: str):
    for who in (ANN, BEN):
        assert [await room.code(who, act) for act in ("accept", "sign")] == ["", ""]
    harm(sorted((room.desk.root / ROUND).iterdir()))
    assert code in {one.code for one in room.desk.check().problems}


def _swap(one: Any, other: Any) -> None:
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)


async def test_a_decision_that_was_changed_or_filed_by_somebody_else_is_told(room: ReviewRoom):
    assert await room.code(ANN, "accept") == ""
    path = room.desk.root / ROUND / "000001.json"
    file = msgspec.json.decode(path.read_bytes(), type=ReviewFile)
    other = msgspec.structs.replace(file, filed_at=file.filed_at.replace(year=2027))
    path.write_bytes(encode_file(other))
    assert "signature_wrong" in {one.code for one in room.desk.check().problems}
    path.write_bytes(encode_file(msgspec.structs.replace(other, seal=SIGNER.seal(sealed_bytes(other)))))
    checked = room.desk.check()
    assert checked.problems == []  # it is Ann's, whoever has filed it; the reader is told by whom
    assert any(f"filed with another key, {SIGNER.public.fingerprint}" in note for note in checked.notes)


async def test_a_run_is_handed_over_with_its_open_review(room: ReviewRoom, tmp_path: Path):
    assert await room.code(ANN, "accept") == ""
    folder, out = FolderSource(room.desk.root / "run_1"), tmp_path / "run_1.zip"
    write_zip(folder, check_run(folder, KEY.public), out)
    with open_source(Settings(), out) as packed:
        checked = check_run(packed, KEY.public)
    assert (checked.problems, checked.stands) == ([], True)
    assert "review in review, round 1: 1 signed entry by ann" in checked.notes


async def test_a_decision_on_a_value_is_about_its_stored_page_and_picture(desk: Desk):
    one = sample("A-1")
    await desk.begun(one)
    picture = await desk.capture(one)
    box = {"snapshot_id": "s", "observation_sha256": "x", "url": "http://x", "ref": 1, "role": "cell", "label": None}
    source = ValueSource(**box, box=None, frame="main", screenshot_sha256=picture.artifact.sha256)
    values = (FieldValue(field="number", state="value", value="7", source=source), found_values()[1])
    step = msgspec.structs.replace(took(one, picture), values=values)
    await desk.tell(step, msgspec.structs.replace(ended(one, picture, **DOUBTFUL), values=values))
    room = ReviewRoom(desk)
    value = next(item for item in await room.items() if item.target.field == "number")
    assert (value.picture, value.looked_at.picture_sha256) == (picture.filename, picture.artifact.sha256)
    seen = ANN.sign(await room.said(ANN, "accept", value))
    path = desk.root / "run_1/A-1" / picture.filename
    path.unlink()  # not written over: the bytes have another name
    path.write_bytes(b"another picture")
    assert getattr(await room.send(seen), "code", "") == "stale"


@pytest.fixture
async def closed_with_tables(tmp_path: Path) -> Desk:
    """A run of which a value was corrected and the sample accepted by both reviewers, signed off, with all outputs."""
    desk = Desk(tmp_path, products=ALL_PRODUCTS)
    await for_review(desk, reviewing(ANN, BEN, CLEO, reviewers=2))
    room = ReviewRoom(desk)
    shown = ShownWhere(**{name: desk.json("A-1/result.json")["artifacts"][0][key] for name, key in PLACE.items()})
    for who in (ANN, BEN):
        value = next(item for item in await room.items() if item.target.field == "number")
        assert await room.code(who, "correct", value, value="8", reason="the page says 8", where=shown) == ""
        assert [await room.code(who, act, reason="") for act in ("accept", "sign")] == ["", ""]
    assert await room.code(CLEO, "sign") == ""
    await room.close()
    return desk


PLACE = {"file": "filename", "sha256": "sha256"}


async def test_tables_tell_both_values_and_who_has_decided(closed_with_tables: Desk):
    desk = closed_with_tables
    rows = {row["sample_id"]: row for row in desk.rows()}
    told = ("number", "reviewed_value", "decision", "reviewed_by", "signed_off_at")
    assert [rows["A-1"][name] for name in told] == ["7", '{"number":"8"}', "accept", "ann;ben", "2026-11-21T08:00:00Z"]
    assert [rows["A-2"][name] for name in told] == ["7", "", "", "", "2026-11-21T08:00:00Z"]
    assert desk.check().problems == []


async def test_sql_tells_the_decisions_and_the_signatures(closed_with_tables: Desk):
    tables = closed_with_tables.root / "run_1/tables"
    decided = "SELECT number, decision, sample_id, field, reviewed_value, decided_by, counts, stale FROM"
    with duckdb.connect() as db:
        found = db.execute(f"{decided} '{tables}/reviews.parquet' ORDER BY number").fetchall()
        signed = db.execute(
            f"SELECT signed_by, role, counts FROM '{tables}/sign_offs.parquet' ORDER BY number"
        ).fetchall()
        field = f"SELECT value, reviewed_value, decision FROM '{tables}/fields.parquet' WHERE sample_id = 'A-1'"
        values = db.execute(f"{field} AND field = 'number'").fetchall()
    assert found == [
        (1, "correct", "A-1", "number", "8", "ann", True, False),
        (2, "accept", "A-1", None, None, "ann", True, False),
        (4, "correct", "A-1", "number", "8", "ben", True, False),
        (5, "accept", "A-1", None, None, "ben", True, False),
    ]
    assert signed == [("ann", "reviewer", True), ("ben", "reviewer", True), ("cleo", "approver", True)]
    assert values == [("7", "8", "correct")]


async def test_what_was_withdrawn_stands_in_the_rows_of_a_review_and_counts_no_more(desk: Desk):
    await for_review(desk, reviewing(ANN))
    room = ReviewRoom(desk)
    value = next(item for item in await room.items() if item.target.field == "number")
    assert await room.code(ANN, "correct", value, value="8") == ""
    acts = ("accept", "withdraw", "reject", "sign")
    assert [await room.code(ANN, "withdraw", value), *[await room.code(ANN, act) for act in acts]] == [""] * 5
    await room.close()
    state = there(await desk.deps.ledger.find("run_1"))
    review = there(await read_signed_off(desk.deps.store, state, await desk.deps.reviews.log(state)))
    assert [(row.act, row.counts, row.stale) for row in review.rows] == [
        ("correct", False, False), ("withdraw", False, False), ("accept", False, False), ("withdraw", False, False),
        ("reject", True, False), ("sign", True, False),
    ]  # fmt: skip
    assert (review.samples["A-1"].decision, dict(review.samples["A-1"].values)) == ("reject", {})
    assert desk.check().problems == []


async def test_rows_of_a_review_have_the_columns_that_the_catalogue_names(closed_with_tables: Desk):
    deps = closed_with_tables.deps
    state = there(await deps.ledger.find("run_1"))
    review = await read_signed_off(deps.store, state, await deps.reviews.log(state))
    written: dict[str, set[str]] = {}
    for table, row in review_rows("run_1", None, review):
        written.setdefault(table, set()).update(row)
    assert written == {view.name: set(view.names) for view in (REVIEWS, SIGN_OFFS)}


async def test_the_report_shows_what_was_decided_beside_what_was_read(closed_with_tables: Desk):
    deps = closed_with_tables.deps
    state = there(await deps.ledger.find("run_1"))
    review = there(await read_signed_off(deps.store, state, await deps.reviews.log(state)))
    assert (
        msgspec.json.decode(msgspec.json.encode(review), type=RunReview) == review
    )  # for a product in a child process
    run = RunFacts(state.record, there(state.finished), (), review=review)
    shown = detail_of(run.facts_of(await read_sample_files(deps.store, "run_1", "A-1")))
    number = shown["fields"][0]
    assert (number["value"], number["review"]["value"], number["review"]["why"]) == ("7", "8", "the page says 8")
    assert (number["review"]["act"], number["review"]["by"], number["review"]["file"]) == (
        "correct",
        ["ann", "ben"],
        "01_t.png",
    )
    assert shown["review"]["act"] == "accept"


async def test_a_decision_on_a_sample_that_a_later_round_did_again_counts_no_more(closed_with_tables: Desk):
    desk = closed_with_tables
    again = sample("A-1")
    await desk.tell(started(1, spec=desk.json("run.json")["record"]["spec"], requested_by="dan"))
    await desk.tell(closed(2, attempt_base=1))
    await desk.tell(ended(again, attempt=2, number="9"))
    rows = {row["sample_id"]: row for row in desk.rows()}
    assert [rows["A-1"][name] for name in ("number", "decision", "reviewed_value")] == ["9", "", ""]
    checked = desk.check()
    assert checked.problems == []
    assert any("made on evidence that has changed since" in note for note in checked.notes)
