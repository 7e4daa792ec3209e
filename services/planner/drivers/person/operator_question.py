"""What an operator is asked, and what the answer means. An answer is checked as strictly as a model's."""

from __future__ import annotations

from services.planner.judge.record_checks import missing_artifacts
from services.planner.prompt.call_parsing import BadCall, parse_call
from services.planner.prompt.message_parts import answer_notice
from services.planner.prompt.tools import tools_for
from services.planner.state.attempt_state import Act, Entry, SampleView, UnusableAnswer
from services.planner.state.limits import steps_left
from shared.contracts.operator import DecisionAsked, DecisionGiven
from shared.contracts.planner import BY_OPERATOR
from shared.task.typed_values import values_schema
from shared.text.normal import quoted, tidy

HISTORY, TEXT_CHARS, NAME_CHARS = 12, 150_000, 60
"""Limits that keep the question within one message of 1 MB, whatever the script of the page."""
NO_REASON = "The operator's choice."


def decision_question(view: SampleView) -> DecisionAsked:
    """Return the question about the current page. There must be one."""
    page, state, spec = view.page, view.state, view.spec
    entries = list(enumerate(state.history, 1))[-HISTORY:]
    text = page.text if page is not None else ""
    return DecisionAsked(
        run_id=view.run_id,
        sample_id=view.sample.sample_id,
        attempt=view.attempt,
        step=state.steps + 1,
        task_id=spec.task_id,
        goal=spec.goal,
        instructions=spec.system_prompt,
        row=view.sample.fields,
        fields=values_schema(spec),
        judgment_question=(spec.judgment_question or "") if spec.judgment_required else "",
        url=page.url if page is not None else "",
        title=page.title if page is not None else "",
        http_status=page.http_status if page is not None else None,
        text=text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}\n... (the page is longer)",
        dialog=page.dialog if page is not None else None,
        history=tuple(_line(number, entry) for number, entry in entries),
        notices=(*_last_answer_notice(state.last), *state.notices),
        known={name: value.value if value.value is not None else value.shown for name, value in state.seen.items()},
        missing_artifacts=missing_artifacts(view),
        steps_left=steps_left(view),
        tools=tuple(tools_for(spec)),
    )


def parse_decision(view: SampleView, given: DecisionGiven) -> Act | UnusableAnswer:
    """Return the action, or a message about what is wrong with the answer."""
    by = operator_name(given.decided_by)
    written = dict(given.action)
    name = str(written.pop("action", ""))
    reason = written.get("reason")
    if reason is None or reason == "":
        written["reason"] = NO_REASON
    action = parse_call(name, written, view)
    return UnusableAnswer(action.message, by) if isinstance(action, BadCall) else Act(action, by)


def operator_name(who: str) -> str:
    """Return the name for the result. It can never equal the name of a driver that is trusted more."""
    return f"{BY_OPERATOR}:{tidy(who)[:NAME_CHARS] or 'unnamed'}"


def _last_answer_notice(last: Entry | None) -> tuple[str, ...]:
    words = answer_notice(last) if last is not None else ""
    return (words,) if words else ()


def _line(number: int, entry: Entry) -> str:
    what = entry.action.__struct_config__.tag if entry.action is not None else "no action"
    found = entry.result.target if entry.result is not None else None
    on = f" on {found.role} {quoted(found.name, 60)}" if found is not None else ""
    outcome = "refused" if entry.refused else "ok" if entry.ok else "FAILED"
    return f"{number}. {what}{on}: {outcome} - {tidy(entry.message)[:300]}"
