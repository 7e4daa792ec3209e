"""What can be pointed at on the picture of a page: where it lies, what lies above what, what is done with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from services.console.web.builds.build_looks import NAME_CHARS, LookedPage, looked_page, pointed_at
from shared.contracts.browser.live import PageShown
from shared.contracts.results import Box
from shared.contracts.workflows.builds import ElementInView, ShownPage
from tests.cases import cases
from tests.typed import expect

AREA = Box(x=0, y=100, width=800, height=600)


def shown(*elements: tuple[str, Box]) -> ShownPage:
    made = tuple(ElementInView(ref=at, role=role, name="Name", box=box) for at, (role, box) in enumerate(elements, 1))
    return ShownPage(url="http://site/", title="", lines=(), more=0, number=1, snapshot_id="s", elements=made)


def test_what_lies_within_another_is_above_it():
    within, around = Box(x=10, y=200, width=50, height=20), Box(x=0, y=150, width=700, height=300)
    found = pointed_at(shown(("button", within), ("listitem", around)), AREA)
    assert [one.ref for one in found] == [2, 1]  # what is drawn last is what a press meets


def test_what_the_picture_does_not_show_is_left_out():
    above, below = Box(x=0, y=40, width=50, height=60), Box(x=0, y=700, width=50, height=20)
    cut = Box(x=790, y=650, width=50, height=100)
    assert [one.ref for one in pointed_at(shown(("link", above), ("link", below), ("link", cut)), AREA)] == [3]


def test_an_element_is_done_what_its_role_is_for():
    box = Box(x=0, y=100, width=5, height=5)
    roles = ("textbox", "combobox", "button", "link", "text", "definition")
    found = {one.words.split()[1]: one.verb for one in pointed_at(shown(*((role, box) for role in roles)), AREA)}
    assert found == {
        "textbox": "type", "combobox": "select", "button": "click", "link": "click", "text": "", "definition": "",
    }  # fmt: skip


def test_a_long_name_is_cut():
    page = shown(("text", Box(x=0, y=100, width=5, height=5)))
    long = ShownPage(
        url="", title="", lines=(), more=0, number=1,
        elements=(ElementInView(ref=7, role="text", name="word " * 40, box=page.elements[0].box),),
    )  # fmt: skip
    (one,) = pointed_at(long, AREA)
    assert one.words.startswith("7 text word word")
    assert one.words.endswith("…")
    assert len(one.words) <= NAME_CHARS + len("7 text …")


LOOKED_AT = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)


def looked(after_s: float, url: str = "http://site/", at: str = LOOKED_AT.isoformat()) -> LookedPage:
    """Return a look at `http://site/`, whose picture was taken so long after it."""
    page = replace(shown(("button", Box(x=10, y=200, width=50, height=20))), at=at)
    seen = PageShown(
        session_id="s", number=1, picture=b"", width=800, height=600, scroll_y=100, url=url,
        taken_at=LOOKED_AT + timedelta(seconds=after_s),
    )  # fmt: skip
    return expect(looked_page("s", page, seen), LookedPage)


@cases("after_s, late", [(1, ""), (-3, ""), (40, "40 seconds"), (7200, "120 minutes")])
def test_a_picture_that_was_taken_later_than_its_look_says_so(after_s: float, late: str):
    found = looked(after_s)
    assert (found.late, len(found.elements), found.gone_to) == (late, 1, "")


def test_of_a_look_whose_time_is_not_known_it_is_said_that_the_page_may_have_changed():
    assert looked(0, at="").late == "some time"


def test_nothing_is_pointed_at_on_the_picture_of_another_address():
    found = looked(1, url="http://site/next")
    assert (found.elements, found.gone_to) == ((), "http://site/next")
