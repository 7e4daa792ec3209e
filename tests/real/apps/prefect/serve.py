"""``python serve.py FOLDER``: serve Prefect on loopback; print its URL once it listens."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import uvicorn
from place import set_up


class Server(uvicorn.Server):
    """Says where it is once it answers."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(os.environ["PREFECT_UI_API_URL"].removesuffix("/api"), flush=True)


def main(folder: Path) -> None:
    set_up(folder)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # Its pages are told where the API is.
        os.environ["PREFECT_UI_API_URL"] = f"http://127.0.0.1:{listener.getsockname()[1]}/api"
        from prefect.server.api.server import create_app

        application = create_app(webserver_only=True)
        Server(uvicorn.Config(application, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
