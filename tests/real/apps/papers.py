"""Files that people keep in the apps: of many kinds, and some that are not what they are called."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import tarfile
import zipfile
from dataclasses import dataclass
from functools import cache

from PIL import Image

from tests.unit.browser_pool.made_files import CELL, pdf, xlsx

SEED = 32
PEOPLE = ("Zoë Lindqvist", "Łukasz Nowak", "李娜", "Amara O'Neill", "José Álvarez")
SIGN_IN = """<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in</h1><form method="post">
<input name="user"><input type="password" name="password"><button>Sign in</button></form></body></html>"""
ERROR_PAGE = "<!doctype html><html><head><title>Error</title></head><body><h1>The export failed</h1></body></html>"
EVENTS = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:7\r\nSUMMARY:Review\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
MAIL = "From: ann@example.org\nTo: bo@example.org\nSubject: The key\nContent-Type: text/html\n\n<p>It is here.</p>\n"


@dataclass(frozen=True)
class Paper:
    """``wrong``: why it is not what its name says; empty: it is."""

    name: str
    content: bytes
    wrong: str = ""


@cache
def papers() -> tuple[Paper, ...]:
    rng = random.Random(SEED)
    report, book = pdf("Quarterly report"), xlsx(f'<row r="1">{CELL.format("Owner")}</row>')
    packed = _zip({"a.txt": b"a" * 4000, "b/ü.txt": rng.randbytes(3000)})
    picture = _picture(rng, "PNG")
    return (
        Paper("report.pdf", report),
        Paper("Überblick 2026.pdf", pdf("Overview of 2026")),
        Paper("locked.pdf", pdf("For the board", password="key")),
        Paper("with a note before it.pdf", b"% sent by the gateway\n" + report),
        Paper("register.xlsx", book),
        Paper("报告.xlsx", xlsx(f'<row r="1">{CELL.format("报告")}</row>')),
        Paper("people.csv", _rows(rng, 40).encode()),
        Paper("people of the old system.csv", _rows(rng, 40, "latin").encode("cp1252")),
        Paper("people for the office.csv", _rows(rng, 40).encode("utf-16")),
        Paper("one line.csv", b"name\n"),
        Paper("pages.csv", b'url,body\n/a,"<html><body>kept as it was</body></html>"\n'),
        Paper("answers.json", json.dumps([{"id": at, "error": None} for at in range(3000)]).encode()),
        Paper("known errors.json", json.dumps({"errors": ["E1", "E2"], "title": "Known errors"}).encode()),
        Paper("events.ics", EVENTS.encode()),
        Paper("letter.eml", MAIL.encode()),
        Paper("backup.zip", packed),
        Paper("nothing in it.zip", _zip({})),
        Paper("sources.tar.gz", _tar(rng)),
        Paper("log.gz", gzip.compress(b"started\n" * 900)),
        Paper("plan.png", picture),
        Paper("photo.jpg", _picture(rng, "JPEG")),
        Paper("drawing.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><title>Sign in</title><path d="M0 0h9"/></svg>'),
        Paper("manual.html", b"<!doctype html><title>Manual</title><h1>How to sign in</h1><p>Ask the desk.</p>"),
        Paper("notes.md", "# Notes\n\n<p align=center>Überblick</p>\n".encode()),
        Paper("table.xls", b"Owner\tAmount\nAnn\t12\n"),
        Paper("nothing.csv", b"", "it is empty"),
        Paper("nothing.pdf", b"", "it is empty"),
        Paper("cut short.pdf", report[: len(report) * 2 // 3], "its end is missing"),
        Paper("cut short.zip", packed[: len(packed) // 2], "its end is missing"),
        Paper("cut short.png", picture[: len(picture) // 2], "its end is missing"),
        Paper("signed out.pdf", SIGN_IN.encode(), "it is a form to sign in"),
        Paper("signed out.csv", SIGN_IN.encode(), "it is a form to sign in"),
        Paper("failed.xlsx", ERROR_PAGE.encode(), "it is the page of an error"),
        Paper("failed.pdf", json.dumps({"status": 500, "message": "no"}).encode(), "it is the answer of an error"),
        Paper("renamed.pdf", book, "it is a workbook"),
    )


def _rows(rng: random.Random, count: int, letters: str = "all") -> str:
    people = [name for name in PEOPLE if letters == "all" or name.encode("cp1252", "ignore").decode("cp1252") == name]
    out = io.StringIO()
    csv.writer(out).writerows([("name", "amount"), *((rng.choice(people), rng.randint(1, 999)) for _ in range(count))])
    return out.getvalue()


def _zip(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return out.getvalue()


def _tar(rng: random.Random) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as file:
        for name in ("a.py", "b.py"):
            content = rng.randbytes(2000)
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            file.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def _picture(rng: random.Random, kind: str) -> bytes:
    out = io.BytesIO()
    Image.frombytes("RGB", (60, 40), rng.randbytes(60 * 40 * 3)).save(out, kind)
    return out.getvalue()
