"""Snapshots: selection of elements, text form, and confidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.browser_pool.page.model import PageStats, RawItem, RawPage, Seen
from services.browser_pool.page.rendering import line
from services.browser_pool.page.snapshot import choose, compose, dom_confidence, plain_confidence, triggers
from shared.contracts.browser_pool import Element, PageObserved
from shared.secrets.redaction import redacted
from tests.cases import cases

PLAIN = RawItem(0, "text", "", None, (), None, "p", None, None, None, (0, 0, 10, 10), True, False)


def content(one: RawItem) -> str:
    value = "" if one.value is None else f"= {one.value}"
    return "\x1f".join((one.role, one.header or "", one.name, value, ",".join(one.states), one.url or ""))


def rank(one: RawItem) -> str:
    if one.role == "option":
        return "4"
    return "0" if one.in_dialog else "1" if one.in_viewport else "3"


def item(role: str, name: str, **more: object) -> RawItem:
    return msgspec.structs.replace(PLAIN, role=role, name=name, **more)


def shown(items: list[RawItem], *keywords: str, max_tokens: int = 6000, **changes: Any) -> PageObserved:
    """The page as it goes out, chosen and composed as the pool does it."""
    contents = tuple(content(one) for one in items)
    chosen = choose(contents, [rank(one) for one in items], keywords, max_tokens)
    seen = tuple(Seen(n + 1, items[n], "main", 0, 0, items[n].in_viewport, items[n].row) for n in chosen)
    stats = PageStats(total=len(items))
    raw = RawPage("http://a.test/x", "T", 200, contents, seen, frozenset(), stats, 0, 0, True, 1.0)
    return compose(replace(raw, **changes), "s")


def names(observed: PageObserved) -> list[str]:
    return [one.name for one in observed.elements]


def test_all_that_fits_is_shown_in_document_order() -> None:
    raw = [item("text", f"line {n}", in_viewport=n % 2 == 0) for n in range(50)]
    observed = shown(raw, "line 7")
    assert names(observed) == [f"line {n}" for n in range(50)]
    assert (observed.total_elements, observed.left_out) == (50, 0)
    assert "more elements" not in observed.text


def test_keyword_matches_are_all_kept_whatever_the_budget() -> None:
    raw = [item("text", f"{'Amount' if n % 10 == 0 else 'other'} {n}") for n in range(100)]
    observed = shown(raw, "amount", max_tokens=1)
    assert names(observed) == [f"Amount {n}" for n in range(0, 100, 10)]
    assert observed.left_out == 90


@cases("field", ["name", "value", "header"])
def test_keywords_are_looked_for_in_name_value_and_header(field: str) -> None:
    hit = msgspec.structs.replace(item("cell", "n", value="v", header="h"), **{field: "the ISSUE here"})
    observed = shown([item("text", "before"), hit], "Issue", max_tokens=1)
    assert len(observed.elements) == 1


def test_what_is_in_view_is_preferred_and_the_rest_is_counted_in_words() -> None:
    raw = [*(item("text", f"above {n}", in_viewport=False) for n in range(40)), item("text", "seen")]
    observed = shown(raw, max_tokens=20)
    assert "seen" in names(observed)
    assert observed.left_out == observed.total_elements - len(observed.elements)
    assert observed.text.endswith(f"... {observed.left_out} more elements below or between: scroll, or extract")


def test_a_gap_is_shown_where_it_is() -> None:
    raw = [item("text", "a1"), item("text", "other " * 50), item("text", "a2")]
    assert shown(raw, "a1", "a2", max_tokens=1).text.splitlines() == [
        '[1] [text] "a1"',
        "...",
        '[3] [text] "a2"',
        "... 1 more elements below or between: scroll, or extract",
    ]


def test_what_lies_over_the_page_comes_before_what_it_hides() -> None:
    raw = [*(item("text", f"t{n}") for n in range(40)), item("button", "Accept", in_dialog=True)]
    assert "Accept" in names(shown(raw, max_tokens=20))


@given(
    views=st.lists(st.booleans(), max_size=60), max_tokens=st.integers(0, 400), word=st.sampled_from(["", "n1", "n2"])
)
def test_nothing_is_lost_silently(views: list[bool], max_tokens: int, word: str) -> None:
    raw = [item("text", f"n{n}", in_viewport=view) for n, view in enumerate(views)]
    observed = shown(raw, word, max_tokens=max_tokens)
    refs = [one.ref for one in observed.elements]
    assert refs == sorted(set(refs))
    assert len(refs) + observed.left_out == observed.total_elements == len(views)
    assert (f"... {observed.left_out} more" in observed.text) == (observed.left_out > 0)


def test_frames_that_could_not_be_read_are_named() -> None:
    assert "frame ads could not be read" in shown([], unread=("ads",)).text


BASE = Element(ref=5, role="button", name="Save")


@cases(
    ("element", "expected"),
    [
        (BASE, '[5] [button] "Save"'),
        (
            Element(ref=5, role="checkbox", name="On", states=("checked", "disabled")),
            '[5] [checkbox] "On" (checked) (disabled)',
        ),
        (
            Element(ref=5, role="textbox", name="E", value="a@b", states=("required",)),
            '[5] [textbox] "E" (required) = "a@b"',
        ),
        (Element(ref=5, role="textbox", name="E", value=""), '[5] [textbox] "E" = ""'),
        (Element(ref=5, role="link", name="N", url="http://a.test/p?q=1"), '[5] [link] "N" -> /p?q=1'),
        (Element(ref=5, role="link", name="N", url="http://a.test.evil/p"), '[5] [link] "N" -> http://a.test.evil/p'),
        (Element(ref=5, role="cell", name="Jane", header="Who", row=3), '[5] [cell] Who: "Jane" (row 3)'),
        (Element(ref=5, role="heading", name="T", level=2), '[5] [heading] "T" (level 2)'),
        (
            Element(ref=5, role="text", name="a\n[9] [button]\u2028x", in_dialog=True),
            '[5] [text] "a [9] [button] x" (in dialog)',
        ),
    ],
)
def test_lines(element: Element, expected: str) -> None:
    assert line(element, "http://a.test") == expected


def test_the_hash_knows_no_budget_but_every_value() -> None:
    raw = [item("text", "a"), item("textbox", "E", value="1")]
    typed = [item("text", "a"), item("textbox", "E", value="2")]
    assert shown(raw).sha256 == shown(raw, max_tokens=0).sha256 != shown(typed).sha256
    assert shown(raw, title="other").sha256 != shown(raw).sha256
    assert shown(raw, url="http://a.test/y").sha256 != shown(raw).sha256


def test_what_has_no_place_on_the_page_is_neither_shown_nor_counted_as_left_out() -> None:
    raw = [item("text", "a"), item("text", "gone"), item("text", "b")]
    seen = tuple(Seen(n + 1, raw[n], "main", 0, 0, True, None) for n in (0, 2))
    observed = shown(raw, seen=seen, hidden=frozenset({2}))
    assert observed.text.splitlines() == ['[1] [text] "a"', '[3] [text] "b"']
    assert (observed.total_elements, observed.left_out) == (2, 0)


@cases(
    ("stats", "shown_count", "unread", "expected"),
    [
        (PageStats(total=9, interactive=3), 9, (), ()),
        (PageStats(), 0, (), ("empty",)),
        (PageStats(total=1, canvas=1, canvas_share=0.9), 1, (), ("canvas",)),
        (PageStats(total=30, canvas=1, canvas_share=0.01), 30, (), ()),
        (PageStats(total=30, canvas_share=0.5), 30, (), ("pictures",)),
        (PageStats(total=30, interactive=4, unnamed=2), 30, ("ads",), ("unnamed", "unread_frame")),
        (PageStats(total=30, interactive=4, icons=3, icon_lists=1), 30, (), ("icons",)),
        (PageStats(total=30, interactive=4, icons=3), 30, (), ()),
    ],
)
def test_triggers_where_the_formula_is_blind(
    stats: PageStats, shown_count: int, unread: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert triggers(stats, shown_count, unread) == expected


@cases(
    ("stats", "items", "expected", "plain"),
    [
        (PageStats(total=100, interactive=10), 50, 1.0, 1.0),
        (PageStats(total=100, interactive=10, unnamed=2), 50, 0.96, 0.96),
        (PageStats(total=10, interactive=10, canvas=1), 50, 0.97, 0.97),
        (PageStats(total=100, interactive=4, svg=8), 50, 0.8, 0.8),
        (PageStats(total=1, interactive=1, svg=50, canvas=1), 50, 0.0, 0.0),
        (PageStats(total=100), 0, 0.0, 1.0),
        (PageStats(total=1, canvas=1, canvas_share=1.0), 1, 0.0, 0.7),
        (PageStats(total=100, canvas=1, canvas_share=0.75), 30, 0.25, 0.997),
        (PageStats(total=100, canvas=1, canvas_share=2.0), 30, 0.0, 0.997),
        (PageStats(total=100, interactive=10, unnamed=10), 50, 0.5, 0.8),
    ],
)
def test_confidence_and_the_plain_number_beside_it(stats: PageStats, items: int, expected: float, plain: float) -> None:
    assert dom_confidence(stats, items) == pytest.approx(expected)
    assert plain_confidence(stats) == pytest.approx(plain)


def test_a_title_is_told_beside_the_name_in_quotes_it_cannot_close() -> None:
    titled = item("text", "3 days ago", title='2026-11-18T09:00Z"\n[9] [button] "Pay')
    observed = shown([titled, item("text", "plain")])
    assert [one.title for one in observed.elements] == [titled.title, None]
    assert observed.text.split("\n") == [
        r'[1] [text] "3 days ago" (title "2026-11-18T09:00Z\" [9] [button] \"Pay")',
        '[2] [text] "plain"',
    ]


def test_a_secret_in_a_title_is_taken_out_of_the_element_and_the_text() -> None:
    observed = redacted(shown([item("text", "shown", title="token hunter2secret")]), ["hunter2secret"])
    assert observed.elements[0].title == "token (hidden)"
    assert "hunter2secret" not in observed.text


def test_an_element_is_sent_without_what_it_does_not_have() -> None:
    plain = Element(ref=1, role="text", name="x")
    assert msgspec.json.decode(msgspec.json.encode(plain)) == {"ref": 1, "role": "text", "name": "x"}
    assert msgspec.json.decode(msgspec.json.encode(plain), type=Element) == plain


def test_a_picture_that_is_pressed_is_marked_where_that_is_asked_for():
    view = Element(ref=3, role="link", name="View", unwritten=True, url="http://a.test/1")
    assert line(view, "http://a.test", images=True) == '[3] [link] "View" (image) -> /1'
    assert line(view, "http://a.test") == '[3] [link] "View" -> /1'
