"""The protocol of a product: an output that is made of a complete run, such as its tables or its report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from services.evidence.facts.run_facts import RunFacts
from services.evidence.facts.sample_facts import SampleFacts


@dataclass(frozen=True)
class OutputFile:
    """A file for the run's folder. ``name``: its path there. ``path``: where it is now, in the product's own folder."""

    name: str
    path: Path


OpenFile = Callable[[str], bytes | None]
"""Reads a file of a sample by its name (``01_ticket.png``); None without it."""


class Product(Protocol):
    """Calls come one at a time, from a thread that may block: `add` for each sample in row order, then `finish`.
    ``open_file`` is valid only during `add`."""

    @property
    def makes(self) -> str:
        """The names of its files, for messages."""
        ...

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None: ...

    def finish(self) -> Iterable[OutputFile]: ...

    def close(self) -> None:
        """Free all resources, also after an error. Idempotent."""
        ...


MakeProduct = Callable[[RunFacts, Path], Product]
"""Makes a product with an empty folder of its own, which is removed afterwards. Data that grows with the number of
samples goes to that folder, not into memory."""
