"""Text of a model, sanitised before it is sent on."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.actions import ByRef, parse_target
from shared.models.sanitize import MAX_DEPTH, to_json_value

TEXTS = st.text(st.characters(exclude_categories=[]))
WRITTEN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


@given(WRITTEN)
def test_whatever_was_written_comes_back_from_the_wire_as_it_was_sent(written):
    sent = to_json_value(written)
    assert msgspec.json.decode(msgspec.json.encode(sent)) == sent


def test_halves_of_pairs_and_numbers_that_are_none_become_words():
    assert to_json_value({"a\ud800": ["\udc00x", float("nan"), float("-inf"), 1.5]}) == {
        "a?": ["?x", "nan", "-inf", 1.5]
    }


def test_what_lies_too_deep_is_left_out():
    deep: object = "gold"
    for _ in range(5000):
        deep = [deep]
    assert str(to_json_value(deep)) == "[" * MAX_DEPTH + "None" + "]" * MAX_DEPTH


def test_a_number_of_thousands_of_digits_is_a_ref_of_no_element():
    assert parse_target("9" * 10_000, "s1") == ByRef(ref=999_999_999, snapshot_id="s1")
