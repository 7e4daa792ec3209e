"""Words by which a page says that what was entered was not sent, saved or accepted, in several languages."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import is_input
from shared.text.normal import fold

MAX_CHARS = 300
_PRESSED = frozenset({"link", "button", "tab", "option", "menuitem", "title"})
_DONE = "sent|submitted|saved|stored|processed|completed|accepted|created|received|recorded|registered|placed|changed"
_PHRASES = (
    # English
    rf"\b(?:not|never|n't) (?:yet )?(?:been |be )?(?:successfully )?(?:{_DONE})\b",
    rf"\bnothing (?:was|has been|is) (?:{_DONE})\b",
    r"\b(?:went|gone) wrong\b",
    r"\b(?:failed|unable) to (?:send|submit|save|store|process|complete|create|record|register|place)\b",
    r"\b(?:sending|submission|saving|request|order|payment|transfer|form|it) (?:has )?failed\b",
    r"\ban? (?:unexpected )?error (?:has )?occurred\b",
    r"\b(?:was|has been|is|were) (?:rejected|declined|refused)\b",
    # German
    r"\bnicht (?:gesendet|gespeichert|abgeschickt|abgesendet|übermittelt|versendet|versandt|verarbeitet|angenommen)\b",
    r"\bfehler (?:ist )?aufgetreten\b|\bfehlgeschlagen\b|\bschief ?gelaufen\b|\bwurden? (?:abgelehnt|zurückgewiesen)\b",
    # French
    r"\bn['’](?:a|ont) pas (?:pu être |été )?(?:envoy|enregistr|trait|soumis|accept|transmis|sauvegard)",
    r"\berreur (?:s['’]est produite|est survenue)\b|\b(?:envoi|enregistrement|demande) (?:a|est) (?:échoué|refusée?)\b",
    # Spanish, Portuguese, Italian
    r"\bno (?:se |fue |ha sido |pudo |se ha |se pudo |se ha podido )+(?:ser )?(?:envi|guard|proces|registr|acept)",
    r"\bnão (?:foi|foram|pôde ser) (?:enviad|salv|gravad|processad|registrad|aceit)",
    r"\bnon (?:è|sono) stat[oaie] (?:inviat|salvat|registrat|elaborat|accettat)",
    r"\b(?:ha ocurrido|se ha producido|se produjo) un error\b|\bocorreu um erro\b|\bsi è verificato un errore\b",
    # Dutch
    r"\bniet (?:verzonden|verstuurd|opgeslagen|verwerkt|ingediend)\b|\bis mislukt\b|\bfout opgetreden\b",
)
_NOT_SENT = re.compile("|".join(_PHRASES))
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
_CONDITION = re.compile(r"(?:if|should|when|in case|unless|until|falls|wenn|sollte|si|se|caso|als|indien)\b")


def says_not_sent(page: PageObserved, appeared: Iterable[str] = ()) -> str:
    """Return the text by which the page says that it was not sent; empty: it does not.

    ``appeared``: what came with the press, which may be gone again. Values under a label do not count."""
    shown = (e.name for e in page.elements if _may_say(e))
    return next((text for text in (*shown, *appeared) if is_refusal(text)), "")


def is_refusal(text: str) -> bool:
    """Return whether a sentence of the text says so; one that begins with "if" does not."""
    if len(text) > MAX_CHARS:
        return False
    sentences = _SENTENCE.split(fold(text))
    return any(_NOT_SENT.search(one) and not _CONDITION.match(one) for one in sentences)


def _may_say(element: Element) -> bool:
    return element.role not in _PRESSED and not is_input(element) and element.header is None and bool(element.name)
