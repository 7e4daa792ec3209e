"""Answers what workflow code calls: tools, workflows, artifacts, packages. Its arguments are hostile until checked."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

import msgspec

from services.workflows.execution.child.artifact_data import pack_data, unpack_data
from services.workflows.invocations.artifact_values import from_bytes, to_bytes
from services.workflows.invocations.flow_calls import read_flow_call
from services.workflows.invocations.invocation import Invocation
from services.workflows.library.library import Library
from services.workflows.ports import FLOW_STOPPED, FlowCalls, HostCall, HostCallError, Outcome, Packages, ToolCalls
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.contracts.workflows.invocations import JsonValue
from shared.contracts.workflows.library import WorkflowHit, WorkflowRefused, WorkflowShown, WorkflowVersion
from shared.errors import ExhibitError
from shared.workflow_source.wording import finding_line

log = logging.getLogger(__name__)

InvokeInner = Callable[[Invocation, str, Mapping[str, JsonValue], str], Awaitable[Outcome]]
ValueT = TypeVar("ValueT")
MAX_HITS = 50


class CallHost:
    """See :class:`services.workflows.ports.Host`. One for each level of an invocation. ``flow``: performs the calls of
    a flow; None: nobody does. ``packages``: that code may import; None: there are none."""

    def __init__(
        self,
        invocation: Invocation,
        library: Library,
        tools: ToolCalls,
        invoke: InvokeInner,
        flow: FlowCalls | None = None,
        packages: Packages | None = None,
    ) -> None:
        self._invocation, self._library, self._tools, self._invoke = invocation, library, tools, invoke
        self._flow, self._packages = flow, packages
        self._artifacts = invocation.artifacts

    async def call(self, call: HostCall) -> JsonValue:
        try:
            if call.namespace == "tools":
                return await self._tools.call(call.method, call.arguments, self._invocation.context)
            if call.namespace == "flow":
                return await self._perform(call)
            answer = _ANSWERS.get((call.namespace, call.method))
            if answer is None:
                raise HostCallError("AttributeError", f"{call.namespace} has no {call.method!r}")
            return await answer(self, call.arguments)
        except ExhibitError as exc:
            raise HostCallError("RuntimeError", f"{call.namespace}.{call.method}: {exc}") from exc

    # --- flows

    async def _perform(self, call: HostCall) -> JsonValue:
        """Have a call of a flow performed. The time that this takes is not the flow's."""
        moment = read_flow_call(
            call, self._invocation.chain[-1] if self._invocation.chain else "", self._invocation.hash
        )
        if self._flow is None:
            text = f"{call.method}(): nothing here performs the calls of a flow"
            raise HostCallError("RuntimeError", text)
        with self._invocation.clock.stopped():
            answer = await self._flow.perform(moment)
        if answer.error is not None:
            raise HostCallError(FLOW_STOPPED, answer.error.message, flow_code=answer.error.code or "action_failed")
        return answer.value

    # --- workflows

    async def create(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        reply = await self._library.create(
            _argument(arguments, "name", str),
            _argument(arguments, "source", str),
            description=_argument(arguments, "description", str, ""),
            author=self._invocation.saved_by,
            source_run=self._invocation.context.run_id or None,
        )
        if isinstance(reply, WorkflowRefused):
            raise HostCallError(
                "ValueError", "the workflow is refused:\n" + "\n".join(map(finding_line, reply.findings))
            )
        return {**_listed(reply.workflow), "findings": [finding_line(one) for one in reply.findings]}

    async def search(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        limit = min(max(_argument(arguments, "limit", int, 10), 0), MAX_HITS)
        hits = await self._library.search(_argument(arguments, "query", str), limit)
        return [hit_facts(hit) for hit in hits]

    async def list_workflows(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        versions, _ = await self._library.list()
        return [_listed(version) for version in versions]

    async def get(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        reply = await self._library.get(*_name_and_hash(arguments))
        return {**_listed(reply.workflow), "source": reply.source} if isinstance(reply, WorkflowShown) else None

    async def invoke(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        name, hash = _argument(arguments, "name", str), _argument(arguments, "hash", str, "")
        given = cast("dict[str, JsonValue]", _argument(arguments, "arguments", dict, {}))
        outcome = await self._invoke(self._invocation, name, given, hash)
        if outcome.error is not None:
            raise HostCallError(outcome.error.type, outcome.error.message, outcome.error)
        return outcome.value

    async def delete(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        return await self._library.delete(_argument(arguments, "name", str), author=self._invocation.saved_by)

    # --- artifacts

    async def save_artifact(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        try:
            given = "" if arguments.get("media_type") is None else _argument(arguments, "media_type", str)
            data, media_type = to_bytes(unpack_data(arguments.get("data")), given)
        except ValueError as exc:
            raise HostCallError("ValueError", str(exc)) from exc
        entry = await self._artifacts.save(
            _argument(arguments, "name", str),
            data,
            media_type=media_type,
            description=_argument(arguments, "description", str, ""),
            saved_by=self._invocation.saved_by,
        )
        return _saved(entry)

    async def load_artifact(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        name = _argument(arguments, "name", str)
        found = await self._artifacts.load(name)
        if found is None:
            raise HostCallError("LookupError", f"there is no artifact {name!r}")
        entry, data = found
        return pack_data(from_bytes(data, entry.media_type))

    async def list_artifacts(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        return [_saved(entry) for entry in await self._artifacts.list()]

    async def delete_artifact(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        return await self._artifacts.delete(_argument(arguments, "name", str))

    # --- packages

    async def list_packages(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        return [*self._packages.list()] if self._packages is not None else []

    async def add_package(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        package, packages = _argument(arguments, "package", str), self._changeable("add")
        return await self._installed(packages, packages.add(package))

    async def remove_package(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        package, packages = _argument(arguments, "package", str), self._changeable("remove")
        with self._invocation.clock.stopped():
            return await packages.remove(package)

    async def sync_packages(self, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Install what is declared and is not there; whoever owns the library has declared it."""
        packages = self._packages
        if packages is None:
            return {"installed": [], "already_present": [], "failed": []}
        return await self._installed(packages, packages.sync() if packages.missing() else None)

    def _changeable(self, method: str) -> Packages:
        """Return the packages, where code may change them. What is installed is run by later workflows."""
        if self._packages is None or not self._packages.may_change:
            message = f"deps.{method}(): workflow code may not choose packages here; whoever owns the library does, by"
            raise HostCallError(
                "PermissionError", f"{message} session.deps, or lets it: Session(..., code_may_install=True)"
            )
        return self._packages

    async def _installed(self, packages: Packages, change: Awaitable[None] | None) -> JsonValue:
        """Await a change; return what was installed by it, and what was there before. The time is not the code's."""
        before = packages.installed()
        if change is not None:
            with self._invocation.clock.stopped():
                await change
        after = {f"{name}=={version}": before.get(name) == version for name, version in packages.installed().items()}
        return {
            "installed": [one for one, was_there in after.items() if not was_there],
            "already_present": [one for one, was_there in after.items() if was_there],
            "failed": [],
        }


_ANSWERS: dict[tuple[str, str], Callable[[CallHost, Mapping[str, JsonValue]], Awaitable[JsonValue]]] = {
    ("workflows", "create"): CallHost.create,
    ("workflows", "search"): CallHost.search,
    ("workflows", "list"): CallHost.list_workflows,
    ("workflows", "get"): CallHost.get,
    ("workflows", "invoke"): CallHost.invoke,
    ("workflows", "delete"): CallHost.delete,
    ("artifacts", "save"): CallHost.save_artifact,
    ("artifacts", "load"): CallHost.load_artifact,
    ("artifacts", "list"): CallHost.list_artifacts,
    ("artifacts", "delete"): CallHost.delete_artifact,
    ("deps", "list"): CallHost.list_packages,
    ("deps", "add"): CallHost.add_package,
    ("deps", "remove"): CallHost.remove_package,
    ("deps", "sync"): CallHost.sync_packages,
}
"""What workflow code may call, beside tools; nothing else is answered."""


def _argument(arguments: Mapping[str, JsonValue], name: str, kind: type[ValueT], default: Any = ...) -> ValueT:
    """Return an argument of this type. Raises HostCallError (TypeError) when it is missing or of another type."""
    value = arguments.get(name, default)
    if value is ...:
        raise HostCallError("TypeError", f"missing a required argument: {name!r}")
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise HostCallError("TypeError", f"{name} must be {kind.__name__}, not {type(value).__name__}")
    return value


def _name_and_hash(arguments: Mapping[str, JsonValue]) -> tuple[str, str]:
    """Return the parts of ``name`` or ``name@hash``."""
    name, _, hash = _argument(arguments, "name", str).partition("@")
    return name, hash


def _listed(version: WorkflowVersion) -> dict[str, JsonValue]:
    return {
        "name": version.name,
        "description": version.description,
        "parameters": [msgspec.to_builtins(one) for one in version.parameters],
        "hash": version.hash,
        "author": version.author,
        "created_at": version.created_at.isoformat(),
    }


def hit_facts(hit: WorkflowHit) -> dict[str, JsonValue]:
    """Return what code and a session are told of a workflow that was found."""
    return {**_listed(hit.workflow), "score": round(hit.score, 4)}


def _saved(entry: ArtifactEntry) -> JsonValue:
    return msgspec.to_builtins(entry)
