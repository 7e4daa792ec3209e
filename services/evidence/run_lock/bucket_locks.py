"""Which runs in a bucket this process writes: no two write one, on whatever machines they are.

A bucket has no locks that end with a process. In their place an object ``.held/RUN``, which lies beside the runs and is
part of none, says who writes the run. It is written on the condition that none is there, or still the one that was
read; it is written again every few seconds, and removed at the end. Whoever comes upon one takes it over

- at once, where it was left by a process of this machine that is dead: each has a lock of the system on a file in
  ``folder`` for as long as it lives, and a name of its own for that file, the keeper, stands in the object;
- else when it has not been written again for `EXPIRES_S`: by the server's Date and Last-Modified, never by our clock.

A process that was stopped for a while finds out before it writes the next thing, at the latest: what is not confirmed
any more is asked about first. (After Gray and Cheriton, Leases, 1989.)
"""

from __future__ import annotations

import logging
import math
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Event, RLock, Thread
from uuid import uuid4

from msgspec.structs import replace

from services.evidence.run_lock.file_locks import Holding, this_process
from services.evidence.run_lock.lock_owner import (
    CONFIRMED_S,
    EXPIRES_S,
    HELD_ELSEWHERE,
    RENEWED_EVERY_S,
    Holder,
    holder_in,
    may_take_over,
    refusal_in_bucket,
)
from shared.errors import Unavailable
from shared.evidence_format.files.base import encode_file
from shared.s3.bucket import S3Bucket
from shared.s3.objects import ObjectStat

log = logging.getLogger(__name__)

TRIES = 3
"""Who is overtaken by another one while it takes a lock looks again who has it."""


