"""Reads the files of one sample, and what its run says of the task, from a folder, a zip or a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import msgspec

from services.console.text.sample_story import AttemptStory, SampleStory, attempt_of, story_of
from shared.errors import PermanentError
from shared.evidence_format import chain, layout
from shared.evidence_format.facts import ResultFacts, TaskFacts
from shared.evidence_format.files.refused import RefusedEvent
from shared.evidence_format.files.run import RunFile, parse_run_file
from shared.evidence_format.files.sample import LostResult, ResultFile, SampleFile, parse_result
from shared.evidence_format.log_codec import LogEntry, parse_log
from shared.evidence_format.sources.source import RunSource, Unreadable, read_file
from shared.recordings.log_files import read_log
from shared.telemetry.trace_ids import sample_trace_id
from shared.text.names import DISCOVERY, safe_id
from shared.text.normal import quoted

MOST_BYTES = 64_000_000
MOST_NAMES = 5


@dataclass
class SampleReader:
    """Reads from an open source. ``problems``: files that are there and cannot be read."""

    source: RunSource
    names: frozenset[str]
    problems: list[str] = field(default_factory=list[str])

    def read(self, path: str) -> bytes | None:
        if path not in self.names:
            return None
        try:
            return read_file(self.source, path, MOST_BYTES)
        except Unreadable as exc:
            self.problems.append(f"{path}: {exc}")
            return None

    def log(self, folder: str) -> list[LogEntry]:
        """Return the steps below a folder, also of an attempt that is still at work."""
        try:
            data = read_log(self.read, self.names, folder)
            return [] if data is None else parse_log(data)
        except chain.NOT_JSON as exc:
            self.problems.append(f"{folder}/{layout.ACTION_LOG}: {type(exc).__name__}: it is no step log")
            return []

    def result(self, folder: str) -> ResultFile | LostResult | None:
        path = f"{folder}/{layout.RESULT}"
        data = self.read(path)
        try:
            return None if data is None else parse_result(data)
        except chain.NOT_JSON as exc:
            self.problems.append(f"{path}: {type(exc).__name__}: it is no result")
            return LostResult.of("result_unreadable", f"{layout.RESULT} is damaged")

    def sample(self, folder: str) -> SampleFile | None:
        path = f"{folder}/{layout.SAMPLE}"
        data = self.read(path)
        try:
            return None if data is None else msgspec.json.decode(data, type=SampleFile)
        except chain.NOT_JSON as exc:
            self.problems.append(f"{path}: {type(exc).__name__}: it is no sample")
            return None

    def run(self) -> RunFile:
        data = self.read(layout.RUN)
        if data is None:
            raise PermanentError(f"there is no run in {self.source.place}: it has no {layout.RUN}", code="no_run")
        try:
            return parse_run_file(data)
        except chain.NOT_JSON as exc:
            raise PermanentError(f"{layout.RUN} in {self.source.place} is damaged", code="run_unreadable") from exc


def read_story(source: RunSource, named: str, refused: Sequence[RefusedEvent] = ()) -> SampleStory:
    """Return the story of a sample, which is named by its id or its key.

    Raises PermanentError when there is no such run or sample, `NoRun` when there is nothing to read from.
    """
    reader = SampleReader(source, frozenset(source.list_files().files))
    run = reader.run()
    folder = find_sample(reader.names, named)
    spec = run.record.discovery_spec if folder == DISCOVERY else run.record.spec
    facts = ResultFacts(TaskFacts.of(spec or {}), folder, reader.sample(folder), reader.result(folder))
    return story_of(
        run.record.run_id,
        sample_trace_id(run.record.run_id, folder),
        facts,
        reader.log(folder),
        tuple(_earlier(reader, folder)),
        [one for one in refused if one.sample_id == folder],
        reader.problems,
    )


def _earlier(reader: SampleReader, folder: str) -> Iterator[AttemptStory]:
    below = {name.removeprefix(f"{folder}/").split("/")[0] for name in reader.names if name.startswith(f"{folder}/")}
    for number in sorted(layout.attempts_put_aside(below)):
        place = f"{folder}/{layout.attempt_folder(number)}"
        result = reader.result(place)
        yield attempt_of(number, result if isinstance(result, ResultFile) else None, reader.log(place))


def find_sample(names: frozenset[str], named: str) -> str:
    """Return the folder of a sample. Raises PermanentError, which names others like it."""
    marks = (layout.SAMPLE, layout.RESULT, layout.ACTION_LOG)
    folders = {name.split("/")[0] for name in names if name.count("/") == 1 and name.split("/")[1] in marks}
    for folder in (named, safe_id(named), safe_id(named, hashed=True)):
        if folder in folders:
            return folder
    folders.discard(DISCOVERY)
    like = get_close_matches(named, sorted(folders), MOST_NAMES, 0.5) or sorted(folders)[:MOST_NAMES]
    others = f"; there are {len(folders)}, such as {', '.join(like)}" if like else ""
    raise PermanentError(f"there is no sample {quoted(named)} in the run{others}", code="no_run")
