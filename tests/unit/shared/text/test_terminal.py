from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shared.text.normal import printable
from tests.cases import cases


@cases(
    ("text", "shown"),
    [
        ("Löwe 東京 😀", "Löwe 東京 😀"), ("\x1b[2J", "\\x1b[2J"), ("a\x9b\u202eb\u2028", "a\\x9b\\u202eb\\u2028"),
        ("two\nlines\t.", "two\\nlines\\t."), ("\ud800", "\\ud800"),
    ],
)  # fmt: skip
def test_what_a_terminal_would_obey_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_another_character_may_stand_in_and_lines_may_stay() -> None:
    assert printable("a\x1b\nb", " ", keep="\n") == "a \nb"
    assert printable("a\x1b\tb", "") == "ab"


@given(st.text(), st.sampled_from([None, "", " ", "\N{REPLACEMENT CHARACTER}"]))
def test_nothing_is_left_that_cannot_be_printed(text: str, stand_in: str | None) -> None:
    assert printable(text, stand_in).isprintable()
