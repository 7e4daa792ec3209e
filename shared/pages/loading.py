"""How a page says, or shows by what it has asked for, that a part of it is still loading."""

from __future__ import annotations

from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from msgspec.structs import replace

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import is_input
from shared.pages.lists.list_states import is_loading_text
from shared.pages.lists.lists import NOISE
from shared.task.spec import TaskSpec
from shared.text.normal import quoted
from shared.text.record_words import is_pending

MAX_CHARS = 60
_PRESSED = frozenset({"link", "button", "tab", "option", "menuitem"})


def find_loading_sign(page: PageObserved) -> str:
    """Return how the content of the page says that it is still loading, as the end of a sentence; empty: it does not.

    What stands beside the content does not count: there much may load for ever.
    """
    if page.busy:
        return "marks a part of itself as still loading"
    if page.awaited:
        return f"still awaits the answer of {page.awaited[0]}"
    if page.failed:
        return f"has no answer of {page.failed[0]}"
    own = [e for e in page.elements if e.area not in NOISE and not e.in_dialog]
    if any(e.role == "progressbar" and _is_endless(e) for e in own):
        return "shows a progress bar without an end"
    words = next((e.name for e in own if _says_loading(e)), None)
    return "" if words is None else f"says {quoted(words)}"


def _is_endless(bar: Element) -> bool:
    """Return whether a progress bar does not say how far it is. A `progress` without a value has the number 0."""
    return (bar.value or "") in ("", "0")


def _says_loading(element: Element) -> bool:
    """Return whether the text says so. Under a label, "Processing" without dots may be the value."""
    if element.role in _PRESSED or is_input(element) or not 0 < len(element.name) <= MAX_CHARS:
        return False
    text = element.name.strip()
    if not text.strip(".…"):
        return False
    return is_pending(text) or (element.header is None and is_loading_text(text))


def without_background(page: PageObserved, spec: TaskSpec) -> PageObserved:
    """Return the page without the requests of which the task says that they bring no values."""
    if not spec.background_requests or not (page.awaited or page.failed):
        return page

    return replace(page, awaited=foreground(page.awaited, spec), failed=foreground(page.failed, spec))


def foreground(requests: tuple[str, ...], spec: TaskSpec) -> tuple[str, ...]:
    """Return the requests that the task does not name as such that bring nothing."""
    return tuple(one for one in requests if not any(_is_of(one, pattern) for pattern in spec.background_requests))


def _is_of(request: str, pattern: str) -> bool:
    """Return whether a request, such as ``GET https://example.com/chat/7``, is one that the pattern means."""
    address = request.partition(" ")[2]
    return any(fnmatchcase(form, pattern) for form in (address, urlsplit(address).path))
