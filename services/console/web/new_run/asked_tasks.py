"""Sentences that a model makes a task of: one at a time for each person, until there is an answer or somebody cancels.

What comes of one is a text to be checked, shown and accepted by that person; nothing runs by it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from services.console.task_drafting import draft_task, drafting_model
from services.console.web.desk import Desk
from shared.aio import BackgroundTasks
from shared.bus.ports import Asks
from shared.contracts.planner import DraftRefused, TaskDrafted
from shared.errors import ExhibitError

MOST_KEPT = 32
CANCELLED = "It was cancelled. What the model had been asked by then is paid all the same."
FAULT = "A fault of ours: the log of the server has the place."


@dataclass(frozen=True)
class DraftingOffer:
    """``model``: what would draft; empty: it is not known. ``problem``: why none would, and what to do."""

    model: str = ""
    problem: str = ""


async def drafter_of(desk: Desk) -> DraftingOffer:
    """Return whether a task would be drafted here. It costs nothing."""
    try:
        return DraftingOffer(model=await drafting_model(desk.client.bus))
    except ExhibitError as exc:
        return DraftingOffer(problem=str(exc))


@dataclass(frozen=True)
class AskedTask:
    """A sentence of ``person``. ``reply``: what came of it; ``problem``: why nothing did. Without both it is on its
    way."""

    asked_id: str
    person: str
    sentence: str
    begun: datetime
    reply: TaskDrafted | DraftRefused | None = None
    problem: str = ""

    @property
    def is_open(self) -> bool:
        return self.reply is None and not self.problem


@dataclass
class AskedTasks:
    """Those of a server. The oldest go where there are too many."""

    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _asked: dict[str, AskedTask] = field(default_factory=dict[str, AskedTask])
    _working: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, asyncio.Task[None]])
    _background: BackgroundTasks = field(default_factory=BackgroundTasks)

    def get(self, asked_id: str, person: str) -> AskedTask | None:
        """Return one of this person."""
        found = self._asked.get(asked_id)
        return found if found is not None and found.person == person else None

    def open_of(self, person: str) -> AskedTask | None:
        """Return the one of this person that is on its way."""
        return next((one for one in self._asked.values() if one.person == person and one.is_open), None)

    def newest(self, person: str) -> tuple[AskedTask, ...]:
        """Return those of this person, the newest first."""
        return tuple(one for one in reversed(self._asked.values()) if one.person == person)

    def begin(self, asked_id: str, bus: Asks, person: str, sentence: str) -> AskedTask:
        """Begin one. The caller has seen that none of this person is on its way."""
        asked = AskedTask(asked_id, person, sentence, self.clock())
        self._asked[asked_id] = asked
        while len(self._asked) > MOST_KEPT and (old := self._oldest()):
            del self._asked[old]
        task = self._working[asked_id] = self._background.start(self._draft(asked, bus))
        task.add_done_callback(lambda _: self._working.pop(asked_id))
        return asked

    def cancel(self, asked_id: str) -> None:
        """Wait for no answer any more. One that is there stays."""
        task = self._working.get(asked_id)
        if task is not None:
            self._put(asked_id, problem=CANCELLED)
            task.cancel()

    async def ended(self, asked_id: str) -> None:
        """Return once one is on its way no more."""
        task = self._working.get(asked_id)
        if task is not None:
            await asyncio.wait({task})

    async def aclose(self) -> None:
        await self._background.cancel()

    async def _draft(self, asked: AskedTask, bus: Asks) -> None:
        problem, reply = FAULT, None
        try:
            reply, problem = await draft_task(bus, asked.sentence), ""
        except ExhibitError as exc:
            problem = str(exc)
        finally:
            self._put(asked.asked_id, reply=reply, problem=problem)

    def _put(self, asked_id: str, *, reply: TaskDrafted | DraftRefused | None = None, problem: str = "") -> None:
        if (asked := self._asked[asked_id]).is_open:
            self._asked[asked_id] = replace(asked, reply=reply, problem=problem)

    def _oldest(self) -> str:
        return next((one.asked_id for one in self._asked.values() if not one.is_open), "")
