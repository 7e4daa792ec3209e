"""Locks for the time of one change of what has a lock besides that of its run, or of what is in no run: decisions of a
review, tags, artifacts of the library."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from services.evidence.ports import Store
from shared.aio import run_to_its_end
from shared.evidence_format import layout
from shared.evidence_format.library import LIBRARY_ARTIFACTS

ChangeT = TypeVar("ChangeT")

REVIEW, TAGS, ARTIFACT = "review", "tags", "artifact"


def lock_name(kind: str, of: str) -> str:
    """Return the name of a lock, which no run has as its id: it has a dot. ``of``: the run, or the artifact."""
    return f"{of}.{kind}"


def locks_of(key: str) -> tuple[str, ...]:
    """Return the locks under which a key of the store is changed, for all that it may be changed by. Pure."""
    first, _, rest = key.partition("/")
    if first == layout.TAGS:
        return (lock_name(TAGS, rest.removesuffix(".json")),)
    if first == LIBRARY_ARTIFACTS:
        return (lock_name(ARTIFACT, rest.split("/")[0]),)
    return (first, lock_name(REVIEW, first)) if layout.is_review(rest) else (first,)


class ChangeLocks:
    """Lets one change at a time under a name: of this process, and of all that share the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._here: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run_alone(self, name: str, change: Callable[[], Coroutine[Any, Any, ChangeT]]) -> ChangeT:
        """Run a change under the lock, and return its result. A change that has begun is carried out whoever waits for
        it: a store goes on with what it was asked for. The lock is released after that, also where it was still being
        taken, and nobody of this process takes it before.

        Raises Unavailable (``run_held``) if another process has the lock, and what the change raises.
        """
        here = self._here.setdefault(name, asyncio.Lock())
        async with here:
            return await run_to_its_end(self._run(name, change))

    async def _run(self, name: str, change: Callable[[], Coroutine[Any, Any, ChangeT]]) -> ChangeT:
        await self._store.lock_run(name)
        try:
            return await change()
        finally:
            await self._store.unlock_run(name)
