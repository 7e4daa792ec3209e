from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from shared.text.names import safe_id, safe_label
from tests.cases import cases

SAFE = re.compile(r"^[A-Za-z0-9_-]+$")


@cases("key", ["TCK-1001", "a_b", "0"])
def test_a_safe_key_stays_as_it_is(key):
    assert safe_id(key) == key


@cases("key", ["../../etc/passwd", "a/b", "a b", "", ".", "李娜", "v1.2", "x" * 300, "CON", "com1", "LPT9", "memory"])
def test_an_unsafe_key_becomes_safe_and_different(key):
    assert SAFE.match(safe_id(key))
    assert safe_id(key) != key
    assert len(safe_id(key)) <= 73


@given(st.text(), st.text())
def test_two_keys_never_share_a_name(one, other):
    assert SAFE.match(safe_id(one))
    assert (safe_id(one) == safe_id(other)) == (one == other)


def test_a_key_that_differs_from_another_in_capitals_alone_can_have_a_name_of_its_own():
    one, other = safe_id("AbC1"), safe_id("aBC1", hashed=True)
    assert (one, SAFE.match(other) is not None) == ("AbC1", True)
    assert one.lower() != other.lower()
    assert safe_id("a/b", hashed=True) == safe_id("a/b")


def test_a_name_we_made_cannot_be_claimed_by_another_key():
    assert safe_id(safe_id("a/b")) != safe_id("a/b")


@given(st.text())
def test_a_label_is_always_a_plain_file_name(label):
    assert re.match(r"^[a-z0-9][a-z0-9_-]*$", safe_label(label))


def test_a_label_keeps_its_words():
    assert safe_label("Pull Request: Checks!") == "pull_request_checks"
