"""``tools``, ``workflows``, ``artifacts`` and ``deps`` as workflow code sees them: each call goes to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.workflows.execution.child.artifact_data import pack_data, unpack_data

CallHost = Callable[[str, str, dict[str, Any]], Any]
"""``(namespace, method, arguments)``: returns the value, or raises what workflow code is to see."""


class FoundWorkflow(dict[str, Any]):
    """What is told of a workflow, in code and by `Session.search`. Each key is an attribute too: ``name``,
    ``description``, ``parameters``, ``hash``, ``author``, ``created_at``; ``score`` of one that was searched for, and
    ``source`` of one that was asked for by its name."""

    name: str
    description: str
    parameters: list[dict[str, Any]]
    hash: str
    author: str
    created_at: str
    score: float
    source: str

    @property
    def workflow(self) -> FoundWorkflow:
        """Itself: hits once had the workflow apart from its score."""
        return self

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"this workflow has no {name!r}; it has {', '.join(self)}") from None


def _found(told: Any) -> Any:
    """Return what the host told of one workflow or of several, with attributes."""
    if isinstance(told, list):
        return [_found(one) for one in told]  # pyright: ignore[reportUnknownVariableType]
    return FoundWorkflow(told) if isinstance(told, dict) else told  # pyright: ignore[reportUnknownArgumentType]


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


class _Search(ToolProxy):
    """``tools.search(query, limit=10)``; a tool that is declared by this name is called like any other."""

    def __call__(self, /, *positional: Any, **arguments: Any) -> Any:
        if len(positional) > 2:
            raise TypeError("tools.search() takes a query and a limit")
        return super().__call__(**dict(zip(("query", "limit"), positional, strict=False)), **arguments)


class ToolsNamespace:
    def __init__(self, call: CallHost) -> None:
        self._call = call

    def list(self) -> Any:
        return self._call("tools", "list", {})

    def __getattr__(self, name: str) -> ToolProxy:
        if name.startswith("_"):
            raise AttributeError(f"tools has no attribute {name!r}")
        return _Search(self._call, name) if name == "search" else ToolProxy(self._call, name)

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
        return _found(self._call("workflows", "create", {"name": name, "source": source, "description": description}))

    def search(self, query: str, limit: int = 10) -> Any:
        return _found(self._call("workflows", "search", {"query": query, "limit": limit}))

    def get(self, name: str) -> Any:
        return _found(self._call("workflows", "get", {"name": name}))

    def delete(self, name: str) -> Any:
        return self._call("workflows", "delete", {"name": name})

    def list(self) -> Any:
        return _found(self._call("workflows", "list", {}))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """``workflows.NAME(...)`` is ``workflows.invoke("NAME", ...)``. No workflow has the name of a method."""
        if name.startswith("_"):
            raise AttributeError(f"workflows has no attribute {name!r}")

        def invoke(*positional: Any, **arguments: Any) -> Any:
            if positional:
                raise TypeError(f"workflows.{name}() takes keyword arguments only")
            return self._call("workflows", "invoke", {"name": name, "hash": "", "arguments": arguments})

        return invoke

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


class DepsNamespace:
    """The packages that workflow code may import. A change is seen by invocations that begin afterwards."""

    def __init__(self, call: CallHost) -> None:
        self._call = call

    def list(self) -> Any:
        return self._call("deps", "list", {})

    def add(self, package: str) -> Any:
        return self._call("deps", "add", {"package": package})

    def remove(self, package: str) -> Any:
        return self._call("deps", "remove", {"package": package})

    def sync(self) -> Any:
        return self._call("deps", "sync", {})

    def __repr__(self) -> str:
        return "<deps>"


def host_namespaces(call: CallHost) -> dict[str, Any]:
    """Return what workflow code finds without an import."""
    return {
        "tools": ToolsNamespace(call),
        "workflows": WorkflowsNamespace(call),
        "artifacts": ArtifactsNamespace(call),
        "deps": DepsNamespace(call),
    }
