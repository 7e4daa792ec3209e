"""A run of any size without a browser: its samples, steps and results, and its evidence folder.

Everything is derived from the sample number, so equal worlds have equal bytes. Results are built as evidence builds
them from messages: 20 fields of all types, absent and missing fields, notes, hostile and long texts, judgments, several
artifacts per sample, model calls and several attempts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import msgspec

from benchmarks.evidence_facts import NAMES, NOTES, SCHEMA, facts
from benchmarks.evidence_files import artifact_bytes, filed_artifacts
from services.evidence.facts import RunFacts
from services.evidence.state.file_contents import AttemptLog, result_file, sample_file, samples_csv
from shared.contracts.actions import ByRef, Click, Done, Judgment, Screenshot
from shared.contracts.base import Usage
from shared.contracts.codes import OpenCode
from shared.contracts.discovery import RunRecord, Sample, SampleFound
from shared.contracts.error_codes import EndCode
from shared.contracts.evidence import OutcomeCount, RunFinished
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Box, Locator
from shared.contracts.steps import FieldValue, FiledArtifact, ObservationRef, StepTaken, ValueSource, plain_note
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.run import RunFile
from shared.evidence_format.log_codec import encode_log, entry_of
from shared.evidence_view.sample_facts import SampleFacts, SampleFiles
from shared.statuses import Status
from shared.text.names import safe_id

RUN_ID = "run_2026-03-01_101500"
BEGAN = datetime(2026, 3, 1, 10, 15, tzinfo=UTC)
SITE = "https://tickets.example"
MODEL = "claude-sonnet-4-6"
COLUMNS: tuple[str, ...] = ("ticket_number", "url", "requested_for", "note")


def spec() -> dict[str, Any]:
    """Return the task of the run: 20 fields, and a question."""
    return {
        "task_id": "bench_tickets",
        "goal": "Read the ticket and say whether it was closed in time.",
        "start_url": "{url}",
        "sample_id": "{ticket_number}",
        "output_schema": SCHEMA,
        "required_fields": ["ticket_number"],
        "identity": {"ticket_number": "{ticket_number}"},
        "judgment_required": True,
        "judgment_question": "Was the ticket closed in time?",
    }


def record() -> RunRecord:
    return RunRecord(
        run_id=RUN_ID,
        spec=spec(),
        planner=None,
        concurrency=8,
        created_at=BEGAN,
        requested_by="bench",
        input_columns=COLUMNS,
    )


def sample_of(number: int) -> Sample:
    """Return the sample with a number, from 1."""
    key = f"TCK-{number:05d}"
    cells = (key, f"{SITE}/tickets/{key}", NAMES[number % 8], NOTES[number % 6])
    fields = dict(zip(COLUMNS, cells, strict=True))
    return Sample(sample_id=safe_id(key), key=key, row=number, url=fields["url"], fields=fields)


def found(number: int) -> SampleFound:
    sample = sample_of(number)
    return SampleFound(run_id=RUN_ID, sample_id=sample.sample_id, sample=sample, found_at=BEGAN)


def outcome_of(number: int) -> tuple[Status, OpenCode[EndCode], Literal["", "record", "site", "us"]]:
    """Return how a sample ends: 88 of 100 are done, the others end in eight ways."""
    ends: dict[int, tuple[Status, OpenCode[EndCode], Literal["", "record", "site", "us"]]] = {
        7: ("needs_review", "judgment_missing", "us"),
        19: ("needs_review", "ambiguous_record", "record"),
        23: ("needs_review", "invalid_values", "us"),
        31: ("partial_success", "missing_fields", "us"),
        37: ("partial_success", "missing_fields", "us"),
        41: ("failed", "not_found", "record"),
        43: ("failed", "not_found", "record"),
        59: ("failed", "http_error", "site"),
        67: ("failed", "identity_mismatch", "record"),
        73: ("failed", "retries_exhausted", "us"),
        89: ("auth_required", "login_required", "us"),
        97: ("needs_review", "disputed_not_found", "record"),
    }
    return ends.get(number % 100, ("done", "", ""))


def attempt_of(number: int) -> int:
    return 2 if number % 25 == 0 else 1


def finished_of(number: int) -> SampleFinished:
    sample, (status, reason, fault) = sample_of(number), outcome_of(number)
    began = BEGAN + timedelta(seconds=number // 8)
    read = status != "failed" and status != "auth_required"
    note = plain_note(f"'{number % 28 + 1}/3' was read as day and month", "due_date")
    notes = (note, plain_note("look twice")) if number % 10 == 3 else ()
    return SampleFinished(
        run_id=RUN_ID,
        sample_id=sample.sample_id,
        attempt=attempt_of(number),
        status=status,
        reason=reason,
        message=f"{reason.replace('_', ' ')}: see step 3" if reason else "",
        fault=fault,
        sample=sample,
        values=tuple(values_of(number)) if read else (),
        judgment=_judgment(number) if read and reason != "judgment_missing" else None,
        artifacts=filed_artifacts(number, sample.url or "", began),
        steps=4,
        usage=_usage(number, calls=4),
        decided_by=MODEL if number % 3 == 0 else "rules",
        flagged=bool(notes),
        notes=notes,
        started_at=began,
        finished_at=began + timedelta(seconds=11.5),
    )


def values_of(number: int) -> Iterator[FieldValue]:
    source = _source(number)
    status = outcome_of(number)[0]
    for position, (name, value) in enumerate(facts(number).items()):
        origin = "derived" if name == "escalated" else "vision" if name == "priority" and number % 50 == 1 else "page"
        reader = MODEL if origin != "page" or number % 3 == 0 else "rules"
        if status == "partial_success" and position % 5 == 4:
            yield FieldValue(field=name, state="not_found")
        elif value is None:
            yield FieldValue(field=name, state="not_present", shown="Unassigned", source=source, read_by=reader)
        else:
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            where = msgspec.structs.replace(source, ref=position + 3, label=name, box=_box(position))
            yield FieldValue(
                field=name, state="value", value=value, shown=shown, source=where, origin=origin, read_by=reader
            )


def _source(number: int) -> ValueSource:
    files = {filed.artifact.kind: filed.artifact.sha256 for filed in filed_artifacts(number, "", BEGAN)}
    return ValueSource(
        snapshot_id=f"{number:016x}",
        observation_sha256=hashlib.sha256(f"seen {number}".encode()).hexdigest(),
        url=f"{SITE}/tickets/TCK-{number:05d}",
        ref=1,
        role="definition",
        label=None,
        box=None,
        frame="main",
        fingerprint=f"{number:016x}"[::-1],
        locators=(Locator(kind="css", value="dl > dd:nth-of-type(2)", matches=1),),
        page_sha256=files["page"],
        observation_file_sha256=files["observation"],
        screenshot_sha256=files["screenshot"],
    )


def _box(position: int) -> Box:
    return Box(x=285.0, y=120.0 + 24 * position, width=534.0, height=22.5)


def _judgment(number: int) -> Judgment:
    shown = f"The ticket was closed on day {number % 30}, {'before' if number % 3 else 'after'} it was due."
    return Judgment(
        question="Was the ticket closed in time?",
        answer="yes" if number % 3 else "no",
        confidence=0.6 + number % 40 / 100,
        reasoning=shown * (number % 3 + 1),
        evidence_refs=("01_ticket.png",),
        decided_by=MODEL,
    )


def _usage(number: int, calls: int) -> Usage:
    if number % 3:
        return Usage()
    tokens = 2_000 * calls + number % 500
    cost_usd = round(tokens * 3e-6 + calls * 0.0027, 6)
    return Usage(llm_calls=calls, input_tokens=tokens, output_tokens=180 * calls, cost_usd=cost_usd)


def steps_of(number: int) -> Iterator[StepTaken]:
    """Yield four steps with their observations; the second and third have pictures."""
    sample, values = sample_of(number), tuple(values_of(number))
    filed: tuple[FiledArtifact, ...] = filed_artifacts(number, sample.url or "", BEGAN)
    half = len(filed) // 2
    target = ByRef(ref=4, snapshot_id=f"{number:016x}")
    actions = (
        (Click(target=target, reason="The row leads to the ticket."), ()),
        (Screenshot(label="ticket", reason="The task asks for a picture of the ticket."), filed[:half]),
        (Screenshot(label="history", reason="The history shows who closed it."), filed[half:]),
        (Done(values={value.field: value.value for value in values}, reason="All fields are read."), ()),
    )
    began = BEGAN + timedelta(seconds=number // 8)
    for step, (action, captured) in enumerate(actions, start=1):
        yield StepTaken(
            run_id=RUN_ID,
            sample_id=sample.sample_id,
            attempt=attempt_of(number),
            step=step,
            started_at=began + timedelta(seconds=2 * step),
            ended_at=began + timedelta(seconds=2 * step + 1),
            observation=_seen(number, step),
            decided_by=MODEL if number % 3 == 0 else "rules",
            action=action,
            artifacts=captured,
            values=values if step == 4 else (),
            usage=_usage(number, calls=1),
            browser_ms=310.0 + number % 90,
            total_ms=940.0 + number % 90,
        )


def _seen(number: int, step: int) -> ObservationRef:
    return ObservationRef(
        snapshot_id=f"{number:016x}",
        sha256=hashlib.sha256(f"seen {number}.{step}".encode()).hexdigest(),
        url=f"{SITE}/tickets/TCK-{number:05d}",
        title=f"TCK-{number:05d}",
        http_status=200,
        dom_confidence=0.97,
        proof="proven",
    )


@dataclass(frozen=True)
class World:
    """A closed run with a given number of samples."""

    samples: int

    @property
    def numbers(self) -> range:
        return range(1, self.samples + 1)

    def closing(self) -> RunFacts:
        return RunFacts(record(), self.finished(), COLUMNS)

    def finished(self) -> RunFinished:
        ends = [outcome_of(number)[:2] for number in self.numbers]
        return RunFinished(
            run_id=RUN_ID,
            attempt_base=0,
            samples=self.samples,
            outcomes=tuple(OutcomeCount(status=s, reason=r, samples=ends.count((s, r))) for s, r in sorted(set(ends))),
            location=RUN_ID,
            table=f"{RUN_ID}/combined.csv",
            llm_calls=4 * (self.samples // 3),
            cost_usd=0.02 * (self.samples // 3),
            started_at=BEGAN,
            finished_at=BEGAN + timedelta(seconds=self.samples // 8 + 12),
        )

    def facts(self) -> Iterator[SampleFacts]:
        """Yield the facts of all samples in row order, as they are read from files."""
        closing = self.closing()
        return (closing.facts_of(files_of(number)) for number in self.numbers)

    def write(self, root: Path, *, artifacts: bool = False) -> Path:
        """Write the run's folder below ``root``, without the files of closing; ``artifacts``: with artifact bytes."""
        folder = root / RUN_ID
        folder.mkdir(parents=True)
        (folder / "run.json").write_bytes(encode_file(RunFile(record=record(), expected=self.samples)))
        (folder / "samples.csv").write_bytes(samples_csv((sample_of(n), BEGAN) for n in self.numbers))
        for number in self.numbers:
            own = folder / sample_of(number).sample_id
            own.mkdir()
            for name, data in (texts_of(number) | (artifact_bytes(number) if artifacts else {})).items():
                (own / name).write_bytes(data)
        return folder


def texts_of(number: int) -> dict[str, bytes]:
    """Return the three JSON files of a sample, by name."""
    entries = [entry_of(step) for step in steps_of(number)]
    log = AttemptLog.of(attempt_of(number), entries)
    return {
        "sample.json": encode_file(sample_file(found(number))),
        "result.json": encode_file(result_file(finished_of(number), log)),
        "action_log.json": encode_log(entries),
    }


def files_of(number: int) -> SampleFiles:
    """Return these files as they are read from the store."""
    return SampleFiles(sample_of(number).sample_id, *texts_of(number).values())
