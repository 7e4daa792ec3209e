"""Whether a page is a login wall: it asks a person to sign in, and shows nothing else.

A public page with a link "Sign in", a newsletter form, a search box or a login form in its header is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from shared.contracts.browser_pool import Element, PageObserved
from shared.text.login_words import asks_to_sign_in, is_login_address, names_identifier, names_provider

FRAME_AREAS = frozenset({"banner", "navigation", "contentinfo", "complementary", "search", "pager"})
"""Parts of a page around its content."""
TEXT_ROLES = frozenset({"textbox", "combobox", "spinbutton"})
CHOICE_ROLES = frozenset({"checkbox", "radio", "switch"})
MAX_FIELDS = 2
MAX_TEXTS = 25
"""Most texts beside its controls that a page with nothing but a login has."""
_PASSWORD = re.compile(r"\bpass(?:word|wort|code|phrase)\b|mot de passe|contraseña", re.I)


def is_password(element: Element) -> bool:
    """Return whether the element is a password field."""
    field = element.role in (*TEXT_ROLES, "searchbox") or element.tag in ("input", "textarea")
    return field and (element.secret or _PASSWORD.search(element.name) is not None)


def login_wall_words(page: PageObserved) -> str:
    """Return how the page asks to sign in, such as `asks for a password`; empty: it does not.

    The caller must know that the page does not show what was wanted.
    """
    content = [element for element in page.elements if element.area not in FRAME_AREAS]
    if any(is_password(element) for element in content):
        return "asks for a password"
    if page.left_out or not _is_bare(content) or not _says_login(page, content):
        return ""
    fields = [element for element in content if element.role in TEXT_ROLES]
    buttons = [element for element in content if element.role in ("button", "link")]
    if len(fields) <= MAX_FIELDS and any(_is_identifier(element) for element in fields) and buttons:
        return "asks for a user name"
    if not fields and any(_is_way_in(element, page) for element in buttons):
        return "asks to sign in"
    return ""


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
