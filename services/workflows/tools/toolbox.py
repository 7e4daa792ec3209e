"""All tools of a library: listed, called with a limit on concurrent calls, and closed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from services.workflows.ports import HostCallError, Indexed, SearchIndex, Tool, ToolContext, ToolFacts
from services.workflows.search.embedders import DEFAULT_MODEL
from services.workflows.search.index import open_index
from services.workflows.tools.browser.browser_tool import BrowserTool
from services.workflows.tools.browser.invocation_session import BrowserBus
from services.workflows.tools.cli import CliTool
from services.workflows.tools.declared.call_forms import CallForm, unknown_name
from services.workflows.tools.declared.declarations import (
    AnyDeclaration,
    BrowserDeclaration,
    CliDeclaration,
    HttpDeclaration,
    McpDeclaration,
    ToolLimits,
    ToolParameter,
)
from services.workflows.tools.declared.faults import declaration_faults, fault_words
from services.workflows.tools.declared.loading import LoadedDeclarations, load_declarations
from services.workflows.tools.http import HttpTool
from services.workflows.tools.not_installed import NotInstalledTool
from services.workflows.tools.undeclared import UndeclaredTool, undeclared_tools
from shared.contracts.workflows.invocations import BrowserAccess, JsonValue
from shared.contracts.workflows.library import FileProblem
from shared.extras import has_extra, missing_extra
from shared.network.host_access import Resolve
from shared.network.name_resolver import NameResolver
from shared.secrets.store import SecretStore

LIST, SEARCH = "list", "search"
"""``tools.list()`` returns what there is, ``tools.search(query)`` what fits."""
MAX_TOOLS_FOUND = 50


@runtime_checkable
class _Server(Protocol):
    """A tool that must be started before its recipes are known."""

    async def prepare(self) -> None: ...


class Toolbox:
    """The tools by their names. ``problems``: files whose declarations cannot be used."""

    def __init__(self, problems: Sequence[FileProblem] = (), index: Callable[[], SearchIndex] | None = None) -> None:
        """``index`` opens the index of `SEARCH`; its model is loaded when somebody searches."""
        self.problems = tuple(problems)
        self._open_index = index or (lambda: open_index(DEFAULT_MODEL, None))
        self._index: SearchIndex | None = None
        self._tools: dict[str, Tool] = {}
        self._free: dict[str, asyncio.Semaphore] = {}
        self._searching = threading.Lock()

    def add(self, tool: Tool, concurrent: int = ToolLimits().concurrent) -> None:
        """Add a tool. Raises ValueError if its name is taken."""
        name = tool.facts.name
        if name in self._tools:
            raise ValueError(f"there is a tool {name!r} already")
        self._tools[name] = tool
        self._free[name] = asyncio.Semaphore(concurrent)

    def list(self) -> tuple[ToolFacts, ...]:
        """Return all, by name."""
        return tuple(self._tools[name].facts for name in sorted(self._tools))

    async def call(self, method: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        """Call ``curl.get``, or ``curl``. ``curl.list`` lists its recipes, unless one of them has this name. Raises
        HostCallError for whatever goes wrong."""
        name, _, recipe = method.partition(".")
        if method == LIST:
            return await self._listed(arguments)
        if method == SEARCH and SEARCH not in self._tools:
            return await self._found(arguments)
        if name not in self._tools:
            raise unknown_name("tool", "'tools'", name, self._tools)
        if recipe == LIST and LIST not in self._tools[name].facts.schemas:
            return await self._recipes(self._tools[name], arguments)
        async with self._free[name]:
            return await self._tools[name].call(recipe, arguments, context)

    async def browser_session(self, context: ToolContext) -> BrowserAccess:
        """Return the browser session of an invocation. Raises HostCallError where it can have none."""
        for tool in self._tools.values():
            if isinstance(tool, BrowserTool):
                return await tool.session(context)
        raise HostCallError("RuntimeError", "there is no bus here, so no browser can be used")

    async def release(self, context: ToolContext) -> None:
        """The invocation of this context has ended: let go of what was held for it. Idempotent."""
        await _all(tool.release(context) for tool in self._tools.values())

    async def close(self) -> None:
        """Close every tool; one that fails does not keep the others from it."""
        if self._index is not None:
            await asyncio.to_thread(self._index.close)
        await _all(tool.close() for tool in self._tools.values())

    async def _listed(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Servers whose recipes are not known yet are started; one that does not start is listed without."""
        if arguments:
            raise HostCallError("TypeError", f"tools.list() got an unexpected keyword argument {min(arguments)!r}")
        await self._prepare(self._tools.values())
        return [_told(one) for one in self.list()]

    async def _found(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Return the tools that do what the query says, best first."""
        given = _SEARCH_FORM.bind(arguments)
        limit = min(max(int(str(given["limit"])), 0), MAX_TOOLS_FOUND)
        await self._prepare(self._tools.values())
        facts = {one.name: one for one in self.list()}
        found = await asyncio.to_thread(self._search, facts.values(), str(given["query"]), limit)
        return [{**_told(facts[name]), "score": round(score, 4)} for name, score in found]

    def _search(self, facts: Iterable[ToolFacts], query: str, limit: int) -> Sequence[tuple[str, float]]:
        with self._searching:
            self._index = self._index or self._open_index()
            self._index.update([_indexed(one) for one in facts])
            return self._index.search(query, limit)

    async def _recipes(self, tool: Tool, arguments: Mapping[str, JsonValue]) -> JsonValue:
        if arguments:
            title = f"tools.{tool.facts.name}.list()"
            raise HostCallError("TypeError", f"{title} got an unexpected keyword argument {min(arguments)!r}")
        await self._prepare([tool])
        facts = tool.facts
        return [
            {"name": name, "description": text, "parameters": dict(facts.schemas.get(name, {}))}
            for name, text in facts.recipes.items()
        ]

    async def _prepare(self, tools: Iterable[Tool]) -> None:
        servers = [tool for tool in tools if isinstance(tool, _Server)]
        await asyncio.gather(*(tool.prepare() for tool in servers), return_exceptions=True)


_SEARCH_FORM = CallForm(
    "tools.search",
    "Finds tools by what they do.",
    {"query": ToolParameter(), "limit": ToolParameter(type="integer", default=10)},
)


def _told(one: ToolFacts) -> dict[str, JsonValue]:
    return {"name": one.name, "kind": one.kind, "description": one.description, "recipes": dict(one.recipes)}


def _indexed(one: ToolFacts) -> Indexed:
    """Return what is searched of a tool: what it says of itself, and the names of its recipes and arguments."""
    arguments = (name for schema in one.schemas.values() for name in schema.get("properties", {}))
    text = " ".join((one.description, *one.recipes.values()))
    return Indexed(one.name, "", text, " ".join((text, *one.recipes, *arguments)))


async def _all(ends: Iterable[Coroutine[None, None, None]]) -> None:
    """Await all; then raise the first exception, if there was one."""
    outcomes = await asyncio.gather(*ends, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome


def open_toolbox(
    folder: Path | None,
    *,
    store: SecretStore,
    bus: BrowserBus | None = None,
    declared: Iterable[AnyDeclaration] = (),
    resolve: Resolve | None = None,
    hosts: Iterable[str] | None = None,
    index: Callable[[], SearchIndex] | None = None,
) -> Toolbox:
    """Return the tools of a folder and those that are declared in code. Nothing is started before it is called.

    Args:
        folder: of their declarations; None: there is none.
        store: the secrets that declarations name.
        bus: for ``tools.browser``; None: there is none, and a browser that is declared says so.
        declared: tools that stand in code.
        resolve: how a host becomes addresses; that of the system by default.
        hosts: that ``tools.fetch`` and ``tools.curl`` may reach where they are not declared. None: they are not there.
        index: opens the index of ``tools.search``; one of its own by default.

    Returns:
        The tools by their names; its ``problems`` are the files whose declarations cannot be used.

    Raises:
        ValueError: a tool that is declared in code has faults, or the name of another one.

    Example:
        tools = open_toolbox(Path("tools"), store=SecretStore(None))
    """
    loaded = load_declarations(folder) if folder is not None else LoadedDeclarations((), ())
    toolbox = Toolbox(loaded.problems, index)
    for declaration in declared:
        faults = declaration_faults(declaration)
        if faults:
            raise ValueError(f"the tool {declaration.name!r}:\n{fault_words(faults)}")
    names = resolve or NameResolver().addresses
    for declaration in _with_browser((*loaded.declarations, *declared), bus):
        toolbox.add(_tool(declaration, store, names, bus), declaration.limits.concurrent)
    present = {one.name for one in toolbox.list()}
    for declaration in undeclared_tools(hosts) if hosts is not None else ():
        if declaration.name not in present:
            toolbox.add(UndeclaredTool(declaration, store, names), declaration.limits.concurrent)
    return toolbox


def _with_browser(declared: tuple[AnyDeclaration, ...], bus: BrowserBus | None) -> tuple[AnyDeclaration, ...]:
    """Where there is a bus, there is `tools.browser`: undeclared it serves sessions that are given, and leases none."""
    named = any(one.name == BrowserDeclaration().name for one in declared)
    return declared if named or bus is None else (*declared, BrowserDeclaration())


def _tool(declaration: AnyDeclaration, store: SecretStore, resolve: Resolve, bus: BrowserBus | None) -> Tool:
    match declaration:
        case CliDeclaration():
            return CliTool(declaration, store, resolve)
        case HttpDeclaration():
            return HttpTool(declaration, store, resolve)
        case McpDeclaration():
            if not has_extra("mcp"):
                return NotInstalledTool(declaration.name, declaration.description, missing_extra("mcp"))
            # Imported for those who use one: the library takes more than half a second of each start.
            from services.workflows.tools.mcp_servers.mcp_tool import McpTool

            return McpTool(declaration, store, resolve)
        case BrowserDeclaration():
            return BrowserTool(declaration, bus)
