"""Whether a page is a login wall: it asks a person to sign in, and shows nothing else.

A public page with a link "Sign in", a newsletter form, a search box or a login form in its header is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from shared.contracts.browser_pool import Element, PageObserved
from shared.text.login_words import (
    asks_to_sign_in,
    is_login_address,
    names_identifier,
    names_provider,
    says_session_ended,
)
from shared.text.normal import quoted

FRAME_AREAS = frozenset({"banner", "navigation", "contentinfo", "complementary", "search", "pager"})
"""Parts of a page around its content."""
TEXT_ROLES = frozenset({"textbox", "combobox", "spinbutton"})
CHOICE_ROLES = frozenset({"checkbox", "radio", "switch"})
MAX_FIELDS = 2
MOST_SAID = 6
"""Most texts of a page that says nothing but that a session has ended."""
MAX_TEXTS = 25
"""Most texts beside its controls that a page with nothing but a login has."""
_PASSWORD = re.compile(r"\bpass(?:word|wort|code|phrase)\b|mot de passe|contraseña", re.I)


def is_password(element: Element) -> bool:
    """Return whether the element is a password field."""
    field = element.role in (*TEXT_ROLES, "searchbox") or element.tag in ("input", "textarea")
    return field and (element.secret or _PASSWORD.search(element.name) is not None)


@dataclass(frozen=True)
class LoginWall:
    """What a page asks for in its content: `words`, such as `asks for a password`. ``is_bare``: it says that it is a
    login, and shows nothing else."""

    words: str
    is_bare: bool


def login_wall_words(page: PageObserved) -> str:
    """Return how the page asks to sign in, such as `asks for a password`; empty: it does not.

    The caller must know that the page does not show what was wanted.
    """
    wall = find_login_wall(page)
    return wall.words if wall is not None else ""


def find_login_wall(page: PageObserved) -> LoginWall | None:
    """Return what the page asks for; None: it does not ask to sign in.

    A page that is not bare may show what was wanted beside the form.
    """
    content = [element for element in page.elements if element.area not in FRAME_AREAS]
    is_bare = not page.left_out and _is_bare(content) and _says_login(page, content)
    if any(is_password(element) for element in content):
        return LoginWall("asks for a password", is_bare)
    ended = _says_session_ended(content) if not page.left_out and _is_bare(content) else ""
    if ended:
        return LoginWall(f"says {quoted(ended)}", True)
    words = _words_without_password(page, content) if is_bare else ""
    return LoginWall(words, is_bare) if words else None


def _words_without_password(page: PageObserved, content: Sequence[Element]) -> str:
    fields = [element for element in content if element.role in TEXT_ROLES]
    buttons = [element for element in content if element.role in ("button", "link")]
    if len(fields) <= MAX_FIELDS and any(_is_identifier(element) for element in fields) and buttons:
        return "asks for a user name"
    if not fields and any(_is_way_in(element, page) for element in buttons):
        return "asks to sign in"
    return ""


def _says_session_ended(content: Sequence[Element]) -> str:
    """Return the words by which a page that shows nothing else says that one is not signed in any more."""
    said = [element.name for element in content if element.role not in ("button", "link") and element.name]
    values = any(element.role in TEXT_ROLES for element in content)
    return (
        next((text for text in said if says_session_ended(text)), "") if len(said) <= MOST_SAID and not values else ""
    )


def _is_bare(content: Sequence[Element]) -> bool:
    """Return whether the page has no values, no table, and few texts."""
    texts = 0
    for element in content:
        control = element.role in (*TEXT_ROLES, *CHOICE_ROLES, "button", "link", "option", "img")
        if not control and element.name and (element.header is not None or element.row is not None):
            return False
        texts += not control
    return texts <= MAX_TEXTS


def _says_login(page: PageObserved, content: Sequence[Element]) -> bool:
    """Return whether title, heading or address say that this is a login. Another heading with an id is a record."""
    headings = [element.name for element in content if element.role == "heading"]
    if any(re.search(r"\d{2}", name) for name in headings):
        return False
    return is_login_address(page.url) or any(asks_to_sign_in(text) for text in (page.title, *headings))


def _is_identifier(element: Element) -> bool:
    return names_identifier(element.name) or names_identifier(element.header or "")


def _is_way_in(element: Element, page: PageObserved) -> bool:
    """Return whether the control signs in. A link is one if it leads to a login or to another host."""
    if not (asks_to_sign_in(element.name) or names_provider(element.name)):
        return False
    if element.role == "button" or element.url is None:
        return True
    return is_login_address(element.url) or urlsplit(element.url).netloc != urlsplit(page.url).netloc
