"""``tools.fetch`` and ``tools.curl`` where nobody has declared them: they reach the hosts that a setting names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from services.workflows.ports import HostCallError, ToolContext, ToolFacts
from services.workflows.tools.declared.declarations import HttpDeclaration, HttpRecipe, ToolParameter
from services.workflows.tools.http import HttpTool
from shared.contracts.workflows.invocations import JsonValue
from shared.network.host_access import Resolve
from shared.secrets.store import SecretStore

_URL = ToolParameter(format="url", description="An http or https address.")
_ACCEPT = ToolParameter(required=False, description="The kind of document that is wanted, such as application/json.")


def undeclared_tools(hosts: Iterable[str]) -> tuple[HttpDeclaration, ...]:
    """Return the declarations. They only read: an address is asked by GET, and its text is returned."""
    fetch = HttpDeclaration(
        name="fetch",
        description="Fetches a web address and returns its text.",
        path="{url}",
        headers={"Accept": "{accept}"},
        parameters={"url": _URL, "accept": _ACCEPT},
        hosts=[*hosts],
        output="text",
    )
    recipes = {
        "get": HttpRecipe(description="Fetches a document by GET."),
        "json": HttpRecipe(description="Fetches JSON, as text.", presets={"accept": "application/json"}),
    }
    about = "Makes HTTP requests to web addresses and returns the text of the answer."
    return fetch, fetch.model_copy(update={"name": "curl", "description": about, "recipes": recipes})


class UndeclaredTool:
    """See :class:`services.workflows.ports.Tool`. Without hosts each call says who may name them."""

    def __init__(self, declaration: HttpDeclaration, store: SecretStore, resolve: Resolve) -> None:
        self._name, self._has_hosts = declaration.name, bool(declaration.hosts)
        self._tool = HttpTool(declaration, store, resolve)

    @property
    def facts(self) -> ToolFacts:
        return self._tool.facts

    async def call(self, recipe: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        if not self._has_hosts:
            message = (
                f"{self._name}() may reach no host yet: name those that it may in EXHIBIT_TOOL_HOSTS or in "
                f"Session(..., tool_hosts=[...]), or declare the tool in {self._name}.yaml"
            )
            raise HostCallError("PermissionError", message)
        return await self._tool.call(recipe, arguments, context)

    async def release(self, context: ToolContext) -> None:
        await self._tool.release(context)

    async def close(self) -> None:
        await self._tool.close()
