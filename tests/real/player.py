"""A player with the observation and the typed actions, over a bus, like `exhibit drive`.

It never reads a page's source and never runs scripts in it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from shared.bus.nats_bus import connect_bus
from shared.contracts.actions import (
    BrowserAction,
    ByRef,
    Click,
    DoubleClick,
    Drag,
    DragBy,
    Goto,
    Hover,
    PickOption,
    Press,
    SelectOption,
    SetDate,
    TypeText,
)
from shared.contracts.browser_pool import Element, LeaseSession, PageObserved, ReleaseSession, SessionLeased
from shared.contracts.results import ActionResult
from shared.host.connections import ManualSession
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.settings import Settings
from shared.subjects import LEASE, RELEASE

MAX_TOKENS = 20_000
LEASE_BOUND_S = 60.0
PLAYERS = 3

TurnT = TypeVar("TurnT")
PlayedT = TypeVar("PlayedT")


class Stuck(AssertionError):
    """The player cannot continue: an element is missing, or an action had no effect."""


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


class Hand(Protocol):
    """A session of a browser pool: over the bus, or in this process."""

    async def observe(self, *, max_tokens: int) -> PageObserved: ...

    async def act(self, action: BrowserAction) -> ActionResult: ...


@dataclass
class Player:
    """``page`` is the last observation; every action observes again."""

    hand: Hand
    page: PageObserved | None = None
    log: list[str] = field(default_factory=list)

    @property
    def elements(self) -> tuple[Element, ...]:
        assert self.page is not None
        return self.page.elements

    async def look(self) -> PageObserved:
        self.page = await self.hand.observe(max_tokens=MAX_TOKENS)
        return self.page

    async def goto(self, url: str) -> None:
        self.log.clear()
        await self.act(Goto(url=url))

    async def act(self, action: BrowserAction) -> ActionResult:
        """Execute the action and observe again. Raises Stuck if it failed."""
        result = await self.hand.act(action)
        self.log.append(f"{type(action).__name__}: {result.code} {result.message} {result.effect}")
        await self.look()
        if not result.ok:
            raise Stuck(f"{type(action).__name__} {result.code}: {result.message}")
        return result

    # --- seeing

    def all(
        self,
        *roles: str,
        name: str | Callable[[str], bool] | None = None,
        where: Callable[[Element], bool] | None = None,
    ) -> list[Element]:
        """Return the elements of these roles (any if none is given) with this name, in document order."""
        fits = name if callable(name) else (lambda text: name is None or squeezed(text) == squeezed(name))
        return [
            one
            for one in self.elements
            if (not roles or one.role in roles) and fits(one.name) and (where is None or where(one))
        ]

    def one(
        self,
        *roles: str,
        name: str | Callable[[str], bool] | None = None,
        where: Callable[[Element], bool] | None = None,
    ) -> Element:
        found = self.all(*roles, name=name, where=where)
        if len(found) != 1:
            raise Stuck(f"{len(found)} elements are {'/'.join(roles) or 'anything'} named {name!r}")
        return found[0]

    def text(self) -> str:
        """Return all names and values, one line per element."""
        return "\n".join(squeezed(f"{one.name} {one.value or ''}") for one in self.elements)

    # --- doing

    def at(self, element: Element) -> ByRef:
        assert self.page is not None
        return ByRef(ref=element.ref, snapshot_id=self.page.snapshot_id)

    async def click(self, element: Element) -> ActionResult:
        return await self.act(Click(target=self.at(element)))

    async def double_click(self, element: Element) -> ActionResult:
        return await self.act(DoubleClick(target=self.at(element)))

    async def type(self, element: Element, text: str) -> ActionResult:
        return await self.act(TypeText(target=self.at(element), text=text))

    async def press(self, keys: str, element: Element | None = None) -> ActionResult:
        return await self.act(Press(keys=keys, target=None if element is None else self.at(element)))

    async def hover(self, element: Element) -> ActionResult:
        return await self.act(Hover(target=self.at(element)))

    async def pick(self, element: Element, option: str) -> ActionResult:
        return await self.act(PickOption(target=self.at(element), option=option))

    async def select(self, element: Element, option: str) -> ActionResult:
        return await self.act(SelectOption(target=self.at(element), option=option))

    async def set_date(self, element: Element, date: str) -> ActionResult:
        return await self.act(SetDate(target=self.at(element), date=date))

    async def drag(self, element: Element, onto: Element) -> ActionResult:
        return await self.act(Drag(target=self.at(element), onto=self.at(onto)))

    async def drag_by(self, element: Element, right_px: float = 0.0, down_px: float = 0.0) -> ActionResult:
        return await self.act(DragBy(target=self.at(element), right_px=right_px, down_px=down_px))


@asynccontextmanager
async def pool(folder: Path) -> AsyncGenerator[Settings]:
    """Start a bus and a browser pool; yield settings for them."""
    settings = Settings(state_dir=folder / "state", evidence_dir=folder / "evidence", nats_url=None)
    async with nats_server(folder / "streams") as url, run_services(settings, url, ("browser_pool",)):
        yield settings.model_copy(update={"nats_url": url})


@asynccontextmanager
async def player(settings: Settings, site_url: str) -> AsyncGenerator[Player]:
    """Yield a session that may only visit the site at ``site_url``."""
    assert settings.nats_url is not None
    here = urlsplit(site_url).netloc
    terms = LeaseSession(run_id="real", sample_id="real", allowed_hosts=(here,), private_hosts=(here,))
    async with connect_bus(settings.nats_url, name="player") as bus:
        lease = await bus.ask(LEASE, terms, timeout_s=LEASE_BOUND_S)
        assert isinstance(lease, SessionLeased), lease
        try:
            yield Player(ManualSession(bus, lease))
        finally:
            await bus.ask(RELEASE, ReleaseSession(session_id=lease.session_id, instance_id=lease.instance_id))


async def play_all(
    settings: Settings, site_url: str, turns: Sequence[TurnT], play: Callable[[Player, TurnT], Awaitable[PlayedT]]
) -> list[PlayedT]:
    """Run each turn in its own session, a few at the same time; return the results in the order of ``turns``."""
    chairs = asyncio.Semaphore(PLAYERS)

    async def one(turn: TurnT) -> PlayedT:
        async with chairs, player(settings, site_url) as somebody:
            return await play(somebody, turn)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(turn)) for turn in turns]
    return [task.result() for task in tasks]
