"""Pure: our own words to a model: of its answers, of its progress, of what is still missing. They stand outside of
the fence, so nothing of a page may be in them but short quotes, and nothing that could look like the fence.
"""

from __future__ import annotations

from services.planner.judge.completeness import missing_artifacts
from services.planner.state.attempt_state import Entry, SampleView
from shared.contracts.actions import Done, Fail
from shared.models.fence import clipped, harmless
from shared.text.normal import tidy

WORDS_CHARS = 1000


def answer_notice(entry: Entry) -> str:
    """What was said of one answer, on one line, without what was said of progress then: that is no longer so."""
    text = "; ".join(tidy(line) for line in entry.message.splitlines()) if entry.refused else ""
    words = " ".join(part for part in (text, entry.remark) if part)
    return f"{'Refused: ' if entry.refused else ''}{harmless(clipped(tidy(words), WORDS_CHARS))}" if words else ""


def notices(view: SampleView) -> str:
    """What is said now. Empty where there is nothing to say."""
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
    """An ending that was sent back is final the next time, so that it is said until then."""
    history = view.state.history
    ends = [n for n, e in enumerate(history) if e.refused and isinstance(e.action, Done | Fail)]
    if not ends or ends[-1] == len(history) - 1:
        return []
    reason = answer_notice(history[ends[-1]])
    return [f"Your call {ends[-1] + 1} to end the work was sent back, and the next is final. {reason}"]


def artifacts_missing(view: SampleView) -> str:
    """Of those that the task names; what was taken before the record was proven does not count."""
    if not view.spec.required_artifacts:
        return ""
    return f"Artifacts still missing: {', '.join(missing_artifacts(view)) or 'none'}"
