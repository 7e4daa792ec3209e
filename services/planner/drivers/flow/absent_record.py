"""Whether the page at which a flow has stopped says that the record of its sample is not there. Pure.

A flow knows no more of such a page than that something is missing on it. So its words count only as the site's answer
to what the row asks for: a value of the row was typed, chosen or opened, and since then nothing was done but to send
it; the words were not there before; and nothing that the page shows is of the record, or is one of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urldefrag

from msgspec.structs import replace

from services.planner.drivers.rules.absence import absence_decision, shows_values
from services.planner.state.asked_for import site_asked
from services.planner.state.attempt_state import Act, ObserveAgain, SampleView
from services.planner.state.common_decisions import GONE, observe_later
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import Element, PageObserved
from shared.flows.asked import FILLS, SiteAsked, is_search_address
from shared.login_walls import login_wall_words
from shared.pages.effects.closing import closes_by_name
from shared.pages.elements import NOT_FOUND, id_pattern, is_heading, is_input, is_not_found_text, text_of
from shared.pages.identity.echoes import OF_A_LIST
from shared.pages.identity.identity import read_anew
from shared.pages.lists.list_states import is_empty_text, shown_rows
from shared.pages.lists.lists import path_segments
from shared.pages.loading import find_loading_sign
from shared.task.row_values import template_values
from shared.text.normal import fold, tidy
from shared.text.record_words import find_mention, is_equal_text

MAX_CHARS = 300
_BESIDE = frozenset({"navigation", "complementary", "contentinfo", "search", "pager"})
_PRESSED = frozenset({"link", "button", "option", "menuitem", "tab"})
_QUOTES = re.compile(
    r"[\"“„«‹「『]\s*([^\"“”„«»‹›「」『』]{1,200}?)\s*[\"”“»›」』]|(?<!\w)['‘]([^'‘’]{1,200})['’](?!\w)"
)


def absent_record(
    view: SampleView, said_before: frozenset[str], *, proven_by_flow: bool = False
) -> Act | ObserveAgain | None:
    """Return what ends the sample because the site has no such record; None: the page does not say so for certain.

    ``said_before``: such words of pages before the row's value was asked for. ``proven_by_flow``: the flow has proven
    the record on an earlier page."""
    page, question = view.page, site_asked(view)
    if page is None or page.dialog is not None or question is None or not question.is_sent or proven_by_flow:
        return None
    if any(value.state == "value" and name not in view.spec.identity for name, value in view.state.seen.items()):
        return None
    told = "" if login_wall_words(page) else _told(view, page, question, said_before)
    if not told:
        return None
    return observe_later(view) if find_loading_sign(page) else absence_decision(view, told)


def absence_texts(view: SampleView, page: PageObserved) -> frozenset[str]:
    """Return the texts of a page that may say that something is not there, in comparable form."""
    return frozenset(fold(text) for text, _ in _absence_words(view, page, in_general=True))


def says_so_in_dialog(view: SampleView, page: PageObserved) -> bool:
    """Return whether what lies over the page says that something is not there: it is the answer then, and stays."""
    return any(one is not None and one.in_dialog for _, one in _absence_words(view, page, in_general=False))


def _told(view: SampleView, page: PageObserved, question: SiteAsked, said_before: frozenset[str]) -> str:
    """Return how the page says that the record is not there, for people; empty: it does not."""
    status = page.http_status or 200
    if status >= 400 and status not in GONE:
        return ""
    if status in GONE and _is_own_address(view, question):
        said = list(_absence_words(view, page, in_general=True))
        return f"{page.url} answers with HTTP {status}" if _shows_nothing(view, page, question, said) else ""
    own = bool(view.spec.not_found_texts)
    words = [
        (text, one)
        for text, one in _absence_words(view, page, in_general=question.is_search or not own)
        if fold(text) not in said_before and not _is_about_another(text, question.values)
        if question.is_search or not is_empty_text(text) or is_not_found_text(text, tuple(view.spec.not_found_texts))
    ]
    if not words or not _shows_nothing(view, page, question, words):
        return ""
    by_site = [text for text, _ in words if own and is_not_found_text(text, tuple(view.spec.not_found_texts))]
    if not by_site and (shown_rows(page) or shows_values(view, read_anew(view.spec, view.sample, page))):
        return ""
    return f"the page says: {tidy(by_site[0] if by_site else words[0][0])}"


def _is_own_address(view: SampleView, question: SiteAsked) -> bool:
    """Return whether the address that was opened is the record's own: that of the row, or one that ends with a value
    of it or has one in its query, and is no search: that may be gone itself. What follows a value, such as ``/files``,
    may be missing of a record that is there."""
    action = question.entry.action
    if not isinstance(action, Goto):
        return False
    if action.url in template_values(view.sample).values():
        return True
    fragment = urldefrag(action.url)[1]
    if is_search_address(action.url) or is_search_address(fragment):
        return False
    last = path_segments(fragment or action.url)[-1:]
    named = any(is_equal_text(segment, value) for segment in last for value in question.values)
    return named or question.by == "query"


# --- what the page says


def _absence_words(view: SampleView, page: PageObserved, *, in_general: bool) -> Iterator[tuple[str, Element | None]]:
    """Yield the texts by which a page may say that there is no such record; None: its title. ``in_general``: also
    without words that the task names."""
    texts = tuple(view.spec.not_found_texts)
    own: list[tuple[str, Element | None]] = [(page.title, None)]
    own += [(text_of(one), one) for one in page.elements if _is_said(one, page)]
    for text, one in own:
        if not 0 < len(text) <= MAX_CHARS:
            continue
        general = in_general and (is_empty_text(text) or _says_not_found(text, one))
        if (texts and is_not_found_text(text, texts)) or general:
            yield text, one


def _says_not_found(text: str, one: Element | None) -> bool:
    """Return whether a text says so without words of the task. "404" alone may be a room: it counts in a title or a
    heading only."""
    found = NOT_FOUND.search(text)
    return found is not None and (found[0] != "404" or one is None or is_heading(one))


def _is_said(element: Element, page: PageObserved) -> bool:
    """Return whether the element is a text of the page itself: none beside its content, no value, no event, and none
    of several that stand in a list, which may be results."""
    aside = element.area in _BESIDE or element.past or element.tag == "dd" or element.role in _PRESSED
    if aside or is_input(element):
        return False
    if element.row is None:
        alike = (element.frame, element.area, element.place)
        others = (one for one in page.elements if (one.frame, one.area, one.place) == alike and one is not element)
        return OF_A_LIST.search(element.place) is None or all(one.name == element.name for one in others)
    cells = [one for one in page.elements if (one.row, one.frame) == (element.row, element.frame) and one.name.strip()]
    return len(cells) == 1


def _is_about_another(text: str, values: Sequence[str]) -> bool:
    """Return whether the words tell of something else than what was asked for: they quote another text, or name
    another id of its form."""
    if any(find_mention(text, value) for value in values):
        return False
    if any(one[1] or one[2] for one in _QUOTES.finditer(text)):
        return True
    patterns = [pattern for value in values if (pattern := id_pattern(value)) is not None]
    return any(pattern.search(text) for pattern in patterns)


def _shows_nothing(
    view: SampleView, page: PageObserved, question: SiteAsked, words: Sequence[tuple[str, Element | None]]
) -> bool:
    """Return whether the page shows neither the record nor another one of its kind, nor a result that names it, nor
    that another text was searched for."""
    said = {id(one) for _, one in words}
    bare = replace(
        page,
        title="" if any(one is None for _, one in words) else page.title,
        elements=tuple(one for one in page.elements if id(one) not in said),
    )
    read = read_anew(view.spec, view.sample, bare)
    if read.proof.state == "mismatch" or (view.spec.identity and read.proof.state == "proven"):
        return False
    if not view.spec.identity and shows_values(view, read):
        return False
    if view.state.proven_at - {page.url}:
        return False
    return not any(_is_result(one, question.values) for one in bare.elements) and not _searches_another(
        view, bare, question
    )


def _is_result(element: Element, values: Sequence[str]) -> bool:
    """Return whether the element may be a result of the search: something of a list with what was asked for in it, or
    what can be opened and begins with that."""
    if element.area in _BESIDE:
        return False
    if element.row is not None or OF_A_LIST.search(element.place):
        return any(find_mention(element.name, value) for value in values)
    if element.role not in ("link", "button"):
        return False
    named = [value for value in values if fold(element.name).startswith(fold(value))]
    return any(find_mention(element.name, one) and not closes_by_name(element.name[len(one) :]) for one in named)


def _searches_another(view: SampleView, page: PageObserved, question: SiteAsked) -> bool:
    """Return whether a field of a search, or the one that was filled in, holds another text than that: the page answers
    this one. It may have been cut."""
    filled = [one.action for one in view.state.history if isinstance(one.action, FILLS)]
    known = [
        *(str(getattr(one, "text", "") or getattr(one, "option", "") or getattr(one, "date", "")) for one in filled),
        *template_values(view.sample).values(),
    ]
    target = question.entry.result.target if question.by == "filled" and question.entry.result is not None else None
    held = [
        text_of(one)
        for one in page.elements
        if one.role == "searchbox"
        or (one.role == "textbox" and (one.area == "search" or (target and one.fingerprint == target.fingerprint)))
    ]
    return any(text and not any(find_mention(text, value) for value in known) for text in held)
