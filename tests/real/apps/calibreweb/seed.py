"""``python seed.py FOLDER``: write a library of books, with columns of its own, and settings: anybody may read."""

from __future__ import annotations

import datetime
import json
import os
import random
import sqlite3
import sys
import uuid
from pathlib import Path

from library import BOOKS, SETTINGS, cps
from sqlalchemy import create_engine

SEED = 41
BOOKS_OF_THE_LIBRARY = 64
AUTHORS = ("Zoë Lindqvist", "Łukasz Nowak", "李娜", "Amara O'Neill", "Publisher", "Søren Kjær")
PUBLISHERS = ("Nordlys", "Müller + Söhne", "Acme <Press>", "Éditions du Sel", "Nordlys & Søn", "塩出版", "Language")
LANGUAGES = ("eng", "deu", "pol")
SERIES = ("The Salt Road", "Winter tales", "塩の道", "Published: 1999")
BORROWERS = ("José Álvarez", "Priya Raman", "Condition", "Zoë Lindqvist")
CONDITIONS = ("as new", "worn", "lost")
TITLES = ("Winter", "冬の歌", "A <b>bold</b> & short history", "After {other}", "Price", "Summer & after")
QUOTING_TITLE = "Condition: lost"
LONG = (
    "The complete and unabridged account of a journey along the salt road in the years 1899 and 1901, with maps, and "
    "with a list of prices"
)
COMMENTS = (
    "<p>A quiet book.</p>",
    "<p>As quiet as {other}.</p>",
    "",
    "<p>" + "It goes on for a long time and says nothing about itself. " * 25 + "</p>",
)
QUOTING = "<p>Borrowed by: Priya Raman, since 2024-02-29.</p><p>Price: 1,000.00 at the fair, see {other}.</p>"
SELDOM = 0.06
"""Share of the books with a title, and with a description, that has the words of a label with a colon."""
COLUMNS = (
    ("price", "Price", "float"),
    ("borrower", "Borrowed by", "text"),
    ("due", "Due back", "datetime"),
    ("condition", "Condition", "enumeration"),
)
CALIBRE_BOOKS = """
create table books (
    id integer primary key autoincrement, title text not null default 'Unknown' collate nocase,
    sort text collate nocase, timestamp timestamp, pubdate timestamp, series_index real not null default 1.0,
    author_sort text collate nocase, path text not null default '', has_cover bool default 0, uuid text,
    last_modified timestamp not null
)
"""
"""As Calibre makes it, where the index in a series is a number."""
PRICES = (-12.5, 0.0, 12.25, 1250.0, 99.9)
PER_PAGE = 24


def main(folder: Path) -> None:
    cps(folder)
    from cps.db import Base

    rng = random.Random(SEED)
    with sqlite3.connect(folder / BOOKS) as db:
        db.execute(CALIBRE_BOOKS)
    db.close()
    engine = create_engine(f"sqlite:///{folder / BOOKS}").execution_options(schema_translate_map={"calibre": None})
    Base.metadata.create_all(engine)
    engine.dispose()
    with sqlite3.connect(folder / BOOKS) as db:
        db.execute("insert into library_id (uuid) values (?)", (str(uuid.UUID(int=SEED)),))
        _columns(db)
        _people_and_things(db)
        names = _titles(rng)
        for number, title in enumerate(names, start=1):
            _book(rng, db, number, title, names[(number + 6) % len(names)])
    db.close()
    _settings(folder)


def _titles(rng: random.Random) -> list[str]:
    """Every title once; some name the number of another book, or begin with the title of another one."""
    numbered = [f"Book {number}" for number in range(1, BOOKS_OF_THE_LIBRARY + 1)]
    titles = [QUOTING_TITLE if rng.random() < SELDOM else rng.choice(TITLES) for _ in numbered]
    titles = [title.format(other=rng.choice(numbered)) for title in titles]
    seen: dict[str, int] = {}
    for at, title in enumerate(titles):
        seen[title] = seen.get(title, 0) + 1
        titles[at] = title if seen[title] == 1 else f"{title}, part {seen[title]}"
    return [*titles[:-1], LONG]


