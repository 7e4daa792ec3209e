"""Makes all products of a run in one pass: the files of each sample are read once. The output is deterministic.

`ALL_PRODUCTS` lists the products of every run.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncGenerator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from services.evidence.facts import RoundBefore, RunFacts
from services.evidence.outputs.combined_tables import CombinedTables
from services.evidence.outputs.enriched_table import EnrichedTable
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.products import IsolatedProduct, MakeProduct, OpenFile, OutputFile, Product
from services.evidence.outputs.reconciliation import Reconciliation, read_counts
from services.evidence.outputs.report_file import ReportFile
from services.evidence.outputs.reviewed_products import TAKEN, ReviewedReport, ReviewedTables, is_taken
from services.evidence.outputs.subprocess_product import in_subprocess_if_large
from services.evidence.outputs.xlsx.workbook import Workbook
from services.evidence.ports import READ_LIMIT, OnBlocked, Store
from services.evidence.recovery import read_sample_files
from services.evidence.state.run_state import RunState
from shared.aio import map_concurrently
from shared.contracts.evidence import ReconciliationCounts, RunFinished
from shared.errors import PermanentError, Unavailable, as_unavailable
from shared.evidence_format import layout
from shared.evidence_format.review.reviewed import RunReview
from shared.evidence_view.sample_facts import SampleFacts
from shared.text.names import DISCOVERY

log = logging.getLogger(__name__)

_reconcile = in_subprocess_if_large(Reconciliation, Reconciliation.makes, reads_logs=False)


def make_reconciliation(run: RunFacts, folder: Path) -> Product:
    """Make the comparison with a register; of a run without one nothing, for which no process is started."""
    return _reconcile(run, folder) if run.record.register is not None else Reconciliation(run, folder)


_tables = in_subprocess_if_large(ParquetTables, ParquetTables.makes)
_report = in_subprocess_if_large(ReportFile, ReportFile.makes)


def make_tables(run: RunFacts, folder: Path) -> Product:
    return ReviewedTables(run, folder) if run.before else _tables(run, folder)


def make_report(run: RunFacts, folder: Path) -> Product:
    return ReviewedReport(run, folder) if run.before else _report(run, folder)


ALL_PRODUCTS: tuple[MakeProduct, ...] = (
    make_reconciliation,
    CombinedTables,
    in_subprocess_if_large(Workbook, Workbook.makes, reads_logs=False),
    EnrichedTable,
    make_tables,
    make_report,
)
"""They are made of every run, the reconciliation first: tables and report tell what it has found."""
FINISHED_AT_ONCE = 2
"""Products that are finished at a time: a child process finishes its own while this process finishes another."""


@dataclass(frozen=True)
class MadeProducts:
    """``names`` of the files that were made; ``failures``: which product was not made and why, for people.
    ``reconciliation``: what the comparison with a register came to, None without one."""

    names: frozenset[str]
    failures: tuple[str, ...]
    reconciliation: ReconciliationCounts | None = None


async def make_products(
    store: Store,
    makers: Sequence[MakeProduct],
    state: RunState,
    finished: RunFinished,
    on_blocked: OnBlocked,
    review: RunReview | None = None,
    before: RoundBefore | None = None,
) -> MadeProducts:
    """Make every product and store its files in the run's folder. Raises Unavailable if they cannot be written now.

    ``review``: of a run whose review is signed off. ``before``: the round that only its review has changed, of which
    tables and report are taken.
    """
    names: set[str] = set()
    folder = store.spool / f"closing-{uuid4().hex[:8]}"
    products: list[IsolatedProduct] = []
    counts: ReconciliationCounts | None = None
    try:
        async with AsyncExitStack() as files:
            run = replace(await _read_run_facts(store, state, finished), review=review)
            run = await files.enter_async_context(_local_register(store, run, folder))
            run = replace(run, before=await _open_made_before(store, before, files))
            for number, make in enumerate(makers):
                (folder / str(number)).mkdir(parents=True)
                products.append(IsolatedProduct(make(run, folder / str(number))))
            await _add_samples(store, state, run, products)
            for file in await asyncio.to_thread(finish_products, products):
                await store.write_file(layout.run_key(state.record.run_id, file.name), file.path)
                names.add(file.name)
            counts = read_counts(run)
        for below in {name.rpartition("/")[0] for name in names} - {""}:
            await store.make_durable(layout.run_key(state.record.run_id, below))
    except (Unavailable, OSError) as exc:
        message = str(exc) if isinstance(exc, Unavailable) else f"tables and report cannot be made: {exc}"
        await on_blocked(f"{state.record.run_id}/-", message)
        raise (
            as_unavailable(exc, message)
            if isinstance(exc, Unavailable)
            else Unavailable(message, code="table_unavailable")
        ) from exc
    finally:
        for product in products:
            product.close()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return MadeProducts(frozenset(names), tuple(product.failure for product in products if product.failure), counts)


@asynccontextmanager
async def _local_register(store: Store, run: RunFacts, folder: Path) -> AsyncGenerator[RunFacts]:
    """Return the facts of the run with its register as a file of this machine, if it has one."""
    register = run.record.register
    if register is None:
        yield run
        return
    path = layout.register_path(register.file.sha256, register.file.name)
    async with store.local_file(layout.run_key(run.record.run_id, path)) as local:
        found = str(local) if local is not None else ""
        yield replace(run, register=found, reconciliation=str(folder / Path(layout.RECONCILED).name))


async def _open_made_before(store: Store, before: RoundBefore | None, files: AsyncExitStack) -> dict[str, str]:
    """Return paths on this machine of all that can be taken from an earlier round, by name. Nothing, if one of them
    was not made, is not what was sealed, or has another form: all is made anew then."""
    made: dict[str, str] = {}
    for name in TAKEN if before is not None else ():
        assert before is not None
        sealed = before.files.get(name)
        local = await files.enter_async_context(store.local_file(f"{before.folder}/{name}")) if sealed else None
        if sealed is None or local is None or not await asyncio.to_thread(is_taken, name, local, sealed.sha256):
            return {}
        made[name] = str(local)
    return made


async def _read_run_facts(store: Store, state: RunState, finished: RunFinished) -> RunFacts:
    ordered = (sample for sample, _ in state.samples.values())
    columns = dict.fromkeys(column for sample in ordered for column in sample.fields)
    run_id = state.record.run_id
    discovery = await read_sample_files(store, run_id, DISCOVERY) if state.discovers else None
    return RunFacts(state.record, finished, tuple(columns), discovery)


async def _add_samples(store: Store, state: RunState, run: RunFacts, products: Sequence[Product]) -> None:
    ids = [sample.sample_id for sample in state.in_row_order]
    run_id, loop = state.record.run_id, asyncio.get_running_loop()
    for start in range(0, len(ids), READ_LIMIT):
        batch = ids[start : start + READ_LIMIT]
        files = await map_concurrently(
            lambda name: read_sample_files(store, run_id, name, log=not run.before), batch, READ_LIMIT
        )
        readers = [blocking_reader(store, run_id, sample_id, loop) for sample_id in batch]
        await asyncio.to_thread(add_to_products, products, map(run.facts_of, files), readers)


def add_to_products(products: Sequence[Product], samples: Iterable[SampleFacts], readers: Iterable[OpenFile]) -> None:
    """Add each sample to every product. Blocks; the facts of a sample are made once, when it is its turn."""
    for sample, open_file in zip(samples, readers, strict=True):
        for product in products:
            product.add(sample, open_file)


def finish_products(products: Sequence[IsolatedProduct]) -> list[OutputFile]:
    """Return the files of all products. Blocks. The first is finished alone, because others may read what it made."""
    with ThreadPoolExecutor(FINISHED_AT_ONCE, thread_name_prefix="products") as pool:
        first = [file for product in products[:1] for file in product.finish()]
        return [*first, *(file for files in pool.map(IsolatedProduct.finish, products[1:]) for file in files)]


def blocking_reader(store: Store, run_id: str, sample_id: str, loop: asyncio.AbstractEventLoop) -> OpenFile:
    """Return a reader for products, which work in a thread. It blocks while the store is used on the event loop."""

    def open_file(name: str) -> bytes | None:
        reading: Any = _read_bytes(store, layout.sample_key(run_id, sample_id, name))
        return asyncio.run_coroutine_threadsafe(reading, loop).result()

    return open_file


async def _read_bytes(store: Store, key: str) -> bytes | None:
    """None also for a name without bytes: a lost picture must not prevent the seal of the run."""
    try:
        async with store.local_file(key) as path:
            return None if path is None else await asyncio.to_thread(Path.read_bytes, path)
    except PermanentError as exc:
        log.warning("the bytes of a file are not there: %s", exc)
        return None
