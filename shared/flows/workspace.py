"""A flow as a folder: source, data, and the samples that it was compiled from and is checked against.

workspace/flow.py, workspace/*.json, data/*.json     see `shared.flows.files`
samples/<sample>.json.zst                            recorded steps and pages of one sample
samples/samples.json                                 the spec, and which samples it was compiled from or held out
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from shared.contracts.workflows.samples import SampleSet
from shared.flows.files import SOURCE_FILE, VARIABLES_FILE
from shared.recordings.packing import MAX_PACKED_BYTES, PackedRecordings, checked_recording, unpack_recording
from shared.recordings.recording import Recording

SAMPLES_FOLDER = "samples"
SAMPLE_SUFFIX = ".json.zst"
SET_FILE = "samples.json"
MAX_FILE_BYTES = 1024**2
MAX_SET_FILE_BYTES = 16 * 1024**2


def write_workspace(
    folder: Path,
    source: str,
    files: Mapping[str, str],
    *,
    variables: Mapping[str, Any] | None = None,
    samples: PackedRecordings | None = None,
) -> None:
    """Write the folder; each file is replaced at once or not at all. Other files of the folder are left.

    ``variables``: an example of data/variables.json, written where there is none yet. Raises OSError.
    """
    texts = {SOURCE_FILE: source, **files}
    for name, text in texts.items():
        _write(folder / name, text.encode())
    if variables is not None and not (folder / VARIABLES_FILE).exists():
        data = msgspec.json.format(msgspec.json.encode(variables), indent=1)
        _write(folder / VARIABLES_FILE, data + b"\n")
    if samples is not None:
        for one in samples.samples.samples:
            _write(folder / SAMPLES_FOLDER / sample_file(one.sample_id), samples.data[one.sha256])
        # After the samples that it names.
        data = msgspec.json.format(msgspec.json.encode(samples.samples), indent=1)
        _write(folder / SAMPLES_FOLDER / SET_FILE, data + b"\n")


def read_workspace(folder: Path) -> tuple[str, dict[str, str]]:
    """Return the source and the data files of a flow's folder. Raises OSError and ValueError."""
    source = _read_text(folder / SOURCE_FILE)
    files: dict[str, str] = {}
    for part in ("workspace", "data"):
        for path in sorted((folder / part).glob("*.json")):
            name = f"{part}/{path.name}"
            if name not in (VARIABLES_FILE, "data/structured_outputs.json"):
                files[name] = _read_text(path)
    return source, files


def read_samples(folder: Path) -> list[Recording]:
    """Return the recorded samples of a flow's folder. Raises OSError and ValueError."""
    return [unpack_recording(path.read_bytes()) for path in sorted((folder / SAMPLES_FOLDER).glob(f"*{SAMPLE_SUFFIX}"))]


def read_sample_set(folder: Path) -> tuple[SampleSet, list[Recording]] | None:
    """Return what a flow's folder says of its samples, with the samples; None where it says nothing.

    Raises OSError and ValueError.
    """
    path = folder / SAMPLES_FOLDER / SET_FILE
    if not path.exists():
        return None
    try:
        told = msgspec.json.decode(_read_bytes(path, MAX_SET_FILE_BYTES), type=SampleSet)
    except msgspec.DecodeError as exc:
        raise ValueError(f"{path}: {exc}") from exc
    places = [folder / SAMPLES_FOLDER / sample_file(one.sample_id) for one in told.samples]
    return told, [
        checked_recording(one, _read_bytes(place, MAX_PACKED_BYTES))
        for one, place in zip(told.samples, places, strict=True)
    ]


def sample_file(sample_id: str) -> str:
    """Return the file name of a sample; ids that are no file names are told apart by their hash."""
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", sample_id)[:60].strip("-")
    return f"{safe}-{hashlib.sha256(sample_id.encode()).hexdigest()[:8]}{SAMPLE_SUFFIX}"


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f".{path.name}.new")
    written.write_bytes(data)
    os.replace(written, path)  # noqa: PTH105  atomic on one file system


def _read_text(path: Path) -> str:
    return _read_bytes(path, MAX_FILE_BYTES).decode()


def _read_bytes(path: Path, most_bytes: int) -> bytes:
    if path.stat().st_size > most_bytes:
        raise ValueError(f"{path} has more than {most_bytes} bytes")
    return path.read_bytes()
