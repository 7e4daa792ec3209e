"""``python serve.py FOLDER``: serve the library on loopback; print its URL once it listens."""

from __future__ import annotations

import sys
from pathlib import Path

from library import cps
from werkzeug.serving import make_server


def main(folder: Path) -> None:
    cps(folder)
    from cps import app, web_server
    from cps.main import main as calibre_web

    def serve() -> bool:
        # In place of a server that must be told its port.
        server = make_server("127.0.0.1", 0, app, threaded=True)
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
        return True

    web_server.start = serve
    calibre_web()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
