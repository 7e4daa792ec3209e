"""``python files.py FOLDER``: say which exports of the admin are asked for, as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

VIEWS = ("asset", "person", "change")


def main(_: Path) -> None:
    asked = [
        {"name": f"{view}.{kind}", "path": f"/admin/{view}/export/{kind}"} for view in VIEWS for kind in ("csv", "json")
    ]
    asked += [{"name": "no such view.csv", "path": "/admin/nothing/export/csv", "wrong": "it does not exist"}]
    print(json.dumps(asked))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
