"""``python serve.py FOLDER``: serve the admin on loopback; print its URL once it listens."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from models import Asset, Change, Person, engine_of
from sqladmin import Admin, ModelView
from starlette.applications import Starlette


class AssetView(ModelView, model=Asset):
    column_list = [Asset.tag, Asset.name, Asset.condition, Asset.holder, Asset.price]
    column_searchable_list = [Asset.tag, Asset.name]
    column_sortable_list = [Asset.tag, Asset.price]
    column_default_sort = "id"
    column_labels = {Asset.bought_on: "Bought on", Asset.retired_on: "Retired on"}
    page_size = 25


class PersonView(ModelView, model=Person):
    name_plural = "People"


class ChangeView(ModelView, model=Change):
    pass


def main(folder: Path) -> None:
    application = Starlette()
    admin = Admin(application, engine_of(folder))
    for view in (AssetView, PersonView, ChangeView):
        admin.add_view(view)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(application, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
