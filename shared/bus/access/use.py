"""What a user of the bus does there, declared beside the code that does it; its rights follow from this alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shared.streams import Bucket, Stream
from shared.subjects import Ask, Stored


@dataclass(frozen=True, kw_only=True)
class BusUse:
    """What a user does besides what the table of its actor says: what it answers, handles and emits.

    Attributes:
        answers: asks that it answers without an actor.
        opens: work-queue streams whose queues it opens and closes.
        follows: whether it reads events of the past in the stream.
        hears_runs: whether it is told of events as they happen.
        reads, records, lists, watches: key-value buckets of which it reads single records, stores them too, reads all,
            and is told of changes.
        gets, puts, removes: object buckets.
    """

    asks: tuple[Ask[Any, Any], ...] = ()
    answers: tuple[Ask[Any, Any], ...] = ()
    publishes: tuple[Stored[Any], ...] = ()
    opens: tuple[Stream, ...] = ()
    follows: bool = False
    hears_runs: bool = False
    reads: tuple[Bucket, ...] = ()
    records: tuple[Bucket, ...] = ()
    lists: tuple[Bucket, ...] = ()
    watches: tuple[Bucket, ...] = ()
    gets: tuple[Bucket, ...] = ()
    puts: tuple[Bucket, ...] = ()
    removes: tuple[Bucket, ...] = ()

    def key_value_buckets(self) -> set[str]:
        return {bucket.name for bucket in (*self.reads, *self.records, *self.lists, *self.watches)}

    def object_buckets(self) -> set[str]:
        return {bucket.name for bucket in (*self.gets, *self.puts, *self.removes)}
