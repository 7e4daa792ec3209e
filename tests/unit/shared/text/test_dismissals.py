"""Which buttons close what lies over a page: refusing cookies does, refusing an order is a decision about it."""

from __future__ import annotations

from shared.text.dismissals import ALL, SAFE, names_that_close
from tests.cases import cases


@cases(
    ("texts", "buttons", "closing", "kept"),
    [
        (("We use cookies",), ("Accept all", "Reject"), {"reject", "close"}, set()),
        (("Decide on this order",), ("Approve", "Reject"), {"close"}, {"reject", "decline", "accept"}),
        (("Three requests wait",), ("Approve all", "Reject all"), {"close"}, {"reject all"}),
        (("Before you go on",), ("Only necessary",), {"only necessary"}, {"reject"}),
    ],
)
def test_refusing_closes_what_is_about_consent(texts, buttons, closing, kept):
    found = set(names_that_close(texts, buttons, ALL))
    assert closing <= found
    assert not kept & found


@cases("name", ["ok", "cancel", "accept"])
def test_an_answer_closes_only_where_nothing_else_is_decided(name):
    assert name in names_that_close(("Welcome back",), ("OK", "Cancel", "Accept"), ALL)
    assert name not in names_that_close(("Shall it be kept?",), ("Delete", "OK", "Cancel", "Accept"), ALL)


def test_nothing_is_agreed_to_where_only_safe_names_count():
    found = names_that_close(("We use cookies",), ("Accept all", "OK"), SAFE)
    assert not {"accept all", "ok", "cancel"} & set(found)
    assert found["reject all"] < found["close"]
