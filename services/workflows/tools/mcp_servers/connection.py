"""A connection to an MCP server, in a task of its own: the `mcp` package opens and closes it in one task."""

from __future__ import annotations

import asyncio
import os
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import CallToolResult, Tool, jsonrpc_message_adapter
from pydantic import ValidationError

from services.workflows.tools.outputs import decoded
from services.workflows.tools.processes import TAIL_BYTES, kill_group, open_pipe, pipe_reader
from shared.aio import cancel_and_wait
from shared.child_process.child import die_with_parent
from shared.network.checked_transport import CheckedTransport, TooMuchOutput, tls_context
from shared.network.host_access import AccessDenied, HostAccess, Resolve

MAX_TOOLS = 500
CLOSE_BOUND_S = 10.0
SERVER_FAULTS = (
    *(MCPError, ValidationError, httpx2.HTTPError, AccessDenied, TooMuchOutput, ExceptionGroup),
    *(OSError, LookupError, RuntimeError, ValueError),
)
"""What the `mcp` package raises for a server that fails."""


NO_HOSTS = HostAccess((), ())


class ServerLost(Exception):
    """The server cannot be reached, or has ended; the message says why."""


@dataclass(frozen=True)
class ServerTerms:
    """Where a server is, and what it is given. ``argv`` or ``url``; secrets are filled in."""

    argv: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    access: HostAccess = NO_HOSTS
    max_bytes: int = 400_000


