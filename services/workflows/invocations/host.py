"""Answers what workflow code calls: tools, workflows and artifacts. Its arguments are hostile until checked."""

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
from services.workflows.ports import FLOW_STOPPED, FlowCalls, HostCall, HostCallError, Outcome, ToolCalls
from shared.contracts.workflows.artifacts import ArtifactEntry
from shared.contracts.workflows.invocations import JsonValue
from shared.contracts.workflows.library import WorkflowRefused, WorkflowShown, WorkflowVersion
from shared.errors import ExhibitError
from shared.workflow_source.wording import finding_line

log = logging.getLogger(__name__)

InvokeInner = Callable[[Invocation, str, Mapping[str, JsonValue], str], Awaitable[Outcome]]
ValueT = TypeVar("ValueT")
MAX_HITS = 50


class CallHost:
    """See :class:`services.workflows.ports.Host`. One for each level of an invocation. ``flow``: performs the calls of
    a flow; None: nobody does."""

    def __init__(
        self,
        invocation: Invocation,
        library: Library,
        tools: ToolCalls,
        invoke: InvokeInner,
        flow: FlowCalls | None = None,
    ) -> None:
        self._invocation, self._library, self._tools, self._invoke = invocation, library, tools, invoke
        self._flow = flow
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
        return [{**_listed(hit.workflow), "score": round(hit.score, 4)} for hit in hits]

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


def _saved(entry: ArtifactEntry) -> JsonValue:
    return msgspec.to_builtins(entry)
