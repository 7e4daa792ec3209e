"""Pure: which questions are targeted. One that asks for everything is answered with anything."""

from __future__ import annotations

import re

from shared.contracts.vision import AskVision
from shared.text.normal import fold, tidy

MOST_CHARS, MOST_CHOICES, MOST_CHOICE_CHARS = 600, 50, 200

_ASKING = r"(?:please\s+|kindly\s+|now\s+|(?:can|could|would|will)\s+you\s+|i\s+want\s+you\s+to\s+)*"
_WHOLE = (
    r"(?:(?:this|the|that|current|whole|entire|full|web)\s+)*"
    r"(?:web\s?page|page|screen\s?shot|screen|picture|image|photo|site|website|view|ui)"
)
_SEEN = r"(?:visible|shown|displayed|there|happening|going\s+on|depicted|pictured)"
_OPEN = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"^{_ASKING}(?:describe|summari[sz]e|transcribe|caption|interpret|analy[sz]e|explain|read\s+out|walk\s+me)\b",
        rf"^{_ASKING}(?:list|name|report|extract|give(?:\s+me)?|tell(?:\s+me)?|read|show(?:\s+me)?)\s+(?:all|every\w*|any\w*|what)\b",
        rf"\bwhat(?:'s|\s+is|\s+are|\s+does|\s+do)?\s+(?:else\s+)?(?:{_SEEN}\s+)?(?:on|in|at)\s+{_WHOLE}\s*(?:{_SEEN}\s*)?\W*$",
        rf"\bwhat(?:'s|\s+is|\s+does)\s+{_WHOLE}(?:\s+(?:about|show|shows|contain|contains|say|says|of|look\s+like))?\W*$",
        r"\bwhat\s+(?:do|can|did)\s+you\s+(?:see|notice|observe)\b(?!.*\b(?:beside|next\s+to|icon|badge)\b)",
        rf"^\W*what(?:'s|\s+is)?\s+(?:this|that|here|it|{_SEEN})\W*$",
        r"\b(?:describe|description\s+of|summary\s+of|overview\s+of|content\s+of|contents\s+of)\s+"
        rf"{_WHOLE}\W*$",
        r"\bwhat\b.*\bthat\s+the\s+(?:dom|html|page)\s+(?:lacks|misses|does\s+not)\b",
    )
)


def refused(request: AskVision) -> str | None:
    """Why the question is not put to anybody; None where it is one."""
    question = tidy(request.question)
    if not re.search(r"\w", question):
        return "there is no question: ask for one thing that the picture shows"
    if len(question) > MOST_CHARS:
        return f"a question of {len(question)} characters is more than one; {MOST_CHARS} are enough for one thing"
    if any(pattern.search(question) for pattern in _OPEN):
        return f"{question[:80]!r} is open-ended: ask for one thing, such as the state of one icon"
    return _bad_choices(request.choices)


def _bad_choices(choices: tuple[str, ...]) -> str | None:
    if len(choices) > MOST_CHOICES or any(len(one) > MOST_CHOICE_CHARS for one in choices):
        return f"there are too many choices, or too long ones: {MOST_CHOICES} of {MOST_CHOICE_CHARS} characters at most"
    folded = [fold(one) for one in choices]
    if "" in folded or len(set(folded)) != len(folded):
        return "the choices must differ, and none may be empty"
    return None
