"""``python serve.py FOLDER``: serve the register on loopback; print its URL once it listens."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from datasette.app import Datasette


def main(folder: Path) -> None:
    application = Datasette([str(folder / "register.db")], settings={"default_page_size": 25})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(application.app(), log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
