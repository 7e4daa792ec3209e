"""The parts of the user message apart from the history: the page, what is known, the task, and our own notices.

Pages, files and rows are data and stand in fences. Notices are our own words and stand outside of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from services.planner.judge.record_checks import missing_artifacts
from services.planner.prompt.dead_ends import blocked_targets, dead_ends, exhausted_pages
from services.planner.prompt.tokens import Ruler
from services.planner.state.attempt_state import AttemptState, Entry, SampleView
from services.planner.state.limits import FAILURES_AT, is_last_step, known_values_json, steps_left
from shared.contracts.actions import Done, Fail, Goto
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import ActionResult
from shared.field_types import base_type
from shared.models.sanitize import clipped, fenced, harmless
from shared.pages.elements import is_unsure
from shared.pages.states import told_states
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.text.normal import tidy

URL_CHARS, TITLE_CHARS = 2000, 300
MAX_TABS, TAB_CHARS = 10, 160
LISTED_ELEMENTS, NAME_CHARS = 80, 60
INTERACTIVE = frozenset(
    {
        *("link", "button", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider"),
        *("spinbutton", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem"),
    }
)

_CUT_NOTICE_TOKENS = 40
KNOWN_LINES = 10
KNOWN_LINE_CHARS = 200
NOTICE_CHARS = 1000


# --- the page, cut at its end if it is too long


def page_state(view: SampleView, ruler: Ruler, tokens: float) -> str:
    """Return the page part. `tokens`: for the text of the page; address and title are shown in any case."""
    page = view.page
    if page is None:
        return "PAGE STATE\nNo page is open yet."
    status = f"\nHTTP status: {page.http_status}" if page.http_status is not None else ""
    head = f"URL: {clipped(tidy(page.url), URL_CHARS)}\nTitle: {clipped(tidy(page.title), TITLE_CHARS)}{status}"
    state = f"{head}{_tabs(page)}{_dialog_over(page)}\n\n{page_text(page, ruler, tokens)}"
    return f"PAGE STATE\n{fenced(state)}{_page_notes(page)}"


def page_text(page: PageObserved, ruler: Ruler, tokens: float) -> str:
    """Return whole lines of the page's text that fit, and how many elements are left out at its end."""
    if ruler.fits(page.text, tokens):
        return page.text
    shown = ruler.cut(page.text, tokens - _CUT_NOTICE_TOKENS)
    shown = shown[: shown.rfind("\n")] if "\n" in shown else ""
    missing = page.text.count("\n[", len(shown)) + page.left_out
    return f"{shown}\n... {missing} more below: scroll, or extract".lstrip("\n")


def choices(view: SampleView) -> str:
    """Return a short list of all elements that can be acted on, after several failures in a row."""
    if view.page is None or view.state.failures < FAILURES_AT:
        return ""
    there = [e for e in view.page.elements if e.role in INTERACTIVE and e.covered_by is None and e.in_viewport]
    lines = [_choice(element) for element in there[:LISTED_ELEMENTS]]
    rest = len(there) - len(lines)
    lines += [f"... {rest} more"] if rest else []
    return f"WHAT CAN BE ACTED ON\n{fenced(chr(10).join(lines) or 'Nothing that is in view: scroll.')}"


def _choice(element: Element) -> str:
    told = told_states(element)
    states = f" ({', '.join(told)})" if told else ""
    return f'[{element.ref}] [{element.role}] "{clipped(tidy(element.name), NAME_CHARS)}"{states}'


def _tabs(page: PageObserved) -> str:
    if len(page.tabs) < 2:
        return ""
    lines = [
        f"\nTab {tab.number}{' (this one)' if tab.active else ''}: {clipped(tidy(f'{tab.title} {tab.url}'), TAB_CHARS)}"
        for tab in page.tabs[-MAX_TABS:]
    ]
    return "".join(lines)


def _dialog_over(page: PageObserved) -> str:
    """Name the dialog over the page, because its text is at the end, where it may be cut."""
    over = [str(e.ref) for e in page.elements if e.in_dialog and e.role in ("dialog", "alertdialog")]
    return f"\nA dialog lies over the page: [{'], ['.join(over[:3])}]" if over else ""


def _page_notes(page: PageObserved) -> str:
    """Our own words; none of them come from the page."""
    lines = [] if page.settled else ["The page was still changing when it was read."]
    if is_unsure(page):
        lines.append("Parts of this page are pictures to us, with no text: ask_picture can tell what they show.")
    return "".join(f"\n{line}" for line in lines)


# --- what is known so far: each list with its last entries and its total; all of it is data


def known_part(view: SampleView) -> str:
    """Return visited pages, files, what failed or led nowhere, known fields, and counts of listed items. Empty at the
    start."""
    state = view.state
    parts = (
        _known_list("PAGES VISITED", _visited_pages(state)),
        _known_list("FILES", [f"{filed.filename} ({filed.artifact.kind})" for filed in state.artifacts]),
        _known_list("ADDRESSES THAT FAILED", _failed_addresses(state)),
        _known_list("BLOCKED: DO NOT TRY THESE AGAIN", blocked_targets(state)),
        _known_list("DEAD ENDS: TRIED WITHOUT ANY EFFECT", dead_ends(state)),
        _known_list("PAGES WHOSE VALUES ARE KEPT", exhausted_pages(state)),
        _kept_values(state),
        _reported_items(view),
    )
    return "\n\n".join(part for part in parts if part)


