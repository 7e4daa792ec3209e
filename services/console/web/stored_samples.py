"""The files of one sample, read wherever this process finds the evidence: a folder, or a bucket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.console.run_location import find_run
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.files.flow import parse_flow_file
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, Unreadable, read_file
from shared.evidence_view.playback_facts import source_of
from shared.evidence_view.sample_details import detail_of
from shared.evidence_view.sample_facts import SampleFacts, SampleFiles
from shared.recordings.log_files import read_log
from shared.settings import Settings

MOST_BYTES = 256_000_000


@dataclass(frozen=True)
class StoredSample:
    """``facts``: made of its files. ``flows``: sources of the flow that did it, by the hash of its version."""

    facts: SampleFacts
    flows: Mapping[str, str]


def read_sample(settings: Settings, run_id: str, sample_id: str, task: TaskFacts) -> StoredSample | None:
    """Return a sample as its files tell; None where there are none."""
    place = _place(settings, run_id, sample_id)
    if place is None:
        return None
    try:
        with open_source(settings, place) as source:
            names = set(source.list_files().files)

            def read(path: str) -> bytes | None:
                name = path.removeprefix(f"{sample_id}/")
                if name not in names:
                    return None
                try:
                    return read_file(source, name, MOST_BYTES)
                except Unreadable:
                    return None

            if not names & {layout.SAMPLE, layout.RESULT}:
                return None
            log = read_log(read, [f"{sample_id}/{name}" for name in names], sample_id)
            files = SampleFiles(sample_id, read(layout.SAMPLE), read(layout.RESULT), log)
            facts = SampleFacts(task, files)
            return StoredSample(facts, _flows(detail_of(facts).get("flow"), read))
    except NoRun:
        return None


def _flows(flow: Mapping[str, Any] | None, read: Any) -> dict[str, str]:
    data = read(flow["file"]) if flow is not None and "file" in flow else None
    source = None if flow is None or data is None else source_of(parse_flow_file(data), flow["hash"])
    return {} if flow is None or source is None else {flow["hash"]: source}


def read_one(settings: Settings, run_id: str, sample_id: str, name: str) -> bytes | None:
    """Return a file of a sample; None where there is none."""
    place = _place(settings, run_id, sample_id)
    if place is None:
        return None
    try:
        with open_source(settings, place) as source:
            if name not in source.list_files().files:
                return None
            return read_file(source, name, MOST_BYTES)
    except (NoRun, Unreadable):
        return None


def _place(settings: Settings, run_id: str, sample_id: str) -> Path | str | None:
    """Return the folder or address of a sample; None for a name that is none, and for a link."""
    if not layout.is_safe(run_id) or not layout.is_safe(sample_id):
        return None
    try:
        run = find_run(settings, run_id)
    except PermanentError:
        return None
    if isinstance(run, str):
        return f"{run}/{sample_id}"
    folder = run / sample_id
    return None if run.is_symlink() or folder.is_symlink() or not folder.is_dir() else folder
