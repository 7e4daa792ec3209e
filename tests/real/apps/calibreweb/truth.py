"""``python truth.py FOLDER``: what the library has, as JSON."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

ASKED = 25
MISSING = {"A book that is not here": 900, "Winter, part 99": 9999}
LANGUAGES = {"eng": "English", "deu": "German", "pol": "Polish"}
LABELS = ("Condition", "Borrowed by", "Price", "Published", "Publisher", "Language", "Due back")
QUERY = """
select books.id, title, authors.name as author, publishers.name as publisher, languages.lang_code,
    date(pubdate) as published, series.name as series, comments.text as comment, price.value as price,
    borrower.value as borrowed_by, date(due.value) as due_back, condition.value as condition
from books
join books_authors_link a on a.book = books.id join authors on authors.id = a.author
join books_publishers_link p on p.book = books.id join publishers on publishers.id = p.publisher
join books_languages_link l on l.book = books.id join languages on languages.id = l.lang_code
join custom_column_1 price on price.book = books.id
left join books_custom_column_2_link b on b.book = books.id left join custom_column_2 borrower on borrower.id = b.value
join comments on comments.book = books.id
left join books_series_link s on s.book = books.id left join series on series.id = s.series
left join custom_column_3 due on due.book = books.id
join books_custom_column_4_link c on c.book = books.id join custom_column_4 condition on condition.id = c.value
order by books.id
"""


def main(folder: Path) -> None:
    with sqlite3.connect(folder / "metadata.db") as db:
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute(QUERY)]
    db.close()
    asked = rows[::-1][::2][:ASKED]
    truth = {
        "records": {row["title"]: {"path": _path(row["id"]), "values": _values(row)} for row in asked},
        "quoting": [row["title"] for row in asked if _quotes(row)],
        "missing": {title: _path(number) for title, number in MISSING.items()},
        "list_path": "/",
        "listed": {row["title"]: {"title": row["title"]} for row in rows},
    }
    print(json.dumps(truth))


def _quotes(row: dict) -> bool:
    """Whether a text of the book says what the page says of books, in the same way."""
    texts = (row["title"], row["series"] or "", row["comment"], f"{row['publisher']}:")
    return any(f"{label}:" in text for text in texts for label in LABELS)


def _path(number: int) -> str:
    return f"/book/{number}"


def _values(row: dict) -> dict[str, object]:
    asked = ("title", "author", "publisher", "published", "price", "borrowed_by", "due_back", "condition")
    return {**{name: row[name] for name in asked}, "language": LANGUAGES[row["lang_code"]]}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
