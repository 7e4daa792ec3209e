"""What buttons are called that close what lies over a page. Only whole names count: a longer name does more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from shared.text.normal import fold

REFUSING = (
    "reject all", "reject", "decline all", "decline", "refuse", "deny", "disagree", "only necessary",
    "necessary only", "only essential", "essential only", "use necessary cookies only", "reject all cookies",
    "reject cookies", "decline cookies", "reject optional cookies", "continue without accepting",
)  # fmt: skip
"""Refusing consent is always safe. Refusing an order, or a request, is an act: see :func:`names_that_close`."""
CLOSING = (
    "no thanks", "no, thanks", "not now", "maybe later", "later", "skip", "dismiss", "close", "×", "✕", "✖", "x",
    "close dialog", "close banner", "close modal", "close this dialog",
)  # fmt: skip
CANCELLING = ("cancel",)
"""It may give up something that was begun."""
NOTING = ("got it", "ok", "okay", "i understand", "understood")
"""It may confirm a question."""
AGREEING = ("accept", "accept all", "accept cookies", "accept all cookies", "agree", "i agree", "i accept", "allow all")
SAFE = (REFUSING, CLOSING)
"""Names that agree to nothing and confirm nothing, best first."""
ALL = (REFUSING, (*CLOSING, *CANCELLING), NOTING, AGREEING)
"""Refusing before closing, agreeing only if nothing else closes the dialog."""
_KNOWN = frozenset(name for names in ALL for name in names)
_CONSENT = re.compile(
    r"\b(?:cookies?|consent|privacy|tracking|trackers?|gdpr|personal data|advertis\w+|analytics|newsletters?"
    r"|notifications?|datenschutz)\b",
    re.I,
)
OF_CONSENT = frozenset({"accept all", "allow all", "accept cookies", "accept all cookies"})
"""Buttons that only a question about consent has."""
_TELLS_CONSENT = re.compile(r"\b(?:cookies?|necessary|essential|without accepting)\b")


def names_that_close(texts: Iterable[str], buttons: Collection[str], ranked: Iterable[Iterable[str]]) -> dict[str, int]:
    """Return the names that close a dialog with these texts and buttons, each with its rank; 0 is best.

    "Reject" refuses an order as well as cookies: it counts only where the dialog is about consent. "OK", "Cancel" and
    "Accept" answer a question: they count only where every button of the dialog is one of those that close dialogs, and
    none refuses, so that nothing else is decided there. ``ranked``: names by rank, such as :data:`SAFE`."""
    named = {fold(name) for name in buttons}
    about_consent = bool(named & OF_CONSENT) or any(_CONSENT.search(text) for text in texts)
    decides = bool(named - _KNOWN) or (not about_consent and bool(named & set(REFUSING)))
    ranks = {name: rank for rank, names in enumerate(ranked) for name in names}
    return {name: rank for name, rank in ranks.items() if _closes(name, about_consent=about_consent, decides=decides)}


def _closes(name: str, *, about_consent: bool, decides: bool) -> bool:
    if name in CLOSING:
        return True
    if name in REFUSING:
        return about_consent or _TELLS_CONSENT.search(name) is not None
    return about_consent or not decides
