"""Two runs compared: samples by their keys, fields by their types, and nothing said of what is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.comparing.run_comparison import FieldComparison, RunComparison, compare_runs
from shared.comparing.sides import (
    EndedSide,
    NotComparable,
    PopulationSide,
    RunHead,
    SampleSide,
    fields_of_spec,
    naming_of,
)
from shared.comparing.told_result import parse_told_result
from shared.evidence_format.review.reviewed import ReviewedTarget, SampleReview
from tests.cases import cases
from tests.handlers.evidence.written_sample import files_of
from tests.typed import there

SPEC: dict[str, Any] = {"task_id": "tickets", "sample_id": "{number}", "output_schema": {"owner": "string | null"}}
SHOWN = {"page_sha256": "1" * 64, "screenshot_sha256": "2" * 64, "url": "http://x"}
FILES = [
    {"filename": "page_01.mhtml.zst", "kind": "page", "sha256": "1" * 64},
    {"filename": "01_ticket.png", "kind": "screenshot", "sha256": "2" * 64},
]


class MadeRun:
    """A run in memory."""

    def __init__(self, *samples: SampleSide, spec: Mapping[str, Any] = SPEC, name: str = "run", **head: Any) -> None:
        fields, unknown = fields_of_spec(spec)
        complete = head.pop("complete", True)
        self.head = RunHead(
            run_id=name,
            task_id=str(spec.get("task_id", "")),
            naming=naming_of(spec),
            fields=fields,
            unknown_fields=unknown,
            judged=bool(spec.get("judgment_required")),
            question=str(spec.get("judgment_question", "")),
            population=PopulationSide(samples=len(samples), complete=complete, headline="Complete"),
            **head,
        )
        self._samples = {one.end.sample_id: one for one in samples}
        self.ids: Sequence[str] = list(self._samples)

    def load(self, sample_id: str) -> SampleSide:
        return self._samples[sample_id]


def value(of: Any, **more: Any) -> dict[str, Any]:
    return {"state": "value", "value": of, "source": SHOWN, **more}


def sample(
    key: str, owner: Any = "Ann", *, sample_id: str = "", row: int = 1, review: SampleReview | None = None,
    spec: Mapping[str, Any] = SPEC, status: str = "done", **result: Any,
) -> SampleSide:  # fmt: skip
    """Return a sample; ``owner``: the value of its one field, or all that result.json has of it."""
    stored = owner if isinstance(owner, dict) and "state" in owner else value(owner)
    told = {"key": key, "status": status, "fields": {"owner": stored}, "artifacts": FILES, **result}
    data = there(files_of({"sample_id": sample_id or key}, told).result)
    end = EndedSide(sample_id=sample_id or key, key=key, row=row, status=status)
    return SampleSide(end, parse_told_result(data), fields_of_spec(spec)[0], review)


def verdicts(compared: RunComparison) -> list[tuple[str, str]]:
    return [(one.verdict, one.key) for one in compared.samples]


def of_values(kind: Any, a: Any, b: Any) -> FieldComparison | None:
    """Return what is told of a field of this type with these values."""
    spec = {**SPEC, "output_schema": {"owner": kind}}
    one, other = (MadeRun(sample("A-1", value(each), spec=spec), spec=spec) for each in (a, b))
    (only,) = compare_runs(one, other).samples
    return only.fields[0] if only.fields else None


# --- samples


def test_samples_are_the_same_changed_gone_and_new():
    a = MadeRun(sample("A-1"), sample("A-2"), sample("A-3"))
    b = MadeRun(sample("A-4"), sample("A-3", "Bo"), sample("A-1"))
    compared = compare_runs(a, b)
    assert verdicts(compared) == [("changed", "A-3"), ("gone", "A-2"), ("new", "A-4"), ("same", "A-1")]
    assert [(one.name, one.changed, one.unclear, one.same) for one in compared.fields] == [("owner", 1, 0, 1)]
    assert not compared.same
    (owner,) = compared.samples[0].fields
    told = [(side.state, side.value, side.page, side.picture) for side in (there(owner.a), there(owner.b))]
    page, picture = "A-3/page_01.mhtml.zst", "A-3/01_ticket.png"
    assert told == [("value", "Ann", page, picture), ("value", "Bo", page, picture)]


@cases(
    ("complete_a", "complete_b", "wanted"),
    [
        (True, False, [("maybe_gone", "A-1"), ("new", "A-2")]),
        (False, True, [("gone", "A-1"), ("maybe_new", "A-2")]),
        (False, False, [("maybe_gone", "A-1"), ("maybe_new", "A-2")]),
    ],
)
def test_what_a_partial_population_lacks_is_not_known(complete_a: bool, complete_b: bool, wanted: list[Any]):
    a, b = MadeRun(sample("A-1"), complete=complete_a), MadeRun(sample("A-2"), complete=complete_b)
    assert verdicts(compare_runs(a, b)) == wanted


def test_equal_samples_of_a_partial_population_are_not_called_the_same_run():
    assert compare_runs(MadeRun(sample("A-1")), MadeRun(sample("A-1"))).same
    assert not compare_runs(MadeRun(sample("A-1")), MadeRun(sample("A-1"), complete=False)).same


def test_samples_are_joined_by_their_keys_also_under_other_ids():
    a = MadeRun(sample("a/1", "Ann", sample_id="a-1"), sample("A/1", "Bo", sample_id="A-1-x"))
    b = MadeRun(sample("A/1", "Bo", sample_id="a-1"), sample("a/1", "Cy", sample_id="a-1-y"))
    compared = compare_runs(a, b)
    assert [(one.verdict, one.key, there(one.a).sample_id, there(one.b).sample_id) for one in compared.samples] == [
        ("changed", "a/1", "a-1", "a-1-y"),
        ("same", "A/1", "A-1-x", "a-1"),
    ]


def test_a_sample_without_a_key_may_be_any_of_them():
    lost = SampleSide(EndedSide(sample_id="A-2", key="", row=2, status="failed"), None, {})
    compared = compare_runs(MadeRun(sample("A-1"), sample("A-2")), MadeRun(sample("A-1"), lost))
    assert verdicts(compared) == [("maybe_gone", "A-2"), ("maybe_new", ""), ("same", "A-1")]
    assert not compared.b.population.complete


# --- values


@cases(
    ("kind", "a", "b", "wanted"),
    [
        ("decimal", "1222.85", "1222.850", "same"),
        ("decimal", "1222.85", "1222.86", "changed"),
        ("number", 1234, 1234.0, "same"),
        ("number", 1, True, "unclear"),
        ("date-time", "2026-02-28T23:30:00+02:00", "2026-02-28T21:30:00+00:00", "same"),
        ("date-time", "2026-02-28T23:30:00+02:00", "2026-02-28T23:30:00+00:00", "changed"),
        ("date-time", "2026-02-28T23:30:00", "2026-02-28T23:30:00+00:00", "unclear"),
        ("date-time", "2026-02-28T23:30:00", "2026-02-28T23:30:00", "same"),
        ("date", "2026-03-04", "2026-04-03", "changed"),
        ("string", "Ann\u00a0 Lee", "Ann Lee", "same"),
        ("string", "Zoë", "Zoe\u0308", "same"),
        ("string", "Open", "open", "changed"),
        ("string", "'=1", "=1", "changed"),
        ("string", "7", "7.0", "changed"),
        ({"type": "enum", "values": ["Open"]}, "Open", "open", "same"),
        ("boolean", True, False, "changed"),
        ("array", ["a", "b"], ["b", "a"], "changed"),
        ("array", ["a, b"], ["a", "b"], "unclear"),
    ],
)
def test_values_are_compared_by_the_type_of_the_field(kind: Any, a: Any, b: Any, wanted: str):
    for one, other in ((a, b), (b, a)):
        found = of_values(kind, one, other)
        assert (found.verdict if found is not None else "same") == wanted


def test_rows_are_compared_in_any_order_and_the_one_that_differs_is_named():
    kind = {"type": "rows", "columns": {"sku": "string", "sum": "decimal", "at": "date-time"}, "id_keys": ["sku"]}
    one = {"sku": "a", "sum": "1.0", "at": "2026-02-28T23:30:00+02:00"}
    two = {"sku": "b", "sum": "2", "at": "2026-02-28T23:30:00+02:00"}
    same = {"sku": "a", "sum": "1.00", "at": "2026-02-28T21:30:00+00:00"}
    assert of_values(kind, [one, two], [two, same]) is None
    found = there(of_values(kind, [one, two], [one, {**two, "sum": "3"}]))
    assert (found.verdict, found.why) == ("changed", "the row sku 'b': sum is '2' in A and '3' in B")
    assert there(of_values(kind, [one], "no rows")).verdict == "unclear"


NOT_FOUND, NONE = {"state": "not_found"}, {"state": "not_present", "shown": "Unassigned"}


@cases(
    ("a", "b", "states", "wanted"),
    [
        (NONE, NONE, None, "same"),
        (value("Ann"), NONE, ("value", "none"), "changed"),
        (NOT_FOUND, value("Ann"), ("not_read", "value"), "unclear"),
        (NOT_FOUND, NOT_FOUND, ("not_read", "not_read"), "unclear"),
        (value("Ann"), value("Bo", lacking="more"), ("value", "for_review"), "unclear"),
    ],
)
def test_only_what_both_runs_know_is_compared(a: Any, b: Any, states: Any, wanted: str):
    (only,) = compare_runs(MadeRun(sample("A-1", a)), MadeRun(sample("A-1", b))).samples
    assert only.verdict == wanted
    told = [(there(one.a).state, there(one.b).state) for one in only.fields]
    assert told == ([states] if states is not None else [])


def test_a_row_with_a_cell_that_pages_contradict_is_for_a_person():
    spec = {**SPEC, "output_schema": {"owner": {"type": "rows", "columns": {"sku": "string"}}}}
    rows = [{"cells": {"sku": {"state": "not_found"}}}]
    doubted = sample("A-1", value([{"sku": None}], rows=rows), spec=spec)
    (only,) = compare_runs(MadeRun(doubted, spec=spec), MadeRun(doubted, spec=spec)).samples
    assert (only.verdict, there(only.fields[0].a).state) == ("unclear", "for_review")


@cases("status", ["needs_review", "partial_success", "failed", "auth_required", "of a later version"])
def test_a_sample_that_is_not_done_is_never_compared_as_if_it_were(status: str):
    (only,) = compare_runs(MadeRun(sample("A-1")), MadeRun(sample("A-1", "Bo", status=status))).samples
    assert (only.verdict, [(one.verdict, there(one.b).state) for one in only.fields]) == (
        "unclear",
        [("unclear", "for_review")],
    )
    bare = {**SPEC, "output_schema": {}}
    one, other = (MadeRun(sample("A-1", status=each, spec=bare), spec=bare) for each in ("done", status))
    assert verdicts(compare_runs(one, other)) == [("unclear", "A-1")]


# --- what people have decided


def decided(decision: str, value: str = "") -> ReviewedTarget:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return ReviewedTarget(
        decision=decision, value=value, by=("ann", "ben"), at=at, where="02_mail.png" if value else ""
    )


def reviewed(review: SampleReview, owner: Any = "Ann", status: str = "needs_review") -> Any:
    """Return the comparison with a done sample whose owner is Bo."""
    (only,) = compare_runs(
        MadeRun(sample("A-1", owner, status=status, review=review)), MadeRun(sample("A-1", "Bo"))
    ).samples
    return only


def test_a_corrected_value_counts_and_what_was_read_is_told_beside_it():
    assert (
        reviewed(SampleReview(values={"owner": decided("correct", "Bo")}, sample=decided("accept"))).verdict == "same"
    )
    only = reviewed(SampleReview(values={"owner": decided("correct", "Cy")}, sample=decided("accept")))
    side = only.fields[0].a
    assert (only.verdict, side.state, side.value, side.read) == ("changed", "value", "Cy", "Ann")
    assert (side.decision, side.decided_by, side.where) == ("correct", ("ann", "ben"), "A-1/02_mail.png")


@cases(
    ("review", "wanted", "state"),
    [
        (SampleReview(sample=decided("accept")), "changed", "value"),
        (SampleReview(sample=decided("reject")), "unclear", "rejected"),
        (SampleReview(sample=decided("not_applicable")), "unclear", "not_applicable"),
        (SampleReview(values={"owner": decided("reject")}), "unclear", "rejected"),
        (SampleReview(values={"owner": decided("accept")}), "changed", "value"),
        (SampleReview(values={"owner": decided("accept")}, sample=decided("reject")), "unclear", "rejected"),
        (SampleReview(judgment=decided("accept")), "unclear", "for_review"),
    ],
)
def test_what_people_have_decided_of_a_sample_or_a_value_counts(review: SampleReview, wanted: str, state: str):
    only = reviewed(review)
    assert (only.verdict, only.fields[0].a.state) == (wanted, state)


def test_a_correction_that_is_no_value_of_the_type_is_for_a_person():
    spec = {**SPEC, "output_schema": {"owner": "date"}}
    review = SampleReview(values={"owner": decided("correct", "some day")})
    a = sample("A-1", "2026-03-04", spec=spec, review=review)
    (only,) = compare_runs(MadeRun(a, spec=spec), MadeRun(sample("A-1", "2026-03-04", spec=spec), spec=spec)).samples
    assert (only.verdict, there(only.fields[0].a).state) == ("unclear", "for_review")


# --- judgments

JUDGED = {**SPEC, "judgment_required": True}


def judged(answer: str | None, **more: Any) -> MadeRun:
    told = {"question": "In time?", "answer": answer, "confidence": 0.9, "reasoning": "", "decided_by": "m"}
    judgment = None if answer is None else {**told, "evidence_refs": ["01_ticket.png"]}
    return MadeRun(sample("A-1", judgment=judgment, **more), spec=JUDGED)


@cases(
    ("a", "b", "wanted"),
    [("yes", "yes", "same"), ("yes", "no", "changed"), ("yes", None, "unclear"), (None, None, "unclear")],
)
def test_judgments_are_compared_by_their_answers(a: str | None, b: str | None, wanted: str):
    compared = compare_runs(judged(a), judged(b))
    (only,) = compared.samples
    assert (only.verdict, only.judgment is None) == (wanted, wanted == "same")
    counted = there(compared.judgments)
    assert {"changed": counted.changed, "unclear": counted.unclear, "same": counted.same}[wanted] == 1


def test_answers_to_another_question_are_not_compared():
    a = MadeRun(sample("A-1"), spec={**JUDGED, "judgment_question": "In time?"})
    b = MadeRun(sample("A-1"), spec={**JUDGED, "judgment_question": "By whom?"})
    compared = compare_runs(a, b)
    assert (compared.judgments, [one.name for one in compared.left_out]) == (None, ["judgment"])
    assert (verdicts(compared), compared.same) == ([("same", "A-1")], False)


def test_a_corrected_judgment_counts():
    review = SampleReview(judgment=decided("correct", "no"))
    (only,) = compare_runs(judged("yes", review=review), judged("no")).samples
    assert only.verdict == "same"


# --- what cannot be compared


def refusal(a: MadeRun, b: MadeRun) -> str:
    with pytest.raises(NotComparable) as told:
        compare_runs(a, b)
    return str(told.value)


def test_runs_of_other_tasks_and_of_samples_with_other_names_are_refused():
    assert "'tickets'" in refusal(MadeRun(), MadeRun(spec={**SPEC, "task_id": "bills"}))
    assert "'{number}'" in refusal(MadeRun(), MadeRun(spec={**SPEC, "sample_id": "{owner}"}))
    assert "no field in common" in refusal(MadeRun(), MadeRun(spec={**SPEC, "output_schema": {"team": "string"}}))


def test_a_key_that_is_there_twice_is_refused_in_either_run():
    twice = MadeRun(sample("A-1"), sample("A-1", sample_id="A-1-x"), name="run_2")
    for runs in ((MadeRun(sample("A-1")), twice), (twice, MadeRun(sample("B-1")))):
        assert "keys of run_2 are there more than once: 'A-1'" in refusal(*runs)


def test_rows_are_no_names_of_records_unless_they_are_rows_of_one_input():
    a, b = (MadeRun(sample("row-0001", owner)) for owner in ("Ann", "Bo"))
    assert "by their rows" in refusal(a, b)
    a, b = (MadeRun(sample("row-0001", owner), input_sha256="1") for owner in ("Ann", "Bo"))
    assert verdicts(compare_runs(a, b)) == [("changed", "row-0001")]
    assert "by their rows" in refusal(a, MadeRun(sample("row-0001"), input_sha256="2"))
    assert verdicts(compare_runs(MadeRun(sample("row-0001", row=7)), MadeRun())) == [("gone", "row-0001")]


def test_fields_that_cannot_be_compared_are_named_and_the_runs_are_not_called_the_same():
    fields = {"owner": "string", "due": "date", "old": "string", "odd": {"type": "nothing"}}
    a = {**SPEC, "output_schema": fields}
    b = {**SPEC, "output_schema": {"owner": "string | null", "due": "date-time", "odd": "string"}}
    compared = compare_runs(MadeRun(sample("A-1", spec=a), spec=a), MadeRun(sample("A-1", spec=b), spec=b))
    assert [one.name for one in compared.fields] == ["owner"]
    assert {one.name: one.why for one in compared.left_out} == {
        "odd": "how the task describes it cannot be read in A",
        "due": "it is date in A and date-time in B",
        "old": "the task has it only in A",
    }
    assert (verdicts(compared), compared.same) == ([("same", "A-1")], False)


# --- for all runs

OWNERS = st.sampled_from([value("Ann"), value("Bo"), NONE, NOT_FOUND])
RUNS = st.dictionaries(
    st.sampled_from(["A-1", "A-2", "A-3", "A-4"]), st.tuples(OWNERS, st.sampled_from(["done", "failed"])), max_size=4
)
MIRRORED = {"gone": "new", "new": "gone", "maybe_gone": "maybe_new", "maybe_new": "maybe_gone"}


def made(told: Mapping[str, tuple[Any, str]]) -> MadeRun:
    return MadeRun(*(sample(key, owner, status=status) for key, (owner, status) in told.items()))


@given(RUNS, RUNS)
def test_every_key_is_told_once_and_the_other_way_round_the_same_is_told(a: Any, b: Any):
    back = {key: verdict for verdict, key in verdicts(compare_runs(made(b), made(a)))}
    told = verdicts(compare_runs(made(a), made(b)))
    assert sorted(key for _, key in told) == sorted({*a, *b})
    assert {key: MIRRORED.get(verdict, verdict) for verdict, key in told} == back


@given(RUNS)
def test_a_run_has_not_changed_since_itself(told: Any):
    assert {verdict for verdict, _ in verdicts(compare_runs(made(told), made(told)))} <= {"same", "unclear"}
