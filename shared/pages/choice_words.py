"""Words by which a list asks to choose, while nothing is chosen: "Select a status ...", "-- Bitte wählen --"."""

from __future__ import annotations

import re

_PLEASE = ("please", "bitte", "veuillez", "por favor,?")
_CHOOSE = (
    *("choose", "select", "pick", "search"),
    *("w[äa]hlen sie", "ausw[äa]hlen", "w[äa]hlen"),
    *("choisi(?:r|ssez)", "s[ée]lectionne[rz]"),
    *("selecci[oó]n[ae]r?", "eli(?:ge|ja)", "elegir", "selecion(?:e|ar)", "escolh(?:a|er)"),
    *("scegli(?:ere)?", "seleziona(?:re)?"),
    *("kies", "kiezen", "selecteer", "velg", "v[æe]lg", "välj", "valitse"),
    *("wybierz", "vyberte", "vyber"),
)
_AT_END = ("ausw[äa]hlen", "w[äa]hlen")
"""Verbs that a sentence ends with."""
_SIGNS = r"[-–—.…\s]*"
_ASKS = re.compile(
    rf"{_SIGNS}(?:(?:(?:{'|'.join(_PLEASE)})\s)?(?:{'|'.join(_CHOOSE)})(?!\w).{{0,40}}"
    rf"|\S{{0,30}}\s?(?:{'|'.join(_AT_END)}){_SIGNS})",
    re.I,
)


def asks_to_choose(text: str) -> bool:
    """Return whether the whole text asks to choose. An option may be called so too: it is a doubt, and no proof."""
    return _ASKS.fullmatch(text) is not None
