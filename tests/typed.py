"""Narrow a value to the type that a test expects of it."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def expect(value: object, kind: type[T]) -> T:
    """Return the value; fail the test when it is of another type."""
    assert isinstance(value, kind), f"expected {kind.__name__}, got {value!r}"
    return value


def there(value: T | None) -> T:
    """Return the value; fail the test when it is None."""
    assert value is not None
    return value
