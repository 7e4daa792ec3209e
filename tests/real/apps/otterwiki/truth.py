"""``python truth.py FOLDER``: what the wiki has stored, as JSON: the pages of its repository, and its log."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ASKED = 40
MISSING = ("SVC-900", "SVC-01")
LABELS = {
    "Service": "service",
    "Owner": "owner",
    "Tier": "tier",
    "State": "state",
    "Users": "users",
    "Reviewed on": "reviewed_on",
}
ROW = re.compile(r"^\| ([^|]+) \| ([^|]*?) ?\|$", re.M)


def main(folder: Path) -> None:
    pages = sorted((folder / "pages").glob("svc-*.md"))
    records = [_values(page) for page in pages[5:][:ASKED]]
    log = ("git", "-C", str(folder / "pages"), "log", "--format=%h%x09%an%x09%s", "--abbrev=6")
    lines = subprocess.run(log, capture_output=True, text=True, check=True).stdout.splitlines()
    changes = [dict(zip(("revision", "author", "commit_message"), line.split("\t"), strict=True)) for line in lines]
    truth = {
        "records": {one["service"]: {"path": _path(one["service"]), "values": one} for one in records},
        "missing": {name: _path(name) for name in MISSING},
        "list_path": "/-/changelog",
        "listed": {change["revision"]: change for change in changes},
    }
    print(json.dumps(truth))


def _values(page: Path) -> dict[str, str | None]:
    cells = dict(ROW.findall(page.read_text(encoding="utf-8")))
    return {field: cells[label] or None for label, field in LABELS.items()}


def _path(name: str | None) -> str:
    return f"/{(name or '').lower()}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
