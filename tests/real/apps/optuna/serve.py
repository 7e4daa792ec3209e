"""``python serve.py FOLDER``: serve the dashboard on loopback; print its URL once it listens."""

from __future__ import annotations

import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import optuna_dashboard


class Server(ThreadingMixIn, WSGIServer):
    """A browser keeps several connections open at once."""

    daemon_threads = True
    request_queue_size = 128


class Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def main(folder: Path) -> None:
    application = optuna_dashboard.wsgi(f"sqlite:///{folder / 'study.db'}")
    with make_server("127.0.0.1", 0, application, Server, Silent) as server:
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