class ServerConnection:
    """``tools``: what the server offers. `close` ends the connection, and a server that was started for it."""

    def __init__(self, terms: ServerTerms, resolve: Resolve) -> None:
        self._terms, self._resolve = terms, resolve
        self._program: ServerProgram | None = None
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._hold())
        self.tools: tuple[Tool, ...] = ()

    async def open(self, timeout_s: float) -> None:
        """Wait until the server has told its tools. Raises ServerLost."""
        await asyncio.wait([self._task, self._client], timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if self._client.done() and not self._client.cancelled() and self._client.exception() is None:
            return
        failure = self._client.exception() if self._client.done() else None
        why = self._why(str(failure) if failure is not None else f"it did not answer within {timeout_s:g} s")
        await self.close()
        if not self._task.cancelled():
            self._task.result()  # raises what is a fault of ours
        raise ServerLost(why) from failure

    @property
    def is_usable(self) -> bool:
        return not self._task.done() and not self._stop.is_set() and (self._program is None or not self._program.ended)

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Return what the server answered. Raises ServerLost when it ended meanwhile, and MCPError for its refusal."""
        client = await self._client
        if self._program is not None:
            self._program.expect_answer()
        try:
            return await client.call_tool(tool, arguments)
        except SERVER_FAULTS as exc:
            if not self.is_usable or not isinstance(exc, MCPError):
                raise ServerLost(self._why(_words(exc))) from exc
            raise

    async def close(self) -> None:
        """Idempotent."""
        self._stop.set()
        if not self._client.done():  # it still waits for the server
            self._client.cancel()
            await cancel_and_wait(self._task)
        await asyncio.wait([self._task], timeout=CLOSE_BOUND_S)
        if not self._task.done():
            await cancel_and_wait(self._task)

    async def _hold(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                client = await stack.enter_async_context(Client(await self._transport(stack), cache=None))
                self.tools = await _all_tools(client)
                self._client.set_result(client)
                await self._stop.wait()
        except SERVER_FAULTS as exc:
            if not self._client.done():
                self._client.set_exception(ServerLost(_words(exc)))

    async def _transport(self, stack: AsyncExitStack) -> Any:
        terms = self._terms
        if terms.argv:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="exhibit-mcp-", ignore_cleanup_errors=True))
            env = {"HOME": folder, **terms.env}
            self._program = ServerProgram(
                terms.argv, env=env, folder=Path(folder), max_message_bytes=2 * terms.max_bytes
            )
            return self._program.connect()
        await terms.access.admit(terms.url, self._resolve)
        transport = CheckedTransport(terms.access, self._resolve, await tls_context(), 2 * terms.max_bytes)
        client = httpx2.AsyncClient(
            transport=transport, headers=terms.headers, timeout=httpx2.Timeout(30.0, read=600.0)
        )
        await stack.enter_async_context(client)
        return streamable_http_client(terms.url, http_client=client, max_sse_event_size=2 * terms.max_bytes)

    def _why(self, told: str) -> str:
        """With the reason why a program ended, and the end of what it complained, which say more."""
        if self._program is None:
            return told
        tail = decoded(self._program.stderr_tail).strip()[-500:]
        return f"{self._program.ended or told}{f': {tail}' if tail else ''}"


async def _all_tools(client: Client) -> tuple[Tool, ...]:
    tools: list[Tool] = []
    cursor: str | None = None
    while len(tools) < MAX_TOOLS:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return tuple(tools[:MAX_TOOLS])


def _words(exc: Exception) -> str:
    """Return what the innermost exception says."""
    if isinstance(exc, ExceptionGroup):
        return _words(cast("ExceptionGroup[Exception]", exc).exceptions[0])
    return exc.message if isinstance(exc, MCPError) else f"{exc}" or type(exc).__name__


# --- a server that is a program: JSON-RPC, one message a line, over its standard input and output
#
# The transport of the `mcp` package hands on parts of our environment, holds a line of any length, and lets a server
# outlive a parent that is killed; this one does not.

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]

STOP_BOUND_S = 2.0
"""What a server has to end by itself once its input is closed."""
FLOOD_FACTOR = 20


class ServerProgram:
    """``ended``: why nothing more comes from it; empty while it runs. ``stderr_tail``: the end of its complaints."""

    def __init__(self, argv: Sequence[str], *, env: Mapping[str, str], folder: Path, max_message_bytes: int) -> None:
        self._argv, self._env, self._folder = argv, env, folder
        self._max_message_bytes = max_message_bytes
        self._unasked_bytes = 0
        self.ended = ""
        self.stderr_tail = b""

    def expect_answer(self) -> None:
        """A call begins: what comes from now on may belong to it."""
        self._unasked_bytes = 0

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[Streams]:
        """Start it, and yield the streams of its messages. It, and its process group, has ended after the block.

        Raises OSError when it cannot be started.
        """
        stdout, for_stdout = open_pipe()
        stderr, for_stderr = open_pipe()
        with stdout, stderr:
            with for_stdout, for_stderr:
                process = await asyncio.create_subprocess_exec(
                    *self._argv,
                    stdin=PIPE,
                    stdout=for_stdout,
                    stderr=for_stderr,
                    env={"PATH": os.environ.get("PATH", os.defpath), **self._env},
                    cwd=self._folder,
                    start_new_session=True,
                    preexec_fn=die_with_parent,
                )
            async with (
                pipe_reader(stdout, self._max_message_bytes) as lines,
                pipe_reader(stderr) as complaints,
                self._exchange(process, lines, complaints) as streams,
            ):
                yield streams

    @asynccontextmanager
    async def _exchange(
        self, process: Process, lines: asyncio.StreamReader, complaints: asyncio.StreamReader
    ) -> AsyncGenerator[Streams]:
        to_client, incoming = anyio.create_memory_object_stream[Incoming](0)
        outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = (
            asyncio.create_task(self._read(process, lines, to_client)),
            asyncio.create_task(_write(process, from_client)),
            asyncio.create_task(self._note(complaints)),
        )
        try:
            yield incoming, outgoing
        finally:
            await _stop(process, tasks)
            for stream in (to_client, incoming, outgoing, from_client):
                stream.close()

    async def _read(
        self, process: Process, lines: asyncio.StreamReader, to_client: MemoryObjectSendStream[Incoming]
    ) -> None:
        try:
            while line := await lines.readline():
                self._unasked_bytes += len(line)
                if self._unasked_bytes > FLOOD_FACTOR * self._max_message_bytes:
                    self.ended = "it sent far more than it was asked for"
                    break
                await to_client.send(_parsed(line))
            else:
                self.ended = "it has ended"
        except ValueError:
            self.ended = f"it sent a message of more than {self._max_message_bytes} bytes"
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self.ended = "it is not listened to any more"
        finally:
            self.ended = self.ended or "it is stopped"
            to_client.close()
            kill_group(process.pid)

    async def _note(self, complaints: asyncio.StreamReader) -> None:
        while piece := await complaints.read(TAIL_BYTES):
            self.stderr_tail = (self.stderr_tail + piece)[-TAIL_BYTES:]


def _parsed(line: bytes) -> Incoming:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return ValueError("the server sent a line that is no message")


async def _write(process: Process, from_client: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError, anyio.ClosedResourceError):
        async for message in from_client:
            process.stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await process.stdin.drain()


async def _stop(process: Process, tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Close its input, give it a moment to end by itself, then kill it with its process group."""
    reader, *others = tasks
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait([reader], timeout=STOP_BOUND_S)
    finally:
        kill_group(process.pid)
        await cancel_and_wait(reader, *others)
        await process.wait()
