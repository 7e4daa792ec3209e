"""What each party of a build session is told of an outcome. A person types commands, a model calls tools: neither has
those of the other, so each text names only those of its own reader. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.contracts.workflows.build_outcomes import BuildOutcome, OutcomeCode


@dataclass(frozen=True)
class PartyTexts:
    """``person`` and ``model``: what each is told; empty: nothing. ``refused``: something was asked for and not done.

    In braces stand facts of the outcome: ``todo`` and ``todos`` with their titles, ``row``, ``rows``, ``fields``,
    ``number``, ``url``, ``at`` for act, TODO and page together, ``open`` for fields that are still open, ``details`` in
    one sentence, ``lines`` for one line each, ``accept`` for the options."""

    person: str
    model: str = ""
    refused: bool = True


_OR_OTHER_ROW = (
    "and `publish` replays it on row {row} again; or work that row out with `next`, and another row has to prove the "
    "flow."
)

TEXTS: Mapping[OutcomeCode, PartyTexts] = {
    # --- the session and its rows
    "session_goes_on": PartyTexts("This session goes on. Finished rows: {rows}.", refused=False),
    "spec_changed": PartyTexts(
        "The spec has changed since this session was last open:{lines}",
        "the task has changed since: {details}",
        refused=False,
    ),
    "value_not_taken_up": PartyTexts(
        "{fields} of row {row} was dropped, since the spec has changed: {details}. `again` does that row again where "
        "it is the current one.",
        "{fields} of row {row} was dropped, since the task has changed: {details}",
    ),
    "file_reads_gone": PartyTexts(
        "scratch_work/{details} was changed by hand, and may read {fields}, which the task lacks now: take it out."
    ),
    "row_begun": PartyTexts("Row {row}. `open` opens {url}", refused=False),
    "row_not_given": PartyTexts(
        "Row {row}, at which this session was left, is not among those of --input and --row: close, and begin again "
        "with the file that has it."
    ),
    "row_not_finished": PartyTexts(
        "Row {row} is not finished. Still to be done: {todos}. Do each, then `done`; or leave one out: "
        "`todo delete NUMBER`."
    ),
    "next_row": PartyTexts("`next` works out row {row}, which tells more.", refused=False),
    "no_further_row": PartyTexts(
        "The input has no further row. `publish` puts the flow into the library; to work out more rows, `close` and "
        "begin again with a longer --input, or with --row."
    ),
    "no_row_open": PartyTexts(
        "No row is open in the browser: `again` begins row {row} again, `next` the next one.",
        "no row is open in the browser, and only the person can begin one",
    ),
    # --- acts and values
    "act_unknown": PartyTexts(
        "The process ended during the last act ({details}), and it is not known whether it was done: look on the site "
        "before you do it again.",
        "it is not known whether the last act ({details}) was done: ask the person before you do it again",
    ),
    "act_not_wanted": PartyTexts(
        "Not done, as you said: {details}.", "the person does not want this to be done: {details}"
    ),
    "saved_by_itself": PartyTexts(
        "At step {number} the page sent something to the site by itself ({details}): the field may save what is filled "
        "in at once, on every row.",
        "at step {number} the page sent something to the site by itself ({details}): the field may save at once what "
        "is filled in",
        refused=False,
    ),
    "all_done": PartyTexts(
        "All TODOs are done on row {row}.{open} `next` works out the next row; once two rows are finished, `publish` "
        "puts the flow into the library; `close` ends.",
        "all TODOs are done on this row{open}",
        refused=False,
    ),
    "all_are_done_already": PartyTexts(
        "Nothing was done, for all TODOs are done on row {row}: `next` begins the next row, `todo reopen NUMBER` works "
        "on a TODO again, `todo add TITLE` adds one.",
        "all TODOs are done on this row: work on one again with reopen_todo, add one with plan, or hand_over",
    ),
    "rows_alike": PartyTexts(
        "On every finished row {details}. That may be by chance: a row on which it is another one proves more.",
        "on every finished row {details}, which may be by chance",
        refused=False,
    ),
    "not_read": PartyTexts(
        "{fields} was not read: {details}. `page WORDS` shows the elements with their numbers, then "
        "`read {fields} NUMBER`.",
        "{fields} was not read: {details}",
    ),
    "nothing_to_read": PartyTexts(
        "Nothing was read. While a TODO is open, write `read FIELD NUMBER`, `read FIELD NUMBER PART` of its text, "
        "`read FIELD beside LABEL` or `read FIELD TEXT`.",
        "nothing was read: no TODO is open; reopen_todo works on one again",
    ),
    "not_absent": PartyTexts(
        "{fields} was not noted as absent: {details}.", "{fields} was not noted as absent: {details}; ask the person"
    ),
    "no_step": PartyTexts("Nothing was left out: {todo} has no step on this row."),
    "not_its_step": PartyTexts(
        "Nothing was left out: step {number} is none of {todo}.",
        "step {number} is no step of {todo}, and only steps of the TODO that is worked on can be left out: reopen_todo "
        "first where it belongs to another one",
    ),
    "step_unknown": PartyTexts("There is no step {number} on this row: the lines `step N: ...` have the numbers."),
    "step_left_out": PartyTexts("Step {number} is no part of the flow; the page stays as it is.", refused=False),
    "said_too_much": PartyTexts("That was not said, for it is too long: at most {number} characters more fit here."),
    # --- TODOs
    "unknown_field": PartyTexts("The task has no field {fields}. It has {details}."),
    "todo_without_title": PartyTexts("A TODO needs a title: `todo add TITLE`, `todo rename NUMBER TITLE`."),
    "todo_unknown": PartyTexts(
        "There is no TODO {number}, or it is this one: `todo list` shows them.", "there is no TODO {number}"
    ),
    "todo_only_one": PartyTexts(
        "{todo} is the only one: change its title with `todo rename`, or add another one first."
    ),
    "todo_not_done": PartyTexts(
        "{todo} is not done on this row: `todo {number}` turns to it.",
        "{todo} is not done on this row: work on it without reopen_todo",
    ),
    "todo_is_done": PartyTexts("{todo} is done on this row: `todo reopen {number}` works on it again."),
    "todo_keeps_order": PartyTexts(
        "{todo} stays where it is: what was worked on keeps the order of its recorded steps."
    ),
    "todo_without_its_fields": PartyTexts(
        "{todo} is not done. Not read yet: {fields}. Write `read FIELD NUMBER` for each (`page` shows the numbers), or "
        "`absent FIELD` where the page has none of it; then `done`.",
        "{todo} is not done: it brings {fields}, not read yet; call read for each, or absent where the page shows none "
        "of it, then finish_todo; where that is not certain, ask the person",
    ),
    "todo_not_worked_out": PartyTexts(
        "{todo} was not worked out on any row yet: do it here, then `done`.",
        "{todo} was not worked out on any row yet: do it now, then finish_todo",
    ),
    "todo_stopped": PartyTexts(
        "{todo} does not do this row by itself: {details}. Do the rest of it here, by hand or with `say`, then `done`: "
        "the flow learns from it.",
        "the program of {todo} stopped on this row: {details}. Do what is left of the TODO, then finish_todo: the "
        "program learns from it",
    ),
    "values_not_confirmed": PartyTexts(
        "What {todo} has read on this row is dropped, for you said that one of it is wrong. Read {fields} here, by "
        "hand or with `say`, then `done`.",
        "the person says that a value which the program of {todo} has read is wrong, and all of them are dropped: read "
        "{fields}, then finish_todo",
    ),
    "todo_open_again": PartyTexts(
        "{todo} is open again, without what it did before: a TODO that comes before it has changed.",
        "{todo} is open again, without its steps, for a TODO that comes before it has changed: do it again after that "
        "one",
        refused=False,
    ),
    "todo_file": PartyTexts("scratch_work/{details}", refused=False),
    "known_after_more_rows": PartyTexts(
        "This page shows no label of {fields}: where that is read on other pages, the next row tells.",
        refused=False,
    ),
    "todo_lacks": PartyTexts(
        "{todo} is done here, and cannot be all of a program: {details}.",
        "{todo} cannot be all of a program: {details}",
    ),
    "compiler_asks_nothing": PartyTexts("The compiler asks nothing.", refused=False),
    # --- publishing
    "left_to_model": PartyTexts(
        "No rule reads {fields}: a run leaves that to its labels or to a model, and to a person where neither is "
        "certain. One more row that shows it (`next`) may teach a rule.",
        refused=False,
    ),
    "replaying": PartyTexts("Replaying the flow on row {row}, which it was not built with.", refused=False),
    "replaying_left_out": PartyTexts(
        "The input has no further row. So the flow is built without row {row}, and replayed on it.", refused=False
    ),
    "replay_held_back": PartyTexts(
        "The replay ended before this: {details}. The rest is proven by recorded rows only.", refused=False
    ),
    "publish_needs_rows": PartyTexts(
        "Nothing is published: a flow is built from {number} finished rows or more. Finished: {rows}. Finish this row, "
        "then `next`."
    ),
    "publish_needs_further_row": PartyTexts(
        "Nothing is published: the flow is proven on a row that it was not built with, and the input has no further "
        "one. {details}`close`, and begin again with a longer --input, or with --row."
    ),
    "publish_unknown_field": PartyTexts(
        "Nothing is published: --accept-loss names {fields}, which is no field of the task. It has {details}."
    ),
    "publish_draft": PartyTexts(
        "Nothing is published, for the flow is a draft:{lines}\n  Work out one more row that shows it (`next`), or "
        "change the TODO (`todo reopen NUMBER`); then `publish`."
    ),
    "publish_stopped": PartyTexts(
        "Nothing is published: on row {row} the flow stopped{at}: {details}. Mend {todo} (`todo reopen NUMBER`), "
        + _OR_OTHER_ROW
    ),
    "publish_not_confirmed": PartyTexts(
        "Nothing is published, for you said that a value of row {row} is wrong. Mend the TODO that reads it, "
        + _OR_OTHER_ROW
    ),
    "publish_differs": PartyTexts(
        "Nothing is published, for the flow does not do or find what was recorded:{lines}\n  A difference is never "
        "accepted. Correct the row that is wrong, or work out one more (`next`); then `publish` replays it again."
    ),
    "publish_loses": PartyTexts(
        "Nothing is published, for the flow would not bring {fields}:{lines}\n  Work out a row that shows it (`next`), "
        "or accept that it is not brought: `publish {accept}`; with `exhibit build --publish` the same options."
    ),
    "publish_refused": PartyTexts("Nothing is published, for the library does not take it:{lines}"),
    "not_published": PartyTexts(
        "The flow is not in the library: only `publish` puts it there, in this session or when it is opened again.",
        refused=False,
    ),
    "not_published_yet": PartyTexts(
        "The flow is not in the library. For `publish` it takes two finished rows (finished: {rows}), and one more in "
        "the input that it was not built with.",
        refused=False,
    ),
    "failed_for_now": PartyTexts(
        "{details}. What was done until then is kept: write the line again, or go on by hand.", "{details}"
    ),
    "failed": PartyTexts("{details}", "{details}"),
}
_BY_CODE: Mapping[str, PartyTexts] = {**TEXTS}


def text_for_person(outcome: BuildOutcome) -> str:
    """Return what a person is told; empty: nothing."""
    return _text(outcome, to_model=False)


def text_for_model(outcome: BuildOutcome) -> str:
    """Return what a model is told; empty: nothing."""
    return _text(outcome, to_model=True)


def is_refusal(outcome: BuildOutcome) -> bool:
    texts = _texts(outcome)
    return texts is not None and texts.refused


def _texts(outcome: BuildOutcome) -> PartyTexts | None:
    """Return its texts; None for an outcome that only a later version knows."""
    return _BY_CODE.get(outcome.code)


def _text(outcome: BuildOutcome, *, to_model: bool) -> str:
    texts = _texts(outcome)
    if texts is None:
        return "" if to_model else outcome.code
    todos = [f"TODO {one.number} ({one.title})" for one in outcome.todos]
    return (texts.model if to_model else texts.person).format(
        todo=todos[0] if todos else "the TODO",
        todos=", ".join(todos),
        row=outcome.row,
        rows=", ".join(outcome.rows) or "none",
        fields=", ".join(outcome.fields),
        number=outcome.number,
        url=outcome.url,
        at=_place(outcome, todos),
        open=_open(outcome, to_model=to_model),
        details="; ".join(outcome.details),
        lines="".join(f"\n  {one}" for one in outcome.details),
        accept=" ".join(f"--accept-loss {name}" for name in (*outcome.accepted, *outcome.fields)),
    )


def _place(outcome: BuildOutcome, todos: list[str]) -> str:
    """Return where a flow stopped: at which act, of which TODO, on which page."""
    act = f" at {outcome.act}" if outcome.act else ""
    of = f" of {todos[0]}" if todos and outcome.act else ""
    return f"{act}{of}" + (f", on {outcome.url}" if outcome.url else "")


def _open(outcome: BuildOutcome, *, to_model: bool) -> str:
    """Return which fields are still open; empty: none is."""
    if not outcome.fields:
        return ""
    names = ", ".join(outcome.fields)
    if to_model:
        return f", and these fields are still to be read or noted as absent: {names}"
    return (
        f" Still open, for no TODO has read them or noted that they are absent: {names}. `todo reopen NUMBER`, then "
        "`read` or `absent`."
    )
