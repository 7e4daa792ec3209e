"""What the pages of the console say of runs, and how text of others becomes HTML."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from services.console.text.review_words import share_words, unit_words
from services.console.web.markup import said, templates
from services.console.web.run_facts import RunFilters, SignedOff, about, fitting, pace, run_line, terms_of
from tests.cases import cases

AT = datetime(2026, 11, 29, 6, 0, tzinfo=UTC)


def row(run_id: str = "run_1", **more: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("done", "partial_success", "needs_review", "auth_required", "failed", "not_ended"), 0)
    return {
        "run_id": run_id, "task_id": "tickets", "goal": "Read each ticket", "state": "finished", "requested_by": "ann",
        "created_at": AT.isoformat(), "expected": None, "samples": 0, "cost_usd": None, "population_complete": True,
        **nothing, **more,
    }  # fmt: skip


def test_a_population_is_accounted_for_by_its_groups_and_what_has_not_ended():
    line = run_line(row(samples=10, expected=12, done=4, partial_success=1, needs_review=2, auth_required=1, failed=1))
    assert {term.group: term.samples for term in line.terms} == {"done": 4, "review": 3, "failed": 1, "excepted": 1}
    assert (line.samples, line.waiting, line.review) == (12, 3, 3)


@cases(
    ("counted", "told"),
    [
        ({"done": 3}, ""),
        ({"needs_review": 17, "failed": 2, "done": 3}, "19 samples"),
        ({"failed": 1}, "1 sample"),
        ({"auth_required": 2, "population_complete": False}, "2 samples and the population"),
        ({"done": 3, "population_complete": False}, "the population"),
    ],
)
def test_what_is_to_be_decided_of_a_run_is_counted_with_its_unit(counted: dict[str, Any], told: str):
    line = run_line(row(samples=22, **counted))
    assert (line.to_decide, fitting([line], RunFilters(state="review")) == [line]) == (told, bool(told))


def test_a_part_of_what_is_decided_has_the_unit_of_the_whole():
    assert share_words(6, 19, {"sample": 19}) == "6 of 19 samples"
    assert share_words(0, 1, {"sample": 1, "population": 0}) == "0 of 1 sample"
    several = {"sample": 2, "population": 1, "difference": 3}
    assert share_words(1, 6, several) == "1 of 6 (2 samples, the population and 3 differences)"
    assert share_words(1, 6, {}) == "1 of 6"
    assert (unit_words(["value"], 1), unit_words(["value"], 2)) == ("value", "values")
    assert (unit_words(["value", "sample"], 1), unit_words(["value", "sample"], 2)) == ("case", "cases")


def test_the_bar_is_as_long_as_what_has_ended():
    terms = terms_of({"done": 1, "failed": 3}, 8)
    assert [(term.group, term.before, term.share) for term in terms if term.samples] == [
        ("done", 0.0, 12.5),
        ("failed", 12.5, 37.5),
    ]
    assert sum(term.share for term in terms_of({}, 0)) == 0


@cases(
    ("filters", "left"),
    [
        (RunFilters(), ["a", "b", "c"]),
        (RunFilters(state="at_work"), ["b"]),
        (RunFilters(state="ended"), ["a", "c"]),
        (RunFilters(state="review"), ["c"]),
        (RunFilters(state="of another version"), ["a", "b", "c"]),
        (RunFilters(text="BOB tickets"), ["b"]),
        (RunFilters(text="bob", state="ended"), []),
        (RunFilters(tag="q3"), ["a", "c"]),
        (RunFilters(tag="q3", state="review"), ["c"]),
        (RunFilters(tag="q"), []),
    ],
)
def test_filters_narrow_the_list(filters: RunFilters, left: list[str]):
    rows = [
        row("a", tags=["q3"]),
        row("b", state="unfinished", requested_by="Bob", tags=[]),
        row("c", samples=2, needs_review=1, tags=["old", "q3"]),
    ]
    assert [line.run_id for line in fitting(map(run_line, rows), filters)] == left


def test_pace_is_told_once_something_has_ended():
    assert pace(0, 10, AT, AT + timedelta(minutes=1)) == ""
    assert pace(5, 20, AT, AT + timedelta(minutes=2)) == "2.5 a minute, about 6 min left"
    assert pace(20, 20, AT, AT + timedelta(minutes=2)) == "10.0 a minute"
    assert pace(5, None, AT, AT + timedelta(minutes=2)) == "2.5 a minute"
    assert pace(5, 20, AT, AT) == ""
    assert about(3700) == "about 1 h 2 min"


def test_text_of_others_is_text_and_what_cannot_be_seen_is_named():
    assert said('<img src=x onerror="a">&') == "<bdi>&lt;img src=x onerror=&#34;a&#34;&gt;&amp;</bdi>"
    shown = said("a\u202eb")
    assert shown == '<bdi>a<span class="odd" title="A character that cannot be seen">U+202E</span>b</bdi>'


def test_no_template_trusts_text_or_has_a_script_or_style_of_its_own():
    loader = templates().loader
    assert loader is not None
    names = loader.list_templates()
    assert "run.html" in names
    for name in names:
        source = loader.get_source(templates(), name)[0]
        for never in ("|safe", "autoescape", "style=", "onclick", "javascript:", "<style", "http://", "https://"):
            assert never not in source, f"{name}: {never}"
        own, data = source.count('<script type="module" src='), source.count('<script type="text/plain" id=')
        assert source.count("<script") == own + data


def test_a_run_whose_review_is_signed_off_is_none_with_something_to_review():
    told = {
        "people": ["ann", "ben"],
        "at": AT.isoformat(),
        "kinds": ["sample", "sample", "value"],
        "decisions": ["accept", "not_applicable", "correct"],
        "amounts": [20, 4, 31],
    }
    signed = SignedOff.of(told)
    line = run_line(row(samples=25, needs_review=25), signed)
    assert (signed.people, signed.at, signed.counts) == (
        ("ann", "ben"),
        AT,
        "20 samples accepted, 31 values corrected, 4 samples not applicable",
    )
    assert [one.words for one in line.terms] == ["done", "reviewed", "failed", "excepted"]
    assert [one.words for one in run_line(row(samples=25, needs_review=25)).terms][1] == "for review"
    at_work = run_line(row(samples=25, needs_review=25, state="running"), signed)
    assert at_work.terms[1].words == "for review", "a sign-off of a round before is none of this one"
    assert fitting([line], RunFilters(state="review")) == []
    assert fitting([run_line(row(samples=25, needs_review=25))], RunFilters(state="review")) != []
