"""A table of cases in one test: it names every case that fails, and is collected and reported once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest

LONGEST_NAME = 300


def cases(names: str | Sequence[str], table: Collection[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test of pure functions with each row of a table; its fixtures are the same for all rows."""
    keys = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    rows = [dict(zip(keys, row if len(keys) > 1 else (row,), strict=True)) for row in table]
    if not rows:
        raise ValueError("a table without cases")

    def of_all(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            failed: list[Exception] = []
            for row in rows:
                try:
                    test(**row, **fixtures)
                except (Exception, pytest.fail.Exception) as problem:  # noqa: BLE001  # raised again with all others
                    failure = problem if isinstance(problem, Exception) else AssertionError(str(problem))
                    failure.add_note(f"case: {row}"[:LONGEST_NAME])
                    failed.append(failure)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(rows)} cases failed", failed)

        whole = inspect.signature(test)
        fixtures = [one for name, one in whole.parameters.items() if name not in keys]
        run.__signature__ = whole.replace(parameters=fixtures)  # type: ignore[attr-defined]  # what pytest asks for
        return run

    return of_all
