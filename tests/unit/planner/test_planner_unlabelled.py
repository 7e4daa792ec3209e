"""Values without a label, and pages of labels with histories, badges and twins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shared.contracts.results import TextPart
from shared.pages.read.fields import FieldAmbiguous, FieldFound, FieldMissing, Reading, read_fields
from shared.task.output_field import OutputField
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import box, cell, el, heading, page, row, spec, text


def read(*elements, **field) -> Reading:
    schema = {"sha": {"type": "string", **field}}
    return read_fields(spec(output_schema=schema, required_fields=[], identity={}), page(*elements))["sha"]


def shown(*elements, **field) -> object:
    found = read(*elements, **field)
    if isinstance(found, FieldFound):
        return found.candidate.shown
    return set(found.texts) if isinstance(found, FieldAmbiguous) else None


@cases(
    ("element", "where", "pattern", "expected"),
    [
        (heading("Crash at start #812 (open)", 3), "heading", r"#\d+", "#812"),
        (heading("Changeset 8f3c2d1 in trunk", 2), "heading", r"[0-9a-f]{7,40}", "8f3c2d1"),
        (
            text("3 years ago", title="2023-01-02 10:00"),
            "tooltip",
            r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}",
            "2023-01-02 10:00",
        ),
        (el("link", "patch", tag="a", url="http://h/c/8f3c2d1/raw"), "link", r"[0-9a-f]{7,40}", "8f3c2d1"),
        (el("textbox", "", tag="input", value="8f3c2d1"), "input", r"[0-9a-f]{7,40}", "8f3c2d1"),
        (text("8f3c2d1 (patch)"), "text", r"[0-9a-f]{7,40}", "8f3c2d1"),
        (el("link", "8f3c2d1 (patch)", tag="a", url="http://h/p/1"), "address", r"[0-9a-f]+ \(patch\)", "http://h/p/1"),
        (el("link", "Get the patch", tag="a", url="http://h/p/1"), "address", "patch", "http://h/p/1"),
    ],
)
def test_a_value_without_a_label_is_the_part_that_fits(element, where, pattern, expected):
    assert shown(element, text("noise"), shown_in=where, pattern=pattern) == expected
    assert shown(text("noise"), shown_in=where, pattern=pattern) is None


def test_a_long_text_is_read_up_to_the_mark_behind_it():
    """It has more words than a part is looked for in, where both its ends are open."""
    title = " ".join(f"told on 2026-0{month}-11 and again," for month in range(1, 8)).rstrip(",")
    found = (heading(f"{title} #3", 2), heading("Comment", 3), heading("Fix #12 of it #4", 4))
    field = {"shown_in": "heading", "pattern": ".+", "followed_by": "#3"}
    assert shown(*found, **field) == title
    assert shown(*found, **{**field, "followed_by": "#[0-9]+"}) == {title, "Fix #12 of it"}
    turned = (heading(f"#3 {title}", 2), heading("Comment", 3))
    assert shown(*turned, shown_in="heading", pattern=".+", preceded_by="#[0-9]+") == title


def test_two_different_parts_go_to_a_person_and_labels_do_not_count():
    two = (heading("Bug #1"), heading("Duplicate of #2", 2))
    assert shown(*two, shown_in="heading", pattern=r"#\d+") == {"#1", "#2"}
    assert shown(*row("Sha", "#3"), shown_in="heading", pattern=r"#\d+") is None


AGO = r"[0-9]+ (year|day)s? ago"
WHO = {"shown_in": "text", "pattern": "[^0-9]+"}
WHEN = {"shown_in": "tooltip", "pattern": r"\d{4}-\d{2}-\d{2}"}


def on_line(name: str, x: float, y: float = 0, title: str | None = None, hints: tuple[TextPart, ...] = ()):
    return el("text", name, tag="span", box=box(x, y), title=title, hints=hints)


def commit(word: str, who: str, date: str, y: float):
    """Return one line such as "Ann authored 2 days ago", with the date behind "2 days ago"."""
    return on_line(f"{who} {word} 2 days ago", 0, y, hints=(TextPart(text="2 days ago", title=date),))


def test_what_stands_before_or_after_it_says_which_text_is_meant():
    two = (commit("authored", "Ann", "2026-01-01", 0), commit("committed", "Bo Li", "2026-02-02", 50))
    assert shown(*two, **WHO, followed_by="authored .*") == "Ann"
    assert shown(*two, **WHO, followed_by="committed .*") == "Bo Li"
    assert shown(*two, **WHO, followed_by="merged .*") is None
    assert shown(*two, **WHEN, preceded_by=".* committed") == "2026-02-02"
    assert shown(*two, **WHEN) == {"2026-01-01", "2026-02-02"}
    changed = {"shown_in": "text", "pattern": "[0-9]+", "followed_by": "files? changed.*"}
    assert shown(text("3 files changed, 4 lines"), text("4 files"), **changed) == "3"


@cases(
    "written, pattern, around, expected",
    [
        # Half of what fits is no value.
        ("Latest v1.9.17", "[0-9.]+", {}, None),
        ("Latest v1.9.17", "[0-9]+[.][0-9]+", {}, None),
        ("Weight 1.5kg", "[0-9]+[.]?[0-9]*", {}, None),
        # The rest of the word is written out.
        ("Latest v1.9.17", "[0-9.]+", {"preceded_by": "Latest v"}, "1.9.17"),
        ("Latest v1.9.17", "[0-9.]+", {"preceded_by": ".*v"}, "1.9.17"),
        ("Weight 1.5kg net", "[0-9.]+", {"preceded_by": "Weight", "followed_by": "kg net"}, "1.5"),
        # It is not: any letters would do.
        ("Latest v1.9.17", "[0-9.]+", {"preceded_by": ".*"}, None),
        ("Latest w1.9.17", "[0-9.]+", {"preceded_by": r"Latest \w"}, None),
        ("Open TCK-12b now", "[A-Z]+-[0-9]+", {"preceded_by": "Open", "followed_by": ".*"}, None),
        # Another part of the text is whole.
        ("The 3rd of 12", "[0-9]+", {}, "12"),
        ("Changeset 8f3c2d1 in trunk", "[0-9a-f]{7,40}", {}, "8f3c2d1"),
    ],
)
def test_a_value_within_a_word_is_had_where_the_field_writes_out_the_rest_of_it(written, pattern, around, expected):
    assert shown(text(written), shown_in="text", pattern=pattern, **around) == expected


def test_half_of_what_fits_speaks_against_another_value():
    versions = (text("Latest v1.9.17"), text("Python 3.11"))
    assert shown(*versions, shown_in="text", pattern="[0-9.]+") == {".9.17", "3.11"}


def test_the_text_beside_it_counts_on_its_own_line_only():
    one = (on_line("Ann", 0), on_line("2 days ago", 100, title="2026-01-01"), on_line("Bo", 0, 50))
    assert shown(*one, **WHO, followed_by=AGO) == "Ann"
    assert shown(*one, **WHO, preceded_by=AGO) is None
    assert shown(*one, **WHEN, preceded_by="Ann") == "2026-01-01"


def test_of_several_patterns_the_first_that_is_found_counts():
    page_of_two = (on_line("Ann", 0), on_line("2 days ago", 100), commit("authored", "Bo", "2026-01-01", 50))
    assert shown(*page_of_two, **WHO, followed_by=["authored .*", AGO]) == "Bo"
    assert shown(*page_of_two[:2], **WHO, followed_by=["authored .*", AGO]) == "Ann"


def test_on_the_side_without_a_pattern_nothing_else_stands_in_the_text():
    written = text("Reviewed by Ann authored 2 days ago")
    some_name = {"shown_in": "text", "pattern": "[A-Z][a-z]+"}
    assert shown(written, **some_name, followed_by="authored .*") is None
    assert shown(written, **some_name, followed_by="authored .*", preceded_by=".*by") == "Ann"


@cases("before", ["#[0-9]+", "#[0-9]+ ", " #[0-9]+ "])
@cases("after", ["[a-z]+", " [a-z]+", " .*"])
def test_blanks_at_the_ends_of_a_pattern_stand_for_white_space_or_none(before: str, after: str):
    state = {"shown_in": "text", "pattern": "[a-z]+", "preceded_by": before, "followed_by": after}
    assert shown(text("#3 accepted defect"), **state) == "accepted"
    assert shown(text("#3 4 accepted defect"), **state) is None


@cases(
    "field",
    [{"followed_by": "x"}, {"shown_in": "link", "pattern": "x", "preceded_by": "x"}, {**WHO, "followed_by": "(x"}],
)
def test_surroundings_of_no_effect_and_bad_patterns_are_refused(field):
    with pytest.raises(ValidationError):
        OutputField.model_validate({"type": "string", **field})


def test_the_title_of_the_page_is_a_place_too():
    schema = {"sha": {"type": "string", "shown_in": "title", "pattern": "[0-9a-f]{7,40}"}}
    task = spec(output_schema=schema, required_fields=[], identity={})
    found = expect(read_fields(task, page(text("1111111"), title="Fix the crash · 8f3c2d1 · lib"))["sha"], FieldFound)
    assert (found.candidate.shown, found.candidate.element.role) == ("8f3c2d1", "title")
    assert isinstance(read_fields(task, page(text("1111111"), title="Log"))["sha"], FieldMissing)


def test_of_links_the_one_whose_whole_text_fits_is_meant():
    whole = el("link", "patch", tag="a", url="http://h/p/1")
    part = el("link", "How to send a patch", tag="a", url="http://h/help")
    assert shown(part, whole, shown_in="address", pattern="patch") == "http://h/p/1"
    twice = el("link", "patch", tag="a", url="http://h/p/2")
    assert shown(whole, twice, shown_in="address", pattern="patch") == {"http://h/p/1", "http://h/p/2"}


def test_a_place_without_a_label_needs_a_pattern():
    with pytest.raises(ValidationError, match="shown_in"):
        OutputField(type="string", shown_in="heading")


VALUES = st.sampled_from(["Open", "Closed", "New", "in review"])
CURRENT = "Assigned"
OLD = st.one_of(
    st.tuples(VALUES, VALUES).map(lambda two: (text(f"Sha: {two[0]} → {two[1]}"),)),
    VALUES.map(lambda one: (text(f"Sha: changed from {one} to {one}"),)),
    VALUES.map(lambda one: row("Sha", f"→ {one}")),
    VALUES.map(lambda one: (text(f"Sha: {one}", past=True),)),
    VALUES.map(lambda one: (el("cell", "Sha", tag="td", header="What", row=9, column=0),
                            el("cell", one, tag="td", header="Removed", row=9, column=1),
                            el("cell", "x", tag="td", header="Added", row=9, column=2))),
    VALUES.map(lambda one: (el("cell", one, tag="td", header="Sha", row=8, parts=(TextPart(text=one, kind="old"),)),)),
)  # fmt: skip
BADGED = VALUES.map(
    lambda one: el("definition", f"{CURRENT} {one}", tag="dd", header="Sha",
                   parts=(TextPart(text=CURRENT), TextPart(text=one, kind="badge")))
)  # fmt: skip
PLAIN = st.just(el("definition", CURRENT, tag="dd", header="Sha"))
TWIN = VALUES.map(lambda one: (cell("Sha", one, 4),))
NOISE = st.just((heading("Details", 2), text("Owner: Ann")))


@given(st.one_of(BADGED, PLAIN), st.lists(st.one_of(OLD, NOISE), max_size=5), st.lists(TWIN, max_size=2), st.randoms())
def test_the_current_value_or_a_person_and_never_another(value, past, twins, random):
    groups = [(value,), *past, *twins]
    random.shuffle(groups)
    found = read(*(element for group in groups for element in group))
    if twins:
        assert isinstance(found, FieldAmbiguous)
    else:
        assert isinstance(found, FieldFound)
        assert found.candidate.shown == CURRENT


@given(st.lists(OLD, max_size=5))
def test_a_page_with_only_the_past_shows_no_value(past):
    assert isinstance(read(*(element for group in past for element in group)), FieldMissing)
