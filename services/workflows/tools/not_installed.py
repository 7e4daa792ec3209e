"""A tool that is declared, and whose packages are not installed: it is listed, and each call says what to install."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from services.workflows.ports import HostCallError, ToolContext, ToolFacts
from shared.contracts.workflows.invocations import JsonValue


@dataclass(frozen=True)
class NotInstalledTool:
    """See :class:`services.workflows.ports.Tool`. ``why``: what is missing, and how to install it."""

    name: str
    description: str
    why: str

    @property
    def facts(self) -> ToolFacts:
        return ToolFacts(name=self.name, kind="mcp", description=self.description)

    async def call(self, recipe: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        raise HostCallError("RuntimeError", f"{self.name}: {self.why}")

    async def release(self, context: ToolContext) -> None:
        """It holds nothing."""

    async def close(self) -> None:
        """It holds nothing."""
