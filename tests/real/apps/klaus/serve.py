"""``python serve.py FOLDER``: serve the repositories on loopback; print its URL once it listens."""

from __future__ import annotations

import sys
from pathlib import Path

from klaus import make_app
from werkzeug.serving import make_server


def main(folder: Path) -> None:
    repositories = sorted(path.parent for path in folder.glob("*/.git"))
    application = make_app(list(map(str, repositories)), "Audited code")
    server = make_server("127.0.0.1", 0, application, threaded=True)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
