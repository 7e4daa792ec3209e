"""Whether a page that asks to sign in came instead of the record. Pure.

Public records have a form to sign in beside them, too. So the form alone decides nothing, but the address that was
asked for, the one that came, and what the task finds on the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

from services.planner.state.attempt_state import SampleView
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.steps import FieldValue, ValueSource
from shared.evidence_format.cells import with_cells
from shared.login_walls import CHOICE_ROLES, TEXT_ROLES, find_login_wall
from shared.pages.identity.identity import identity_proof, read_page
from shared.text.login_words import is_login_address, path_parts

NOT_IN_TEXT = TEXT_ROLES | CHOICE_ROLES | {"searchbox", "title", "heading"}
"""A login page has a title, headings and fields as well, so values in these say nothing about the record."""


@dataclass(frozen=True)
class LoginPageFacts:
    """What is known of a page that asks to sign in.

    ``is_bare``: it says that it is a login, and shows nothing else. ``came_instead``: its address is another than the
    one that was asked for. ``is_asked``: the task asks for a login page. ``proof``: whose record it shows; "not_asked"
    without an identity. ``lacks``: a needed field is not on it. ``shows``: no required field is missing, and a value is
    in the text of the page.
    """

    is_bare: bool
    came_instead: bool
    is_asked: bool
    proof: Literal["proven", "mismatch", "unproven", "not_asked"]
    lacks: bool
    shows: bool


def login_page_words(view: SampleView, page: PageObserved, values: Sequence[FieldValue]) -> str:
    """Return how the page asks to sign in, if it came instead of the record; else an empty text.

    ``values``: what was read or reported so far. A value of an earlier page means that the record was reached.
    """
    wall = find_login_wall(page)
    if wall is None or _has_left_record(view, page, values):
        return ""
    asked = asked_address(view)
    came_instead = is_other_address(asked, page.url)
    needed = {*view.spec.required_fields, *view.spec.identity}
    lacks = any(value.state == "not_found" and value.field in needed for value in values)
    facts = LoginPageFacts(
        is_bare=wall.is_bare,
        came_instead=came_instead,
        is_asked=not came_instead and is_login_address(asked),
        proof=_proof(view, page, says_more=not lacks and not wall.is_bare),
        lacks=lacks,
        shows=not lacks and any(_is_in_text(one) for value in values for one in with_cells(value)),
    )
    return wall.words if is_instead_of_record(facts) else ""


def is_instead_of_record(facts: LoginPageFacts) -> bool:
    """Return whether the page stands where the record should be. One that proves to show the record never does."""
    match facts.proof:
        case "proven":
            return False
        case "mismatch":  # another record with a form beside it, unless there is nothing but the form
            return facts.is_bare and facts.came_instead
        case "unproven":
            return facts.lacks or facts.came_instead or (facts.is_bare and not facts.is_asked)
        case "not_asked":
            if facts.is_asked or (facts.shows and not (facts.is_bare and facts.came_instead)):
                return False
            return facts.is_bare or facts.came_instead or facts.lacks


def asked_address(view: SampleView) -> str:
    """Return the address that was opened last; empty once something else has led to another one."""
    asked = ""
    for entry in view.state.history:
        change = None if entry.result is None else entry.result.change
        if isinstance(entry.action, Goto) and not entry.refused:
            asked = entry.action.url
        elif change is not None and change.url_after not in ("", change.url_before):
            asked = ""
    return asked


def is_other_address(asked: str, came: str) -> bool:
    """Return whether another page came than was asked for. The address of the same page may be longer: a language
    before it, words after it. Where it is not known what was asked for, only the address of a login is another one."""
    if is_login_address(came) and not is_login_address(asked):
        return True
    if not asked:
        return False
    if _host(asked) != _host(came):
        return True
    kept = set(parse_qsl(urlsplit(asked).query)) <= set(parse_qsl(urlsplit(came).query))
    return not (kept and _contains(path_parts(came), path_parts(asked)))


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _contains(longer: Iterable[str], shorter: Sequence[str]) -> bool:
    """Return whether all parts are there in their order. Words may follow the last one: `5-printer-on-fire`."""
    rest = iter([part.casefold() for part in longer])
    for at, part in enumerate(map(str.casefold, shorter)):
        is_last = at == len(shorter) - 1
        if not any(one == part or (is_last and one.startswith((f"{part}-", f"{part}_"))) for one in rest):
            return False
    return True


def _proof(
    view: SampleView, page: PageObserved, *, says_more: bool
) -> Literal["proven", "mismatch", "unproven", "not_asked"]:
    """Return whose record the page shows. A mention such as "sign in to see TCK-1" counts only if it `says_more`."""
    if not view.spec.identity:
        return "not_asked"
    if says_more:
        return identity_proof(view.spec, view.sample, page).state
    return read_page(view.spec, view.sample, page).proof.state


def _has_left_record(view: SampleView, page: PageObserved, values: Iterable[FieldValue]) -> bool:
    """Return whether the record was shown by an earlier page."""
    if view.spec.identity and view.state.proven_at - {page.url}:
        return True
    sources = (one.source for value in values for one in with_cells(value) if one.state == "value")
    return any(isinstance(source, ValueSource) and source.url != page.url for source in sources)


def _is_in_text(value: FieldValue) -> bool:
    source = value.source
    return value.state == "value" and isinstance(source, ValueSource) and source.role not in NOT_IN_TEXT
