"""The texts that are new on a page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.browser_pool.page.rendering import difference


def says(role: str, name: str, *, header: str = "", value: str = "", states: str = "") -> str:
    return "\x1f".join((role, header, name, value, states, ""))


def test_equal_pages_differ_in_nothing() -> None:
    page = [says("text", "a"), says("button", "Save")]
    assert difference(page, page) == ""


def test_what_came_and_what_went() -> None:
    before = [says("heading", "T"), says("text", "Saving ..."), says("button", "Save")]
    now = [says("heading", "T"), says("button", "Save"), says("alert", "Saved")]
    assert difference(before, now).splitlines() == ["- text | Saving ...", "+ alert | Saved"]


def test_the_same_thing_in_another_state() -> None:
    before = [says("checkbox", "Urgent", states="unchecked"), says("cell", "open", header="Status")]
    now = [says("checkbox", "Urgent", states="checked"), says("cell", "closed", header="Status")]
    assert difference(before, now).splitlines() == [
        "~ checkbox | Urgent | unchecked => checked",
        "~ cell | Status | open => closed",
    ]


def test_a_page_of_another_size_is_compared_without_its_order() -> None:
    before = [says("text", f"line {n}") for n in range(5000)]
    now = [says("text", f"row {n}") for n in range(10, 5000)]
    told = difference(before, now).splitlines()
    assert len(told) == 61
    assert told[-1] == "... 9930 more"


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_it_is_empty_only_where_nothing_differs(before: list[str], now: list[str]) -> None:
    old, new = ([says("text", one) for one in page] for page in (before, now))
    assert (difference(old, new) == "") == (before == now)
