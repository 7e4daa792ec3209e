"""The parts of a page that belong to other records of the asked kind: rows of lists, and sections under their headings.

What stands there under a label of the task is another record's value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import takewhile

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.boxes import is_on_one_line
from shared.pages.elements import is_header, is_heading, text_of
from shared.pages.identity.other_records import IdKind, id_kind
from shared.pages.identity.scope import elements_under
from shared.pages.index import PageIndex
from shared.task.spec import TaskSpec
from shared.text.normal import label_form
from shared.text.record_words import find_mention

MAX_LINE_ELEMENTS = 20


def related_refs(spec: TaskSpec, wanted: Mapping[str, str], page: PageObserved) -> frozenset[int]:
    """Return the refs of the elements that belong to another record. `wanted`: what each identity field must show."""
    kinds = [kind for name, value in wanted.items() if value and (kind := id_kind(name, value, spec)) is not None]
    asked = [value for value in wanted.values() if value.strip()]
    if not kinds:
        return frozenset()
    rows = _rows_of_others(page.elements, kinds, asked)
    lines = _lines_of_others(page.elements, kinds, asked)
    sections = _sections_of_others(page.elements, kinds, asked)
    return frozenset(e.ref for part in (*rows, *lines, *sections) for e in part)


def _rows_of_others(
    elements: Sequence[Element], kinds: Sequence[IdKind], asked: Sequence[str]
) -> list[Sequence[Element]]:
    """Return the rows with values of several columns of which the first names another record."""
    rows = PageIndex([one for one in elements if one.role != "columnheader"]).rows
    return [row for row in rows.values() if _is_list_row(row) and _names_other(row[0], row, kinds, asked)]


def _is_list_row(row: Sequence[Element]) -> bool:
    return len({label_form(e.header) for e in row if e.header is not None and not is_header(e)}) > 1


def _names_other(first: Element, part: Sequence[Element], kinds: Sequence[IdKind], asked: Sequence[str]) -> bool:
    """Return whether the first element begins with another id of an asked kind, and no element names the asked one."""
    if not any(kind.begins(text_of(first)) for kind in kinds):
        return False
    texts = [text_of(e) for e in part]
    return not any(kind.is_asked(found) for kind in kinds for text in texts for found in kind.ids_in(text)) and not any(
        find_mention(text, value) for text in texts for value in asked
    )


def _lines_of_others(
    elements: Sequence[Element], kinds: Sequence[IdKind], asked: Sequence[str]
) -> list[Sequence[Element]]:
    """Return the lines that begin with a link to another record: `TCK-2 Status: open`."""
    found: list[Sequence[Element]] = []
    for at, link in enumerate(elements):
        if link.role != "link" or link.row is not None or not any(kind.begins(link.name) for kind in kinds):
            continue
        line = [link, *takewhile(partial(_is_on_line, link), elements[at + 1 : at + MAX_LINE_ELEMENTS])]
        if len(line) > 1 and _names_other(link, line, kinds, asked):
            found.append(line)
    return found


def _is_on_line(link: Element, element: Element) -> bool:
    if link.box is None or element.box is None or link.frame != element.frame or element.row is not None:
        return False
    a, b = link.box, element.box
    return is_on_one_line(a, b) and b.x >= a.x


def _sections_of_others(
    elements: Sequence[Element], kinds: Sequence[IdKind], asked: Sequence[str]
) -> list[Sequence[Element]]:
    """Return what stands under headings that name another record. The page's main headings name the page's own."""
    heads = [e for e in elements if is_heading(e)]
    highest = min((e.level or 2 for e in heads), default=1)
    return [
        tuple(elements_under(elements, head))
        for head in heads
        if (head.level or 2) > highest
        and any(kind.ids_in(head.name[:300]) for kind in kinds)
        and not any(find_mention(head.name, value) for value in asked)
    ]
