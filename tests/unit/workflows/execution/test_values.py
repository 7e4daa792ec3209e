from __future__ import annotations

from collections import OrderedDict
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.workflows.execution.child.artifact_data import pack_bytes, pack_data, packed_bytes, unpack_data
from services.workflows.execution.child.values import MAX_DEPTH, BadValueError, from_json, to_json, to_plain

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


class Point(NamedTuple):
    x: int
    y: float


class Colour(StrEnum):
    RED = "red"


class Number(IntEnum):
    ONE = 1


@settings(max_examples=30)
@given(JSON)
def test_json_is_as_it_was(value: Any):
    assert to_plain(value) == value
    assert from_json(to_json(value)) == value


def test_kinds_of_values_become_plain_ones():
    given = {"point": Point(1, 2.5), "enums": (Colour.RED, Number.ONE, True), "ordered": OrderedDict(a=None)}
    plain = to_plain(given)
    assert plain == {"point": [1, 2.5], "enums": ["red", 1, True], "ordered": {"a": None}}
    assert [type(value) for value in plain["enums"]] == [str, int, bool]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"[NaN]", "the number NaN"),
        (b"-Infinity", "the number -Infinity"),
        (b'{"a": 1e999}', "the number inf at ['a']"),
        (b"[18446744073709551616]", "an integer beyond 64 bits at [0]"),
        (b'["\\ud800"]', "a string with half a surrogate pair at [0]"),
        (b"[" * 100_000, f"a value that is nested more than {MAX_DEPTH} times"),
    ],
)
def test_what_is_not_strict_json_is_refused(data: bytes, problem: str):
    with pytest.raises(BadValueError) as caught:
        from_json(data)
    assert str(caught.value) == problem


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[1,]", b"9" * 5000])
def test_what_does_not_parse_is_refused(data: bytes):
    with pytest.raises(ValueError):
        from_json(data)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"languages": {"a"}}, "a set at ['languages']"),
        ({"rows": [1, {"at": float("nan")}]}, "the number nan at ['rows'][1]['at']"),
        ([float("-inf")], "the number -inf at [0]"),
        ({1: 2}, "an int as a key"),
        ([2**64], "an integer beyond 64 bits at [0]"),
        (b"a", "a bytes"),
        ("\ud800", "a string with half a surrogate pair"),
        (object(), "an object"),
    ],
)
def test_what_is_no_json_is_refused_with_its_path(value: Any, problem: str):
    with pytest.raises(BadValueError) as caught:
        to_plain(value)
    assert str(caught.value) == problem


def test_depth_is_counted_to_the_last_level():
    value: Any = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    assert to_plain(value) == value
    with pytest.raises(BadValueError, match="nested more than"):
        to_plain([value])


@pytest.mark.parametrize("data", [b"\x00\xff", "täxt", "", {"a": [1, None]}, [], 0, None, {"kind": "bytes"}])
def test_artifacts_cross_the_border_as_they_are(data: Any):
    assert unpack_data(from_json(to_json(pack_data(data)))) == data


def test_the_host_sees_what_the_bytes_are():
    assert packed_bytes(pack_data("é")) == ("text", "é".encode())
    assert packed_bytes(pack_data({"a": 1})) == ("json", b'{"a":1}')
    assert unpack_data(pack_bytes("json", b"[1]")) == [1]


@pytest.mark.parametrize("data", [b"NaN", b"[" * 10**5, b"{"])
def test_hostile_data_of_an_artifact_is_refused(data: bytes):
    with pytest.raises(ValueError):
        unpack_data(pack_bytes("json", data))


@pytest.mark.parametrize(
    "packed", [None, {}, {"kind": "bytes"}, {"kind": "pickle", "base64": ""}, {"kind": "text", "base64": "?"}]
)
def test_what_was_not_packed_is_refused(packed: Any):
    with pytest.raises(ValueError, match="the data of an artifact is"):
        packed_bytes(packed)
