"""``python files.py FOLDER``: put papers into the library as formats of books, and say which are asked for, as JSON."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from pathlib import Path

from library import BOOKS, SETTINGS

DOWNLOADS = 2
"""The right of visitors to download, among those of a user."""


def main(folder: Path) -> None:
    known = json.loads((folder / "papers_in.json").read_text())
    chosen = [name for name in known if Path(name).suffix in (".pdf", ".zip", ".csv", ".html")]
    asked = [_put(folder, number, name, known[name]) for number, name in enumerate(chosen, start=1)]
    with sqlite3.connect(folder / SETTINGS) as db:
        db.execute("update user set role = role | ? where name = 'Guest'", (DOWNLOADS,))
    db.close()
    asked += [
        {"name": "no such format", "path": "/download/60/epub/60.epub", "wrong": "it does not exist"},
        {"name": "the log", "path": "/admin/logdownload/0", "wrong": "it asks to sign in"},
        {"name": "all that helps to find errors", "path": "/admin/debug", "wrong": "it asks to sign in"},
    ]
    print(json.dumps(asked))


def _put(folder: Path, number: int, name: str, facts: dict[str, str]) -> dict[str, str]:
    """Make the paper a format of a book; where it is a PDF, its book is downloaded by the link on its page."""
    form = Path(name).suffix[1:]
    book = folder / f"book{number}"
    book.mkdir(exist_ok=True)
    size = shutil.copy(folder / "papers_in" / name, book / f"paper.{form}").stat().st_size
    with sqlite3.connect(folder / BOOKS) as db:
        db.execute(
            "insert into data (book, format, uncompressed_size, name) values (?, ?, ?, 'paper')",
            (number, form.upper(), size),
        )
    db.close()
    found = {"page": f"/book/{number}", "press": form.upper()} if form == "pdf" else {}
    return {"name": f"{name} as a book", "path": f"/download/{number}/{form}/{number}.{form}", **facts, **found}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
