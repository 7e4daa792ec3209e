"""A flow as a folder: source, data, and the samples that it was compiled from and is checked against.

workspace/flow.py, workspace/*.json, data/*.json     see `shared.flows.files`
samples/<sample>.json.zst                            recorded steps and pages of one sample
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from shared.flows.compiling.recording import RecordedSample
from shared.flows.files import SOURCE_FILE, VARIABLES_FILE

SAMPLES_FOLDER = "samples"
SAMPLE_SUFFIX = ".json.zst"
MAX_SAMPLE_BYTES = 256 * 1024**2
MAX_FILE_BYTES = 1024**2


def write_workspace(
    folder: Path,
    source: str,
    files: Mapping[str, str],
    *,
    variables: Mapping[str, Any] | None = None,
    samples: Sequence[RecordedSample] = (),
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
    for sample in samples:
        _write(folder / SAMPLES_FOLDER / sample_file(sample.sample_id), pack_sample(sample))


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


def read_samples(folder: Path) -> list[RecordedSample]:
    """Return the recorded samples of a flow's folder. Raises OSError and ValueError."""
    return [unpack_sample(path.read_bytes()) for path in sorted((folder / SAMPLES_FOLDER).glob(f"*{SAMPLE_SUFFIX}"))]


def sample_file(sample_id: str) -> str:
    """Return the file name of a sample; ids that are no file names are told apart by their hash."""
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", sample_id)[:60].strip("-")
    return f"{safe}-{hashlib.sha256(sample_id.encode()).hexdigest()[:8]}{SAMPLE_SUFFIX}"


def pack_sample(sample: RecordedSample) -> bytes:
    return zstandard.ZstdCompressor(level=6).compress(msgspec.json.encode(sample))


def unpack_sample(data: bytes) -> RecordedSample:
    """Raises ValueError for what is no sample."""
    try:
        packed = zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_SAMPLE_BYTES)
        return msgspec.json.decode(packed, type=RecordedSample)
    except (zstandard.ZstdError, msgspec.DecodeError, RecursionError) as exc:
        raise ValueError(f"this is no recorded sample: {exc}") from exc


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f".{path.name}.new")
    written.write_bytes(data)
    os.replace(written, path)  # noqa: PTH105  atomic on one file system


def _read_text(path: Path) -> str:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ValueError(f"{path} has more than {MAX_FILE_BYTES} bytes")
    return path.read_text(encoding="utf-8")
