"""How far the pages of a run have moved away from its flow, read from the evidence that this process finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.console.run_location import find_run
from services.console.web.library.heal_pictures import PicturePart, heal_found, picture_now, picture_then
from shared.contracts.workflows.library import WorkflowShown
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, Unreadable
from shared.flows.files import parse_files
from shared.flows.healing.drift import DriftedSubject, drift_of, most_used
from shared.flows.healing.proposals import HealProposal, Heals, propose_heal
from shared.flows.healing.publishing import heals_of_samples
from shared.recordings.from_run import RunRecordings, read_recordings
from shared.recordings.recording import Recording
from shared.settings import Settings

MOST_SAMPLES = 5000
"""Of a run whose drift is shown. Of more, the command tells it."""
MOST_KEPT = 2
"""Of the samples that a version was made from, those that are looked at besides the sample itself."""
MOST_PICTURES = 12
"""Of subjects, the most of which pictures are shown."""


class DriftUnknown(Exception):
    """The drift of a run is not told; the message says why."""


class NoFlowUsed(DriftUnknown):
    """No sample of the run that is done used the flow: there is nothing to tell."""


@dataclass(frozen=True)
class RunDrift:
    """What the samples of a run found in another way than ``name``, version ``hash``, was recorded."""

    name: str
    hash: str
    recordings: RunRecordings
    heals: Heals
    subjects: tuple[DriftedSubject, ...]

    @property
    def healed(self) -> int:
        """How many samples found something in another way."""
        return sum(any(found) for found in self.heals.values())

    def proposal(self, shown: WorkflowShown) -> HealProposal | None:
        """Return what these samples call for to be changed in the version that they used; None: nothing."""
        return propose_heal(shown.source, parse_files(shown.files), self.heals)


@dataclass(frozen=True)
class SeenChange:
    """A subject with its pictures; None: none was kept. ``first``: of the samples that found it, the first one."""

    subject: DriftedSubject
    first: str
    then: PicturePart | None
    now: PicturePart | None


def read_drift(settings: Settings, run_id: str, flow: str = "", hash: str = "") -> RunDrift:
    """Return the drift of a run from the flow that is named, or that most samples used. ``hash``: of this version.

    Raises:
        NoFlowUsed: no sample that is done used such a flow.
        DriftUnknown: the run is not here, or has too many samples.
    """
    recorded = _read(settings, run_id)
    used = (flow, hash) if flow and hash else most_used(recorded.samples, flow)
    if used is None:
        raise NoFlowUsed(f"No sample of this run that is done used {f'the flow {flow}' if flow else 'a flow'}.")
    heals = heals_of_samples(recorded.samples, *used)
    return RunDrift(*used, recorded, heals, drift_of(heals))


def seen_changes(settings: Settings, drift: RunDrift, shown: WorkflowShown, kept: Sequence[str]) -> list[SeenChange]:
    """Return the subjects of a drift with their pictures, now and as they were recorded.

    Args:
        settings: where the evidence is.
        drift: of the run.
        shown: the version that it used.
        kept: ids of samples that are kept with it, best first.
    """
    files = parse_files(shown.files)
    found = [
        (subject, *one)
        for subject in drift.subjects
        if (one := heal_found(drift.recordings.samples, subject.kind, subject.subject)) is not None
    ]
    before: dict[str, Recording] = {}
    if found and shown.workflow.source_run:
        wanted = [*(sample.sample_id for _, sample, _, _ in found[:MOST_PICTURES]), *kept[:MOST_KEPT]]
        before = _recorded(settings, shown.workflow.source_run, wanted)
    seen: list[SeenChange] = []
    for at, (subject, sample, step, heal) in enumerate(found):
        now = picture_now(sample, step, heal) if at < MOST_PICTURES else None
        own = [before[one] for one in (sample.sample_id, *kept[:MOST_KEPT]) if one in before]
        then = picture_then(own, heal, files) if now is not None and subject.kind != "popup" else None
        seen.append(SeenChange(subject, sample.sample_id, then, now))
    return seen


def _recorded(settings: Settings, run_id: str, sample_ids: Sequence[str]) -> dict[str, Recording]:
    """Return samples of the run that a version was made from, by their ids; none where the run is not here."""
    try:
        return {one.sample_id: one for one in _read(settings, run_id, sample_ids).samples}
    except DriftUnknown:
        return {}


def _read(settings: Settings, run_id: str, sample_ids: Sequence[str] = ()) -> RunRecordings:
    if not layout.is_safe(run_id):
        raise DriftUnknown("There is no such run.")
    try:
        with open_source(settings, find_run(settings, run_id)) as source:
            results = sum(path.endswith(f"/{layout.RESULT}") for path in source.list_files().files)
            if not sample_ids and results > MOST_SAMPLES:
                command = f"`exhibit flows drift {run_id}` tells it."
                raise DriftUnknown(f"The run has {results} samples, too many for a page. {command}")
            return read_recordings(source, sample_ids, with_pages=False)
    except (NoRun, Unreadable, PermanentError) as exc:
        raise DriftUnknown(f"The files of the run {run_id} cannot be read here: {exc}") from exc