def _columns(db: sqlite3.Connection) -> None:
    for number, (label, name, kind) in enumerate(COLUMNS, start=1):
        db.execute(
            "insert into custom_columns (id, label, name, datatype, mark_for_delete, editable, display, is_multiple, "
            "normalized) values (?, ?, ?, ?, 0, 1, ?, 0, ?)",
            (number, label, name, kind, json.dumps({"enum_values": CONDITIONS}), kind in ("text", "enumeration")),
        )
        if kind in ("text", "enumeration"):
            db.execute(f"create table custom_column_{number} (id integer primary key, value text)")
            db.execute(
                f"create table books_custom_column_{number}_link (id integer primary key, book integer, value integer)"
            )
        else:
            db.execute(f"create table custom_column_{number} (id integer primary key, book integer, value)")


def _people_and_things(db: sqlite3.Connection) -> None:
    db.executemany("insert into authors (name, sort, link) values (?, ?, '')", [(name, name) for name in AUTHORS])
    for table, names in (("publishers", PUBLISHERS), ("series", SERIES)):
        db.executemany(f"insert into {table} (name, sort) values (?, ?)", [(name, name) for name in names])
    db.executemany("insert into languages (lang_code) values (?)", [(code,) for code in LANGUAGES])
    db.executemany("insert into custom_column_2 (value) values (?)", [(name,) for name in BORROWERS])
    db.executemany("insert into custom_column_4 (value) values (?)", [(name,) for name in CONDITIONS])


def _book(rng: random.Random, db: sqlite3.Connection, number: int, title: str, other: str) -> None:
    published = datetime.date(rng.randint(1950, 2025), rng.randint(1, 12), rng.randint(1, 28))
    added = datetime.datetime(2026, 1, 1) + datetime.timedelta(hours=number)
    db.execute(
        "insert into books (id, title, sort, author_sort, timestamp, pubdate, series_index, last_modified, path, "
        "has_cover, uuid) values (?, ?, ?, '', ?, ?, ?, ?, ?, 0, ?)",
        (
            number,
            title,
            title,
            f"{added}+00:00",
            f"{published} 00:00:00+00:00",
            float(rng.randint(1, 9)),
            f"{added}+00:00",
            f"book{number}",
            str(uuid.UUID(int=number)),
        ),
    )
    _link(db, "books_authors_link", "author", number, AUTHORS, rng)
    _link(db, "books_publishers_link", "publisher", number, PUBLISHERS, rng)
    _link(db, "books_languages_link", "lang_code", number, LANGUAGES, rng)
    if rng.random() < 0.3:
        _link(db, "books_series_link", "series", number, SERIES, rng)
    comment = (QUOTING if rng.random() < SELDOM else rng.choice(COMMENTS)).format(other=other)
    db.execute("insert into comments (book, text) values (?, ?)", (number, comment))
    db.execute("insert into custom_column_1 (book, value) values (?, ?)", (number, rng.choice(PRICES)))
    if rng.random() < 0.85:
        due = datetime.date(2026, rng.randint(1, 12), rng.randint(1, 28))
        db.execute("insert into custom_column_3 (book, value) values (?, ?)", (number, f"{due} 00:00:00+00:00"))
        _link(db, "books_custom_column_2_link", "value", number, BORROWERS, rng)
    _link(db, "books_custom_column_4_link", "value", number, CONDITIONS, rng)


def _link(
    db: sqlite3.Connection, table: str, column: str, book: int, names: tuple[str, ...], rng: random.Random
) -> None:
    """Link the book with one of the names, which are numbered from 1."""
    db.execute(f"insert into {table} (book, {column}) values (?, ?)", (book, rng.randint(1, len(names))))


def _settings(folder: Path) -> None:
    from cps import create_app

    create_app()
    with sqlite3.connect(folder / SETTINGS) as db:
        db.execute(
            "update settings set config_calibre_dir = ?, config_anonbrowse = 1, config_books_per_page = ?",
            (str(folder), PER_PAGE),
        )
    db.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    os._exit(0)  # Calibre-Web keeps threads that wait for work
