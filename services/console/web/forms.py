"""Reads the forms that a browser sends: their fields and, where a page takes some, their files. Nothing is kept."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.types import Receive

MOST_FORM_BYTES = 200_000
MOST_UPLOAD_BYTES = 100_000_000 + MOST_FORM_BYTES
"""As many as an input of a run may have."""
MOST_FILES, MOST_FIELDS = 4, 500
PARTS = "multipart/form-data"


class FormTooLarge(Exception):
    """The form has more bytes, fields or files than a page takes."""


class _BrowserGone(Exception):
    """The form has no end."""


@dataclass(frozen=True)
class SentFile:
    """``name``: as the browser told it, without folders."""

    name: str
    data: bytes


@dataclass(frozen=True)
class SentForm:
    """The last value of each name, and the files that are not empty."""

    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, SentFile] = field(default_factory=dict[str, SentFile])


async def read_form(content_type: str, receive: Receive, *, takes_files: bool) -> SentForm:
    """Return what was sent; an empty form where the browser has gone, for what has come may be a part of it.

    Args:
        content_type: of the request; a form with files is read only where the page takes some.
        receive: of ASGI.
        takes_files: whether it does.

    Raises:
        FormTooLarge: it is too large, or no form.
    """
    try:
        if takes_files and content_type.lower().startswith(PARTS):
            return await _read_parts(content_type, receive)
        data = bytearray()
        async for piece in _pieces(receive, MOST_FORM_BYTES):
            data += piece
        fields = parse_qs(data.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except _BrowserGone:
        return SentForm()
    except ValueError as exc:  # there are too many fields
        raise FormTooLarge from exc
    return SentForm({name: values[-1] for name, values in fields.items()})


async def _pieces(receive: Receive, most: int) -> AsyncGenerator[bytes]:
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _BrowserGone
        piece = message.get("body", b"")
        size += len(piece)
        if size > most:
            raise FormTooLarge
        yield piece
        if not message.get("more_body", False):
            return


async def _read_parts(content_type: str, receive: Receive) -> SentForm:
    parser = MultiPartParser(
        Headers({"content-type": content_type}),
        _pieces(receive, MOST_UPLOAD_BYTES),
        max_files=MOST_FILES,
        max_fields=MOST_FIELDS,
        max_part_size=MOST_FORM_BYTES,
    )
    try:
        sent = await parser.parse()
    except (MultiPartException, KeyError, ValueError) as exc:
        raise FormTooLarge from exc
    fields: dict[str, str] = {}
    files: dict[str, SentFile] = {}
    try:
        for name, value in sent.multi_items():
            if not isinstance(value, UploadFile):
                fields[name] = value
            elif data := await value.read():
                files[name] = SentFile((value.filename or "").replace("\\", "/").rpartition("/")[2][:200], data)
    finally:
        await sent.close()
    return SentForm(fields, files)