def _known_list(name: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    shown = [clipped(tidy(line), KNOWN_LINE_CHARS) for line in lines[-KNOWN_LINES:]]
    cut = f", the last {KNOWN_LINES}" if len(lines) > KNOWN_LINES else ""
    return f"{name} ({len(lines)}{cut})\n{fenced(chr(10).join(shown))}"


def _visited_pages(state: AttemptState) -> list[str]:
    """In the order of the last visit."""
    return _by_last_place(entry.url for entry in state.history)


def _failed_addresses(state: AttemptState) -> list[str]:
    results = ((entry.action, entry.result) for entry in state.history if entry.result is not None)
    return _by_last_place(
        f"{action.url if isinstance(action, Goto) else result.change.url_after} ({_failure(result)})"
        for action, result in results
        if (isinstance(action, Goto) and not result.ok) or (result.change.http_status or 0) >= 400
    )


def _failure(result: ActionResult) -> str:
    status = result.change.http_status or 0
    return f"HTTP {status}" if status >= 400 else result.code


def _by_last_place(lines: Iterable[str]) -> list[str]:
    """Each line once, at its last place."""
    return list(reversed(dict.fromkeys(reversed([line for line in lines if line]))))


def _kept_values(state: AttemptState) -> str:
    if not state.seen:
        return ""
    doubtful = ", ".join(sorted(state.unconfirmed))
    doubt = f"\nNo page was seen to show what is kept of: {doubtful}" if doubtful else ""
    return f"KEPT SO FAR\n{fenced(known_values_json(state))}{doubt}"


def _reported_items(view: SampleView) -> str:
    """Only in a task that finds samples."""
    if view.spec.phase != "discovery":
        return ""
    most = f" of {view.spec.expected_items} expected" if view.spec.expected_items is not None else ""
    return f"ITEMS REPORTED: {len(view.state.listed)}{most}, from {view.state.listed_pages} pages"


# --- what the task asks for; it comes from the task spec and is never cut


def goal(view: SampleView) -> str:
    """Return the goal, when to stop, which artifacts are missing, and how many steps are left."""
    spec, left = view.spec, steps_left(view)
    lines = [
        f"GOAL\n{spec.goal.strip()}",
        f"Stop when: {spec.stop_condition.strip()}" if spec.stop_condition.strip() else "",
        _not_found_words(spec),
        f"Judge: {spec.judgment_question.strip()}" if spec.judgment_required and spec.judgment_question else "",
        artifacts_missing(view),
        "This is the last step: call done or fail; any other call is refused."
        if is_last_step(view)
        else f"Steps left: {left}",
    ]
    return "\n".join(line for line in lines if line)


def output_schema(spec: TaskSpec) -> str:
    """Return one line of JSON per field, and the artifacts."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(_field_facts(name, field, spec), ensure_ascii=False)}"
        for name, field in spec.output_schema.items()
    ]
    artifacts = f"\nRequired artifacts: {', '.join(spec.required_artifacts)}" if spec.required_artifacts else ""
    what = " (of every item)" if spec.phase == "discovery" else ""
    return f"OUTPUT SCHEMA{what}\n" + "{" + ",\n ".join(lines) + "}" + artifacts


def _field_facts(name: str, field: OutputField, spec: TaskSpec) -> dict[str, Any]:
    """Return the facts of a field; false and empty ones are left out."""
    must = name in spec.required_fields or name in spec.identity
    facts: dict[str, Any] = {
        "type": field.type,
        "required": must,
        "description": field.description,
        "labels": field.labels,
        "under": field.under or "",
        "values": field.values,
        "not_present": field.not_present,
        "dates_written": _date_order(field),
        "derived": field.derived,
        "columns": {one: _column_facts(of) for one, of in field.columns.items()},
        "rows_are_told_apart_by": field.id_keys,
        "only_the_first_page_of_the_list": field.pages == "first",
    }
    return {key: value for key, value in facts.items() if value or key == "required"}


def _column_facts(column: OutputField) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "type": column.type,
        "description": column.description,
        "labels": column.labels,
        "values": column.values,
        "not_present": column.not_present,
        "dates_written": _date_order(column),
    }
    return {key: value for key, value in facts.items() if value}


def _date_order(field: OutputField) -> str:
    """Return how the site writes dates. A reported date is the text as shown, so this says how to read it."""
    words = {"d": "day", "m": "month", "y": "year"}
    dated = base_type(field.type) in ("date", "date-time")
    return "/".join(words[letter] for letter in field.date_order) if dated and field.date_order else ""


def _not_found_words(spec: TaskSpec) -> str:
    words = ", ".join(json.dumps(text, ensure_ascii=False) for text in spec.not_found_texts)
    return f"Where a record does not exist, the site says: {words}" if words else ""


# --- our own messages: about answers, progress, and what is missing
#
# They are outside of the fence. So they hold nothing of a page but short quotes, and nothing that looks like the fence.


def answer_notice(entry: Entry) -> str:
    """Return the message about one answer, on one line, without the notices about progress at that time."""
    text = "; ".join(tidy(line) for line in entry.message.splitlines()) if entry.refused else ""
    words = " ".join(part for part in (text, entry.remark) if part)
    return f"{'Refused: ' if entry.refused else ''}{harmless(clipped(tidy(words), NOTICE_CHARS))}" if words else ""


def notices(view: SampleView) -> str:
    """Return the notices for the next decision; empty if there are none."""
    lines = [
        *_last_answer_notices(view),
        *_sent_back_notices(view),
        *(harmless(tidy(notice)) for notice in view.state.notices),
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
