"""The isolated worlds of a page's documents, called directly through the browser's protocol.

Playwright creates one isolated world per document and loads its own helpers there, which costs more than most queries.
The page engine uses the same world without these helpers. The page's scripts can neither see the world nor change its
built-ins.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, ref

from playwright.async_api import CDPSession, Error, Frame, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.protocol import on, send

WORLD = "__playwright_utility_world"
NEW_WORLD_S = 2.0
"""Time for a new document to get its world."""
OBJECT_GROUP = "exhibit"
MOVED_ON = ("Cannot find context", "uniqueContextId not found", "context was destroyed", "Inspected target navigated")
GONE_SESSION = ("Session closed", "Target closed", "session has been closed", "No session with given id")
PRESS_EVENTS = frozenset(
    {"click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend"}
)
MAX_AT_ONCE = 200
ATTACH_S = 3.0

ReplyT = TypeVar("ReplyT")


@dataclass(frozen=True, eq=False)
class World:
    """The world of one document. ``has_engine``: the engine is loaded. ``listener_nodes``: nodes whose listeners it
    knows."""

    session: CDPSession
    frame_id: str
    context_id: int
    unique_id: str
    has_engine: list[bool] = field(default_factory=list[bool])
    document: list[str] = field(default_factory=list[str])
    listener_nodes: set[int] = field(default_factory=set[int])


class Worlds:
    """The worlds of one page. A frame is named by the protocol's frame id."""

    def __init__(self, page: Page, script: str) -> None:
        # A weak reference: the worlds must not keep their page in memory.
        self._page = ref(page)
        self.main_id = ""
        self._script = script
        self._session: CDPSession | None = None
        self._worlds: dict[str, World] = {}
        self._pages: dict[str, str] = {}
        """The worlds of the page's own scripts, by frame id."""
        self._known: WeakKeyDictionary[Frame, str] = WeakKeyDictionary()
        self._changed = asyncio.Event()
        self._calls = count()
        # Two calls at once must not open two sessions.
        self._attaching = asyncio.Lock()

    @property
    def page(self) -> Page:
        """The page. Raises Playwright's error when it is gone."""
        page = self._page()
        if page is None:
            raise Error("Target page has been closed")
        return page

    async def attach(self) -> None:
        """Open the protocol session, once.

        Raises Playwright's error when the page is closing, its TimeoutError when it does not answer. A page that moves
        to another process cannot be reached, so attach when a page is new.
        """
        if self._session is not None:
            return
        async with self._attaching:
            if self._session is None:
                await self._bounded_attach()

    async def _bounded_attach(self) -> None:
        try:
            async with asyncio.timeout(ATTACH_S):
                session = await self.page.context.new_cdp_session(self.page)
                self.main_id = await self._listen(session)
        except TimeoutError:
            raise PlaywrightTimeout(f"the page did not answer within {ATTACH_S:g} s") from None
        self._known[self.page.main_frame] = self.main_id
        self._session = session

    async def _listen(self, session: CDPSession) -> str:
        """Follow the worlds of a session and return the id of its frame."""
        on(session, "Runtime.executionContextCreated", lambda event: self._on_created(session, event["context"]))
        on(
            session,
            "Runtime.executionContextDestroyed",
            lambda event: self._on_destroyed(event["executionContextUniqueId"]),
        )
        on(session, "Runtime.executionContextsCleared", lambda _: self._on_cleared(session))
        tree, _ = await asyncio.gather(send(session, "Page.getFrameTree"), send(session, "Runtime.enable"))
        return tree["frameTree"]["frame"]["id"]

    def _on_created(self, session: CDPSession, context: dict[str, Any]) -> None:
        frame_id = context["auxData"]["frameId"]
        if context["auxData"]["isDefault"]:
            self._pages[frame_id] = context["uniqueId"]
        elif context["name"].startswith(WORLD):
            self._worlds[frame_id] = World(session, frame_id, context["id"], context["uniqueId"])
            self._changed.set()

    def _on_destroyed(self, unique_id: str) -> None:
        self._worlds = {key: world for key, world in self._worlds.items() if world.unique_id != unique_id}

    def _on_cleared(self, session: CDPSession) -> None:
        self._worlds = {key: world for key, world in self._worlds.items() if world.session is not session}

    @property
    def is_one_document(self) -> bool:
        """Whether the page has no other document than its own, as far as is known."""
        return len(self._worlds) == 1

    async def send_command(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one command for the page. Raises Playwright's errors."""
        assert self._session is not None
        return await send(self._session, method, **params)

    # --- asking

    def id_of(self, frame: Frame) -> str | None:
        """Return the frame's id; None for a child frame without a known name (see `name`)."""
        return self._known.get(frame)

    def name(self, frame: Frame, frame_id: str) -> None:
        """Remember the id of a frame."""
        self._known[frame] = frame_id

    async def ask(self, frame_id: str, timeout_s: float, verb: str, *parameters: str | int) -> str:
        """Return the engine's answer as JSON text.

        Raises Playwright's TimeoutError when the document does not answer in time, its Error when there is no document.
        """
        said = ",".join(json.dumps(str(one)) for one in (verb, *parameters))

        async def answer(world: World) -> str:
            return str((await self._evaluate(world, f"__exhibit.ask({said})", by_value=True))["value"])

        return await self._in_current_document(frame_id, timeout_s, answer)

    async def ask_both(
        self, page_expression: str, frame_id: str, timeout_s: float, verb: str, *parameters: str | int
    ) -> tuple[str, object]:
        """Return the engine's answer, and what an expression gives in the world of the page's scripts; None where it
        gives nothing. Raises as `ask` does.

        The second is sent before the first is answered: both take hardly longer than the first alone."""
        asking = self.ask(frame_id, timeout_s, verb, *parameters)
        return await asyncio.gather(asking, self._told(frame_id, page_expression))

    async def _told(self, frame_id: str, expression: str) -> object:
        world = self._worlds.get(frame_id)
        if world is None or frame_id not in self._pages:
            return None
        try:
            return (await self._ask_page(world, expression)).get("result", {}).get("value")
        except Error:
            return None

    async def _in_current_document(
        self, frame_id: str, timeout_s: float, work: Callable[[World], Awaitable[ReplyT]]
    ) -> ReplyT:
        """Run ``work`` in the frame's document, again when the frame navigates meanwhile."""
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    world = await self._world(frame_id)
                    try:
                        return await work(world)
                    except Error as error:
                        if not any(words in error.message for words in (*MOVED_ON, *GONE_SESSION)):
                            raise
                        if self.page.is_closed():
                            raise
                        self._on_destroyed(world.unique_id)
        except TimeoutError:
            raise PlaywrightTimeout(f"the document did not answer within {timeout_s:g} s") from None

    async def _world(self, frame_id: str) -> World:
        if frame_id not in self._worlds and frame_id != self.main_id:
            await self._attach_child_frames()
        try:
            async with asyncio.timeout(NEW_WORLD_S):
                while frame_id not in self._worlds:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise Error("the frame has no document that can be read") from None
        return self._worlds[frame_id]

    async def _attach_child_frames(self) -> None:
        """Attach to frames of other sites, which have processes and sessions of their own."""
        for frame in self.page.frames:
            if self._known.get(frame) in self._worlds:
                continue
            try:
                session = await self.page.context.new_cdp_session(frame)
            except Error:  # the frame shares its parent's process
                continue
            self._known[frame] = await self._listen(session)

    async def _evaluate(self, world: World, expression: str, *, by_value: bool) -> dict[str, Any]:
        reply = await send(
            world.session,
            "Runtime.evaluate",
            expression=expression if world.has_engine else f"{self._script};{expression}",
            uniqueContextId=world.unique_id,
            returnByValue=by_value,
            objectGroup=OBJECT_GROUP,
        )
        if "exceptionDetails" in reply:
            told = reply["exceptionDetails"]
            raise Error(f"page engine: {told.get('exception', {}).get('description', told['text'])}")
        world.has_engine[:] = [True]
        return reply["result"]

    async def ask_pages(self, expression: str, most_frames: int, timeout_s: float) -> list[object]:
        """Return what an expression gives in the world of each document's own scripts; nothing for too many frames.

        Raises Playwright's errors, its TimeoutError when a document does not answer in time.
        """
        known = list(self._worlds.values())
        if len(known) > most_frames or any(world.frame_id not in self._pages for world in known):
            return []
        try:
            async with asyncio.timeout(timeout_s):
                told = await asyncio.gather(*(self._ask_page(world, expression) for world in known))
        except TimeoutError:
            raise PlaywrightTimeout(f"the document did not answer within {timeout_s:g} s") from None
        return [answer.get("result", {}).get("value") for answer in told]

    async def _ask_page(self, world: World, expression: str) -> dict[str, Any]:
        return await send(
            world.session,
            "Runtime.evaluate",
            expression=expression,
            uniqueContextId=self._pages[world.frame_id],
            returnByValue=True,
        )

    # --- what only the protocol can tell

    async def mark_listeners(self, frame_id: str, timeout_s: float) -> bool:
        """Report elements with press listeners to the engine. Return whether there were new ones."""
        return await self._in_current_document(frame_id, timeout_s, self._mark)

    async def _mark(self, world: World) -> bool:
        if not world.has_engine:
            await self._evaluate(world, "0", by_value=True)
        if not world.document:
            world.document.append(await self._page_document(world))
        told = await send(
            world.session, "DOMDebugger.getEventListeners", objectId=world.document[0], depth=-1, pierce=True
        )
        fresh = {
            one["backendNodeId"] for one in told["listeners"] if one["type"] in PRESS_EVENTS
        } - world.listener_nodes
        world.listener_nodes.update(fresh)
        for some in _chunks(sorted(fresh)):
            await self._call_with_nodes(world, "for (const el of given) __exhibit.listensTo(el)", some)
        return bool(fresh)

    async def _page_document(self, world: World) -> str:
        """Return the document as the page's scripts have it.

        Asked for the document of the isolated world, the browser confuses the owners of listeners and the renderer
        crashes later. No page can replace it.
        """
        told = await send(
            world.session, "Runtime.evaluate", expression="document", uniqueContextId=self._pages[world.frame_id]
        )
        return told["result"]["objectId"]

    async def adopt_closed_roots(self, frame_id: str, snapshot_id: str, count: int, timeout_s: float) -> bool:
        """Pass closed shadow roots of the first ``count`` stored elements to the engine. Return
        whether there were any."""

        async def adopt(world: World) -> bool:
            hosts = await self._objects(world, snapshot_id, range(count))
            nodes = await asyncio.gather(*(self._describe(world, host) for host in hosts))
            found = [
                (host, root["backendNodeId"])
                for host, node in zip(hosts, nodes, strict=True)
                for root in node.get("shadowRoots", ())
                if root.get("shadowRootType") == "closed"
            ]
            for host, root in found:
                await self._call_with_nodes(world, "__exhibit.adoptRoot(this, given[0])", [root], this=host)
            await self._release(world, hosts)
            return bool(found)

        return await self._in_current_document(frame_id, timeout_s, adopt)

    async def frame_ids(self, frame_id: str, snapshot_id: str, wanted: Sequence[int], timeout_s: float) -> list[str]:
        """Return the frame ids of the iframe elements ``wanted``; '' when one is gone or empty."""

        async def describe(world: World) -> list[str]:
            holders = await self._objects(world, snapshot_id, wanted)
            nodes = await asyncio.gather(*(self._describe(world, holder) for holder in holders))
            await self._release(world, holders)
            return [str(node.get("frameId", "")) for node in nodes]

        return await self._in_current_document(frame_id, timeout_s, describe)

    async def _objects(self, world: World, snapshot_id: str, wanted: Sequence[int]) -> list[str]:
        """Return handles of elements of a snapshot; '' for those that are gone."""
        numbers = ",".join(map(str, wanted))
        listed = f"[{numbers}].map((n) => __exhibit.element({json.dumps(snapshot_id)}, n))"
        return await self._array(world, listed, len(wanted))

    async def _array(self, world: World, expression: str, most: int) -> list[str]:
        """Return handles of the first ``most`` entries of an array; '' for entries that are no objects."""
        array = await self._evaluate(world, expression, by_value=False)
        told = await send(world.session, "Runtime.getProperties", objectId=array["objectId"], ownProperties=True)
        numbered = {one["name"]: one.get("value", {}) for one in told["result"]}
        length = min(most, sum(name.isdecimal() for name in numbered))
        return [numbered[str(index)].get("objectId", "") for index in range(length)]

    async def _describe(self, world: World, object_id: str) -> dict[str, Any]:
        if not object_id:
            return {}
        return (await send(world.session, "DOM.describeNode", objectId=object_id, depth=0, pierce=True))["node"]

    async def _call_with_nodes(self, world: World, body: str, backend_ids: Sequence[int], *, this: str = "") -> None:
        """Run ``body`` in the world with the nodes as ``given``. Nodes that are gone are left out."""
        # A group of its own, so that one command releases all of them, and nothing that another call still uses.
        group = f"{OBJECT_GROUP}-{next(self._calls)}"
        handles = await asyncio.gather(*(self._resolve(world, one, group) for one in backend_ids))
        given = [{"objectId": one} for one in handles if one]
        if not given:
            return
        await send(
            world.session,
            "Runtime.callFunctionOn",
            functionDeclaration=f"function (...given) {{ {body} }}",
            objectId=this or given[0]["objectId"],
            arguments=given,
            returnByValue=True,
        )
        await send(world.session, "Runtime.releaseObjectGroup", objectGroup=group)

    async def _release(self, world: World, handles: Sequence[str]) -> None:
        """Release handles: each keeps its node in memory after the page has removed it."""
        object_ids = [handle for handle in handles if handle]
        await asyncio.gather(
            *(send(world.session, "Runtime.releaseObject", objectId=object_id) for object_id in object_ids)
        )

    async def _resolve(self, world: World, backend_id: int, group: str) -> str:
        try:
            told = await send(
                world.session,
                "DOM.resolveNode",
                backendNodeId=backend_id,
                executionContextId=world.context_id,
                objectGroup=group,
            )
        except Error:
            return ""
        return str(told["object"].get("objectId", ""))


def _chunks(numbers: Sequence[int]) -> list[Sequence[int]]:
    return [numbers[start : start + MAX_AT_ONCE] for start in range(0, len(numbers), MAX_AT_ONCE)]


_all_worlds: WeakKeyDictionary[Page, Worlds] = WeakKeyDictionary()


async def worlds_of(page: Page, script: Callable[[], str]) -> Worlds:
    """Return the worlds of a page, attached. They live as long as the page."""
    if page not in _all_worlds:
        _all_worlds[page] = Worlds(page, script())
        # Their sessions refer to the page: without this neither would be freed.
        page.once("close", _forget)
    worlds = _all_worlds[page]
    await worlds.attach()
    return worlds


def _forget(page: Page) -> None:
    _all_worlds.pop(page, None)
