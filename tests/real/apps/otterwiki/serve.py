"""``python serve.py FOLDER``: serve the wiki on loopback; print its URL once it listens."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

from werkzeug.serving import make_server


def main(folder: Path) -> None:
    os.environ["REPOSITORY"] = str(folder / "pages")
    os.environ["SECRET_KEY"] = secrets.token_hex(16)
    os.environ["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{folder / 'wiki.db'}"
    os.environ["WRITE_ACCESS"] = "REGISTERED"
    os.environ["SITE_NAME"] = "Service register"
    from otterwiki.views import app

    server = make_server("127.0.0.1", 0, app, threaded=True)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
