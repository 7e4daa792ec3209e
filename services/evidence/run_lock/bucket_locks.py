"""Locks of runs in a bucket: no two processes write one run, on any machines.

A bucket has no locks that end with a process. Instead, an object ``.held/RUN`` beside the runs names the process that
writes the run: a lease. It is written with compare-and-set, renewed every few seconds, and removed at the end. Another
process takes it over (`lock_owner.may_take_over`)

- at once, if a dead process of the same machine left it. Each process has a file lock in ``folder`` while it lives, and
  the object holds the name of that file, the keeper.
- otherwise when it was not renewed for `EXPIRES_S`, by the server's Date and Last-Modified and not by a local clock.

A process that was suspended finds that out before its next write: a lock that is no longer confirmed is checked first.
(After Gray and Cheriton, Leases, 1989.)
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

from services.evidence.run_lock.file_locks import FileLocks, this_process
from services.evidence.run_lock.lock_owner import (
    CONFIRMED_S,
    EXPIRES_S,
    HELD_ELSEWHERE,
    RENEW_INTERVAL_S,
    LockOwner,
    may_take_over,
    parse_owner,
    refusal_in_bucket,
)
from shared.errors import Unavailable
from shared.evidence_format.files.json_files import encode_file
from shared.s3.bucket import S3Bucket
from shared.s3.location import ObjectStat

log = logging.getLogger(__name__)

TAKE_ATTEMPTS = 3
"""Attempts to take a lock when another process changes it at the same moment."""


def _elapsed_s() -> float:
    """Return a monotonic time that includes sleep of the machine, if the system has such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass
class _Lease:
    """``confirmed_s``: when the last successful renewal began. ``lost``: another process has taken over."""

    owner: LockOwner
    current: ObjectStat
    confirmed_s: float
    lost: bool = False


