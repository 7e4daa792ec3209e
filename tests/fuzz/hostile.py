"""What a hostile sender writes: JSON values of any kind, and true values that are changed in a place or several."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "20"))
"""Examples of each test; ``FUZZ_EXAMPLES=5000`` looks longer, as `test_many_examples` does."""
WHATEVER = settings(deadline=None, suppress_health_check=[*HealthCheck])  # pyright: ignore[reportArgumentType]
"""Hostile values are large and slow, and often none of the tested kind."""
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["", "..", "../x", "a/b", "\0", "\x1b[31m", "\u202e", "é" * 50, "=1+1", "{x}", "{", "CON", "x" * 300, "1e999"]
    ),
)
NUMBERS = st.one_of(
    st.integers(min_value=-(2**70), max_value=2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, -1, 2**31, 2**63, -(2**63), 10**30, 1e308, -0.0, 5e-324]),
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)
DELETED = object()


@st.composite
def changed(draw: st.DrawFn, wholes: Sequence[Any], most: int = 3) -> Any:
    """Return one of the JSON values with up to ``most`` places replaced, doubled or left out; 0 of them at times."""
    value = draw(st.sampled_from(wholes))
    for _ in range(draw(st.integers(0, most))):
        value = _change(draw, value)
    return value


def _change(draw: st.DrawFn, value: Any) -> Any:
    place = draw(st.sampled_from(places_of(value)))
    new = draw(st.one_of(VALUES, st.sampled_from([DELETED, *_leaves(value)])))
    return put(value, place, new)


def _leaves(value: Any) -> list[Any]:
    """The values within a value: what stands elsewhere is the likeliest to be taken for something it is not."""
    return [got for place in places_of(value)[1:] if not isinstance(got := get(value, place), dict | list)][:50]


def places_of(value: Any) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = [()]
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        found += [(key, *rest) for key, inner in named.items() for rest in places_of(inner)]
    elif isinstance(value, list):
        found += [(at, *rest) for at, inner in enumerate(cast("list[Any]", value)) for rest in places_of(inner)]
    return found


def get(value: Any, place: tuple[str | int, ...]) -> Any:
    for part in place:
        value = value[part]
    return value


def put(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    """Return a copy with another value in a place, or without it."""
    if not place:
        return None if new is DELETED else new
    head, *rest = place
    items: list[tuple[Any, Any]] = list(
        cast("Mapping[str, Any]", value).items() if isinstance(value, dict) else enumerate(cast("list[Any]", value))
    )
    kept = [
        (key, put(inner, tuple(rest), new) if key == head else inner)
        for key, inner in items
        if not (key == head and not rest and new is DELETED)
    ]
    return dict(kept) if isinstance(value, dict) else [inner for _, inner in kept]
