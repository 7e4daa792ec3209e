"""Recorded samples of a flow, small enough to be kept by the dozen."""

from __future__ import annotations

from shared.flows.checking.sample_sets import PackedSamples, pack_samples
from shared.flows.compiling.recording import RecordedSample

SPEC = {"task_id": "a_task", "goal": "Read it.", "output_schema": {"status": "string"}}


def recorded(*sample_ids: str) -> list[RecordedSample]:
    return [RecordedSample("run_1", one, {"sample_id": one, "number": one}, ()) for one in sample_ids]


def packed(*sample_ids: str) -> PackedSamples:
    """The first one was compiled from, the others were held out."""
    return pack_samples(SPEC, recorded(*sample_ids), sample_ids[:1])
