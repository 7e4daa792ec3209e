"""The rights of a user on a NATS server: which subjects it may publish to and subscribe to, derived from its use.

NATS grants everything by subjects, also what JetStream does: each call of its API, each key of a bucket, and each
acknowledgement is one. A user's replies come to subjects that begin with its public key, so that no other user reads
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.bus.access.use import BusUse
from shared.bus.actor import Actor
from shared.bus.wire import ping_subject
from shared.streams import (
    EVENTS_STREAM,
    INBOX,
    KEY_VALUE_BUCKETS,
    OBJECT_BUCKETS,
    STREAMS,
    key_value_stream,
    object_stream,
)
from shared.subjects import DEAD_LETTERS, PREFIX, Ask, Stored, any_of, any_of_run

API = "$JS.API"
MAKES_STREAMS = "evidence"
"""The one user that makes streams. No page and no code of a workflow ever reaches it."""
ALL_STREAMS = (
    *(stream.name for stream in STREAMS),
    *(key_value_stream(bucket.name) for bucket in KEY_VALUE_BUCKETS),
    *(object_stream(bucket.name) for bucket in OBJECT_BUCKETS),
)
MICRO = ("PING", "INFO", "STATS")
"""What nats.micro asks of each service."""


@dataclass(frozen=True, kw_only=True)
class BusUser:
    """``actor``: of a service; None for people and their programs. ``makes_streams``: all that are not there yet."""

    name: str
    use: BusUse
    actor: Actor[Any] | None = None

    @property
    def makes_streams(self) -> bool:
        return self.name == MAKES_STREAMS


@dataclass(frozen=True)
class Rights:
    """``denied``: of what ``publish`` grants with a wildcard. ``replies``: whether it may answer what it was asked."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    denied: tuple[str, ...] = ()
    replies: bool = False


@dataclass
class _Granted:
    publish: set[str] = field(default_factory=set)
    subscribe: set[str] = field(default_factory=set)


def rights_of(user: BusUser, inbox: str, durables: Iterable[str]) -> Rights:
    """Return the rights of a user whose replies come below ``inbox``.

    ``durables``: the names of all services that follow events; each one's place in the stream is its own.
    """
    granted = _Granted(subscribe={f"{inbox}.>"})
    asks, answers = user.use.asks, list(user.use.answers)
    if user.actor is not None:
        answers += [route.subject for route in user.actor.asks.values()]
        _grant_actor(granted, user.actor)
    granted.publish |= {_subject(one) for one in asks}
    granted.publish |= {any_of(one) for one in user.use.publishes}
    granted.subscribe |= {_subject(one) for one in answers}
    if any(one.keys and not one.held for one in asks):
        granted.publish.add(ping_subject("*"))
    if any(one.keys and not one.held for one in answers):
        granted.subscribe.add(ping_subject("*"))
    if user.use.hears_runs:
        granted.subscribe |= set(any_of_run("*"))
    _grant_streams(granted, user)
    _grant_buckets(granted, user)
    others = sorted(set(durables) - {user.name}) if user.use.follows else []
    return Rights(
        publish=tuple(sorted(granted.publish)),
        subscribe=tuple(sorted(granted.subscribe)),
        denied=tuple(subject for name in others for subject in _consumer(EVENTS_STREAM.name, name)),
        replies=bool(answers),
    )


def streams_of(user: BusUser) -> frozenset[str]:
    """Return the names, on the server, of the streams that the user has to do with."""
    queues = _queues(user.actor) if user.actor is not None else dict[str, Stored[Any]]()
    subjects = [*user.use.publishes, *(_stored_of(user.actor) if user.actor is not None else ())]
    named = {stream.name for stream in STREAMS for subject in subjects if _holds(stream.subjects, subject.pattern)}
    named |= {stream.name for stream in user.use.opens} | set(queues)
    if user.use.follows:
        named.add(EVENTS_STREAM.name)
    if user.actor is not None and user.actor.stored:
        named.add(next(stream.name for stream in STREAMS if _holds(stream.subjects, f"{DEAD_LETTERS}.x")))
    named |= {key_value_stream(bucket) for bucket in _key_value_buckets(user)}
    return frozenset(named | {object_stream(bucket) for bucket in user.use.object_buckets()})


def buckets_of(user: BusUser) -> frozenset[str]:
    """Return those of its streams that it may ask about: the streams of buckets."""
    return streams_of(user) - {stream.name for stream in STREAMS}


def follows_events(actor: Actor[Any]) -> bool:
    """Whether the actor handles events, and so has a durable consumer of its name."""
    return any(pattern.startswith(f"{PREFIX}.evt.") for pattern in actor.stored)


# --- what an actor does


