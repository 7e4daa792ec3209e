"""A minimal site: responses on loopback, from a thread that ends with the block."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


class Answers(BaseHTTPRequestHandler):
    """Subclasses implement ``do_GET`` and the like."""

    def answer(
        self, body: str, media_type: str = "text/html; charset=utf-8", status: int = 200, **headers: str
    ) -> None:
        """Send a response; ``headers`` are written with ``_`` for ``-``."""
        data = body.encode()
        self.send_response(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None: ...


class SmallSite(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers: type[Answers]) -> None:
        super().__init__(("127.0.0.1", 0), answers)
        self._serving = threading.Thread(target=self.serve_forever)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        self._serving.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self._serving.join()
        self.server_close()
