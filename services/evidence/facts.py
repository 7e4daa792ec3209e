"""The facts of a run whose outputs are made. Those of its samples are in `shared.evidence_view.sample_facts`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.files.manifest import FileEntry, SampleLink
from shared.evidence_format.review.reviewed import RunReview
from shared.evidence_view.sample_facts import SampleFacts, SampleFiles


@dataclass(frozen=True)
class RoundBefore:
    """An archived round: its folder, what it has sealed of the run itself, by the path that it had then, and the
    samples that it has sealed."""

    folder: str
    files: Mapping[str, FileEntry]
    samples: tuple[SampleLink, ...]


@dataclass(frozen=True)
class RunFacts:
    """A run whose outputs are made. ``finished`` lacks what is known only after all outputs are written: the seal."""

    record: RunRecord
    finished: RunFinished
    input_columns: tuple[str, ...]
    """All columns that the samples came with, in the order of the input."""
    discovery: SampleFiles | None = None
    """Files of the search for samples, in runs that find their samples by navigating. It is not a sample itself."""
    register: str = ""
    """Path of the register on this machine; empty if there is none, or if it is not there any more."""
    reconciliation: str = ""
    """Path on this machine where the comparison is once the product that makes it has finished; empty without one."""
    review: RunReview | None = None
    """None until it is signed off."""
    before: dict[str, str] = field(default_factory=dict[str, str])
    """Where nothing but the review has changed since the last sealed round: what that round has made, as paths on this
    machine by name. Else empty."""

    @cached_property
    def task(self) -> TaskFacts:
        return TaskFacts.of(self.record.spec, reviewed=self.review is not None)

    def facts_of(self, files: SampleFiles) -> SampleFacts:
        return SampleFacts(self.task, files, self.review)

    @cached_property
    def discovery_facts(self) -> SampleFacts | None:
        return self.facts_of(self.discovery) if self.discovery is not None else None