def _grant_actor(granted: _Granted, actor: Actor[Any]) -> None:
    granted.subscribe |= {f"$SRV.{verb}{whom}" for verb in MICRO for whom in ("", f".{actor.name}", f".{actor.name}.*")}
    for route in actor.stored.values():
        granted.publish.add(f"{DEAD_LETTERS}.{any_of(route.subject).removeprefix(f'{PREFIX}.')}")
        if route.emits is not None:
            granted.publish.add(any_of(route.emits))
    if follows_events(actor):
        granted.publish |= {*_consumer(EVENTS_STREAM.name, actor.name), f"$JS.ACK.{EVENTS_STREAM.name}.{actor.name}.>"}
    for stream, opened_by in _queues(actor).items():
        granted.subscribe.add(any_of(opened_by))
        granted.publish |= {
            f"{API}.CONSUMER.LIST.{stream}",
            f"{API}.CONSUMER.INFO.{stream}.*",
            f"{API}.CONSUMER.MSG.NEXT.{stream}.*",
            f"$JS.ACK.{stream}.>",
        }


def _queues(actor: Actor[Any]) -> Mapping[str, Stored[Any]]:
    """Return the streams whose queues the actor pulls from, with the event that announces a queue."""
    routes = [route.queues for route in actor.stored.values() if route.queues is not None]
    return {queues.stream.name: queues.opened_by for queues in routes}


def _stored_of(actor: Actor[Any]) -> list[Stored[Any]]:
    routes = actor.stored.values()
    return [route.subject for route in routes] + [route.emits for route in routes if route.emits is not None]


# --- streams and buckets


def _grant_streams(granted: _Granted, user: BusUser) -> None:
    if user.makes_streams:
        granted.publish |= {f"{API}.STREAM.CREATE.{stream}" for stream in ALL_STREAMS}
    for stream in (one.name for one in user.use.opens):
        granted.publish |= {
            f"{API}.CONSUMER.CREATE.{stream}.>",
            f"{API}.CONSUMER.DELETE.{stream}.*",
            f"{API}.STREAM.PURGE.{stream}",
            *_stored_message(stream),
        }
    if user.use.follows:
        # Not the call without a name: a name in its body could be that of a service, and no right says which.
        granted.publish |= {
            f"{API}.CONSUMER.CREATE.{EVENTS_STREAM.name}.*.>",
            *(f"{API}.CONSUMER.{verb}.{EVENTS_STREAM.name}.*" for verb in ("CREATE", "INFO", "MSG.NEXT", "DELETE")),
        }


def _grant_buckets(granted: _Granted, user: BusUser) -> None:
    use = user.use
    for stream in (key_value_stream(bucket) for bucket in _key_value_buckets(user)):
        granted.publish |= {f"{API}.STREAM.INFO.{stream}", *_stored_message(stream)}
    granted.publish |= {f"$KV.{bucket.name}.>" for bucket in use.records}
    if _takes_commands(user.actor):
        granted.publish.add(f"$KV.{INBOX.name}.>")
    granted.subscribe |= {f"$KV.{bucket.name}.>" for bucket in use.watches}
    for stream in (key_value_stream(bucket.name) for bucket in use.lists):
        granted.publish |= _any_consumer(stream)
    for bucket in use.object_buckets():
        stream = object_stream(bucket)
        granted.publish |= {f"{API}.STREAM.INFO.{stream}", *_stored_message(stream)}
    for bucket in use.puts:
        granted.publish.add(f"$O.{bucket.name}.C.*")
    for bucket in {*use.puts, *use.removes}:
        granted.publish.add(f"$O.{bucket.name}.M.*")
    for bucket in use.removes:
        granted.publish.add(f"{API}.STREAM.PURGE.{object_stream(bucket.name)}")


def _key_value_buckets(user: BusUser) -> set[str]:
    return user.use.key_value_buckets() | ({INBOX.name} if _takes_commands(user.actor) else set())


def _takes_commands(actor: Actor[Any] | None) -> bool:
    return actor is not None and any(pattern.startswith(f"{PREFIX}.cmd.") for pattern in actor.stored)


def _stored_message(stream: str) -> set[str]:
    """The calls that return one message of a stream."""
    return {f"{API}.STREAM.MSG.GET.{stream}", f"{API}.DIRECT.GET.{stream}", f"{API}.DIRECT.GET.{stream}.>"}


def _any_consumer(stream: str) -> set[str]:
    """The calls by which a reader has a consumer for a while. Only that of a pull consumer has a name."""
    verbs = ("INFO", "MSG.NEXT", "DELETE")
    create = f"{API}.CONSUMER.CREATE.{stream}"
    return {create, f"{create}.>", *(f"{API}.CONSUMER.{verb}.{stream}.*" for verb in verbs)}


def _consumer(stream: str, name: str) -> list[str]:
    """The calls that concern one consumer."""
    return [
        f"{API}.CONSUMER.CREATE.{stream}.{name}",
        f"{API}.CONSUMER.CREATE.{stream}.{name}.>",
        *(f"{API}.CONSUMER.{verb}.{stream}.{name}" for verb in ("DURABLE.CREATE", "INFO", "MSG.NEXT", "DELETE")),
    ]


def _subject(ask: Ask[Any, Any]) -> str:
    return ask.pattern + ".*" * len(ask.keys)


def _holds(stream_subjects: Iterable[str], pattern: str) -> bool:
    return any(pattern.startswith(subject.removesuffix(">")) for subject in stream_subjects)
