"""``python serve.py FOLDER``: serve the wiki on loopback; print its URL once it listens."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import threading
from pathlib import Path
from typing import Any

from werkzeug.serving import make_server


def one_at_a_time(app: Any) -> Any:
    """Return the app without parallel requests: all of them read the repository through one git process, and hang."""
    turn = threading.Lock()

    def answer(environ: Any, start_response: Any) -> list[bytes]:
        with turn, contextlib.closing(app(environ, start_response)) as chunks:
            return list(chunks)

    return answer


def main(folder: Path) -> None:
    os.environ["REPOSITORY"] = str(folder / "pages")
    os.environ["SECRET_KEY"] = secrets.token_hex(16)
    os.environ["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{folder / 'wiki.db'}"
    os.environ["WRITE_ACCESS"] = "REGISTERED"
    os.environ["SITE_NAME"] = "Service register"
    from otterwiki.views import app

    server = make_server("127.0.0.1", 0, one_at_a_time(app), threaded=True)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
