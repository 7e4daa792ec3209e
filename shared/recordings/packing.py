"""Recordings that are kept with a flow: packed, limited, and which of them it was compiled from. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from shared.contracts.workflows.samples import KeptSample, SampleSet
from shared.recordings.recording import Recording
from shared.zstd import pack_zstd, unpack_zstd

MAX_SAMPLES = 50
"""Of a version."""
MAX_PACKED_BYTES = 16 * 1024**2
"""Of one sample, packed."""
MAX_SET_BYTES = 128 * 1024**2
"""Of all samples of a version, packed."""
MAX_UNPACKED_BYTES = 256 * 1024**2
"""Of one sample."""
MAX_SPEC_BYTES = 400_000
MAX_ID_CHARS = 500
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Made here: what msgspec knows of a class is not to be made by two threads at once, which ends the process.
_RECORDING = msgspec.json.Decoder(Recording)


def pack_recording(sample: Recording) -> bytes:
    return pack_zstd(msgspec.json.encode(sample), level=6)


def unpack_recording(data: bytes) -> Recording:
    """Raises ValueError for what is no sample."""
    try:
        return _RECORDING.decode(unpack_zstd(data, MAX_UNPACKED_BYTES))
    except (ValueError, RecursionError) as exc:
        raise ValueError(f"this is no recorded sample: {exc}") from exc


@dataclass(frozen=True)
class PackedRecordings:
    """``data``: the bytes of each sample by their SHA-256. ``left_out``: ids of samples beyond the limits."""

    samples: SampleSet
    data: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()


def pack_recordings(
    spec: Mapping[str, Any], samples: Sequence[Recording], compiled_from: Collection[str]
) -> PackedRecordings:
    """Return all of the samples as a set, in their order."""
    kept: list[KeptSample] = []
    data: dict[str, bytes] = {}
    for sample in samples:
        packed = pack_recording(sample)
        sha256 = hashlib.sha256(packed).hexdigest()
        use = "compiled_from" if sample.sample_id in compiled_from else "held_out"
        data[sha256] = packed
        kept.append(KeptSample(sample_id=sample.sample_id, use=use, sha256=sha256, size_bytes=len(packed)))
    return PackedRecordings(SampleSet(spec=dict(spec), samples=tuple(kept)), data)


def within_limits(
    packed: PackedRecordings, most: int = MAX_SAMPLES, most_bytes: int = MAX_SET_BYTES, largest: int = MAX_PACKED_BYTES
) -> PackedRecordings:
    """Return the samples that a library keeps: those that the flow was compiled from first, then the held-out ones."""
    chosen: set[str] = set()
    left_bytes = most_bytes
    for one in sorted(packed.samples.samples, key=lambda one: one.use != "compiled_from"):
        if len(chosen) < most and one.size_bytes <= min(left_bytes, largest):
            chosen.add(one.sample_id)
            left_bytes -= one.size_bytes
    kept = tuple(one for one in packed.samples.samples if one.sample_id in chosen)
    left_out = tuple(one.sample_id for one in packed.samples.samples if one.sample_id not in chosen)
    data = {one.sha256: packed.data[one.sha256] for one in kept}
    return PackedRecordings(SampleSet(spec=packed.samples.spec, samples=kept), data, left_out)


def sample_set_problems(given: SampleSet) -> Iterator[str]:
    """Yield why a library does not keep this set, before any sample is read."""
    if not given.samples:
        yield "there is no sample in it"
    if len(given.samples) > MAX_SAMPLES:
        yield f"there are {len(given.samples)} samples, at most {MAX_SAMPLES}"
        return
    if len(msgspec.json.encode(given.spec)) > MAX_SPEC_BYTES:
        yield f"the spec has more than {MAX_SPEC_BYTES:,} bytes"
    if (total := sum(one.size_bytes for one in given.samples)) > MAX_SET_BYTES:
        yield f"the samples have {total:,} bytes together, at most {MAX_SET_BYTES:,}"
    seen: set[str] = set()
    for one in given.samples:
        name = repr(one.sample_id[:MAX_ID_CHARS])
        if one.sample_id in seen:
            yield f"the sample {name} is there twice"
        seen.add(one.sample_id)
        if not one.sample_id or len(one.sample_id) > MAX_ID_CHARS:
            yield f"the id of a sample has 1 to {MAX_ID_CHARS} characters: {name}"
        if not _SHA256.fullmatch(one.sha256):
            yield f"the sample {name} has no SHA-256 in hex"
        if not 0 < one.size_bytes <= MAX_PACKED_BYTES:
            yield f"the sample {name} has {one.size_bytes:,} bytes, at most {MAX_PACKED_BYTES:,}"


def checked_recording(one: KeptSample, data: bytes) -> Recording:
    """Return the sample. Raises ValueError where the bytes are not those of this sample, or no sample at all."""
    if len(data) != one.size_bytes or hashlib.sha256(data).hexdigest() != one.sha256:
        raise ValueError(f"the bytes of the sample {one.sample_id!r} are not those that were kept")
    try:
        sample = unpack_recording(data)
    except ValueError as exc:
        raise ValueError(f"the sample {one.sample_id!r}: {exc}") from exc
    if sample.sample_id != one.sample_id:
        raise ValueError(f"the sample {one.sample_id!r} says that it is {sample.sample_id!r}")
    return sample
