"""Which of the links of a record is its own: not that of its author, nor what is done with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.contracts.browser_pool import Element
from shared.pages.lists.lists import address_parts, is_link_meant, same_address
from shared.text.normal import label_form

Links = tuple[Element, ...]
"""Links of one kind, one for each record, in the order of the records."""


@dataclass(frozen=True)
class OwnLinks:
    """The link of each record that leads to its own page; None: it has none. `doubt`: why this is not certain."""

    links: tuple[Element | None, ...]
    doubt: str = ""


def own_links(
    records: Sequence[Sequence[Element]],
    values: Sequence[frozenset[str]],
    titles: frozenset[str],
    bound: frozenset[str],
    words: frozenset[str] = frozenset(),
) -> OwnLinks:
    """Return the own link of each record.

    `values`: what is asked of each record, as its address may hold it. `titles`: columns of the titles that are asked.
    `bound`: columns of all fields that are. `words`: of the task's own choice, in comparable form.
    """
    if words:
        return _chosen(records, words)
    kinds = _kinds(records)
    if not kinds:
        several = any(any(map(_leads, record)) for record in records)
        return OwnLinks((None,) * len(records), "the items have no kind of link in common" if several else "")
    kinds = _shortest(kinds) or kinds
    kinds = _with_values(kinds, values) or kinds
    kinds = _marked(kinds) or kinds
    kinds = _in_columns(kinds, titles) or kinds
    names = ", ".join(f'"{kind[0].header or kind[0].name}"' for kind in kinds[:4])
    if len(kinds) > 1:
        return OwnLinks(kinds[0], f"an item has several links, such as {names}; say in list.link which is its own")
    if not (_with_values(kinds, values) or _marked(kinds) or _in_columns(kinds, bound | {""}) or _equal_names(kinds)):
        return OwnLinks(kinds[0], f"the only links are those of {names}, which is no field; see list.link")
    return OwnLinks(kinds[0])


def _chosen(records: Sequence[Sequence[Element]], words: frozenset[str]) -> OwnLinks:
    links: list[Element | None] = []
    for record in records:
        fitting = [e for e in record if _leads(e) and is_link_meant(e, words)]
        if len({same_address(e.url) for e in fitting}) > 1:
            return OwnLinks((None,) * len(records), "list.link fits several links of an item")
        links.append(fitting[0] if fitting else None)
    return OwnLinks(tuple(links), "" if any(links) else "list.link fits no link of an item")


def _leads(element: Element) -> bool:
    web = (element.url or "").partition(":")[0].lower() not in ("javascript", "mailto", "tel", "data")
    return element.role == "link" and bool(element.url) and web and not (element.url or "").startswith("#")


def _kinds(records: Sequence[Sequence[Element]]) -> list[Links]:
    """Return the kinds that every record has, with another address in each. Kinds with equal addresses are one."""
    numbered = [_numbered(record) for record in records]
    common = [key for key in numbered[0] if all(key in each for each in numbered)] if numbered else []
    kinds: dict[tuple[str, ...], Links] = {}
    for key in common:
        links = tuple(each[key] for each in numbered)
        addresses = tuple(same_address(e.url) for e in links)
        if len(set(addresses)) == len(addresses):
            kinds.setdefault(addresses, links)
    return list(kinds.values())


def _numbered(record: Sequence[Element]) -> dict[tuple[str, str, int], Element]:
    """Return the links of a record by column, place and number there."""
    found: dict[tuple[str, str, int], Element] = {}
    for element in record:
        if _leads(element):
            where = (label_form(element.header or ""), element.place)
            found[(*where, sum(key[:2] == where for key in found))] = element
    return found


def _shortest(kinds: Sequence[Links]) -> list[Links]:
    """Leave out what is done with a record: its address goes on where that of the record ends."""
    return [kind for kind in kinds if not any(_begin(other, kind) for other in kinds if other is not kind)]


def _begin(shorter: Links, longer: Links) -> bool:
    return all(
        same_address(b.url).startswith((f"{same_address(a.url)}/", f"{same_address(a.url)}?"))
        for a, b in zip(shorter, longer, strict=True)
    )


def _with_values(kinds: Sequence[Links], values: Sequence[frozenset[str]]) -> list[Links]:
    """Keep those whose addresses hold a value of their record."""
    return [
        kind for kind in kinds if all(address_parts(e.url or "") & own for e, own in zip(kind, values, strict=True))
    ]


def _marked(kinds: Sequence[Links]) -> list[Links]:
    """Keep those in a heading or a row header."""
    return [kind for kind in kinds if all(_is_marked(e) for e in kind)]


_HEADED = re.compile(r">(?:h[1-6]|th)(?:>|$)")


def _is_marked(element: Element) -> bool:
    return _HEADED.search(element.place) is not None


def _in_columns(kinds: Sequence[Links], titles: Iterable[str]) -> list[Links]:
    """Keep those in the column of a title that is asked."""
    asked = frozenset(titles)
    return [kind for kind in kinds if all(label_form(e.header or "") in asked for e in kind)]


def _equal_names(kinds: Sequence[Links]) -> list[Links]:
    """Keep those that say the same in each record, such as "View"."""
    return [kind for kind in kinds if len({label_form(e.name) for e in kind}) == 1]
