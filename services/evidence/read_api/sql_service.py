"""Answers questions in SQL: finds out where the tables of the runs lie, and has the query run over them.

A run that is complete left its tables behind. Of one that is not, they are made of its files as they are now, beside
the evidence, and serve for a moment: who asks twice in a row need not wait twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from services.evidence.facts.run_facts import RunFacts
from services.evidence.outputs.make_products import add_all, reader
from services.evidence.outputs.products import MakeProduct, Product
from services.evidence.ports import READ_LIMIT, Store
from services.evidence.recovery.sample_files import read_sample_files_now
from services.evidence.sql.catalogue import FOLDER, TABLES, table_file
from services.evidence.sql.questions_and_answers import MOST_ROWS, MOST_S, Question, Refused, Sources, Written
from services.evidence.sql.run_rows import RunCounts, counted_of, run_row
from shared.aio import map_concurrently
from shared.bus.ports import Blobs
from shared.contracts.evidence import AskSql, RunFinished, SqlAnswered, SqlColumn, SqlRefused, SqlReply
from shared.evidence_format import chain, layout
from shared.evidence_format.files.manifest import Seal
from shared.evidence_format.files.run import RunFile, parse_run_file
from shared.streams import ANSWERS
from shared.text.names import DISCOVERY

INLINE_BYTES = 256 * 1024
FRESH_S, FRESH_TIMES = 2.0, 3.0
"""How long tables of an unfinished run serve: so long, or so many times as long as making them took."""


class Database(Protocol):
    async def answer(self, sources: Sources, question: Question) -> Written | Refused:
        """The answer in a file that is the caller's to remove, or why there is none."""
        ...


@dataclass(frozen=True)
class _Run:
    """A run, its row, and where its tables lie."""

    row: bytes
    files: dict[str, str]
    note: str = ""


@dataclass
class _Made:
    run_id: str
    run: _Run
    folder: Path
    fresh_until_s: float


