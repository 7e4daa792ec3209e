"""Asks a time-stamping authority for a token for each seal, beside all other work: no run waits for it.

A token is a file of its own, ``seal.timestamps/ROUND.tsr``, written once and named in no manifest. What has failed, and
what a process has left that was killed between a seal and its token, is asked for again. A seal that a later round has
replaced is not asked for any more: the manifest of the later one has its hash, and its token vouches for both.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Protocol

import msgspec

from services.evidence.ports import READ_LIMIT, Store
from services.evidence.webhooks.attempts import pause_s
from shared.aio import iterate_concurrently, run_alongside
from shared.errors import ExhibitError
from shared.evidence_format import chain, layout
from shared.evidence_format.files.manifest import Seal
from shared.evidence_format.seals.timestamp import BadToken, TimestampAuthority, read_timestamp, timestamp_query
from shared.text.names import age_of_run

log = logging.getLogger(__name__)


class AsksAuthority(Protocol):
    async def ask(self, query: bytes, /) -> bytes:
        """Return the answer of the authority. Raises Unavailable."""
        ...


class SealedRound(msgspec.Struct, frozen=True):
    """What is read of a manifest."""

    round: int


class Timestamps:
    """Seals without a token, and how they get one.

    Args:
        authority: whose certificates an answer is checked with; None: it is only compared with the seal.
        policy: the object identifier that an answer must be given under; empty: any.
        first_pause_s: after a failure; each pause is twice as long as the one before, up to an hour.
        longest_s: how long `finish` waits.
    """

    def __init__(
        self,
        store: Store,
        client: AsksAuthority,
        authority: TimestampAuthority | None,
        policy: str,
        first_pause_s: float,
        longest_s: float,
    ) -> None:
        self._store, self._client, self._authority, self._policy = store, client, authority, policy
        self._first_pause_s, self._longest_s = first_pause_s, longest_s
        self._open: dict[str, int] = {}
        """Runs whose seal may have no token, the newest last, each with the number of its note."""
        self._notes = 0
        self._untried = set[str]()
        self._noted, self._all_tried = asyncio.Event(), asyncio.Event()
        self._all_tried.set()

    def note(self, run_id: str) -> None:
        """Ask for a token for a run that was sealed just now, soon."""
        self._add(run_id)
        self._untried.add(run_id)
        self._all_tried.clear()
        self._noted.set()

    async def watch(self) -> None:
        """Ask for tokens, for ever. Begin with seals that have none from before."""
        failures, recalled = 0, False
        while True:
            self._noted.clear()
            try:
                if not recalled:
                    await self.recall()
                    recalled = True
                failures = 0 if await self.ask_for_open() else failures + 1
            except ExhibitError as exc:  # the store is away
                failures += 1
                log.info("timestamps are asked for later: %s", exc)
            self._tried(*self._untried)
            pause = pause_s(failures, self._first_pause_s) if failures else None
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._noted.wait()

    async def finish(self) -> None:
        """Wait until the authority was asked once for each seal of this process, not longer than for one answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._longest_s):
                await self._all_tried.wait()

    async def recall(self) -> None:
        """Remember all runs whose latest seal has no token."""
        names = sorted(filter(layout.is_safe, await self._store.names("")), key=age_of_run)

        async def read(run_id: str) -> str | None:
            return run_id if await self._read_unstamped(run_id) is not None else None

        found: list[str] = []
        async with aclosing(iterate_concurrently(read, names, READ_LIMIT)) as runs:
            found += [one async for one in runs if one is not None]
        newer, self._open = self._open, {}
        for run_id in [*(one for one in found if one not in newer), *newer]:
            self._add(run_id)

    async def ask_for_open(self) -> bool:
        """Ask for a token for each seal that has none, the newest first. Return whether nothing failed.

        A wrong answer costs one seal its turn; an authority that does not answer, or a store that is away, all.
        """
        asked, failed = set[str](), False
        while run_id := next((one for one in reversed(self._open) if one not in asked), ""):
            asked.add(run_id)
            number = self._open[run_id]
            try:
                await self._stamp(run_id)
                if self._open.get(run_id) == number:  # else it was sealed once more meanwhile
                    del self._open[run_id]
            except BadToken as exc:
                failed = True
                log.warning("%s: the answer of the time-stamping authority was refused: %s", run_id, exc)
            except ExhibitError as exc:
                log.warning("%s: no timestamp; it is asked for again: %s", run_id, exc)
                return False
            finally:
                self._tried(run_id)
        return not failed

    async def _stamp(self, run_id: str) -> None:
        """Get and store the token of a run's seal, unless it has one. Raises BadToken and Unavailable."""
        found = await self._read_unstamped(run_id)
        if found is None:
            return
        number, seal = found
        query = timestamp_query(seal)
        answer = await self._client.ask(query.body)
        told = read_timestamp(answer, seal, self._authority, nonce=query.nonce, policy=self._policy)
        if await self._read_unstamped(run_id) == found:
            # No lock: it is written as a whole under the name of its round, and of two that ask both are right.
            key = layout.run_key(run_id, layout.timestamp_path(number))
            await self._store.write(key, answer)
            await self._store.make_durable(key.rpartition("/")[0])
            log.info("%s: round %d has a timestamp of %s, by %s", run_id, number, told.at.isoformat(), told.by)

    async def _read_unstamped(self, run_id: str) -> tuple[int, bytes] | None:
        """Return round and bytes of the run's seal; None if it is not sealed now, or the seal has a token."""
        manifest = await self._store.read(layout.run_key(run_id, layout.MANIFEST))
        seal = await self._store.read(layout.run_key(run_id, layout.SEAL))
        if manifest is None or seal is None:
            return None
        try:
            number = msgspec.json.decode(manifest, type=SealedRound).round
            fits = msgspec.json.decode(seal, type=Seal).manifest_sha256 == chain.sha256(manifest)
        except chain.NOT_JSON:
            return None  # `exhibit verify` tells
        if not fits or await self._store.read(layout.run_key(run_id, layout.timestamp_path(number))) is not None:
            return None
        return number, seal

    def _add(self, run_id: str) -> None:
        self._notes += 1
        self._open.pop(run_id, None)
        self._open[run_id] = self._notes

    def _tried(self, *run_ids: str) -> None:
        self._untried.difference_update(run_ids)
        if not self._untried:
            self._all_tried.set()


@asynccontextmanager
async def timestamped(timestamps: Timestamps | None) -> AsyncGenerator[None]:
    """Ask for tokens while the block runs, and at its end once for what was sealed last."""
    if timestamps is None:
        yield
        return
    async with run_alongside(timestamps.watch()):
        yield
        await timestamps.finish()
