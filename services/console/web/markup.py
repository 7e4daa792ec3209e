"""How values become HTML: everything is escaped, and what cannot be seen is named. Pure."""

from __future__ import annotations

import re
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
    whole = str(text)
    parts, begin = [Markup("<bdi>")], 0
    for found in _ODD.finditer(whole):
        parts.append(escape(whole[begin : found.start()]))
        code = f"U+{ord(found[0]):04X}"
        parts.append(Markup('<span class="odd" title="A character that cannot be seen">{}</span>').format(code))
        begin = found.end()
    parts += [escape(whole[begin:]), Markup("</bdi>")]
    return Markup("").join(parts)


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


def money(usd: float) -> str:
    """Return a price in dollars."""
    return "$0" if not usd else f"${usd:.4f}" if usd < 1 else f"${usd:.2f}"


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
    found.filters |= {
        "said": said, "plain": plain, "moment": moment, "money": money, "words": words, "status_words": status_words,
    }  # fmt: skip
    return found
