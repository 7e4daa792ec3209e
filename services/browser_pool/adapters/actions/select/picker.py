"""Queries to the page engine about what a control offers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from services.browser_pool.adapters.actions.effects import ControlState, VisibleChanges
from services.browser_pool.adapters.observe.engine import CountReply, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.options import Offer

MARK, OFFERED = "hands-mark", "hands-offered"


class Choices(msgspec.Struct, frozen=True):
    """The options of a control. ``many``: several may be selected. ``search``: a field filters the list."""

    kind: Literal["opens", "inside", "datalist", "gone"]
    items: tuple[Offer, ...]
    many: bool = False
    search: bool = False
    opened: bool = False
    loading: bool = False


class NearbyText(msgspec.Struct, frozen=True):
    text: str


class OptionFound(msgspec.Struct, frozen=True):
    here: bool


class ScrolledBy(msgspec.Struct, frozen=True):
    moved: float


@dataclass
class OptionPick:
    """One pick: its control, and the options seen so far."""

    session: PageSession
    found: ResolvedElement
    offered: list[str] = field(default_factory=list)
    typed: str = ""
    """The text that was typed to filter the list."""

    @property
    def timeout_s(self) -> float:
        return self.session.limits.action_s

    async def choices(self, mark: str = MARK) -> Choices:
        found = self.found
        work = ask(found.frame, Choices, self.timeout_s, "choices", found.snapshot_id, found.n, mark, OFFERED)
        choices = await self.session.timed(work)
        self.offered += [one.name for one in choices.items if one.name not in self.offered]
        return choices

    async def mark(self) -> None:
        await self.session.timed(ask(self.found.frame, CountReply, self.timeout_s, "mark", MARK))

    async def shown(self) -> ControlState:
        found = self.found
        return await self.session.timed(
            ask(found.frame, ControlState, self.timeout_s, "shown", found.snapshot_id, found.n)
        )

    async def nearby_text(self) -> str:
        found = self.found
        work = ask(found.frame, NearbyText, self.timeout_s, "around", found.snapshot_id, found.n)
        return (await self.session.timed(work)).text

    async def sights(self) -> VisibleChanges:
        return await self.session.timed(ask(self.found.frame, VisibleChanges, self.timeout_s, "sights", MARK))

    @property
    def description(self) -> str:
        return f'{self.found.now.role} "{(self.found.now.name or self.found.now.text)[:80]}"'
