"""A server on loopback that remembers what it was asked, and does what hostile servers do."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class HttpWorld:
    """``answers``: path to status, headers and body; others are answered with what was asked, as JSON."""

    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    endless: threading.Event = field(default_factory=threading.Event)
    """Set at the end, so that answers that never end do."""

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def http_world() -> Generator[HttpWorld]:
    world = HttpWorld()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("content-length", 0))
            asked = Asked(self.command, self.path, dict(self.headers.items()), self.rfile.read(length))
            world.asked.append(asked)
            if self.path == "/flood":
                self.flood()
            elif self.path == "/slow":
                self.drip()
            else:
                echo = json.dumps({"method": asked.method, "path": asked.path, "body": asked.body.decode()}).encode()
                status, headers, body = world.answers.get(self.path, (200, {"Content-Type": "application/json"}, echo))
                self.send(status, headers, body)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer  # noqa: N815

        def send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def flood(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            try:
                while not world.endless.is_set():
                    self.wfile.write(b"x" * 65536)
            except OSError:
                pass

        def drip(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            try:
                while not world.endless.wait(0.05):  # clock: meant to expire
                    self.wfile.write(b"x")
            except OSError:
                pass

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    world.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield world
    finally:
        world.endless.set()
        server.shutdown()
        server.server_close()
        thread.join()
