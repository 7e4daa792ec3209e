"""The storages under test, each with a way to open it a second time, as another process would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from services.workflows.library.library import Library
from services.workflows.library.storage.library_folder import FolderStorage
from services.workflows.ports import Indexed, WorkflowStorage
from shared.contracts.workflows.library import WorkflowShown

GREET = '''def run(name: str = "World") -> str:
    """Return a greeting.

    Args:
        name: who is greeted

    Returns:
        The greeting.
    """
    return f"Hello, {name}!"
'''
GREET_LOUDLY = GREET.replace("Hello", "HELLO")


@dataclass
class OpenStorage:
    """A storage, and how another process opens the same one."""

    storage: WorkflowStorage
    open_again: Callable[[], WorkflowStorage]


class NoIndex:
    """An index of words: enough to see what is in it."""

    def __init__(self) -> None:
        self.held: dict[str, Indexed] = {}
        self.updates = 0

    def update(self, current: Sequence[Indexed]) -> None:
        self.updates += 1
        self.held = {one.name: one for one in current}

    def add(self, one: Indexed) -> None:
        self.held[one.name] = one

    def remove(self, name: str) -> None:
        del self.held[name]

    def search(self, query: str, limit: int, threshold: float | None = None) -> Sequence[tuple[str, float]]:
        found = [name for name, one in sorted(self.held.items()) if query in one.description or query in one.code]
        return [(name, 1.0) for name in found][:limit]

    def close(self) -> None: ...


def open_library(storage: WorkflowStorage) -> Library:
    return Library(storage, NoIndex)


def folder_library(folder: Path) -> Library:
    return open_library(FolderStorage(folder))


async def shown(library: Library, name: str, hash: str = "") -> WorkflowShown:
    reply = await library.get(name, hash)
    assert isinstance(reply, WorkflowShown)
    return reply


def unique(name: str) -> str:
    """Return a name that no other test of this bus uses."""
    return f"{name}_{uuid4().hex[:8]}"
