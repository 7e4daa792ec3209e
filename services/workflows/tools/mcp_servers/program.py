"""An MCP server that is a program: JSON-RPC, one message a line, over its standard input and output.

The transport of the `mcp` package hands on parts of our environment, holds a line of any length, and lets a server
outlive a parent that is killed; this one does not.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from services.workflows.tools.processes import TAIL_BYTES, kill_group, open_pipe, pipe_reader
from shared.aio import cancel_and_wait
from shared.child_process.child import die_with_parent

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
