"""The contents of a sample's files: made from the messages about it, and parsed with fallbacks for damaged files. Also
the log of an attempt in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from shared.contracts.codes import REASONS
from shared.contracts.discovery import Sample, SampleFound
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FieldValue, FiledArtifact, ResponseSource, plain_note
from shared.evidence_format.files.json_files import BYTES_GONE, ArtifactProblem
from shared.evidence_format.files.sample import (
    MISMATCH,
    MISSING,
    RESULT_VERSION,
    ResultFile,
    SampleFile,
    StoredArtifact,
    StoredField,
)
from shared.evidence_format.log_codec import LogEntry
from shared.recordings.logged_rows import whole_values
from shared.tables.csv_cells import csv_line, without_formula


@dataclass
class AttemptLog:
    """What stays in memory of the steps of one attempt at one sample. The steps themselves stay in the store, because
    those of a long search are large.

    ``problems``: what is wrong with its artifacts. ``head_sha256``: hash of its latest entry, empty without a step and
    in logs that are not chained.
    """

    attempt: int
    planner_id: str = ""
    """Of its first step: nobody else takes the others. Empty without a step, and in logs of earlier versions."""
    steps: set[int] = field(default_factory=set[int])
    artifacts: list[FiledArtifact] = field(default_factory=list[FiledArtifact])
    problems: list[ArtifactProblem] = field(default_factory=list[ArtifactProblem])
    logged: set[tuple[str, str, bytes]] = field(default_factory=set[tuple[str, str, bytes]])
    """Field, state and JSON of each value that a step has logged with all its rows."""
    answered: set[tuple[tuple[str, str, bytes], ResponseSource | None]] = field(
        default_factory=set[tuple[tuple[str, str, bytes], ResponseSource | None]]
    )
    """Each logged value with its place in the response of an API; None: it came from no API."""
    head_sha256: str = ""
    ended: bool = False
    """Whether its result is written."""

    @classmethod
    def of(cls, attempt: int, entries: Iterable[LogEntry]) -> AttemptLog:
        log = cls(attempt)
        for entry in entries:
            log.add(entry)
        return log

    def add(self, entry: LogEntry) -> None:
        step = entry.step
        if not self.steps:
            self.planner_id = step.planner_id
        self.steps.add(step.step)
        self.artifacts += step.artifacts
        self.problems += entry.problems
        whole = whole_values(step)
        self.logged |= {logged_value(value) for value in whole}
        self.answered |= {(logged_value(one), one.response) for one in whole}
        self.head_sha256 = entry.sha256


def logged_value(value: FieldValue) -> tuple[str, str, bytes]:
    """Return what a value says, without where it was read: that is told more exactly once its page is stored."""
    return value.field, value.state, msgspec.json.encode(value.value, order="deterministic")


def result_file(message: SampleFinished, log: AttemptLog) -> ResultFile:
    """Return the contents of result.json. An artifact that is missing or differs from its capture fails the
    sample."""
    explained = {one.field: one for one in message.explained}
    result = ResultFile(
        version=RESULT_VERSION,
        sample_id=message.sample_id,
        key=message.sample.key,
        row=message.sample.row,
        status=message.status,
        reason=message.reason,
        message=message.message,
        fault=message.fault,
        steps=message.steps,
        llm_calls=message.usage.llm_calls,
        usage=message.usage,
        extracted={value.field: value.value for value in message.values},
        fields={value.field: StoredField.of(value, explained.get(value.field)) for value in message.values},
        artifacts=tuple(StoredArtifact.of(filed) for filed in _all_artifacts(message, log)),
        judgment=message.judgment,
        hints=message.hints,
        lessons=message.lessons,
        flagged=message.flagged,
        notes=message.notes,
        attempt=message.attempt,
        planner_id=message.planner_id or msgspec.UNSET,
        session_id=message.session_id or msgspec.UNSET,
        decided_by=message.decided_by,
        drivers=message.drivers,
        no_flow=message.no_flow,
        taken_over_by=message.taken_over_by or msgspec.UNSET,
        started_at=message.started_at,
        finished_at=message.finished_at,
    )
    return _with_problems(result, log.problems) if log.problems else result


def _with_problems(result: ResultFile, problems: Sequence[ArtifactProblem]) -> ResultFile:
    reason = MISSING if all(problem.code == BYTES_GONE for problem in problems) else MISMATCH
    return msgspec.structs.replace(
        result,
        status=REASONS[reason].status,
        reason=reason,
        fault=REASONS[reason].fault,
        message="; ".join(problem.sentence for problem in problems),
        problems=tuple(problems),
        flagged=True,
    )


def _all_artifacts(message: SampleFinished, log: AttemptLog) -> list[FiledArtifact]:
    """Artifacts of the log and of the message, by name. The message of a sample that was given up names none."""
    by_name = {filed.filename: filed for filed in (*message.artifacts, *log.artifacts)}
    return [by_name[name] for name in sorted(by_name)]


def listed_result_file(message: SampleFound, fields: Iterable[str]) -> ResultFile:
    """Return the contents of result.json for a run that only lists its samples: a sample is done once it is found.

    ``fields``: the names of the fields that the task asks for.
    """
    finished = SampleFinished(
        run_id=message.run_id,
        sample_id=message.sample_id,
        attempt=1,
        status="done",
        sample=message.sample,
        values=tuple(_listed_value(name, message) for name in fields),
        notes=(plain_note(f"listed on {message.found_on}; how it was found is in _discovery/action_log.json"),),
        started_at=message.found_at,
        finished_at=message.found_at,
    )
    return result_file(finished, AttemptLog(1))


def _listed_value(name: str, message: SampleFound) -> FieldValue:
    value = message.item.get(name)
    if value is None:
        return FieldValue(field=name, state="not_present" if name in message.item else "not_found")
    return FieldValue(field=name, state="value", value=value, shown=message.sample.fields.get(name))


def sample_file(message: SampleFound) -> SampleFile:
    """Return the contents of sample.json: what was asked for, as the input had it."""
    sample, listed = message.sample, bool(message.found_on)
    return SampleFile(
        sample_id=sample.sample_id,
        key=sample.key,
        row=sample.row,
        url=sample.url,
        fields=sample.fields,
        as_given=sample.as_given or msgspec.UNSET,
        found_at=message.found_at,
        found_on=message.found_on if listed else msgspec.UNSET,
        item=message.item if listed else msgspec.UNSET,
    )


def samples_csv(samples: Iterable[tuple[Sample, datetime]], *, discovered: bool = False) -> bytes:
    """Return samples.csv: the population in row order, with every input column.

    ``discovered``: the samples were found by navigating. Then there is no column ``row``, because there is no input.
    """
    ordered = sorted(samples, key=lambda pair: pair[0].row)
    columns = list(dict.fromkeys(column for sample, _ in ordered for column in sample.fields))
    extra = [column for column in columns if column not in ("sample_id", "url")]
    own = ["sample_id", "url", "discovered_at", *([] if discovered else ["row"])]
    lines = [csv_line([*own, *map(without_formula, extra)])]
    for sample, found_at in ordered:
        when = str(msgspec.to_builtins(found_at))
        row = [] if discovered else [str(sample.row)]
        cells = (sample.sample_id, sample.url or "", when, *row, *(sample.fields.get(column, "") for column in extra))
        lines.append(csv_line(map(without_formula, cells)))
    return "".join(lines).encode()
