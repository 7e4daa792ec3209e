"""The page as a model is shown it, cut at its end if it is too long."""

from __future__ import annotations

from services.planner.page.text import is_unsure
from services.planner.prompt.tokens import Ruler
from services.planner.state.attempt_state import SampleView
from services.planner.state.progress import FAILURES_AT
from shared.contracts.browser_pool import Element, PageObserved
from shared.models.fence import clipped, fenced
from shared.text.normal import tidy

URL_CHARS, TITLE_CHARS = 2000, 300
MAX_TABS, TAB_CHARS = 10, 160
LISTED_ELEMENTS, NAME_CHARS = 80, 60
INTERACTIVE = frozenset(
    {
        *("link", "button", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider"),
        *("spinbutton", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem"),
    }
)

_TELLING_LINE_TOKENS = 40


def page_state(view: SampleView, ruler: Ruler, tokens: float) -> str:
    """Return the page part. `tokens`: for the text of the page; address and title are shown in any case."""
    page = view.page
    if page is None:
        return "PAGE STATE\nNo page is open yet."
    status = f"\nHTTP status: {page.http_status}" if page.http_status is not None else ""
    head = f"URL: {clipped(tidy(page.url), URL_CHARS)}\nTitle: {clipped(tidy(page.title), TITLE_CHARS)}{status}"
    state = f"{head}{_tabs(page)}{_over(page)}\n\n{page_text(page, ruler, tokens)}"
    return f"PAGE STATE\n{fenced(state)}{_notes(page)}"


def page_text(page: PageObserved, ruler: Ruler, tokens: float) -> str:
    """Return whole lines of the page's text that fit, and how many elements are left out at its end."""
    if ruler.fits(page.text, tokens):
        return page.text
    shown = ruler.cut(page.text, tokens - _TELLING_LINE_TOKENS)
    shown = shown[: shown.rfind("\n")] if "\n" in shown else ""
    missing = page.text.count("\n[", len(shown)) + page.left_out
    return f"{shown}\n... {missing} more below: scroll, or extract".lstrip("\n")


def choices(view: SampleView) -> str:
    """Return a short list of all elements that can be acted on, after several failures in a row."""
    if view.page is None or view.state.failures < FAILURES_AT:
        return ""
    there = [e for e in view.page.elements if e.role in INTERACTIVE and e.covered_by is None and e.in_viewport]
    lines = [_choice(element) for element in there[:LISTED_ELEMENTS]]
    rest = len(there) - len(lines)
    lines += [f"... {rest} more"] if rest else []
    return f"WHAT CAN BE ACTED ON\n{fenced(chr(10).join(lines) or 'Nothing that is in view: scroll.')}"


def _choice(element: Element) -> str:
    states = f" ({', '.join(element.states)})" if element.states else ""
    return f'[{element.ref}] [{element.role}] "{clipped(tidy(element.name), NAME_CHARS)}"{states}'


def _tabs(page: PageObserved) -> str:
    if len(page.tabs) < 2:
        return ""
    lines = [
        f"\nTab {tab.number}{' (this one)' if tab.active else ''}: {clipped(tidy(f'{tab.title} {tab.url}'), TAB_CHARS)}"
        for tab in page.tabs[-MAX_TABS:]
    ]
    return "".join(lines)


def _over(page: PageObserved) -> str:
    """Name the dialog over the page, because its text is at the end, where it may be cut."""
    over = [str(e.ref) for e in page.elements if e.in_dialog and e.role in ("dialog", "alertdialog")]
    return f"\nA dialog lies over the page: [{'], ['.join(over[:3])}]" if over else ""


def _notes(page: PageObserved) -> str:
    """Our own words; none of them come from the page."""
    lines = [] if page.settled else ["The page was still changing when it was read."]
    if is_unsure(page):
        lines.append("Parts of this page are pictures to us, with no text: ask_picture can tell what they show.")
    return "".join(f"\n{line}" for line in lines)
