"""Recorded samples of a flow, small enough to be kept by the dozen."""

from __future__ import annotations

from shared.recordings.packing import PackedRecordings, pack_recordings
from shared.recordings.recording import Recording

SPEC = {"task_id": "a_task", "goal": "Read it.", "output_schema": {"status": "string"}}


def recorded(*sample_ids: str) -> list[Recording]:
    return [Recording("run_1", one, {"sample_id": one, "number": one}, ()) for one in sample_ids]


def packed(*sample_ids: str) -> PackedRecordings:
    """The first one was compiled from, the others were held out."""
    return pack_recordings(SPEC, recorded(*sample_ids), sample_ids[:1])
