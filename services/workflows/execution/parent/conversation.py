"""What the service and a child say to each other while one piece of work runs, and what it comes to."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Any, cast

from services.workflows.execution.isolation.limits import ENDED_BY
from services.workflows.execution.parent.answers import (
    ENVELOPE_BYTES,
    artifact_bytes,
    ask_host,
    checked_answer,
    note_of,
)
from services.workflows.execution.parent.child_link import ChildLink, ForeignMessageError
from services.workflows.execution.run_outcome import MAX_TEXT_CHARS, OutputText, RunFailures
from services.workflows.ports import BoundedTime, Host, HostCall, HostCallError, Limits, Outcome
from shared.contracts.workflows.invocations import JsonValue, WorkflowFailure

NAMESPACES = frozenset({"tools", "workflows", "artifacts", "deps", "flow"})
_FAILURE_BYTES = 400_000
_EXIT_WAIT_S = 0.5
"""A child that closed its connection is about to end; one that goes on without it is killed after this time."""
_FOLDER_CHECK_S = 0.2


class NeverBeganError(Exception):
    """The child ended before it had begun: no workflow code has run."""


def wire_limits(limits: Limits) -> dict[str, Any]:
    """Return the limits as a child is told them."""
    return {
        "memory_bytes": limits.memory_bytes,
        "file_bytes": limits.file_bytes,
        "output_chars": limits.output_chars,
        "value_bytes": limits.value_bytes,
        "artifact_bytes": artifact_bytes(limits),
        "cpu_s": math.ceil(limits.time_s) * 2 + 2,
    }


class Conversation:
    """One invocation, or one piece of code. ``name``: of the workflow; empty for code."""

    def __init__(
        self,
        name: str,
        link: ChildLink,
        host: Host,
        limits: Limits,
        folder_bytes: int,
        bounded: BoundedTime = asyncio.timeout,
    ) -> None:
        self._name, self._link, self._host, self._limits, self._bounded = name, link, host, limits, bounded
        self._folder_bytes = folder_bytes
        self._output = OutputText(limits.output_chars)
        self._failures = RunFailures(name)
        self._began = False
        self.is_over = False
        """Whether the child gave an answer; False after a limit was hit, or it ended."""

    async def run(self, request: dict[str, Any]) -> Outcome:
        """Send the request and return what it came to. Raises NeverBeganError."""
        started = time.perf_counter()
        value: JsonValue = None
        error: WorkflowFailure | None = None
        try:
            async with self._bounded(self._limits.time_s):
                value, error = await self._run_in_bounded_folder(request)
        except TimeoutError:
            error = self._failures.timeout(self._limits.time_s)
        except ForeignMessageError as exc:
            error = self._failures.failure(
                "refused", "PermissionError", f"it wrote to its connection to the service: {exc}"
            )
        duration_ms = (time.perf_counter() - started) * 1000
        return Outcome(value, self._output.text(), error, duration_ms)

    async def _run_in_bounded_folder(self, request: dict[str, Any]) -> tuple[JsonValue, WorkflowFailure | None]:
        if self._link.folder is None:
            return await self._talk(request)
        talk = asyncio.create_task(self._talk(request))
        try:
            while not talk.done():
                await asyncio.wait([talk], timeout=_FOLDER_CHECK_S)
                if await asyncio.to_thread(self._link.has_more_files_than, self._folder_bytes):
                    text = f"its files took more than {self._folder_bytes:,} bytes"
                    return None, self._failures.failure("killed", "OSError", text)
            return talk.result()
        finally:
            talk.cancel()
            await asyncio.wait([talk])

    async def _talk(self, request: dict[str, Any]) -> tuple[JsonValue, WorkflowFailure | None]:
        try:
            await self._link.send(request)
            while (received := await self._link.receive(*self._sizes())) is not None:
                answer = await self._take(*received)
                if answer is not None:
                    self.is_over = True
                    return answer
                await asyncio.sleep(0)  # a flood of messages must not keep this loop from its other work
        except OSError:
            pass
        return None, await self._ended()

    def _sizes(self) -> tuple[int, int]:
        """Return how large a message may be, and one about artifacts."""
        usual = self._limits.value_bytes + _FAILURE_BYTES
        return usual, max(usual, artifact_bytes(self._limits)) + ENVELOPE_BYTES

    async def _take(self, message: dict[str, Any], size: int) -> tuple[JsonValue, WorkflowFailure | None] | None:
        """Act on a message. Return the value, or the failure, that ends the work."""
        match message:
            case {"kind": "began"} if not self._began:
                self._began = True
            case {"kind": "out", "text": str(text)}:
                if not self._output.add(text):
                    raise ForeignMessageError("more output than there may be")
            case {"kind": "call", "namespace": str(namespace), "method": str(method), "arguments": dict()}:
                arguments = cast("dict[str, JsonValue]", message["arguments"])
                await self._answer(HostCall(namespace, method, arguments), size)
            case {"kind": "done", "value": value}:
                if size > self._limits.value_bytes + 100:
                    raise ForeignMessageError("a value that is too large")
                return value, None
            case {"kind": "failed"}:
                return None, self._failures.told(message)
            case _:
                raise ForeignMessageError("a message of no known kind")
        return None

    # --- calls of the host

    async def _answer(self, call: HostCall, size: int) -> None:
        if call.namespace not in NAMESPACES:
            raise ForeignMessageError("a call of something that does not exist")
        most = artifact_bytes(self._limits) if call.namespace == "artifacts" else self._limits.value_bytes
        if size > most + ENVELOPE_BYTES:
            raise ForeignMessageError("a call that is too large")
        failure: WorkflowFailure | None = None
        flow_code = ""
        try:
            reply: dict[str, Any] = {"value": checked_answer(call, await self._ask(call), most)}
        except HostCallError as exc:
            failure, flow_code = exc.failure, exc.flow_code
            message, note = (text[:MAX_TEXT_CHARS] for text in (str(exc), note_of(failure)))
            reply = {"error": {"type": exc.type, "message": message, "note": note, "flow_code": flow_code}}
        self._failures.add_call(failure, flow_code)
        await self._link.send(reply)

    async def _ask(self, call: HostCall) -> JsonValue:
        """Return the host's answer; give up when the child ends meanwhile."""
        answering = asyncio.ensure_future(ask_host(self._host, call))
        try:
            await asyncio.wait([answering, self._link.exited], return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                raise ConnectionResetError
            return answering.result()
        finally:
            if not answering.done():
                answering.cancel()
                await asyncio.wait([answering])

    # --- failures

    async def _ended(self) -> WorkflowFailure:
        """Say why the connection was closed without an answer. Raises NeverBeganError."""
        await asyncio.wait([self._link.exited], timeout=_EXIT_WAIT_S)
        if not self._began:
            raise NeverBeganError
        if not self._link.has_ended:
            return self._failures.failure(
                "killed", "ConnectionError", "it closed its connection to the service and ran on"
            )
        status = self._link.exited.result()
        if status >= 0:
            return self._failures.failure("killed", "SystemExit", f"it ended its process with exit code {status}")
        why = ENDED_BY.get(-status, f"signal {-status}" if status > -100 else "the process that started it has ended")
        return self._failures.failure("killed", "ProcessEnded", f"its process was ended: {why}")
