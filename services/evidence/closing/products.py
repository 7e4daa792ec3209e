"""What is made of a run once every sample of it is accounted for: tables, a report. Protocols and data, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished


@dataclass(frozen=True)
class Dossier:
    """All that a sample's folder says, as in its files: sample.json, result.json and action_log.json."""

    sample: Mapping[str, Any]
    result: Mapping[str, Any]
    log: Sequence[Mapping[str, Any]]

    @property
    def sample_id(self) -> str:
        return str(self.sample["sample_id"])


@dataclass(frozen=True)
class Closing:
    """The run that is closed. ``finished`` lacks what is only known once all products lie there: its seal."""

    record: RunRecord
    finished: RunFinished
    input_columns: tuple[str, ...]
    """All columns that the samples came with, in the order of the input."""
    discovery: Dossier | None = None
    """How the samples were found, where they were found by navigating; it is none of them."""

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(self.record.spec["output_schema"])


@dataclass(frozen=True)
class Made:
    """A file for the run's folder: ``name`` may have folders in it; ``path`` lies in the folder that was given."""

    name: str
    path: Path


class Product(Protocol):
    """Calls come one at a time, from a thread that may block: all `add`, in row order, then `finish`. ``open_file`` is
    read only during `add`: the bytes of a file of this sample (``01_ticket.png``), or None."""

    @property
    def makes(self) -> str:
        """The names of its files, for people."""
        ...

    def add(self, dossier: Dossier, open_file: Callable[[str], bytes | None]) -> None: ...

    def finish(self) -> Iterable[Made]: ...

    def close(self) -> None:
        """Called at the end, whatever happened; calling it twice is no error."""
        ...


MakeProduct = Callable[[Closing, Path], Product]
"""``Path`` is an empty folder of the product's own, removed afterwards. Memory stays flat over 10,000 samples: what
grows with them goes there."""
