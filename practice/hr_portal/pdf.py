"""Write a PDF of plain lines: equal lines give equal bytes, without a date or an id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Style = Literal["title", "text", "dim"]
_LINES_A_PAGE = 40
_LOOK: dict[Style, tuple[str, int, str]] = {
    "title": ("F2", 20, "0.10 0.16 0.27"),
    "text": ("F1", 11, "0.15 0.15 0.18"),
    "dim": ("F1", 9, "0.45 0.47 0.52"),
}


def render(lines: Sequence[tuple[Style, str]]) -> bytes:
    """Return A4 pages with the lines from the top. Letters outside of Latin-1 become question marks."""
    pages = [lines[start : start + _LINES_A_PAGE] for start in range(0, len(lines), _LINES_A_PAGE)] or [()]
    kids = " ".join(f"{5 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for index, page in enumerate(pages):
        objects += [_page(6 + 2 * index), _content(page)]
    return _file(objects)


def _page(content: int) -> bytes:
    fonts = "<< /Font << /F1 3 0 R /F2 4 0 R >> >>"
    return (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {fonts} /Contents {content} 0 R >>".encode()
    )


def _content(lines: Sequence[tuple[Style, str]]) -> bytes:
    drawn: list[bytes] = []
    height = 780
    for style, text in lines:
        font, size, colour = _LOOK[style]
        position = f"BT /{font} {size} Tf {colour} rg 56 {height} Td (".encode()
        drawn.append(position + _escaped(text) + b") Tj ET")
        height -= 30 if style == "title" else 17
    stream = b"\n".join(drawn)
    return b"<< /Length " + str(len(stream)).encode() + b" >>\nstream\n" + stream + b"\nendstream"


def _escaped(text: str) -> bytes:
    return text.encode("latin-1", "replace").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
