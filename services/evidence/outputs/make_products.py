"""Closes a run: reads each sample's files once and has every product made of them. Made again, it is made the same."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from services.evidence.facts.run_facts import RunFacts
from services.evidence.facts.sample_facts import SampleFacts
from services.evidence.outputs.isolated_product import Watched
from services.evidence.outputs.products import MakeProduct, OpenFile, Product
from services.evidence.ports import READ_LIMIT, Store
from services.evidence.recovery.sample_files import SampleFiles, read_sample_files
from services.evidence.state.run_state import RunState
from shared.aio import map_concurrently
from shared.contracts.evidence import RunFinished
from shared.errors import PermanentError, Unavailable, reworded
from shared.evidence_format import layout
from shared.text.names import DISCOVERY

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Products:
    """``names`` of the files that were made; ``failures`` say what was not, and why."""

    names: frozenset[str]
    failures: tuple[str, ...]


async def make_products(
    store: Store,
    makers: Sequence[MakeProduct],
    state: RunState,
    finished: RunFinished,
    on_blocked: Callable[[str, str], Awaitable[None]],
) -> Products:
    """Writes what every product makes into the run's folder, and names it. Raises Unavailable where it cannot be
    written now."""
    names: set[str] = set()
    folder = store.spool / f"closing-{uuid4().hex[:8]}"
    products: list[Watched] = []
    closing = await _closing(store, state, finished)
    try:
        for number, make in enumerate(makers):
            (folder / str(number)).mkdir(parents=True)
            products.append(Watched(make(closing, folder / str(number))))
        await _read_all(store, state, closing, products)
        for product in products:
            for made in await asyncio.to_thread(product.finish):
                await store.write_file(layout.run_key(state.record.run_id, made.name), made.path)
                names.add(made.name)
        for below in {name.rpartition("/")[0] for name in names} - {""}:
            await store.secure(layout.run_key(state.record.run_id, below))
    except (Unavailable, OSError) as exc:
        told = str(exc) if isinstance(exc, Unavailable) else f"tables and report cannot be made: {exc}"
        await on_blocked(f"{state.record.run_id}/-", told)
        raise (
            reworded(exc, told) if isinstance(exc, Unavailable) else Unavailable(told, code="table_unavailable")
        ) from exc
    finally:
        for product in products:
            product.close()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return Products(frozenset(names), tuple(product.failure for product in products if product.failure))


async def _closing(store: Store, state: RunState, finished: RunFinished) -> RunFacts:
    ordered = (sample for sample, _ in state.samples.values())
    columns = dict.fromkeys(column for sample in ordered for column in sample.fields)
    run_id = state.record.run_id
    discovery = await read_sample_files(store, run_id, DISCOVERY) if state.discovers else None
    return RunFacts(state.record, finished, tuple(columns), discovery)


async def _read_all(store: Store, state: RunState, closing: RunFacts, products: Sequence[Product]) -> None:
    ids = [sample.sample_id for sample in sorted((s for s, _ in state.samples.values()), key=lambda s: s.row)]
    run_id, loop = state.record.run_id, asyncio.get_running_loop()
    for start in range(0, len(ids), READ_LIMIT):
        some = ids[start : start + READ_LIMIT]
        files = await map_concurrently(lambda name: read_sample_files(store, run_id, name), some, READ_LIMIT)
        readers = [reader(store, run_id, sample_id, loop) for sample_id in some]
        await asyncio.to_thread(add_files, closing, products, files, readers)


def add_files(
    closing: RunFacts, products: Sequence[Product], files: Iterable[SampleFiles], readers: Iterable[OpenFile]
) -> None:
    """Gives every product the facts of each sample, made once."""
    add_all(products, map(closing.facts_of, files), readers)


def add_all(products: Sequence[Product], samples: Iterable[SampleFacts], readers: Iterable[OpenFile]) -> None:
    for sample, open_file in zip(samples, readers, strict=True):
        for product in products:
            product.add(sample, open_file)


def reader(store: Store, run_id: str, sample_id: str, loop: asyncio.AbstractEventLoop) -> OpenFile:
    """For the products, which work in a thread: the store itself is used on the loop."""

    def open_file(name: str) -> bytes | None:
        reading: Any = _bytes_of(store, layout.sample_key(run_id, sample_id, name))
        return asyncio.run_coroutine_threadsafe(reading, loop).result()

    return open_file


async def _bytes_of(store: Store, key: str) -> bytes | None:
    """None too where the name is there and its bytes are gone: a picture that is lost must not cost the seal of all."""
    try:
        async with store.local(key) as path:
            return None if path is None else await asyncio.to_thread(Path.read_bytes, path)
    except PermanentError as exc:
        log.warning("%s", exc)
        return None
