"""Errors by their codes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from shared.errors import ExhibitError

ErrorT = TypeVar("ErrorT", bound=ExhibitError)


@contextmanager
def raises_code(kind: type[ErrorT], code: str, match: str | None = None) -> Generator[pytest.ExceptionInfo[ErrorT]]:
    """As `pytest.raises`, for an error with this code."""
    with pytest.raises(kind, match=match) as caught:
        yield caught
    assert caught.value.code == code
