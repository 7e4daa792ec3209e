"""Which questions are targeted. Open-ended ones are refused, because any answer would fit them."""

from __future__ import annotations

import re

from shared.contracts.vision import AskVision
from shared.text.normal import fold, tidy

MAX_QUESTION_CHARS, MAX_CHOICES, MAX_CHOICE_CHARS = 600, 50, 200

_POLITE_PREFIX = r"(?:please\s+|kindly\s+|now\s+|(?:can|could|would|will)\s+you\s+|i\s+want\s+you\s+to\s+)*"
_PAGE_OR_PICTURE = (
    r"(?:(?:this|the|that|current|whole|entire|full|web)\s+)*"
    r"(?:web\s?page|page|screen\s?shot|screen|picture|image|photo|site|website|view|ui)"
)
_VISIBLE = r"(?:visible|shown|displayed|there|happening|going\s+on|depicted|pictured)"
_OPEN_ENDED = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"^{_POLITE_PREFIX}(?:describe|summari[sz]e|transcribe|caption|interpret|analy[sz]e|explain|read\s+out|walk\s+me)\b",
        rf"^{_POLITE_PREFIX}(?:list|name|report|extract|give(?:\s+me)?|tell(?:\s+me)?|read|show(?:\s+me)?)\s+(?:all|every\w*|any\w*|what)\b",
        rf"\bwhat(?:'s|\s+is|\s+are|\s+does|\s+do)?\s+(?:else\s+)?(?:{_VISIBLE}\s+)?(?:on|in|at)\s+{_PAGE_OR_PICTURE}\s*(?:{_VISIBLE}\s*)?\W*$",
        rf"\bwhat(?:'s|\s+is|\s+does)\s+{_PAGE_OR_PICTURE}(?:\s+(?:about|show|shows|contain|contains|say|says|of|look\s+like))?\W*$",
        r"\bwhat\s+(?:do|can|did)\s+you\s+(?:see|notice|observe)\b(?!.*\b(?:beside|next\s+to|icon|badge)\b)",
        rf"^\W*what(?:'s|\s+is)?\s+(?:this|that|here|it|{_VISIBLE})\W*$",
        r"\b(?:describe|description\s+of|summary\s+of|overview\s+of|content\s+of|contents\s+of)\s+"
        rf"{_PAGE_OR_PICTURE}\W*$",
        r"\bwhat\b.*\bthat\s+the\s+(?:dom|html|page)\s+(?:lacks|misses|does\s+not)\b",
    )
)


def find_question_problem(request: AskVision) -> str | None:
    """Return why the question is refused, or None when it is a targeted one."""
    question = tidy(request.question)
    if not re.search(r"\w", question):
        return "there is no question: ask for one thing that the picture shows"
    if len(question) > MAX_QUESTION_CHARS:
        return (
            f"a question of {len(question)} characters is more than one; {MAX_QUESTION_CHARS} are enough for one thing"
        )
    if any(pattern.search(question) for pattern in _OPEN_ENDED):
        return f"{question[:80]!r} is open-ended: ask for one thing, such as the state of one icon"
    return _find_choices_problem(request.choices)


def _find_choices_problem(choices: tuple[str, ...]) -> str | None:
    if len(choices) > MAX_CHOICES or any(len(choice) > MAX_CHOICE_CHARS for choice in choices):
        return f"there are too many choices, or too long ones: {MAX_CHOICES} of {MAX_CHOICE_CHARS} characters at most"
    folded = [fold(choice) for choice in choices]
    if "" in folded or len(set(folded)) != len(folded):
        return "the choices must differ, and none may be empty"
    return None
