"""The facts of a run that its outputs are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from services.evidence.facts.sample_facts import SampleFacts
from services.evidence.recovery.sample_files import SampleFiles
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.facts import TaskFacts


@dataclass(frozen=True)
class RunFacts:
    """A run whose outputs are made. ``finished`` lacks what is known only after all outputs are written: the seal."""

    record: RunRecord
    finished: RunFinished
    input_columns: tuple[str, ...]
    """All columns that the samples came with, in the order of the input."""
    discovery: SampleFiles | None = None
    """Files of the search for samples, in runs that find their samples by navigating. It is not a sample itself."""

    @cached_property
    def task(self) -> TaskFacts:
        return TaskFacts.of(self.record.spec)

    def facts_of(self, files: SampleFiles) -> SampleFacts:
        return SampleFacts(self.task, files)

    @cached_property
    def discovery_facts(self) -> SampleFacts | None:
        return self.facts_of(self.discovery) if self.discovery is not None else None
