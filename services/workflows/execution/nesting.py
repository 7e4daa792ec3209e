"""Whether an invocation was made by workflow code that waits for it.

Executors run a bounded number of invocations at a time. One that is nested does not wait for a place: its caller holds
one, and would hold it for ever. A host that answers a call must therefore invoke in the task that it was called in, or
in one that this task started.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_nested: ContextVar[bool] = ContextVar("nested", default=False)


def is_nested() -> bool:
    return _nested.get()


@contextmanager
def nested_calls() -> Generator[None]:
    """Whatever is called in the block is called by workflow code."""
    token = _nested.set(True)
    try:
        yield
    finally:
        _nested.reset(token)