def _elapsed_s() -> float:
    """A machine that sleeps grows older all the same, where the system can tell."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass
class _Held:
    """``confirmed_s``: when we last began to say that we live, and were heard. ``lost``: another one has it."""

    holder: Holder
    now: ObjectStat
    confirmed_s: float
    lost: bool = False


class BucketHolding:
    """Every call but `is_sure` and `has` blocks; they may come from several threads. All raise Unavailable where the
    server cannot be asked, and with the code ``run_held`` where another process has the run."""

    def __init__(self, bucket: S3Bucket, folder: Path, expires_s: float = EXPIRES_S) -> None:
        self._bucket, self._expires_s = bucket, expires_s
        self._alive = Holding(folder)
        self._held: dict[str, _Held] = {}
        self._lock = RLock()
        """Between reading what is held and writing it there are requests; a renewal must not come between."""
        self._renewing: Event | None = None
        """While it is there and not set a thread says every few seconds that we live."""

    def is_sure(self, run_id: str) -> bool:
        """The run is ours, and that was confirmed just now."""
        held = self._held.get(run_id)
        return held is not None and not held.lost and _elapsed_s() - held.confirmed_s < CONFIRMED_S

    def has(self, run_id: str) -> bool:
        return run_id in self._held

    def take(self, run_id: str) -> bool:
        """Whether it was not ours before."""
        with self._lock:
            if self._is_still_ours(run_id):
                return False
            keeper = self._live(run_id)
            try:
                self._held[run_id] = self._taken(run_id, replace(this_process(), keeper=keeper))
            except BaseException as exc:
                elsewhere = isinstance(exc, Unavailable) and exc.code == HELD_ELSEWHERE
                (self._alive.release if elsewhere else self._alive.leave)(self._file(run_id))
                raise
            self._keep_renewing()
            return True

    def must_be_ours(self, run_id: str) -> None:
        """Before something of a run is written. What we never took is not asked about."""
        if self.has(run_id) and not self.is_sure(run_id):
            with self._lock:
                if not self._is_still_ours(run_id):
                    raise self._refused(run_id, self._bucket.read(_key(run_id)))

    def renew(self) -> None:
        """Says of all that is held that we live. Where the server cannot be asked the next time will do."""
        for run_id in list(self._held):
            with self._lock, suppress(Unavailable):
                if (held := self._held.get(run_id)) is not None and not held.lost:
                    self._renewed(run_id, held)

    def release(self, run_id: str) -> None:
        """What is not held is no error."""
        with self._lock:
            if self._is_still_ours(run_id):
                self._remove(run_id)
            if self._held.pop(run_id, None) is not None:
                self._alive.release(self._file(run_id))

    def close(self) -> None:
        """Where the server cannot be asked the locks stay, as those of a process that is dead."""
        with self._lock:
            if self._renewing is not None:
                self._renewing.set()
                self._renewing = None
        for run_id in list(self._held):
            try:
                self.release(run_id)
            except Unavailable as exc:
                log.warning("%s stays until nobody has heard of it for a while: %s", self._url(run_id), exc)
                self._held.pop(run_id, None)
                self._alive.leave(self._file(run_id))

    # --- taking

    def _live(self, run_id: str) -> str:
        """From here on others of this machine can tell that we live; the keeper."""
        name = self._file(run_id)
        try:
            self._alive.take(name)
        except (BlockingIOError, PermissionError):
            raise self._refused(run_id, self._bucket.read(_key(run_id))) from None
        keeper = self._alive.says(name).decode(errors="replace")
        if not keeper:  # else of one that died: what it left in the bucket is ours to take
            keeper = uuid4().hex
            self._alive.say(name, keeper.encode())
        return keeper

    def _taken(self, run_id: str, holder: Holder) -> _Held:
        for _ in range(TRIES):
            there = self._bucket.read(_key(run_id))
            if there is not None and not self._is_free(there, holder):
                raise self._refused(run_id, there)
            began_s = _elapsed_s()
            if (now := self._written(run_id, holder, there[0] if there else None)) is None:
                continue
            # A server that only looks before it writes lets two through: then the last of them has it.
            last = self._bucket.stat(_key(run_id))
            if last is not None and last.etag == now.etag:
                return _Held(holder, now, began_s)
        raise self._refused(run_id, self._bucket.read(_key(run_id)))

    def _is_free(self, there: tuple[ObjectStat, bytes], holder: Holder) -> bool:
        found, age_s = holder_in(there[1]), there[0].age_s
        return may_take_over(found, age_s, host=holder.host, keeper=holder.keeper, expires_s=self._expires_s)

    # --- holding

    def _is_still_ours(self, run_id: str) -> bool:
        held = self._held.get(run_id)
        return held is not None and not held.lost and (self.is_sure(run_id) or self._renewed(run_id, held))

    def _renewed(self, run_id: str, held: _Held) -> bool:
        """False, and lost, where another one has it. Raises Unavailable where no answer came: it may have been heard
        all the same, so whoever writes or lets go next asks first."""
        began_s = _elapsed_s()
        try:
            now = self._written(run_id, held.holder, held.now) or self._written_again(run_id, held)
        except Unavailable:
            held.confirmed_s = -math.inf
            raise
        if now is None:
            held.lost = True
            log.warning("%s has been taken over by another process: this one was not heard of", self._url(run_id))
            return False
        held.now, held.confirmed_s = now, began_s
        return True

    def _written_again(self, run_id: str, held: _Held) -> ObjectStat | None:
        """Where a renewal was heard and its answer was not, what stands there is ours."""
        there = self._bucket.read(_key(run_id))
        found = holder_in(there[1]) if there is not None else None
        if there is None or found is None or replace(found, renewal="") != held.holder:
            return None
        self._drop(run_id, held.now)
        return self._written(run_id, held.holder, there[0])

    def _written(self, run_id: str, holder: Holder, before: ObjectStat | None) -> ObjectStat | None:
        """None where something else than ``before`` stands there."""
        data = encode_file(replace(holder, renewal=uuid4().hex))
        now = self._bucket.swap(_key(run_id), data, before, "application/json")
        if now is not None and before is not None and before.version != now.version:
            self._drop(run_id, before)
        return now

    def _drop(self, run_id: str, before: ObjectStat) -> None:
        """A version that was replaced goes; one that may not be removed stays."""
        if before.version not in (None, "null"):  # else the bucket keeps none, and this would be that of now
            with suppress(Unavailable):
                self._bucket.remove(_key(run_id), before.version)

    def _remove(self, run_id: str) -> None:
        """A user who may not remove anything leaves it there: it is free for others in a while."""
        try:
            self._bucket.erase(_key(run_id))
        except Unavailable as exc:
            if exc.code != "store_denied":
                raise
            log.warning("%s stays until nobody has heard of it for a while: %s", self._url(run_id), exc)

    def _keep_renewing(self) -> None:
        if self._renewing is None:
            self._renewing = Event()
            Thread(target=self._renew_on, args=[self._renewing], name="holding", daemon=True).start()

    def _renew_on(self, ended: Event) -> None:
        """Until ``ended`` is set, or nothing is held any more."""
        while not ended.wait(RENEWED_EVERY_S):
            self.renew()
            with self._lock:
                if not self._held and self._renewing is ended:
                    self._renewing = None
                    return

    # --- names and words

    def _file(self, run_id: str) -> str:
        """Other buckets have runs of this name."""
        return sha256(f"{self._bucket.endpoint} {self._url(run_id)}".encode()).hexdigest()[:32]

    def _url(self, run_id: str) -> str:
        return self._bucket.location.url_of(_key(run_id))

    def _refused(self, run_id: str, there: tuple[ObjectStat, bytes] | None) -> Unavailable:
        holder, age_s = (holder_in(there[1]), there[0].age_s) if there is not None else (None, 0.0)
        told = refusal_in_bucket(self._bucket.location.url_of(run_id), self._url(run_id), holder, age_s)
        return Unavailable(told, code=HELD_ELSEWHERE)


def _key(run_id: str) -> str:
    return f".held/{run_id}"
