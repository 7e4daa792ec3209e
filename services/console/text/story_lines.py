"""The story of a sample as lines that fit on one screen. Steps and values that say little are folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from services.console.text.sample_story import AttemptStory, SampleStory, StepStory, ValueStory
from shared.contracts.base import total_tokens
from shared.contracts.explained import NearValue, key_words, near_words, paste_lines
from shared.evidence_format.step_words import value_text
from shared.statuses import NO_RESULT, STYLES
from shared.text.normal import printable

MOST_STEPS, MOST_VALUES, MOST_CELLS, MOST_OTHERS = 12, 10, 6, 4
INDENT, PAST_STEP = 10, 29
WRAPPED, MOST_WRAPPED = ("Why", "To do", "Note", "Answer", "Refused"), 3
"""What is told on more lines than one, and on how many."""
STATE_WORDS = {"not_present": "not present", "not_found": "NOT FOUND"}
DRIVER_WORDS = {
    "flow": "a flow",
    "workflow": "a workflow",
    "model": "a model",
    "person": "a person",
    "recording": "a recording",
}
ORIGIN_WORDS = {"derived": "derived by a model", "vision": "read from a picture", "person": "given by a person"}


def story_lines(story: SampleStory, width: int, *, all_of_it: bool = False) -> list[str]:
    """Return the lines, none of them longer than ``width`` but for what is pasted; with ``all_of_it`` nothing is folded
    or cut."""
    lines = [*_head(story, all_of_it), "", *_steps(story, all_of_it), "", *_values(story, all_of_it)]
    settling, more = settling_lines(story.values, width), [*_more(story)]
    told = _fitted_all(lines, width, all_of_it)
    return [*told, *settling, *([""] if settling and more else []), *_fitted_all(more, width, all_of_it)]


def settling_lines(values: Iterable[ValueStory], width: int) -> list[str]:
    """Return what in the spec would settle fields, ready to paste: these lines are never cut."""
    lines: list[str] = []
    for value in values:
        for at, key in enumerate(value.settled_by):
            gives = "not present" if key.state == "not_present" else f"“{value_text(key.value) or key.shown}”"
            told = f"  {value.field if at == 0 else 'or'} {gives}: {key_words(key.why)}"
            pasted = (f"      {line}" for line in paste_lines(value.field, key, width - 6))
            lines += [*_fitted(_as_one_line(told), width, all_of_it=False), *pasted]
    return ["", "This in the spec would settle it", *lines] if lines else []


def _fitted_all(lines: Iterable[str], width: int, all_of_it: bool) -> list[str]:
    return [one for line in lines for one in _fitted(_as_one_line(line), width, all_of_it)]


def _head(story: SampleStory, all_of_it: bool) -> Iterator[str]:
    style = STYLES.get(story.status or NO_RESULT)  # pyright: ignore[reportArgumentType]
    status = (style.words if style is not None else story.status or "").upper()
    named = f" ({story.key})" if story.key and story.key != story.sample_id else ""
    place = f"row {story.row} of {story.run_id}" if story.row else story.run_id
    yield f"{story.sample_id}{named}, {place}: {status}{f', {story.reason}' if story.reason else ''}"
    if story.status != "done":
        yield _labelled("Why", ": ".join(filter(None, (story.reason_words, story.message))) or "not known")
        yield _labelled("To do", story.advice)
    yield _labelled("Row", _cells(story, all_of_it))
    yield _labelled("Decided", _drivers(story))
    yield from _attempts(story.attempts)
    yield _labelled("Cost", _cost(story))


def _cells(story: SampleStory, all_of_it: bool) -> str:
    cells = [f"{name}={value}" for name, value in story.input.items()]
    shown = cells if all_of_it else cells[:MOST_CELLS]
    more = f" and {len(cells) - len(shown)} more" if len(cells) > len(shown) else ""
    return (", ".join(shown) or story.url or "not known") + more


def _drivers(story: SampleStory) -> str:
    counted = ", ".join(f"{name} {steps}" for name, steps in story.steps_by.items())
    who = ", then ".join(DRIVER_WORDS.get(name, name) for name in story.drivers)
    said = "; ".join(filter(None, (f"by {who}" if who else "", f"steps by {counted}" if counted else "no step")))
    return f"{said}; no flow: {story.no_flow}" if story.no_flow else said


def _attempts(attempts: Sequence[AttemptStory]) -> Iterator[str]:
    if len(attempts) < 2:
        return
    yield _labelled("Attempts", f"{len(attempts)}, of which the last counts")
    for one in attempts[:-1][-MOST_OTHERS:]:
        ended = f"{one.status}{f', {one.reason}' if one.reason else ''}" if one.status else "cut off"
        yield _labelled("", f"{one.number}: {one.steps} steps, {ended}{f': {one.message}' if one.message else ''}")


def _cost(story: SampleStory) -> str:
    used = story.usage
    took = f"{story.duration_s:.1f} s, " if story.duration_s is not None else ""
    calls = "no model call" if not used.llm_calls else f"{_counted(used.llm_calls, 'model call')}, "
    tokens = f"{total_tokens(used)} tokens, ${used.cost_usd:.4f}" if used.llm_calls else ""
    return f"{took}{_counted(len(story.steps), 'step')}, {calls}{tokens}"


def _steps(story: SampleStory, all_of_it: bool) -> Iterator[str]:
    if not story.steps:
        yield "No step was taken."
        return
    yield "Steps"
    before = 0
    shown = story.steps if all_of_it else chosen_steps(story.steps)
    for step in shown:
        if step.number > before + 1:
            yield f"      ... {_folded(story.steps[before : step.number - 1])}; --all lists them"
        before = step.number
        once = ", irreversible" if step.irreversible else ""
        yield f"  {step.number:>3}  {step.at_s:>6.1f} s  {step.outcome:<10}  {step.words}  ({step.decided_by}{once})"
        if all_of_it and step.why:
            yield f"{' ' * PAST_STEP}because {step.why}"
        if step.outcome != "ok" or all_of_it:
            told_above = step.told == story.message and not all_of_it
            yield f"{' ' * PAST_STEP}{'as said above under Why' if told_above else step.told}"
        yield from (f"{' ' * PAST_STEP}healed: {heal}" for heal in step.heals)
        yield from (f"{' ' * PAST_STEP}not opened: {denied}" for denied in step.denied[:MOST_OTHERS])


def chosen_steps(steps: Sequence[StepStory]) -> list[StepStory]:
    """Return the steps that say most where not all fit: those that went wrong or were healed, the first, the last."""
    if len(steps) <= MOST_STEPS:
        return list(steps)
    ranked = sorted(range(len(steps)), key=lambda at: (_says_little(steps[at]), _from_end(at, len(steps))))
    return [steps[at] for at in sorted(ranked[:MOST_STEPS])]


def _folded(steps: Sequence[StepStory]) -> str:
    wrong = sum(step.outcome != "ok" for step in steps)
    return f"{_counted(len(steps), 'step')}, {f'{wrong} of them not ok' if wrong else 'all ok'}"


def _says_little(step: StepStory) -> bool:
    return step.outcome == "ok" and not step.heals and not step.denied and not step.irreversible


def _from_end(at: int, count: int) -> int:
    """The last steps come before the first: how it ended says most."""
    return min(count - 1 - at, at + 2)


def _values(story: SampleStory, all_of_it: bool) -> Iterator[str]:
    if not story.values:
        yield "No value was read."
        return
    pages = {value.url for value in story.values if value.url}
    page = next(iter(pages)) if len(pages) == 1 else ""
    yield f"Values, read on {page}" if page else "Values"
    missing_first = sorted(story.values, key=lambda value: value.state != "not_found")
    shown = story.values if all_of_it or len(story.values) <= MOST_VALUES else missing_first[:MOST_VALUES]
    width = min(max(len(_as_one_line(value.field)) for value in shown), 24)
    for value in shown:
        yield f"  {value.field:<{width}}  {_value(value, page)}"
        yield from (f"{' ' * (width + 4)}the page says: {one}" for one in value.candidates[:MOST_OTHERS])
        yield from (f"{' ' * (width + 4)}nearly: {near_text(one)}" for one in value.near[:MOST_OTHERS])
    if len(shown) < len(story.values):
        yield f"      ... {_counted(len(story.values) - len(shown), 'more value')}; --all lists them"


def near_text(near: NearValue) -> str:
    """Return what nearly was the value, and why it is not."""
    return f"{f'{near.label}: ' if near.label else ''}“{near.shown}”: {near_words(near.why)}"


def _value(value: ValueStory, page: str) -> str:
    if value.state == "not_found":
        return f"{STATE_WORDS['not_found']}{', and it is required' if value.required else ''}"
    read = (
        (value.value or "no value of its type") if value.state == "value" else STATE_WORDS.get(value.state, value.state)
    )
    shown = f", shown as “{value.shown}”" if value.shown and value.shown != value.value else ""
    element = " ".join(filter(None, (value.role, f"“{value.label}”" if value.label else "")))
    place = ", ".join(filter(None, (element, value.picture or value.page, "" if value.url == page else value.url)))
    origin = ORIGIN_WORDS.get(value.origin, "")
    by = f" ({origin}{f', {value.read_by}' if value.read_by else ''})" if origin else ""
    return f"{read}{shown}{f' <- {place}' if place else ''}{by}"


def _more(story: SampleStory) -> Iterator[str]:
    if story.judgment is not None:
        said = story.judgment
        yield f"Answer    {said.answer}, confidence {said.confidence:g}: {said.reasoning}"
    if story.settlement is not None:
        yield f"Settled   {story.settlement.verdict}, by {story.settlement.by}: {story.settlement.reason}"
    yield from _listed("Note", story.notes)
    refused = [f"{one.event}{f', step {one.step}' if one.step else ''}: {one.text}" for one in story.refused_events]
    yield from _listed("Refused", refused)
    yield from _listed("Damaged", story.problems)
    if story.artifacts:
        yield _labelled("Files", f"{len(story.artifacts)}: {', '.join(story.artifacts)}")


def _listed(label: str, texts: Iterable[str]) -> Iterator[str]:
    known = list(texts)
    for at, text in enumerate(known[:MOST_OTHERS]):
        yield _labelled("" if at else label, text)
    if len(known) > MOST_OTHERS:
        yield _labelled("", f"... {len(known) - MOST_OTHERS} more; --json tells all")


def _labelled(label: str, text: str) -> str:
    return f"{label:<{INDENT}}{text}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _as_one_line(line: str) -> str:
    """Return the line on one line, without what a terminal would obey; our blanks at its beginning stay."""
    first, *others = line.splitlines() or [""]
    told = "; ".join([first, *filter(None, map(str.strip, others))])
    return printable(told, "\N{REPLACEMENT CHARACTER}")


def _fitted(line: str, width: int, all_of_it: bool) -> list[str]:
    """Return the line cut to the width; of what is told of the sample as a whole, up to some more lines."""
    if len(line) <= width:
        return [line]
    told = line[:INDENT].strip() in WRAPPED
    if not told and not all_of_it:
        return [f"{line[: width - 1]}…"]
    indent = " " * (PAST_STEP if line.startswith("  ") else INDENT)
    lines = wrap(line, width, subsequent_indent=indent, drop_whitespace=True, break_long_words=True)
    if all_of_it or len(lines) <= MOST_WRAPPED:
        return lines
    return [*lines[: MOST_WRAPPED - 1], f"{lines[MOST_WRAPPED - 1][: width - 1]}…"]
