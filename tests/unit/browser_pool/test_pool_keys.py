"""Keys as they are written, and as the browser knows them."""

from __future__ import annotations

from services.browser_pool.page.keys import chord
from tests.cases import cases


@cases(
    ("written", "known"),
    [
        ("enter", "Enter"), ("Esc", "Escape"), ("Control+A", "Control+a"), ("ctrl+shift+k", "Control+Shift+K"),
        ("Shift + Tab", "Shift+Tab"), ("Control++", "Control++"), ("+", "+"), (" ", "Space"), ("a", "a"), ("A", "A"),
        ("ü", "ü"), ("down", "ArrowDown"),
    ],
)  # fmt: skip
def test_what_is_a_key(written: str, known: str) -> None:
    assert chord(written) == known


@cases("written", ["", "  ", "Foo", "Control+", "Control+Foo", "Foo+a", "Ctrl+Control+a", "ab"])
def test_what_is_none(written: str) -> None:
    assert chord(written) is None
