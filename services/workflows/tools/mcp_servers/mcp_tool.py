"""An MCP server as a tool: its tools are the recipes. It is started when first used, and again after it ended."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent, Tool

from services.workflows.ports import HostCallError, ToolContext, ToolFacts
from services.workflows.tools.declared.call_forms import CallForm, found_form
from services.workflows.tools.declared.declarations import ArgumentType, McpDeclaration, ToolParameter
from services.workflows.tools.declared.templates import placeholders, render
from services.workflows.tools.mcp_servers.connection import ServerConnection, ServerLost, ServerTerms
from services.workflows.tools.tool_secrets import NO_SECRETS, SecretsInUse, secrets_in_use
from shared.contracts.workflows.invocations import JsonValue
from shared.network.host_access import Resolve, host_access
from shared.secrets.store import SecretStore

_TYPES: dict[Any, ArgumentType] = {one: one for one in get_args(ArgumentType)}
_WRAPPED = "result"


class McpTool:
    """See :class:`services.workflows.ports.Tool`. Its recipes are known once it has been started."""

    def __init__(self, declaration: McpDeclaration, store: SecretStore, resolve: Resolve) -> None:
        self._declaration, self._store, self._resolve = declaration, store, resolve
        self._access = host_access(declaration.hosts, declaration.private_hosts, declaration.url or "")
        self._starting = asyncio.Lock()
        self._connection: ServerConnection | None = None
        self._secrets = NO_SECRETS
        self._offered: dict[str, Tool] = {}
        self._forms: dict[str, CallForm] = {}
        self._closed = False

    @property
    def facts(self) -> ToolFacts:
        return ToolFacts(
            name=self._declaration.name,
            kind="mcp",
            description=self._declaration.description,
            recipes={recipe: form.description for recipe, form in self._forms.items()},
            schemas={recipe: tool.input_schema for recipe, tool in self._offered.items()},
        )

    async def prepare(self) -> None:
        """Start the server, so that its recipes are known. Raises HostCallError."""
        await self._connected()

    async def call(self, recipe: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        connection = await self._connected()
        form = found_form(self._declaration.name, self._forms, recipe)
        values = form.bind(arguments)
        timeout_s = self._declaration.limits.timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                result = await connection.call(self._offered[recipe].name, values)
        except TimeoutError as exc:
            raise HostCallError("TimeoutError", f"{form.title}(): took longer than {timeout_s:g} s") from exc
        except ServerLost as exc:
            raise HostCallError("ConnectionError", self._told(form.title, f"the server is lost: {exc}")) from exc
        except MCPError as exc:
            raise HostCallError("RuntimeError", self._told(form.title, exc.message)) from exc
        return self._value(form.title, self._offered[recipe], result)

    async def release(self, context: ToolContext) -> None:
        """The server is kept for the next call."""

    async def close(self) -> None:
        self._closed = True
        async with self._starting:
            connection, self._connection = self._connection, None
            if connection is not None:
                await connection.close()

    async def _connected(self) -> ServerConnection:
        name = self._declaration.name
        async with self._starting:
            if self._closed:
                raise HostCallError("ConnectionError", f"{name}: the tools are closed")
            if self._connection is not None and self._connection.is_usable:
                return self._connection
            if self._connection is not None:
                await self._connection.close()
                self._connection = None
            self._secrets = await secrets_in_use(self._store, self._secret_names(), name)
            connection = ServerConnection(self._terms(self._secrets), self._resolve)
            try:
                await connection.open(self._declaration.start_timeout_s)
            except ServerLost as exc:
                raise HostCallError("ConnectionError", self._told(name, f"the server does not start: {exc}")) from exc
            except BaseException:
                await connection.close()
                raise
            self._learn(connection.tools)
            self._connection = connection
            return connection

    def _secret_names(self) -> list[str]:
        in_headers = [one.name for one in placeholders(self._declaration.headers) if one.secret]
        return [*self._declaration.secrets.values(), *in_headers]

    def _terms(self, secrets: SecretsInUse) -> ServerTerms:
        declaration = self._declaration
        hidden = {variable: secrets.values[name] for variable, name in declaration.secrets.items()}
        headers = {name: render(text, {}, secrets.values) or "" for name, text in declaration.headers.items()}
        return ServerTerms(
            argv=tuple(declaration.command or ()),
            env={**declaration.env, **hidden},
            url=declaration.url or "",
            headers=headers,
            access=self._access,
            max_bytes=declaration.limits.output_bytes,
        )

    def _learn(self, tools: Sequence[Tool]) -> None:
        wanted = self._declaration.tools
        self._offered, self._forms = {}, {}
        for tool in tools:
            recipe = recipe_name(tool.name)
            if recipe not in self._offered and (wanted is None or tool.name in wanted or recipe in wanted):
                self._offered[recipe] = tool
                self._forms[recipe] = server_form(f"{self._declaration.name}.{recipe}", tool)

    def _told(self, title: str, what: str) -> str:
        return self._secrets.masked_text(f"{title}(): {what}")

    def _value(self, title: str, tool: Tool, result: CallToolResult) -> JsonValue:
        if result.is_error:
            texts = [one.text for one in result.content if isinstance(one, TextContent)]
            raise HostCallError("RuntimeError", self._told(title, " ".join(texts)[:1000] or "it failed"))
        return self._secrets.masked(result_value(result, is_wrapped=is_wrapped(tool)))


def result_value(result: CallToolResult, *, is_wrapped: bool) -> JsonValue:
    """Return the structured value where there is one; else the text, or the list of the parts."""
    structured = result.structured_content
    if structured is not None:
        return cast("dict[str, Any]", structured)[_WRAPPED] if is_wrapped else structured
    if len(result.content) == 1 and isinstance(result.content[0], TextContent):
        return result.content[0].text
    return [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in result.content]


def is_wrapped(tool: Tool) -> bool:
    """Whether its value is the only member of an object, as servers send values that are no objects."""
    properties = (tool.output_schema or {}).get("properties")
    return isinstance(properties, dict) and list(cast("dict[str, Any]", properties)) == [_WRAPPED]


def recipe_name(tool: str) -> str:
    """Return a name that workflow code can write after a dot."""
    name = re.sub(r"\W", "_", tool, flags=re.ASCII)
    return name if name[:1].isalpha() else f"tool_{name.lstrip('_')}"


def server_form(title: str, tool: Tool) -> CallForm:
    """Return the form of a server's tool. What its schema says beyond names and simple types the server checks."""
    schema = tool.input_schema
    properties = cast("dict[str, Any]", schema.get("properties") or {})
    required = frozenset(map(str, cast("list[Any]", schema.get("required") or ())))
    parameters = {name: _parameter(one, is_required=name in required) for name, one in properties.items()}
    extra = schema.get("additionalProperties")
    return CallForm(title, tool.description or "", parameters, takes_more=extra is True or isinstance(extra, dict))


def _parameter(schema: Any, *, is_required: bool) -> ToolParameter:
    known = cast("dict[str, Any]", schema) if isinstance(schema, dict) else {}
    enum = known.get("enum")
    return ToolParameter(
        type=_TYPES.get(str(known.get("type")), "any"),
        required=is_required,
        description=str(known.get("description") or ""),
        enum=cast("list[Any]", enum) if isinstance(enum, list) and enum else None,
    )
