"""What is made of a run once every sample of it is accounted for: tables, a report. Protocols and data, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from services.evidence.outputs.sample_facts import SampleFacts
from services.evidence.outputs.sample_files import SampleFiles
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.task_facts import TaskFacts


@dataclass(frozen=True)
class Closing:
    """The run that is closed. ``finished`` lacks what is only known once all products lie there: its seal."""

    record: RunRecord
    finished: RunFinished
    input_columns: tuple[str, ...]
    """All columns that the samples came with, in the order of the input."""
    discovery: SampleFiles | None = None
    """How the samples were found, where they were found by navigating; it is none of them."""

    @cached_property
    def task(self) -> TaskFacts:
        return TaskFacts.of(self.record.spec)

    def facts_of(self, files: SampleFiles) -> SampleFacts:
        return SampleFacts(self.task, files)

    @cached_property
    def discovery_facts(self) -> SampleFacts | None:
        return self.facts_of(self.discovery) if self.discovery is not None else None


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


MakeProduct = Callable[[Closing, Path], Product]
"""``Path`` is an empty folder of the product's own, removed afterwards. Memory stays flat over 10,000 samples: what
grows with them goes there."""
