"""What is made of a run once every sample of it is accounted for: tables, a report. Protocols and data, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from services.evidence.facts.run_facts import RunFacts
from services.evidence.facts.sample_facts import SampleFacts


@dataclass(frozen=True)
class Made:
    """A file for the run's folder: ``name`` may have folders in it; ``path`` lies in the folder that was given."""

    name: str
    path: Path


OpenFile = Callable[[str], bytes | None]


class Product(Protocol):
    """Calls come one at a time, from a thread that may block: all `add`, in row order, then `finish`. ``open_file`` is
    read only during `add`: the bytes of a file of this sample (``01_ticket.png``), or None."""

    @property
    def makes(self) -> str:
        """The names of its files, for people."""
        ...

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None: ...

    def finish(self) -> Iterable[Made]: ...

    def close(self) -> None:
        """Called at the end, whatever happened; calling it twice is no error."""
        ...


MakeProduct = Callable[[RunFacts, Path], Product]
"""``Path`` is an empty folder of the product's own, removed afterwards. Memory stays flat over 10,000 samples: what
grows with them goes there."""
