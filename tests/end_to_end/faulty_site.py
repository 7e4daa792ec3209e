"""A site that misbehaves on purpose, on loopback: what every real site does sooner or later."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

RECORD = (
    "<html><title>{id}</title><body><h1>{id}</h1>"
    "<dl><dt>Number</dt><dd>{id}</dd><dt>Owner</dt><dd>Ann</dd></dl>{more}</body></html>"
)
NEVER_QUIET = "<p id=c>0</p><script>let n = 0; setInterval(() => { c.textContent = ++n }, 20)</script>"
LOGIN = (
    "<html><title>Sign in</title><body><h1>Sign in</h1>"
    "<form><label>Password <input type=password></label></form></body></html>"
)


class FaultySite:
    """`/ok/X`, `/restless/X`, `/other/X` (shows another record), `/gone/X` (404), `/broken/X` (500),
    `/private/X` (redirects to a login page). `hits` counts requests by path."""

    def __init__(self) -> None:
        self.hits: dict[str, int] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.hits[self.path] = site.hits.get(self.path, 0) + 1
                _, kind, name = self.path.split("/")[:3] if self.path.count("/") > 1 else ("", "", "")
                self._answer(kind, name)

            def _answer(self, kind: str, name: str) -> None:
                pages = {
                    "ok": (200, RECORD.format(id=name, more="")),
                    "restless": (200, RECORD.format(id=name, more=NEVER_QUIET)),
                    "other": (200, RECORD.format(id=name + "1", more="")),
                    "gone": (404, "<h1>Nothing here</h1>"),
                    "broken": (500, "<h1>Server error</h1>"),
                    "login": (200, LOGIN),
                }
                if kind == "private":
                    self.send_response(302)
                    self.send_header("location", "/login/now")
                    self.end_headers()
                    return
                status, body = pages.get(kind, (404, ""))
                self.send_response(status)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FaultySite:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def spec(self) -> dict:
        return {
            "task_id": "faulty",
            "goal": "Read number and owner.",
            "start_url": "{url}",
            "allowed_hosts": ["127.0.0.1"],
            "sample_id": "{number}",
            "input_schema": {"number": "string", "url": "string"},
            "output_schema": {"number": "string", "owner": "string | null"},
            "required_fields": ["number", "owner"],
            "required_artifacts": ["screenshot:record"],
            "identity": {"number": "{number}"},
        }

    def row(self, kind: str, name: str) -> dict[str, str]:
        return {"number": name, "url": f"{self.url}/{kind}/{name}"}
