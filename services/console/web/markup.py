"""How values become HTML: everything is escaped, and what cannot be seen is named. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from services.console.web.run_facts import status_words

_ODD = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""As dom.js has them: invisible characters and marks of direction."""


def said(text: object) -> Markup:
    """Return text of others, apart from the direction of what stands around it, without invisible characters."""
    return Markup("").join([Markup("<bdi>"), *_seen(str(text)), Markup("</bdi>")])


def _seen(whole: str) -> Iterator[Markup]:
    begin = 0
    for found in _ODD.finditer(whole):
        yield escape(whole[begin : found.start()])
        name = f"U+{ord(found[0]):04X}"
        yield Markup('<span class="odd" title="A character that cannot be seen">{}</span>').format(name)
        begin = found.end()
    yield escape(whole[begin:])


def code(text: object) -> Markup:
    """As `said`, of a piece of a line that is apart from its surroundings as a whole."""
    return Markup("").join(list(_seen(str(text))))


def plain(text: object) -> str:
    """As `said`, where no element can stand: in an option, a title."""
    return _ODD.sub(lambda found: f"U+{ord(found[0]):04X}", str(text))


def moment(at: datetime | str) -> Markup:
    """Return a time (as text: in ISO 8601) in UTC; a script says it in the reader's zone as well."""
    at = datetime.fromisoformat(at) if isinstance(at, str) else at
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), f"{at:%-d %B %Y, %H:%M} UTC")


def as_data(value: Any) -> Markup:
    """Return JSON that cannot end the element that holds it, nor begin another."""
    text = msgspec.json.encode(value).decode()
    return Markup(re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text))  # noqa: S704 -- no markup is left


def json_text(value: Any) -> str:
    """Return JSON for people: what cannot be seen is written by its number, which means the same."""
    return _ODD.sub(lambda found: json.dumps(found[0])[1:-1], json.dumps(value, ensure_ascii=False, indent=2))


def money(usd: float) -> str:
    """Return a price in dollars."""
    return "$0" if not usd else f"${usd:.4f}" if usd < 1 else f"${usd:.2f}"


def counted(number: int, one: str) -> str:
    """Return a number with its noun, which is that of one thing: "1 row", "2 rows"."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def words(code: str) -> str:
    """Return a code as words."""
    return code.replace("_", " ")


def templates() -> Environment:
    """Return the templates of the pages. A name that is not given is an error, and no text is markup."""
    found = Environment(
        loader=PackageLoader("services.console.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "said": said, "code": code, "plain": plain, "moment": moment, "money": money, "words": words,
        "counted": counted, "status_words": status_words,
    }  # fmt: skip
    found.filters.update(filters)
    return found
