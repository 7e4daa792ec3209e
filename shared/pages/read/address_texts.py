"""Texts that are the address of a person or of a page, and labels that ask for one."""

from __future__ import annotations

import re

from shared.text.normal import bare, fold

_MAIL = re.compile(r"<?(?:mailto:)?[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+>?")
_PAGE = re.compile(r"<?(?:https?://|www\.)\S+")
_ASKED = (
    "mail", "courriel", "correo", "posta", "post", "address", "adres", "indiriz", "direcc", "enderec", "url", "uri",
    "link", "lien", "enlace", "site", "sitio", "sito", "web", "page", "seite", "contact", "kontakt", "contatt",
    "account", "user", "login",
)  # fmt: skip
"""Beginnings or parts of words, without accents; a label in another script is taken to ask for anything."""


def is_address(text: str) -> bool:
    """Return whether the text is an address of mail, or of a page, and nothing else."""
    return _MAIL.fullmatch(fold(text)) is not None or _PAGE.fullmatch(fold(text)) is not None


def asks_for_address(label: str) -> bool:
    """Return whether an address may be what a label names."""
    plain = bare(label)
    return not plain.isascii() or any(word in plain for word in _ASKED)
