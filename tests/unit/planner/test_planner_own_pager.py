"""Which addresses are further pages of what a page shows: the record stays, and so does all that turns no page."""

from __future__ import annotations

from shared.pages.identity.own_pager import is_page_of
from tests.cases import cases

HERE = "http://x/groups/7?tab=members&page=1"


@cases(
    ("url", "here", "expected"),
    [
        ("http://x/groups/7?tab=members&page=2", HERE, True),
        ("http://x/groups/7?page=2&tab=members", HERE, True),
        ("http://x/groups/7?tab=members&offset=20&limit=10", "http://x/groups/7?tab=members", True),
        ("http://x/groups/7/page/2?tab=members", HERE, True),
        ("http://x/groups/7?tab=members&members_page=2", HERE, True),
        ("http://x/groups/7?tab=history&page=2", HERE, False),
        ("http://x/groups/7?page=2", HERE, False),
        ("http://x/groups/8?tab=members&page=1", HERE, False),
        ("http://y/groups/7?tab=members&page=2", HERE, False),
        ("http://x/group?id=8", "http://x/group?id=7", False),
        ("http://x/group?p=8", "http://x/group?p=7", False),
        ("http://x/group?p=7&page=2", "http://x/group?p=7", True),
    ],
)
def test_a_further_page_keeps_the_record_and_what_turns_no_page(url: str, here: str, expected: bool):
    assert is_page_of(url, here, frozenset({"7"})) == expected
