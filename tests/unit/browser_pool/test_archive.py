"""The headers of a stored page, in every notation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.browser_pool.files.mhtml import MhtmlArchive, read_mhtml_headers
from tests.cases import cases
from tests.typed import there

HEAD = (
    'From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.test/x?y=1\r\nMIME-Version: 1.0\r\n'
    'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="b--1"\r\n\r\n\r\n'
)  # fmt: skip


def part(name: str, location: str, body: str = "<p>") -> str:
    said = f"Content-Type: text/html\r\nContent-ID: <{name}>\r\nContent-Location: {location}\r\n"
    return f"--b--1\r\n{said}\r\n{body}\r\n"


def test_the_page_and_its_frames_have_the_addresses_of_then():
    written = HEAD + part("f0@x", "https://a.test/x?y=1") + part("f1@x", "https://b.test/frame") + "--b--1--\r\n"
    frames = {"cid:f0@x": "https://a.test/x?y=1", "cid:f1@x": "https://b.test/frame"}
    assert read_mhtml_headers(written.encode()) == MhtmlArchive("https://a.test/x?y=1", frames)


def test_without_an_address_of_its_own_it_is_that_of_its_first_part():
    written = HEAD.replace("Snapshot-Content-Location: https://a.test/x?y=1\r\n", "") + part("f0", "https://a.test/z")
    read = there(read_mhtml_headers(written.encode()))
    assert read.address == "https://a.test/z"


def test_a_part_without_an_id_or_an_address_is_no_frame():
    written = HEAD + part("f0", "https://a.test/z") + "--b--1\r\nContent-Type: text/css\r\n\r\np{}\r\n--b--1--"
    read = there(read_mhtml_headers(written.encode()))
    assert read.frames == {"cid:f0": "https://a.test/z"}


@cases(
    "data",
    [
        b"", b"<html>", HEAD.encode(), b"Content-Type: multipart/related\r\n\r\n",
        b"Content-Type: text/html; boundary=b\r\n\r\n--b\r\n\r\n",
    ],
)  # fmt: skip
def test_what_is_no_stored_page_is_none(data: bytes):
    assert read_mhtml_headers(data) is None


def test_headers_without_an_end_are_not_read():
    assert read_mhtml_headers(b"A: " + b"x" * 1_000_000) is None


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(noise: bytes):
    read = read_mhtml_headers(HEAD.encode() + noise)
    assert read is None or isinstance(read.frames, dict)