class BucketLocks:
    """Thread-safe; every call but `is_confirmed` and `has` blocks. They raise Unavailable if the server cannot be
    reached, and Unavailable with the code ``run_held`` if another process has the lock."""

    def __init__(self, bucket: S3Bucket, folder: Path, expires_s: float = EXPIRES_S) -> None:
        self._bucket, self._expires_s = bucket, expires_s
        self._keepers = FileLocks(folder)
        self._leases: dict[str, _Lease] = {}
        self._lock = RLock()
        """Held over the requests between reading a lease and writing it, so that no renewal comes between."""
        self._renewing: Event | None = None
        """Stops the thread that renews the leases; None if no thread runs."""

    def is_confirmed(self, run_id: str) -> bool:
        """Whether this process has the lock, and the server confirmed it recently."""
        lease = self._leases.get(run_id)
        return lease is not None and not lease.lost and _elapsed_s() - lease.confirmed_s < CONFIRMED_S

    def has(self, run_id: str) -> bool:
        return run_id in self._leases

    def take(self, run_id: str) -> bool:
        """Take a lock; return whether this process did not have it before."""
        with self._lock:
            if self._still_has(run_id):
                return False
            keeper = self._take_keeper(run_id)
            try:
                self._leases[run_id] = self._take_lease(run_id, replace(this_process(), keeper=keeper))
            except BaseException as exc:
                elsewhere = isinstance(exc, Unavailable) and exc.code == HELD_ELSEWHERE
                (self._keepers.release if elsewhere else self._keepers.abandon)(self._keeper_file(run_id))
                raise
            self._start_renewing()
            return True

    def require_lock(self, run_id: str) -> None:
        """Raise if the lock was lost; call it before each write. Runs that were never locked here are not checked."""
        if self.has(run_id) and not self.is_confirmed(run_id):
            with self._lock:
                if not self._still_has(run_id):
                    raise self._refusal(run_id, self._bucket.read(_key(run_id)))

    def renew(self) -> None:
        """Renew all leases. An error of the server is ignored, because the next renewal follows soon enough."""
        for run_id in list(self._leases):
            with self._lock, suppress(Unavailable):
                if (lease := self._leases.get(run_id)) is not None and not lease.lost:
                    self._renew(run_id, lease)

    def release(self, run_id: str) -> None:
        """Release a lock. Idempotent."""
        with self._lock:
            if self._still_has(run_id):
                self._remove(run_id)
            if self._leases.pop(run_id, None) is not None:
                self._keepers.release(self._keeper_file(run_id))

    def close(self) -> None:
        """Release all locks. If the server cannot be reached they stay, as those of a dead process."""
        with self._lock:
            if self._renewing is not None:
                self._renewing.set()
                self._renewing = None
        for run_id in list(self._leases):
            try:
                self.release(run_id)
            except Unavailable as exc:
                log.warning("%s stays until it expires: %s", self._url(run_id), exc)
                self._leases.pop(run_id, None)
                self._keepers.abandon(self._keeper_file(run_id))

    # --- taking

    def _take_keeper(self, run_id: str) -> str:
        """Take the file lock that shows other processes of this machine that this one lives; return the keeper."""
        name = self._keeper_file(run_id)
        try:
            self._keepers.take(name)
        except (BlockingIOError, PermissionError):
            raise self._refusal(run_id, self._bucket.read(_key(run_id))) from None
        keeper = self._keepers.read(name).decode(errors="replace")
        if not keeper:  # an existing keeper is of a dead process, whose lock in the bucket may be taken over
            keeper = uuid4().hex
            self._keepers.write(name, keeper.encode())
        return keeper

    def _take_lease(self, run_id: str, owner: LockOwner) -> _Lease:
        for _ in range(TAKE_ATTEMPTS):
            there = self._bucket.read(_key(run_id))
            if there is not None and not self._is_free(there, owner):
                raise self._refusal(run_id, there)
            began_s = _elapsed_s()
            if (now := self._swap(run_id, owner, there[0] if there else None)) is None:
                continue
            # A server without atomic conditions may let two writers through: then the last one has the lock.
            last = self._bucket.stat(_key(run_id))
            if last is not None and last.etag == now.etag:
                return _Lease(owner, now, began_s)
        raise self._refusal(run_id, self._bucket.read(_key(run_id)))

    def _is_free(self, there: tuple[ObjectStat, bytes], owner: LockOwner) -> bool:
        found, age_s = parse_owner(there[1]), there[0].age_s
        return may_take_over(found, age_s, host=owner.host, keeper=owner.keeper, expires_s=self._expires_s)

    # --- holding

    def _still_has(self, run_id: str) -> bool:
        lease = self._leases.get(run_id)
        return lease is not None and not lease.lost and (self.is_confirmed(run_id) or self._renew(run_id, lease))

    def _renew(self, run_id: str, lease: _Lease) -> bool:
        """Renew one lease; return False, and mark it lost, if another process has it.

        Raises Unavailable without a reply. The server may have renewed it, so the next write or release checks first.
        """
        began_s = _elapsed_s()
        try:
            now = self._swap(run_id, lease.owner, lease.current) or self._swap_again(run_id, lease)
        except Unavailable:
            lease.confirmed_s = -math.inf
            raise
        if now is None:
            lease.lost = True
            log.warning(
                "%s has been taken over by another process, because its lock was not renewed", self._url(run_id)
            )
            return False
        lease.current, lease.confirmed_s = now, began_s
        return True

    def _swap_again(self, run_id: str, lease: _Lease) -> ObjectStat | None:
        """Renew again after a lost reply: the object may be of this process, with another renewal."""
        there = self._bucket.read(_key(run_id))
        found = parse_owner(there[1]) if there is not None else None
        if there is None or found is None or replace(found, renewal="") != lease.owner:
            return None
        self._drop(run_id, lease.current)
        return self._swap(run_id, lease.owner, there[0])

    def _swap(self, run_id: str, owner: LockOwner, before: ObjectStat | None) -> ObjectStat | None:
        """Write the object on the condition that it is still ``before``; None if it is not."""
        data = encode_file(replace(owner, renewal=uuid4().hex))
        now = self._bucket.swap(_key(run_id), data, before, "application/json")
        if now is not None and before is not None and before.version != now.version:
            self._drop(run_id, before)
        return now

    def _drop(self, run_id: str, before: ObjectStat) -> None:
        """Remove a version that was replaced; it stays without the right to remove it."""
        # Without versions in the bucket this would remove the current object.
        if before.has_version:
            with suppress(Unavailable):
                self._bucket.remove(_key(run_id), before.version)

    def _remove(self, run_id: str) -> None:
        """Remove the lock's object. Without the right to remove it, it stays until it expires."""
        try:
            self._bucket.erase(_key(run_id))
        except Unavailable as exc:
            if exc.code != "store_denied":
                raise
            log.warning("%s stays until it expires: %s", self._url(run_id), exc)

    def _start_renewing(self) -> None:
        if self._renewing is None:
            self._renewing = Event()
            Thread(target=self._renew_until, args=[self._renewing], name="run-locks", daemon=True).start()

    def _renew_until(self, ended: Event) -> None:
        """Renew until ``ended`` is set, or no lease is left."""
        while not ended.wait(RENEW_INTERVAL_S):
            self.renew()
            with self._lock:
                if not self._leases and self._renewing is ended:
                    self._renewing = None
                    return

    # --- names and messages

    def _keeper_file(self, run_id: str) -> str:
        """Return the name of the keeper's file. It includes the bucket, because run ids repeat in other buckets."""
        return sha256(f"{self._bucket.endpoint} {self._url(run_id)}".encode()).hexdigest()[:32]

    def _url(self, run_id: str) -> str:
        return self._bucket.location.url_of(_key(run_id))

    def _refusal(self, run_id: str, there: tuple[ObjectStat, bytes] | None) -> Unavailable:
        owner, age_s = (parse_owner(there[1]), there[0].age_s) if there is not None else (None, 0.0)
        message = refusal_in_bucket(self._bucket.location.url_of(run_id), self._url(run_id), owner, age_s)
        return Unavailable(message, code=HELD_ELSEWHERE)


def _key(run_id: str) -> str:
    return f".held/{run_id}"