@dataclass
class Desk:
    """``made``: tables of unfinished runs that may still serve."""

    store: Store
    blobs: Blobs
    database: Database
    make_tables: MakeProduct
    now: Callable[[], datetime]
    made: dict[str, _Made] = field(default_factory=dict[str, _Made])
    making: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def answer(self, request: AskSql) -> SqlReply:
        runs = await self._runs(request.run_ids)
        if isinstance(runs, SqlRefused):
            return runs
        runs, left_out = runs
        sources = Sources(
            b"".join(run.row + b"\n" for run in runs),
            {view.name: tuple(run.files[view.name] for run in runs) for view in TABLES},
        )
        question = Question(
            request.query,
            request.format,
            max(0, min(request.max_rows, MOST_ROWS)),
            max(0.001, min(request.timeout_s, MOST_S)),
        )
        answer = await self.database.answer(sources, question)
        if isinstance(answer, Refused):
            return SqlRefused(code=answer.code, message=answer.message, position=answer.position, hints=answer.hints)
        nothing = () if runs or left_out else (f"there is no run in {self.store.location('')}",)
        notes = (*nothing, *left_out, *(run.note for run in runs if run.note))
        return await self._packed(answer, request.format, len(runs), notes)

    async def _packed(self, answer: Written, format_: str, runs: int, notes: tuple[str, ...]) -> SqlAnswered:
        try:
            data = await asyncio.to_thread(answer.path.read_bytes)
        finally:
            answer.path.unlink(missing_ok=True)
        inline, blob = format_ != "parquet" and len(data) <= INLINE_BYTES, ""
        if not inline:
            blob = f"sql/{uuid4().hex}.{format_}"
            await self.blobs.put(ANSWERS, blob, data)
        return SqlAnswered(
            columns=tuple(SqlColumn(name=name, type=type_) for name, type_ in answer.columns),
            rows=answer.rows,
            cut=answer.cut,
            text=data.decode() if inline else "",
            blob=blob,
            size_bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            runs=runs,
            elapsed_ms=answer.elapsed_ms,
            notes=notes,
        )

    # --- the runs

    async def _runs(self, asked: Sequence[str]) -> tuple[list[_Run], tuple[str, ...]] | SqlRefused:
        """Those that are asked for; all there are, where none is named, and which of these had to be left out."""
        names = asked or [name for name in await self.store.names("") if layout.is_safe(name)]
        runs: list[_Run] = []
        left_out: list[str] = []
        for run_id in dict.fromkeys(names):
            run = await self._run(run_id) if layout.is_safe(run_id) else None
            if isinstance(run, _Run):
                runs.append(run)
            elif asked:
                return run or SqlRefused(code="unknown_run", message=layout.no_run(run_id, self.store.location("")))
            elif run is not None:
                left_out.append(f"left out: {run.message}")
        return runs, tuple(left_out)

    async def _run(self, run_id: str) -> _Run | SqlRefused | None:
        """None where there is no such run."""
        data = await self.store.read(layout.run_key(run_id, layout.RUN))
        if data is None:
            return None
        try:
            file = parse_run_file(data)
            return await self._of_tables(file) or await self._of_files(file)
        except chain.NOT_JSON as exc:
            return SqlRefused(code="unreadable_run", message=f"{run_id}: a file of it cannot be read: {exc}")

    async def _of_tables(self, file: RunFile) -> _Run | None:
        """None where its last round is not over, or its tables are not those of today's catalogue."""
        finished, run_id = await self._last_round(file), file.record.run_id
        if finished is None:
            return None
        there = await self.store.names(layout.run_key(run_id, FOLDER))
        if not all(table_file(view).removeprefix(f"{FOLDER}/") in there for view in TABLES):
            return None
        files = {view.name: self.store.location(layout.run_key(run_id, table_file(view))) for view in TABLES}
        return _Run(run_row(file, counted_of(finished), self._place(run_id), finished, "tables"), files)

    async def _of_files(self, file: RunFile) -> _Run:
        async with self.making:
            made = self.made.get(file.record.run_id)
            if made is None or time.monotonic() > made.fresh_until_s:
                began_s = time.monotonic()
                run, folder = await self._make(file)
                took_s = time.monotonic() - began_s
                fresh_s = max(FRESH_S, FRESH_TIMES * took_s)
                made = _Made(file.record.run_id, run, folder, began_s + took_s + fresh_s)
                self._replace(made)
            return made.run

    async def _make(self, file: RunFile) -> tuple[_Run, Path]:
        """The tables of a run as its files are now."""
        run_id, at = file.record.run_id, self.now()
        folder = self.store.spool / f"tables-{uuid4().hex[:8]}"
        folder.mkdir(parents=True)
        finished = await self._last_round(file)
        found = file.record.discovery_spec is not None
        search = await read_sample_files_now(self.store, run_id, DISCOVERY) if found else None
        closing = RunFacts(file.record, finished or _not_yet(file, at), (), search)
        if closing.discovery_facts is not None:
            closing.discovery_facts.check_log()
        product = self.make_tables(closing, folder)
        try:
            counted = await self._read(closing, product)
            made = {one.name: str(one.path) for one in await asyncio.to_thread(lambda: list(product.finish()))}
        finally:
            product.close()
        files = {view.name: made[table_file(view)] for view in TABLES}
        note = "" if finished else f"{run_id} is not finished: this is what its files said at {at:%H:%M:%S} UTC"
        return _Run(run_row(file, counted, self._place(run_id), finished, "files"), files, note), folder

    async def _read(self, closing: RunFacts, product: Product) -> RunCounts:
        run_id = closing.record.run_id
        names = [name for name in await self.store.names(layout.run_key(run_id)) if layout.is_safe(name)]
        ids = [name for name in names if name != DISCOVERY]
        loop, counted = asyncio.get_running_loop(), RunCounts()
        if closing.discovery_facts is not None:
            counted.spend(closing.discovery_facts)
        for start in range(0, len(ids), READ_LIMIT):
            some = ids[start : start + READ_LIMIT]
            files = await map_concurrently(
                lambda name: read_sample_files_now(self.store, run_id, name), some, READ_LIMIT
            )
            samples = [closing.facts_of(one) for one in files if one.sample is not None]
            for sample in samples:
                sample.check_log()
                counted.add(sample)
            readers = [reader(self.store, run_id, sample.sample_id, loop) for sample in samples]
            await asyncio.to_thread(add_all, [product], samples, readers)
        return counted

    async def _last_round(self, file: RunFile) -> RunFinished | None:
        """Where it is over, with its seal: run.json is sealed itself, and cannot say by what."""
        finished = file.last_round
        if finished is None:
            return None
        written = await self.store.read(layout.run_key(file.record.run_id, layout.SEAL))
        if written is None:
            return finished
        seal = msgspec.json.decode(written, type=Seal)
        return replace(finished, manifest_sha256=seal.manifest_sha256, signed_by=seal.fingerprint)

    def _place(self, run_id: str) -> str:
        return self.store.location(layout.run_key(run_id))

    def _replace(self, made: _Made) -> None:
        """The tables of before go once no query can be at work on them any more."""
        before = self.made.get(made.run_id)
        self.made[made.run_id] = made
        if before is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(2 * MOST_S, lambda: shutil.rmtree(before.folder, ignore_errors=True))

    async def close(self) -> None:
        for made in self.made.values():
            await asyncio.to_thread(shutil.rmtree, made.folder, ignore_errors=True)


def _not_yet(file: RunFile, at: datetime) -> RunFinished:
    """What a product is told of a run that goes on; the tables use none of it."""
    return RunFinished(
        run_id=file.record.run_id,
        attempt_base=file.attempt_base,
        samples=0,
        outcomes=(),
        location="",
        table="",
        llm_calls=0,
        cost_usd=0.0,
        started_at=file.record.created_at,
        finished_at=at,
    )
