"""``tools``, ``workflows`` and ``artifacts`` as workflow code sees them: each call goes to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.workflows.execution.child.artifact_data import pack_data, unpack_data

CallHost = Callable[[str, str, dict[str, Any]], Any]
"""``(namespace, method, arguments)``: returns the value, or raises what workflow code is to see."""


class ToolProxy:
    """``tools.NAME``: called itself, or one of its recipes, ``tools.NAME.RECIPE``."""

    def __init__(self, call: CallHost, name: str) -> None:
        self._call, self._name = call, name

    def __call__(self, /, *positional: Any, **arguments: Any) -> Any:
        if positional:
            raise TypeError(f"tools.{self._name}() takes keyword arguments only")
        return self._call("tools", self._name, arguments)

    def __getattr__(self, recipe: str) -> ToolProxy:
        if recipe.startswith("_") or "." in self._name:
            raise AttributeError(f"tools.{self._name} has no attribute {recipe!r}")
        return ToolProxy(self._call, f"{self._name}.{recipe}")

    def __repr__(self) -> str:
        return f"<tools.{self._name}>"


class ToolsNamespace:
    def __init__(self, call: CallHost) -> None:
        self._call = call

    def list(self) -> Any:
        return self._call("tools", "list", {})

    def __getattr__(self, name: str) -> ToolProxy:
        if name.startswith("_"):
            raise AttributeError(f"tools has no attribute {name!r}")
        return ToolProxy(self._call, name)

    def __repr__(self) -> str:
        return "<tools>"


class WorkflowsNamespace:
    def __init__(self, call: CallHost) -> None:
        self._call = call

    def invoke(self, name: str, /, **arguments: Any) -> Any:
        """``name@hash``: an old version."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  workflow code may pass anything
            raise TypeError("workflows.invoke() takes the name of a workflow first")
        name, _, version = name.partition("@")
        return self._call("workflows", "invoke", {"name": name, "hash": version, "arguments": arguments})

    def create(self, name: str, source: str, description: str = "") -> Any:
        return self._call("workflows", "create", {"name": name, "source": source, "description": description})

    def search(self, query: str, limit: int = 10) -> Any:
        return self._call("workflows", "search", {"query": query, "limit": limit})

    def get(self, name: str) -> Any:
        return self._call("workflows", "get", {"name": name})

    def delete(self, name: str) -> Any:
        return self._call("workflows", "delete", {"name": name})

    def list(self) -> Any:
        return self._call("workflows", "list", {})

    def __repr__(self) -> str:
        return "<workflows>"


class ArtifactsNamespace:
    def __init__(self, call: CallHost) -> None:
        self._call = call

    def save(self, name: str, data: Any, description: str = "", media_type: str | None = None) -> Any:
        """``data``: bytes, text or a value of JSON."""
        arguments = {"name": name, "data": pack_data(data), "description": description, "media_type": media_type}
        return self._call("artifacts", "save", arguments)

    def load(self, name: str) -> Any:
        return unpack_data(self._call("artifacts", "load", {"name": name}))

    def delete(self, name: str) -> Any:
        return self._call("artifacts", "delete", {"name": name})

    def list(self) -> Any:
        return self._call("artifacts", "list", {})

    def __repr__(self) -> str:
        return "<artifacts>"


def host_namespaces(call: CallHost) -> dict[str, Any]:
    """Return what workflow code finds without an import."""
    return {
        "tools": ToolsNamespace(call),
        "workflows": WorkflowsNamespace(call),
        "artifacts": ArtifactsNamespace(call),
    }
