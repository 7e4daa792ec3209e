"""Serve the pages on loopback under two host names: one server is two sites to a browser."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from benchmarks.observe_pages import OTHER
from benchmarks.observe_truth import Page

HOSTS = ("127.0.0.1", "localhost")


@contextmanager
def served(pages: Sequence[Page]) -> Generator[str, None, None]:
    """Yield the address of the site: a page is at ``/NAME``."""
    files = {f"/{page.name}": page.html for page in pages}
    files |= {f"/{page.name}/{path}": html for page in pages for path, html in page.parts.items()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(files))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(files: dict[str, str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            html = files.get(self.path.split("?")[0])
            assert isinstance(self.server, ThreadingHTTPServer)
            port = self.server.server_port
            body = (html or "").replace(OTHER, f"http://localhost:{port}").encode()
            self.send_response(404 if html is None else 200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing: the table is the output."""

    return Handler
