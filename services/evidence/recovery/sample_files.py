"""The JSON files of a sample as they are in the store: what all facts of it are made of."""

from __future__ import annotations

import msgspec

from services.evidence.ingest.step_files import read_merged_log
from services.evidence.ports import Store
from shared.evidence_format import layout


class SampleFiles(msgspec.Struct, frozen=True):
    """Their bytes; None for a file that is not there. ``log``: the steps of the latest attempt, as action_log.json has
    them."""

    sample_id: str
    sample: bytes | None = None
    result: bytes | None = None
    log: bytes | None = None


async def read_sample_files(store: Store, run_id: str, sample_id: str) -> SampleFiles:
    """Return the files of a sample that has ended, or of one without a result, but for the steps of an attempt at
    work: see `read_sample_files_now`."""
    names = (layout.SAMPLE, layout.RESULT, layout.ACTION_LOG)
    sample, result, log = [await store.read(layout.sample_key(run_id, sample_id, name)) for name in names]
    return SampleFiles(sample_id, sample, result, log)


async def read_sample_files_now(store: Store, run_id: str, sample_id: str) -> SampleFiles:
    """Return the files of a sample that may be worked on now. Raises one of `chain.NOT_JSON` where a log that is
    written in part cannot be read."""
    folder = layout.sample_key(run_id, sample_id)
    sample, result = [await store.read(f"{folder}/{name}") for name in (layout.SAMPLE, layout.RESULT)]
    return SampleFiles(sample_id, sample, result, await read_merged_log(store, folder))
