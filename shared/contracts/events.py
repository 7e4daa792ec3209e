"""All events of a run, as one type: what whoever watches it may see."""

from __future__ import annotations

from shared.contracts.discovery import PopulationClosed, RunStarted, SampleFound, SubmissionRejected
from shared.contracts.evidence import EvidenceBlocked, RunFinished
from shared.contracts.planner import SampleFinished, SamplesListed
from shared.contracts.steps import StepTaken

RunEvent = (
    RunStarted
    | SubmissionRejected
    | SampleFound
    | PopulationClosed
    | StepTaken
    | SamplesListed
    | SampleFinished
    | RunFinished
    | EvidenceBlocked
)
