"""A name and a table of handlers, independent of NATS.

A handler takes one message and returns one value. The value of an ask is the reply; that of a command or an event is
published once on the subject that its route names.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from shared.contracts.base import Message
from shared.errors import ExhibitError, NotSigned
from shared.streams import WorkQueues
from shared.subjects import Ask, Stored

DepsT = TypeVar("DepsT")
ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
MsgT = TypeVar("MsgT", bound=Message)
OutT = TypeVar("OutT", bound=Message)


@dataclass(frozen=True)
class AskRoute(Generic[DepsT]):
    """A handler of an ask. ``gated``: listened to only while the service's gate is open. ``paced``: what one ask costs
    of the pace of its asker (`shared.bus.floods`); 0: nobody is held up, for clients have no right to it."""

    subject: Ask[Any, Any]
    handler: Callable[[Any, DepsT], Awaitable[Any]]
    deadline_s: float
    gated: bool = False
    paced: float = 0.0


@dataclass(frozen=True)
class StoredRoute(Generic[DepsT]):
    """A handler of a command or an event.

    Attributes:
        emits: subject of the value that the handler returns.
        max_attempts: None retries for ever.
        give_up: builds the event that accounts for a message that is not retried any more, from the message, the
            attempt and the last error.
        queues: where commands are pulled from.
        refuse: is told of a message that is not signed by who may send it, in place of the handler; None: it is
            dead-lettered.
    """

    subject: Stored[Any]
    handler: Callable[[Any, DepsT, int], Awaitable[Any]]
    deadline_s: float
    max_attempts: int | None
    emits: Stored[Any] | None
    give_up: Callable[[Any, DepsT, int, ExhibitError], Any] | None = None
    queues: WorkQueues | None = None
    refuse: Callable[[Any, DepsT, NotSigned], Awaitable[None]] | None = None


class Actor(Generic[DepsT]):
    """The handlers of one service. A second handler of the same subject raises ValueError."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asks: dict[str, AskRoute[DepsT]] = {}
        self.stored: dict[str, StoredRoute[DepsT]] = {}

    def answers(
        self, subject: Ask[ReqT, RepT], *, deadline_s: float = 30.0, gated: bool = False, paced: float = 0.0
    ) -> Callable[[Callable[[ReqT, DepsT], Awaitable[RepT]]], Callable[[ReqT, DepsT], Awaitable[RepT]]]:
        """Register the handler of an ask: ``async (request, deps) -> reply``."""

        def register(handler: Callable[[ReqT, DepsT], Awaitable[RepT]]) -> Callable[[ReqT, DepsT], Awaitable[RepT]]:
            self._refuse_second(subject.pattern)
            self.asks[subject.pattern] = AskRoute(subject, handler, deadline_s, gated, paced)
            return handler

        return register

    def handles(
        self,
        subject: Stored[MsgT],
        *,
        emits: Stored[OutT] | None = None,
        deadline_s: float = 30.0,
        max_attempts: int | None = 5,
        give_up: Callable[[MsgT, DepsT, int, ExhibitError], OutT] | None = None,
        queues: WorkQueues | None = None,
        refuse: Callable[[MsgT, DepsT, NotSigned], Awaitable[None]] | None = None,
    ) -> Callable[
        [Callable[[MsgT, DepsT, int], Awaitable[OutT | None]]], Callable[[MsgT, DepsT, int], Awaitable[OutT | None]]
    ]:
        """Register the handler of a command or an event: ``async (message, deps, attempt) -> event or None``."""

        def register(
            handler: Callable[[MsgT, DepsT, int], Awaitable[OutT | None]],
        ) -> Callable[[MsgT, DepsT, int], Awaitable[OutT | None]]:
            self._refuse_second(subject.pattern)
            self.stored[subject.pattern] = StoredRoute(
                subject, handler, deadline_s, max_attempts, emits, give_up, queues, refuse
            )
            return handler

        return register

    def include(self, other: Actor[DepsT]) -> None:
        """Add the handlers of a part of the service that has a module of its own."""
        for pattern in (*other.asks, *other.stored):
            self._refuse_second(pattern)
        self.asks |= other.asks
        self.stored |= other.stored

    def _refuse_second(self, pattern: str) -> None:
        if pattern in self.asks or pattern in self.stored:
            raise ValueError(f"{self.name}: {pattern!r} already has a handler")
