"""The child's end of its one connection: frames of JSON to the service, and its answers.

To the service: ``began``, ``out`` (text), ``call`` (namespace, method, arguments), ``done`` (value), ``failed``.
From it: ``workflow`` or ``interpreter`` and ``run`` and ``reset``, and to each call ``value`` or ``error``.
"""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

from services.workflows.execution.child.failures import exception_of
from services.workflows.execution.child.output import OutputWriter
from services.workflows.execution.child.values import BadValueError, to_json, to_plain
from shared.child_process.child import LENGTH, read_frame


class HostChannel:
    """Calls of several threads are made one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._replies = connection.makefile("rb")
        self._calling = threading.RLock()
        self._sending = threading.RLock()
        self._calls = 0
        self._value_bytes = self._artifact_bytes = 0
        self.output = OutputWriter(lambda text: self.send({"kind": "out", "text": text}))

    def begin(self, limits: dict[str, Any]) -> None:
        """Take the limits of what comes next, and say that it begins."""
        self._value_bytes, self._artifact_bytes = limits["value_bytes"], limits["artifact_bytes"]
        self.output.begin(limits["output_chars"])
        self._calls = 0
        self.send({"kind": "began"})

    def receive(self) -> dict[str, Any] | None:
        """Return the next message; None when the service has closed the connection."""
        frame = read_frame(self._replies)
        return None if frame is None else json.loads(frame)

    def send(self, message: dict[str, Any]) -> None:
        self._send_frame(to_json(message))

    def finish(self, value: Any) -> None:
        """Send the value. Raises BadValueError when it is none of JSON, or too large."""
        data = to_json(to_plain(value))
        if len(data) > self._value_bytes:
            raise BadValueError(f"{len(data):,} bytes of JSON, and the limit is {self._value_bytes:,}")
        self._send_frame(b'{"kind":"done","value":' + data + b"}")

    def call(self, namespace: str, method: str, arguments: dict[str, Any]) -> Any:
        """Have the host answer a call; raise what its failure stands for."""
        with self._calling:
            try:
                data = to_json(to_plain(arguments))
            except BadValueError as exc:
                raise TypeError(f"{namespace}.{method}() got {exc}; pass JSON values") from None
            most = self._artifact_bytes if namespace == "artifacts" else self._value_bytes
            if len(data) > most:
                raise ValueError(f"{namespace}.{method}() got {len(data):,} bytes of JSON, and the limit is {most:,}")
            self.output.flush()
            self._calls += 1
            head = to_json({"kind": "call", "namespace": namespace, "method": method})
            self._send_frame(head[:-1] + b',"arguments":' + data + b"}")
            reply = self.receive()
            if reply is None:
                raise ConnectionError("the service has ended the connection")
            if (error := reply.get("error")) is not None:
                raise exception_of(error["type"], error["message"], error["note"], self._calls, error["flow_code"])
            return reply["value"]

    def _send_frame(self, data: bytes) -> None:
        with self._sending:
            self._socket.sendall(LENGTH.pack(len(data)) + data)
