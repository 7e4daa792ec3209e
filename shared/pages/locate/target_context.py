"""What stands around the element that an action acts on, taken from the observation that the action was chosen on."""

from __future__ import annotations

from collections.abc import Sequence

from shared.contracts.actions import ByRef, Target
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import ActionResult
from shared.contracts.steps import TargetContext
from shared.text.normal import fold, tidy

MAX_BEFORE = 3
MAX_ROW = 12
MAX_OPTIONS = 300
MAX_CHARS = 200


def context_of_target(action: object, result: ActionResult, page: PageObserved | None) -> TargetContext | None:
    """Return the context of the action's target; None where it is not known which element of the page it was."""
    target: Target | None = getattr(action, "target", None)
    if page is None or target is None:
        return None
    if isinstance(target, ByRef):
        found = [one for one in page.elements if target.snapshot_id == page.snapshot_id and one.ref == target.ref]
    elif result.target is not None and result.target.fingerprint:
        same = (result.target.fingerprint, result.target.name)
        found = [one for one in page.elements if (one.fingerprint, one.name) == same]
    else:
        found = []
    return context_of(found[0], page.elements) if len(found) == 1 else None


def context_of(element: Element, elements: Sequence[Element]) -> TargetContext:
    """Return the context of an element of a page. Around what the page itself has, what lies over it does not count."""
    elements = [one for one in elements if one.in_dialog == element.in_dialog]
    roles = [one for one in elements if one.role == element.role and one.frame == element.frame]
    header, row = tidy(element.header or "")[:MAX_CHARS], row_of(element, elements)
    return TargetContext(
        header=header,
        header_matches=sum(fold(one.header or "") == fold(element.header or "") for one in roles) if header else 0,
        before=_texts_before(element, elements),
        regions=element.regions,
        region_matches=tuple(sum(name in one.regions for one in roles) for name in element.regions),
        row=tuple(tidy(one.name)[:MAX_CHARS] for one in row if tidy(one.name))[:MAX_ROW],
        row_alike=sum(one.role == element.role for one in row),
        alike=sum(one.place == element.place for one in roles),
        in_dialog=element.in_dialog,
        options=_options_of(element, elements),
    )


def is_one_link(elements: Sequence[Element]) -> bool:
    """Return whether these are links of one name to one page, such as the picture and the title of a card: whichever
    is clicked, the same is shown."""
    if not elements:
        return False
    first = elements[0]
    same = {(one.role, one.name, one.url, one.frame, one.in_dialog) for one in elements}
    is_page = (first.url or "").lower().startswith(("http://", "https://")) and "#" not in (first.url or "")
    return len(same) == 1 and first.role == "link" and is_page


def row_of(element: Element, elements: Sequence[Element]) -> list[Element]:
    """Return the other elements of its table row or, outside of tables, those up to the next element like it.

    An element that nothing else is like has no row. Headings around it, such as that of a linked title, are left out,
    and so is what lies over the page, where it does not.
    """
    elements = [one for one in elements if one.in_dialog == element.in_dialog]
    if element.row is not None:
        return [one for one in elements if one.row == element.row and one is not element]
    if not element.place:
        return []
    alike = [at for at, one in enumerate(elements) if (one.role, one.place) == (element.role, element.place)]
    at = next(at for at, one in enumerate(elements) if one is element)
    end = next((other for other in alike if other > at), None)
    if end is None:
        end = next((n for n in range(at + 1, len(elements)) if _is_outside(elements[n], element)), len(elements))
    return [one for one in elements[at + 1 : end] if one.role != "heading"]


def _is_outside(one: Element, element: Element) -> bool:
    """Return whether an element after the last one of its kind belongs to something else: another area or region, a
    heading."""
    return one.role == "heading" or (one.area, one.regions, one.frame) != (element.area, element.regions, element.frame)


def _texts_before(element: Element, elements: Sequence[Element]) -> tuple[str, ...]:
    at = next(at for at, one in enumerate(elements) if one is element)
    texts: list[str] = []
    for one in reversed(elements[max(at - MAX_BEFORE, 0) : at]):
        text = tidy(one.name)
        alone = bool(text) and len(text) <= MAX_CHARS and sum(fold(o.name) == fold(text) for o in elements) == 1
        texts.append(text if alone else "")
    return tuple(texts)


def _options_of(element: Element, elements: Sequence[Element]) -> tuple[str, ...]:
    if element.tag != "select":
        return ()
    at = next(at for at, one in enumerate(elements) if one is element)
    found: list[str] = []
    for one in elements[at + 1 : at + 1 + MAX_OPTIONS]:
        if one.tag != "option":
            break
        found.append(tidy(one.name))
    return tuple(found)
