"""What came of something in a build session, as typed facts: each party is told it in its own words.

The words are in :mod:`shared.flows.building.outcome_texts`.
"""

from __future__ import annotations

from typing import Literal

from shared.contracts.base import Part

OutcomeCode = Literal[
    "session_goes_on",
    "spec_changed",
    "value_not_taken_up",
    "file_reads_gone",
    "row_begun",
    "row_not_given",
    "row_not_finished",
    "next_row",
    "no_further_row",
    "no_row_open",
    "act_unknown",
    "act_not_wanted",
    "saved_by_itself",
    "all_done",
    "all_are_done_already",
    "rows_alike",
    "not_read",
    "nothing_to_read",
    "not_absent",
    "no_step",
    "not_its_step",
    "step_unknown",
    "step_left_out",
    "said_too_much",
    "unknown_field",
    "todo_without_title",
    "todo_unknown",
    "todo_only_one",
    "todo_not_done",
    "todo_is_done",
    "todo_keeps_order",
    "todo_without_its_fields",
    "todo_not_worked_out",
    "todo_stopped",
    "values_not_confirmed",
    "todo_open_again",
    "todo_file",
    "known_after_more_rows",
    "todo_lacks",
    "compiler_asks_nothing",
    "left_to_model",
    "replaying",
    "replaying_left_out",
    "replay_held_back",
    "publish_needs_rows",
    "publish_needs_further_row",
    "publish_unknown_field",
    "publish_draft",
    "publish_stopped",
    "publish_not_confirmed",
    "publish_differs",
    "publish_loses",
    "publish_refused",
    "not_published",
    "not_published_yet",
    "failed_for_now",
    "failed",
]


class TodoNamed(Part, frozen=True, kw_only=True):
    number: int
    title: str


class BuildOutcome(Part, frozen=True, kw_only=True, omit_defaults=True):
    """``code``: one of `OutcomeCode`; a session of a later version may tell others. What each code has of the rest is
    said by its text. ``number``: of a TODO or a step, or how many. ``details``: sentences of what lies below.
    ``accepted``: fields of which the loss is accepted already. ``act``: the call of a flow at which it happened, and
    ``url`` the page then."""

    code: str
    todos: tuple[TodoNamed, ...] = ()
    row: str = ""
    rows: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    number: int = 0
    url: str = ""
    act: str = ""
    details: tuple[str, ...] = ()
