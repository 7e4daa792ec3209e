"""What a forked child does: it waits for its work, limits itself, runs the work and ends."""

from __future__ import annotations

import os
import resource
import socket
import sys
from collections.abc import Awaitable
from typing import Any

from services.workflows.execution.child.channel import HostChannel
from services.workflows.execution.child.failures import failure_of
from services.workflows.execution.child.flow_modules import HostedFlow, write_files
from services.workflows.execution.child.namespaces import host_namespaces
from services.workflows.execution.child.programs import CodeSession, compile_workflow, file_of, run_workflow
from services.workflows.execution.child.values import BadValueError
from services.workflows.execution.isolation.limits import allow_a_report, limit_child
from shared.flows.code.functions import bind


def serve(connection: socket.socket) -> None:
    """Do the work that comes over the connection, and end the process."""
    channel = HostChannel(connection)
    try:
        message = channel.receive()
        if message is not None:
            sys.stdout = channel.output
            if message["kind"] == "workflow":
                _run_workflow(channel, message)
            else:
                _run_pieces(channel, message)
    except OSError:
        os._exit(1)  # the service is gone
    os._exit(0)


def _run_workflow(channel: HostChannel, message: dict[str, Any]) -> None:
    name, source = message["name"], message["source"]
    limit_child(message["limits"], cpu_s=message["limits"]["cpu_s"])
    channel.begin(message["limits"])
    flow = HostedFlow(channel.call)
    bind(flow)
    try:
        write_files(message["files"])
        code = compile_workflow(name, source)
        value = run_workflow(name, code, message["arguments"], host_namespaces(channel.call), _wait)
        flow.check_all_awaited()
        channel.output.flush()
        _finish(channel, value, "run()")
    except BaseException as exc:  # noqa: BLE001  whatever workflow code raises is its result
        _fail(channel, exc, {file_of(name): source})


def _run_pieces(channel: HostChannel, first: dict[str, Any]) -> None:
    bind(HostedFlow(channel.call))
    session = CodeSession(host_namespaces(channel.call), _PersistentLoop().run)
    limit_child(first["limits"], cpu_s=None)
    while (message := channel.receive()) is not None:
        if message["kind"] == "reset":
            session.reset()
            continue
        channel.begin(message["limits"])
        try:
            value = session.run(message["code"])
            channel.output.flush()
            _finish(channel, value, "the last expression")
        except BaseException as exc:  # noqa: BLE001  whatever the code raises is its result
            _fail(channel, exc, session.sources)


def _finish(channel: HostChannel, value: Any, what: str) -> None:
    try:
        channel.finish(value)
    except BadValueError as exc:
        verb = "returned" if what.endswith("()") else "is"
        message = f"{what} {verb} {exc}; return JSON values"
        failure = {"code": "bad_value", "type": "TypeError", "message": message, "traceback": "", "call": None}
        channel.send({"kind": "failed", **failure})


def _fail(channel: HostChannel, error: BaseException, sources: dict[str, str]) -> None:
    allow_a_report(resource.RLIMIT_AS)
    channel.output.flush()
    channel.send({"kind": "failed", **failure_of(error, sources)})


def _wait(awaitable: Awaitable[Any]) -> Any:
    import asyncio

    return asyncio.run(_await(awaitable))


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


class _PersistentLoop:
    """One event loop for all pieces of code, made when the first of them awaits something."""

    def __init__(self) -> None:
        self._runner: Any = None

    def run(self, awaitable: Awaitable[Any]) -> Any:
        if self._runner is None:
            import asyncio

            self._runner = asyncio.Runner()
        return self._runner.run(_await(awaitable))
