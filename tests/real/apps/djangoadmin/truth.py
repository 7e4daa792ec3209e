"""``python truth.py FOLDER``: what the database has, as JSON."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

ASKED = 50
MISSING = ("A-0900", "A-9999")
QUERY = """
select assets.id, tag, assets.name, condition, people.name as holder, price,
    bought_on, retired_on
from assets left join people on people.id = assets.holder_id order by assets.id
"""
FIELDS = ("tag", "name", "condition", "holder", "price", "bought_on", "retired_on")
LISTED = ("tag", "name", "condition")


def main(folder: Path) -> None:
    with sqlite3.connect(folder / "assets.db") as db:
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute(QUERY)]
    db.close()
    truth = {
        "records": {
            row["tag"]: {"path": _path(row["id"]), "values": {name: row[name] for name in FIELDS}}
            for row in rows[:ASKED]
        },
        "missing": {tag: _path(int(tag[2:])) for tag in MISSING},
        "list_path": "/admin/register/asset/",
        "listed": {row["tag"]: {name: row[name] for name in LISTED} for row in rows},
    }
    print(json.dumps(truth))


def _path(number: int) -> str:
    return f"/admin/register/asset/{number}/change/"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
