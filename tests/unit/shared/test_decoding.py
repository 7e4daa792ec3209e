"""Bytes from the bus become a message, or InvalidMessage."""

from __future__ import annotations

import msgspec
import pytest

from shared.bus.decoding import MAX_NESTING, decode, is_nested_too_deep
from shared.contracts.discovery import SubmitRun
from shared.errors import InvalidMessage
from shared.subjects import RunEvent
from tests.cases import cases


def nested(levels: int, *, opening: str = "[", closing: str = "]") -> bytes:
    """Return a message with this many levels, of which the message itself is the first two."""
    inner = opening * (levels - 2) + "1" + closing * (levels - 2)
    return f'{{"type":"SubmitRun","spec":{{"a":{inner}}}}}'.encode()


def test_as_many_levels_as_are_allowed_are_a_message_that_can_be_encoded_again():
    message = decode(nested(MAX_NESTING), SubmitRun)
    assert decode(msgspec.json.encode(message), SubmitRun) == message


@cases("levels", [MAX_NESTING + 1, 990, 100_000])
@cases("kind", [("[", "]"), ('{"a":', "}"), ('[{"b]":', "}]")])
def test_what_is_nested_too_deep_is_no_message(levels: int, kind: tuple[str, str]):
    with pytest.raises(InvalidMessage, match="levels deep"):
        decode(nested(levels, opening=kind[0], closing=kind[1]), SubmitRun)


def test_what_is_never_closed_is_no_message():
    for data in (b"[" * 100_000, b'{"type":"SubmitRun","spec":' + b"[" * 150, b'"' + b'\\"' * 100_000):
        with pytest.raises(InvalidMessage):
            decode(data, SubmitRun)


@cases("text", ["[" * 1000, '\\"{[' * 300, "}" * 500 + "{" * 500, '"', "\\"])
def test_brackets_in_texts_are_no_levels(text: str):
    message = SubmitRun(spec={"a": text, text: [text]})
    data = msgspec.json.encode(message)
    assert not is_nested_too_deep(data)
    assert decode(data, SubmitRun) == message


def test_many_levels_side_by_side_are_not_deep():
    assert not is_nested_too_deep(b"[" + b",".join([b'[{"a":[]}]'] * 10_000) + b"]")


def test_a_message_of_no_known_type_is_told_as_that():
    with pytest.raises(InvalidMessage, match="message of a known type"):
        decode(b'{"type":"Nothing"}', RunEvent)
