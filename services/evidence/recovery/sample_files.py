"""Reads the JSON files of a sample, from which all its facts are made."""

from __future__ import annotations

import msgspec

from services.evidence.ingest.step_files import read_merged_log
from services.evidence.ports import Store
from shared.evidence_format import layout


class SampleFiles(msgspec.Struct, frozen=True):
    """The bytes of a sample's files; None for a missing file. ``log``: the steps of the latest attempt, as
    action_log.json has them."""

    sample_id: str
    sample: bytes | None = None
    result: bytes | None = None
    log: bytes | None = None


async def read_sample_files(store: Store, run_id: str, sample_id: str) -> SampleFiles:
    """Read the files of a sample on which no attempt is at work."""
    names = (layout.SAMPLE, layout.RESULT, layout.ACTION_LOG)
    sample, result, log = [await store.read(layout.sample_key(run_id, sample_id, name)) for name in names]
    return SampleFiles(sample_id, sample, result, log)


async def read_open_sample_files(store: Store, run_id: str, sample_id: str) -> SampleFiles:
    """Read the files of a sample on which an attempt may be at work, with its step files. Raises one of
    `chain.NOT_JSON` if a partly written log is corrupt."""
    folder = layout.sample_key(run_id, sample_id)
    sample, result = [await store.read(f"{folder}/{name}") for name in (layout.SAMPLE, layout.RESULT)]
    return SampleFiles(sample_id, sample, result, await read_merged_log(store, folder))
