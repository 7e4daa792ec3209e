"""Our own messages to a model: about its answers, its progress, and what is missing.

They are outside of the fence. So they hold nothing of a page but short quotes, and nothing that looks like the fence.
"""

from __future__ import annotations

from services.planner.judge.completeness import missing_artifacts
from services.planner.state.attempt_state import Entry, SampleView
from shared.contracts.actions import Done, Fail
from shared.models.fence import clipped, harmless
from shared.text.normal import tidy

WORDS_CHARS = 1000


def answer_notice(entry: Entry) -> str:
    """Return the message about one answer, on one line, without the notices about progress at that time."""
    text = "; ".join(tidy(line) for line in entry.message.splitlines()) if entry.refused else ""
    words = " ".join(part for part in (text, entry.remark) if part)
    return f"{'Refused: ' if entry.refused else ''}{harmless(clipped(tidy(words), WORDS_CHARS))}" if words else ""


def notices(view: SampleView) -> str:
    """Return the notices for the next decision; empty if there are none."""
    lines = [
        *_last_answer_notices(view),
        *_sent_back_notices(view),
        *(harmless(tidy(one)) for one in view.state.notices),
    ]
    return "\n".join(("NOTICES", *lines)) if lines else ""


def _last_answer_notices(view: SampleView) -> list[str]:
    last = view.state.last
    words = answer_notice(last) if last is not None else ""
    if last is None or not words:
        return []
    number = len(view.state.history)
    said = "Your last answer was not accepted; put right what is said here:\n" if last.refused else ""
    return [f"{said}{number}. {words}"]


def _sent_back_notices(view: SampleView) -> list[str]:
    """Repeat that an ending was sent back, because the next one is final."""
    history = view.state.history
    ends = [n for n, e in enumerate(history) if e.refused and isinstance(e.action, Done | Fail)]
    if not ends or ends[-1] == len(history) - 1:
        return []
    reason = answer_notice(history[ends[-1]])
    return [f"Your call {ends[-1] + 1} to end the work was sent back, and the next is final. {reason}"]


def artifacts_missing(view: SampleView) -> str:
    """Return the required artifacts that are missing. Those taken before the record was proven do not count."""
    if not view.spec.required_artifacts:
        return ""
    return f"Artifacts still missing: {', '.join(missing_artifacts(view)) or 'none'}"
