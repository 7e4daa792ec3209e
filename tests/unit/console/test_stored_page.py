"""A stored page as one document: what it was stored with is in it, and nothing of a hostile file gets further."""

from __future__ import annotations

import base64

import pytest

from services.console.web import stored_page
from services.console.web.stored_page import document_of
from shared.zstd import pack_zstd
from tests.cases import cases

PIXEL = b"\x89PNG\r\n\x1a\n"
IN_PAGE = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"


def mhtml(html: str, *parts: tuple[str, str, bytes], kind: str = "multipart/related") -> bytes:
    """Return a stored page as Chromium writes it. ``parts``: header of the name, type, bytes."""
    pieces = [("Content-Location: https://site.example/page", "text/html; charset=utf-8", html.encode()), *parts]
    body = b"".join(
        f"--B\r\nContent-Type: {of}\r\nContent-Transfer-Encoding: base64\r\n{name}\r\n\r\n".encode()
        + base64.encodebytes(data)
        for name, of, data in pieces
    )
    head = f'From: <Saved by Blink>\r\nContent-Type: {kind};\r\n\ttype="text/html";\r\n\tboundary="B"\r\n\r\n'
    return pack_zstd(head.encode() + body + b"--B--\r\n")


PICTURE = ("Content-Location: https://site.example/a.png?x=1&y=2", "image/png", PIXEL)


def test_pictures_and_styles_are_in_the_document():
    style = b"body{background:url(https://site.example/a.png?x=1&y=2)} p{background:url('cid:gone@x')}"
    page = '<link rel="stylesheet" href="cid:css-1@mhtml.blink"><img src="https://site.example/a.png?x=1&amp;y=2">Größe'
    shown = document_of(mhtml(page, PICTURE, ("Content-ID: <css-1@mhtml.blink>", "text/css", style)))
    assert shown is not None
    assert f'<img src="{IN_PAGE}">Größe' in shown
    sheet = base64.b64decode(shown.partition("data:text/css;base64,")[2].partition('"')[0])
    assert sheet.decode() == f'body{{background:url("{IN_PAGE}")}} p{{background:url("cid:gone@x")}}'


def test_a_part_that_is_no_picture_or_style_is_left_out():
    script = ("Content-Location: https://site.example/s.js", "text/javascript", b"alert(1)")
    frame = ("Content-ID: <frame@x>", "text/html", b"<h1>frame")
    page = '<script src="https://site.example/s.js"></script><iframe src="cid:frame@x"></iframe>'
    assert document_of(mhtml(page, script, frame)) == page


def test_styles_that_name_each_other_end():
    one = ("Content-ID: <a@x>", "text/css", b"@import url(cid:b@x);")
    other = ("Content-ID: <b@x>", "text/css", b"@import url(cid:a@x);")
    shown = document_of(mhtml('<link href="cid:a@x">', one, other))
    assert shown is not None
    assert shown.startswith('<link href="data:text/css;base64,')


def test_a_document_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stored_page, "MOST_DOCUMENT_BYTES", 3 * len(PIXEL))
    shown = document_of(mhtml('<img src="https://site.example/a.png?x=1&amp;y=2">' * 9, PICTURE))
    assert shown is not None
    assert shown.count(IN_PAGE) == 2


@cases("data", [b"", b"\x28\xb5\x2f\xfd", pack_zstd(b"<h1>page"), mhtml("<h1>", kind="multipart/mixed")])
def test_another_file_is_no_stored_page(data: bytes):
    assert document_of(data) is None
