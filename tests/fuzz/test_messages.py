"""Whatever arrives on the bus is a message, or InvalidMessage: of each subject, for each message and each answer."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared import subjects
from shared.bus.decoding import decode
from shared.errors import InvalidMessage
from shared.subjects import Ask, Stored
from tests.fuzz.hostile import EXAMPLES, VALUES, WHATEVER
from tests.fuzz.messages import json_of

ALL: dict[str, Any] = {
    f"{one.pattern} {part}": type_
    for one in vars(subjects).values()
    if isinstance(one, Ask | Stored)
    for part, type_ in (
        {"request": one.request, "reply": one.reply} if isinstance(one, Ask) else {"message": one.message}
    ).items()
}
KINDS = {kind: type_ for type_, kind in {type_: kind for kind, type_ in ALL.items()}.items()}
"""One subject of each type."""


def assert_message_or_refused(data: bytes, type_: Any) -> bool:
    """Return whether it is a message; then it stays the same on its further way."""
    try:
        message = decode(data, type_)
    except InvalidMessage:
        return False
    again = msgspec.json.encode(message)
    assert msgspec.json.encode(decode(again, type_)) == again
    return True


def test_every_subject_is_tried():
    assert len(ALL) > 80
    assert set(KINDS.values()) == set(ALL.values())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_looks_like_a_message_is_one_or_is_refused(kind: str):
    type_ = KINDS[kind]
    taken: list[bool] = []

    @settings(WHATEVER, max_examples=max(8, EXAMPLES // 4))
    @given(st.data())
    def each(data: st.DataObject) -> None:
        value = data.draw(json_of(type_))
        taken.append(assert_message_or_refused(json.dumps(value).encode(), type_))

    each()
    assert any(taken), "none was a message: nothing was tried behind the first field"


@settings(max_examples=EXAMPLES * 5)
@given(
    st.sampled_from(sorted(KINDS)), st.one_of(st.binary(max_size=200), VALUES.map(lambda one: json.dumps(one).encode()))
)
def test_anything_else_is_refused_or_a_message(kind: str, data: bytes):
    assert_message_or_refused(data, KINDS[kind])


@settings(max_examples=EXAMPLES * 3)
@given(
    st.sampled_from(sorted(KINDS)), st.integers(1, 5000), st.sampled_from(["[", '{"a":', '[{"type":', '{"spec":{"a":['])
)
def test_any_nesting_is_refused_or_a_message(kind: str, levels: int, opening: str):
    assert_message_or_refused((opening * levels).encode(), KINDS[kind])
