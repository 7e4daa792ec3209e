"""Closes a run: reads each sample's files once and has every product made of them. Made again, it is made the same."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import msgspec

from services.evidence import layout
from services.evidence.closing.products import Closing, Dossier, Product
from services.evidence.closing.watched import Watched
from services.evidence.deps import READ_LIMIT, Deps, Store
from services.evidence.recalling.rounds import RunState
from services.evidence.recalling.unreadable import sample_in
from shared.aio import map_concurrently
from shared.contracts.evidence import RunFinished
from shared.errors import PermanentError, Unavailable, reworded
from shared.evidence_format import chain
from shared.text.names import DISCOVERY

log = logging.getLogger(__name__)

KindT = TypeVar("KindT")


@dataclass(frozen=True)
class Products:
    """``names`` of the files that were made; ``failures`` say what was not, and why."""

    names: frozenset[str]
    failures: tuple[str, ...]


async def make_products(deps: Deps, state: RunState, finished: RunFinished) -> Products:
    """Writes what every product makes into the run's folder, and names it. Raises Unavailable where it cannot be
    written now."""
    names: set[str] = set()
    folder = deps.store.spool / f"closing-{uuid4().hex[:8]}"
    products: list[Watched] = []
    closing = await _closing(deps, state, finished)
    try:
        for number, make in enumerate(deps.products):
            (folder / str(number)).mkdir(parents=True)
            products.append(Watched(make(closing, folder / str(number))))
        await _read_all(deps, state, products)
        for product in products:
            for made in await asyncio.to_thread(product.finish):
                await deps.store.write_file(layout.run_key(state.record.run_id, made.name), made.path)
                names.add(made.name)
        for below in {name.rpartition("/")[0] for name in names} - {""}:
            await deps.store.secure(layout.run_key(state.record.run_id, below))
    except (Unavailable, OSError) as exc:
        told = str(exc) if isinstance(exc, Unavailable) else f"tables and report cannot be made: {exc}"
        await deps.on_blocked(f"{state.record.run_id}/-", told)
        raise (
            reworded(exc, told) if isinstance(exc, Unavailable) else Unavailable(told, code="table_unavailable")
        ) from exc
    finally:
        for product in products:
            product.close()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return Products(frozenset(names), tuple(product.failure for product in products if product.failure))


async def _closing(deps: Deps, state: RunState, finished: RunFinished) -> Closing:
    ordered = (sample for sample, _ in state.samples.values())
    columns = dict.fromkeys(column for sample in ordered for column in sample.fields)
    discovery = await dossier(deps.store, state.record.run_id, DISCOVERY) if state.discovers else None
    return Closing(state.record, finished, tuple(columns), discovery)


async def _read_all(deps: Deps, state: RunState, products: Sequence[Product]) -> None:
    ids = [sample.sample_id for sample in sorted((s for s, _ in state.samples.values()), key=lambda s: s.row)]
    run_id, loop = state.record.run_id, asyncio.get_running_loop()
    for start in range(0, len(ids), READ_LIMIT):
        some = ids[start : start + READ_LIMIT]
        dossiers = await map_concurrently(lambda sample_id: dossier(deps.store, run_id, sample_id), some, READ_LIMIT)
        readers = [reader(deps.store, run_id, sample_id, loop) for sample_id in some]
        await asyncio.to_thread(add_all, products, dossiers, readers)


def add_all(
    products: Sequence[Product], dossiers: Sequence[Dossier], readers: Sequence[Callable[[str], bytes | None]]
) -> None:
    for product in products:
        for one, open_file in zip(dossiers, readers, strict=True):
            product.add(one, open_file)


async def dossier(store: Store, run_id: str, sample_id: str) -> Dossier:
    """What the files of a sample say; empty where one is not there, or is no JSON any more, which `sample_in` says."""
    sample, result, steps = [
        await store.read(layout.sample_key(run_id, sample_id, name))
        for name in (layout.SAMPLE, layout.RESULT, layout.ACTION_LOG)
    ]
    return Dossier(*sample_in(sample_id, sample, result), _read(steps, list[dict[str, Any]]) or [])


def _read(written: bytes | None, kind: type[KindT]) -> KindT | None:
    with suppress(*chain.NOT_JSON):
        return msgspec.json.decode(written, type=kind) if written else None
    return None


def reader(store: Store, run_id: str, sample_id: str, loop: asyncio.AbstractEventLoop) -> Callable[[str], bytes | None]:
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
