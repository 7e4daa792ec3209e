"""``python files.py FOLDER``: say which exports of the register are asked for, as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

TABLES = ("contracts", "suppliers", "changes")


def main(_: Path) -> None:
    asked = [
        *({"name": f"{table}.csv", "path": f"/register/{table}.csv?_stream=on"} for table in TABLES),
        *({"name": f"{table}.json", "path": f"/register/{table}.json?_shape=array"} for table in TABLES),
        {
            "name": "one page.csv",
            "path": "/register/contracts.csv?_labels=on&_size=max",
            "page": "/register/contracts",
            "press": "CSV",
        },
        {"name": "the database", "path": "/register.db", "wrong": "a database that changes may not be had"},
        {"name": "an empty export.csv", "path": "/register/contracts.csv?contract=none&_stream=on"},
        {"name": "no such table.csv", "path": "/register/nothing.csv", "wrong": "it does not exist"},
        {"name": "a failed query.json", "path": "/register.json?sql=select+nothing", "wrong": "it is an error"},
        {"name": "a failed query.csv", "path": "/register.csv?sql=select+nothing", "wrong": "it is an error"},
    ]
    print(json.dumps(asked))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
