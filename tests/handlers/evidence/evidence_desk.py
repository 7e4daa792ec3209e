"""The handlers of evidence on a folder and a bus in memory, and the messages of a run."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from services.evidence.deps import EvidenceDeps
from services.evidence.handlers import (
    add_sample,
    close_population,
    file_result,
    file_sign_off,
    file_step,
    open_run,
    settle,
)
from services.evidence.outputs.combined_tables import CombinedTables
from services.evidence.outputs.products import MakeProduct
from services.evidence.outputs.xlsx.workbook import Workbook
from services.evidence.read_api.read_handlers import load_run
from services.evidence.store.folder_store import FolderStore
from shared.contracts.actions import Screenshot
from shared.contracts.codes import facts_of
from shared.contracts.discovery import PopulationClosed, RunRecord, RunStarted, Sample, SampleFound
from shared.contracts.evidence import LoadRun, RunLoaded, RunUnknown
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Artifact
from shared.contracts.sessions.reviewing import ReviewSignedOff
from shared.contracts.sessions.settling import SampleSettled
from shared.contracts.steps import FieldValue, FiledArtifact, ObservationRef, PressClaim, StepTaken
from shared.evidence_format import layout
from shared.evidence_format.files.refused import RefusedEvent
from shared.evidence_format.signing import SigningKey
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import RunCheck, check_run
from shared.streams import ARTIFACTS, INBOX
from shared.subjects import work_id
from shared.testing.bus import MemoryBus
from shared.text.names import safe_id
from tests.typed import expect

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
SEEN = ObservationRef(snapshot_id="s", sha256="x", url="http://x", title="t", http_status=200, dom_confidence=1.0)
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(b"k" * 32))
SPEC = {"output_schema": {"number": "string", "owner": "string | null"}}
HANDLERS: dict[type, Callable[[Any, EvidenceDeps, int], Awaitable[Any]]] = {
    RunStarted: open_run,
    SampleFound: add_sample,
    PopulationClosed: close_population,
    StepTaken: file_step,
    SampleFinished: file_result,
    SampleSettled: settle,
    ReviewSignedOff: file_sign_off,
}


def drop_locks(store: FolderStore) -> None:
    """Release the locks, as the kernel does for a dead process."""
    for name in list(store._locks._handles):
        store._locks.abandon(name)


HELD = ".held"
"""Where stores keep who works on a run, with the time since when."""


class Desk:
    """Evidence on a folder and a bus in memory; `restart` clears the process state. ``products``: made at the end of a
    run, which takes longer than all else; without them no test can look at `rows`."""

    deps: EvidenceDeps

    def __init__(self, root: Path, products: tuple[MakeProduct, ...] = (CombinedTables, Workbook)) -> None:
        self.root, self.bus, self._products = root, MemoryBus(), products
        self._told: dict[tuple[str, str, int], dict[int, StepTaken]] = {}
        self.start()

    def start(self) -> None:
        self.deps = EvidenceDeps(
            store=FolderStore(self.root),
            blobs=self.bus,
            now=lambda: NOW,
            products=self._products,
            signer=KEY,
            publishes=self.bus,
        )

    def restart(self) -> None:
        drop_locks(expect(self.deps.store, FolderStore))
        self.start()

    async def tell(self, *messages: Any) -> Any:
        """Send the messages; return the result of the last handler. A result of which nothing else is said counts the
        steps that were told; one that is done is preceded by a step that logs what no step has."""
        outcome = None
        for message in messages:
            for whole in self._borne_out(message) if isinstance(message, SampleFinished) else [message]:
                outcome = await self.hand(whole)
        return outcome

    async def hand(self, message: Any) -> Any:
        """Send just this message."""
        outcome = await HANDLERS[type(message)](message, self.deps, 1)
        if isinstance(message, StepTaken):
            told = self._told.setdefault((message.run_id, message.sample_id, message.attempt), {})
            told.setdefault(message.step, message)
        return outcome

    def _borne_out(self, message: SampleFinished) -> list[Any]:
        told = self._told.get((message.run_id, message.sample_id, message.attempt), {})
        if message.steps:
            return [message]
        filed = [one for step in told.values() for one in step.artifacts]
        new = tuple(one for one in message.artifacts if one not in filed)
        logged = [value for step in told.values() for value in step.values]
        facts = facts_of(message.reason)
        lacks = message.status == "done" and (not told or any(value not in logged for value in message.values))
        lacks = lacks or (facts is not None and facts.fault == "record" and not told)
        if not new and not lacks:
            return [replace(message, steps=len(told))]
        last = took(message.sample, *new, step=len(told) + 1, attempt=message.attempt)
        last = replace(last, run_id=message.run_id, sample_id=message.sample_id, values=message.values)
        return [last, replace(message, steps=len(told) + 1)]

    async def begun(self, *samples: Sample) -> None:
        await self.tell(started(), *map(found, samples), closed(len(samples)))

    async def load(self) -> RunLoaded | RunUnknown:
        return await load_run(LoadRun(run_id="run_1"), self.deps)

    async def capture(
        self, one: Sample, data: bytes = b"png", attempt: int = 1, step: int = 1, **lies: Any
    ) -> FiledArtifact:
        blob = f"{one.sample_id}/{attempt}/{step}"
        await self.bus.put(ARTIFACTS, blob, data)
        facts = {
            "sha256": hashlib.sha256(data).hexdigest(),
            "size_bytes": len(data),
            "filename": f"{step:02d}_t.png",
            **lies,
        }
        filename = facts.pop("filename")
        own = {"kind": "screenshot", "label": "t", "media_type": "image/png", "suffix": ".png", "blob": blob}
        return FiledArtifact(
            filename=filename, artifact=Artifact(**own, **facts, source_url="http://x", captured_at=NOW)
        )

    async def has_blob(self, filed: FiledArtifact) -> bool:
        return (ARTIFACTS.name, filed.artifact.blob) in self.bus._blobs

    async def recall(self) -> None:
        """Remember what an earlier process has refused, as the service does when it starts."""
        await self.deps.refused_results.recall()

    async def given_up(self) -> list[SampleFinished]:
        """Look for samples whose work is over; return the results that were published for them now."""
        before = len(self.bus.events(SampleFinished))
        await self.deps.refused_results.give_up_lost(self.bus, self.bus)
        return self.bus.events(SampleFinished)[before:]

    async def end_work(self, one: Sample, attempt_base: int = 0) -> None:
        """Mark the work on a sample as handled, as a planner does."""
        await self.bus.create(INBOX, work_id("run_1", one, attempt_base), True)

    def files(self) -> dict[str, bytes]:
        """Return all files of the runs: without what was refused, and without locks, which say when they were taken."""
        found = {str(p.relative_to(self.root)): p.read_bytes() for p in self.root.rglob("*") if p.is_file()}
        return {name: data for name, data in found.items() if not name.startswith((layout.QUARANTINE, HELD))}

    def refused(self) -> list[tuple[str, str]]:
        """Return event and code of all that is in quarantine, sorted."""
        below = self.root / layout.QUARANTINE
        found = [msgspec.json.decode(path.read_bytes(), type=RefusedEvent) for path in below.rglob("*.json")]
        return sorted((one.event, one.code) for one in found)

    def check(self, noted: str = "") -> RunCheck:
        """What `exhibit verify` says of the run."""
        return check_run(FolderSource(self.root / "run_1"), KEY.public, noted)

    def json(self, name: str) -> Any:
        return json.loads((self.root / "run_1" / name).read_text())

    def rows(self) -> list[dict[str, str]]:
        with (self.root / "run_1" / "combined.csv").open(newline="") as file:
            return list(csv.DictReader(file))


def sample(key: str = "A-1", row: int = 1, **fields: str) -> Sample:
    return Sample(sample_id=safe_id(key), key=key, row=row, fields=fields)


def started(attempt_base: int = 0, **record: Any) -> RunStarted:
    """``record``: what the record of this run has in another way than that of others."""
    given: dict[str, Any] = {"run_id": "run_1", "spec": SPEC, "planner": None, "concurrency": 1, "created_at": NOW}
    return RunStarted(run_id="run_1", record=RunRecord(**given | record), attempt_base=attempt_base)


def found(one: Sample) -> SampleFound:
    return SampleFound(run_id="run_1", sample_id=one.sample_id, sample=one, found_at=NOW)


def closed(samples: int, attempt_base: int = 0) -> PopulationClosed:
    return PopulationClosed(run_id="run_1", samples=samples, attempt_base=attempt_base)


def took(one: Sample, *filed: FiledArtifact, step: int = 1, attempt: int = 1) -> StepTaken:
    return StepTaken(
        run_id="run_1",
        sample_id=one.sample_id,
        attempt=attempt,
        step=step,
        started_at=NOW,
        ended_at=NOW,
        observation=SEEN,
        decided_by="rules",
        action=Screenshot(label="t", reason="To show it."),
        artifacts=filed,
        values=found_values(),
    )


def found_values(number: str = "7") -> tuple[FieldValue, ...]:
    return (
        FieldValue(field="number", state="value", value=number),
        FieldValue(field="owner", state="not_present"),
    )


def ended(
    one: Sample, *filed: FiledArtifact, attempt: int = 1, status: Any = "done", number: str = "7", **more: Any
) -> SampleFinished:
    return SampleFinished(
        run_id="run_1",
        sample_id=one.sample_id,
        attempt=attempt,
        status=status,
        sample=one,
        artifacts=filed,
        values=found_values(number),
        started_at=NOW,
        finished_at=NOW,
        **more,
    )


def outcomes(finished: Any) -> dict[tuple[str, str], int]:
    return {(one.status, one.reason): one.samples for one in finished.outcomes}


def judging() -> RunStarted:
    return started(spec={**SPEC, "judgment_required": True, "judgment_question": "Was it late?"})


def press(attempt: int, step: int = 3) -> PressClaim:
    return PressClaim(run_id="run_1", sample_id="A-1", step=step, attempt=attempt)
