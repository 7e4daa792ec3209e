"""Texts made plain for comparing: without marks that nobody sees, and without those of footnotes."""

from __future__ import annotations

from shared.text.normal import bare_key, fold, label_form, tidy
from shared.text.record_words import is_equal_text, is_same_id
from tests.cases import cases


@cases("text", ["ABC\u200b-123", "ABC-\u00ad123", "\u200eABC-123\u200f", "A\u2060BC-123", "\ufeffABC-123"])
def test_marks_that_cannot_be_seen_are_no_part_of_a_text(text: str):
    assert tidy(text) == "ABC-123"
    assert fold(text) == "abc-123"
    assert is_same_id("ABC-123", text)


def test_joiners_that_change_how_letters_are_drawn_stay():
    family = "\U0001f469\u200d\U0001f467"
    assert tidy(family) == family


def test_a_footnote_is_no_part_of_a_key_or_label():
    assert bare_key("#INV-12¹") == "INV-12"
    assert bare_key("INV-12[¹]") == bare_key("INV-12 (¹)") == "INV-12"
    assert is_equal_text("INV-12¹", "INV-12")
    assert not is_equal_text("INV-12¹", "INV-121")
    assert label_form("Owner¹") == label_form("Owner:") == "owner"
    assert label_form("Submitter E-Mail:") == label_form("submitter e mail")
    assert label_form("A-1") != label_form("A 1")
