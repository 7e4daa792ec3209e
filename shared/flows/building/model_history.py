"""What a model is shown of a session so far: all that people have said, and of the rest as much as fits. Pure.

What was shown before stays the start of what is shown next, until the bound is met: then the older half of the rest is
left out at once. So a provider's cache of the start is of use.
"""

from __future__ import annotations

from collections.abc import Iterable

from shared.contracts.workflows.build_events import (
    AGENT,
    BuildEvent,
    CompilerTold,
    FlowWritten,
    MessageWritten,
    ModelDecided,
    QuestionsAnswered,
    event_line,
)

MAX_BYTES = 48_000
"""Of events that are not what people have said, as they are stored: some 150 of them."""
NOT_SHOWN = (CompilerTold, FlowWritten, ModelDecided)


def is_said(event: BuildEvent) -> bool:
    """Return whether it is what a person has said: a message, or answers to questions."""
    return isinstance(event, QuestionsAnswered) or (isinstance(event, MessageWritten) and event.by != AGENT)


def said_chars(events: Iterable[BuildEvent]) -> int:
    """Return how many characters people have written."""
    texts = (one.text for one in events if isinstance(one, MessageWritten) and one.by != AGENT)
    return sum(map(len, texts))


def history_for_model(events: Iterable[BuildEvent], max_bytes: int = MAX_BYTES) -> tuple[tuple[BuildEvent, ...], int]:
    """Return the events that a model is shown, oldest first, and how many are left out before the last ones."""
    kept: list[tuple[BuildEvent, int]] = []
    size = left_out = 0
    for event in events:
        if isinstance(event, NOT_SHOWN):
            continue
        own = 0 if is_said(event) else len(event_line(event))
        kept.append((event, own))
        size += own
        if size <= max_bytes:
            continue
        shorter: list[tuple[BuildEvent, int]] = []
        for one, bytes_of_it in kept:
            if bytes_of_it and size > max_bytes // 2:
                size -= bytes_of_it
                left_out += 1
            else:
                shorter.append((one, bytes_of_it))
        kept = shorter
    return tuple(one for one, _ in kept), left_out
