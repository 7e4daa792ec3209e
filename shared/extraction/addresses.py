"""Values that the address of their page names, such as the number of a request in ``/requests/LR-1A2B``.

A site that gives a record its number names its page by it. Where several elements stand beside the field's own label,
the address tells which of them is the record's own. It is never the value by itself: the page has to show it. It tells
nothing of a value that the row has already, for the address was opened because of the row. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

from shared.contracts.base import Part
from shared.text.normal import fold

LEAST_CHARS = 4
"""Of a value that is hardly in an address by chance; one of its characters is a digit."""


class AddressPart(Part, frozen=True, kw_only=True):
    """A step of the path, counted from 0, or where ``query`` is not empty the value of that key."""

    step: int = 0
    query: str = ""


def learn_address_part(examples: Sequence[tuple[str, str]]) -> AddressPart | None:
    """Return the part of the address that is the value on every example; None where there is none, or the values are
    no identifiers, or all the same. ``examples``: the address of a page with the value that it shows."""
    values = {fold(value) for _, value in examples}
    if len(values) < 2 or not all(map(_is_identifier, values)):
        return None
    address, value = examples[0]
    known = [part for part, text in _parts(address).items() if fold(text) == fold(value)]
    return next((part for part in known if all(is_named(part, text, one) for one, text in examples)), None)


def is_named(part: AddressPart, text: str, address: str) -> bool:
    """Return whether this part of the address is the text."""
    found = _parts(address).get(part)
    return found is not None and fold(found) == fold(text)


def _parts(address: str) -> dict[AddressPart, str]:
    """Return the parts of an address. A key that comes twice names nothing, nor does what is no address."""
    try:
        url = urlsplit(address)
    except ValueError:
        return {}
    steps = {AddressPart(step=at): unquote(step) for at, step in enumerate(url.path.strip("/").split("/")) if step}
    pairs = parse_qsl(url.query)
    keys = [key for key, _ in pairs]
    return steps | {AddressPart(query=key): value for key, value in pairs if keys.count(key) == 1}


def _is_identifier(value: str) -> bool:
    return len(value) >= LEAST_CHARS and any(map(str.isdigit, value)) and len(value.split()) == 1
