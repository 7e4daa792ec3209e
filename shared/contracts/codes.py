"""Stable codes for the end of a sample: one row for each code, listed only here.

A new reason is a new row of `REASONS` and a new name in `Reason`, which the type checker enforces. Gates, report,
README tables and docs/codes.md are derived from the row. Errors and refusals: `shared.contracts.error_codes`.

A field that is sent or stored is annotated ``OpenCode[...]``: the type checker allows only listed codes when it is
written; any text is accepted when it is read, because it may come from another version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

if TYPE_CHECKING:
    _Code = TypeVar("_Code")
    OpenCode = Annotated[_Code, "any text when it is read"]
else:

    class OpenCode:
        def __class_getitem__(cls, codes: Any) -> type[str]:
            return str


# --- how a sample ends

Status = Literal["done", "partial_success", "needs_review", "failed", "auth_required"]
"""Their order, groups, words and colours are in `shared.statuses`."""
Fault = Literal["", "record", "site", "us"]
"""The cause of the end: the sample itself (``record``), the ``site``, or this program (``us``); empty for done."""
Reason = Literal[
    "not_found",
    "missing_column",
    "ambiguous_record",
    "identity_mismatch",
    "login_required",
    "blocked",
    "http_error",
    "unreachable",
    "still_loading",
    "policy_denied",
    "off_route",
    "ambiguous_target",
    "uncertain_list",
    "invalid_input",
    "unknown_outcome",
    "not_sent",
    "unnamed_press",
    "gave_up",
    "ambiguous_value",
    "missing_fields",
    "missing_artifacts",
    "invalid_file",
    "missing_items",
    "incomplete_list",
    "unproven_empty",
    "invalid_values",
    "unconfirmed_values",
    "contradicted_values",
    "date_order_refuted",
    "not_as_drawn",
    "disputed_not_found",
    "api_differs",
    "judgment_missing",
    "invalid_judgment",
    "bad_replies",
    "too_many_failures",
    "stagnated",
    "max_steps_exceeded",
    "time_exceeded",
    "budget_exceeded",
    "run_budget_exceeded",
    "interrupted",
    "replay_differs",
    "replay_withheld",
    "flow_stopped",
    "retries_exhausted",
    "artifact_mismatch",
    "artifact_missing",
    "result_refused",
    "result_unreadable",
    "sample_unreadable",
]
FailCode = Literal[
    "not_found",
    "missing_column",
    "ambiguous_record",
    "identity_mismatch",
    "auth_required",
    "blocked",
    "http_error",
    "unreachable",
    "still_loading",
    "policy_denied",
    "off_route",
    "ambiguous_target",
    "uncertain_list",
    "invalid_input",
    "unknown_outcome",
    "not_sent",
    "unnamed_press",
    "invalid_file",
    "other",
    "ambiguous",
    "replay_differs",
    "replay_withheld",
    "flow_stopped",
]
"""Codes of the action `fail`. `REASONS` maps each of them to a reason."""


@dataclass(frozen=True, kw_only=True)
class ReasonFacts:
    """Facts about a reason. For people: ``words`` (meaning), ``when`` (conditions) and ``advice`` (what to do)."""

    status: Status
    fault: Fault
    words: str
    when: str
    advice: str
    fail: FailCode | None = None
    """The code of the `fail` action that has this reason."""
    for_models: bool = False
    """Whether a model may use ``fail``; the prompt lists these codes in the order of the rows."""
    partial: bool = False
    """A limit was reached: the status is partial_success if fields of the proven record had been read."""
    by_page: bool = False
    """What the page shows decides it, whoever works on the sample."""
    final: bool = False
    """A resumed run does not work on the sample again."""
    mended_by_us: bool = False
    """The fault is not ours, but what mends it is: the spec, or what the run has at hand."""
    tells_of_press: bool = False
    """It says what came of a press that cannot be undone, or the sample goes on and finds the claim of the press."""
    of_fields: bool = False
    """It lies in what the page and the spec say of a field: a key of the field may settle it."""


_RESUME = "Resume the run when the site works again."
_LOOK = "Read the message and the step log, and look at the page."
_INSISTED = "`done` was refused once and came again: "

# fmt: off
REASONS: dict[Reason, ReasonFacts] = {
    # The record
    "not_found": ReasonFacts(
        status="failed", fault="record", fail="not_found", for_models=True, by_page=True,
        words="the site has no such record",
        when="HTTP 404 or 410, or the page says so in words and does not show the record; a screenshot shows it",
        advice="Check the key and the address in the input."),
    "missing_column": ReasonFacts(
        status="failed", fault="record", fail="missing_column", words="the row lacks a column that the task needs",
        when="the row has no value for a column that the start URL, the identity or the route uses",
        advice="Complete the input."),
    "ambiguous_record": ReasonFacts(
        status="needs_review", fault="record", fail="ambiguous_record", for_models=True,
        words="two records match what was asked for",
        when="a search or a list has two entries that match exactly",
        advice="Add a column that tells them apart, and use it in the route's `pick`."),
    # The site
    "identity_mismatch": ReasonFacts(
        status="failed", fault="site", fail="identity_mismatch", for_models=True, by_page=True,
        words="the page showed another record",
        when="the page shows another record; the fault is `us` where a model named another record and the page did not",
        advice="Check the address in the input, and `identity` in the spec."),
    "login_required": ReasonFacts(
        status="auth_required", fault="site", fail="auth_required", for_models=True, by_page=True,
        mended_by_us=True, words="the site asks for a login",
        when="HTTP 401 or 403, or a page that asks to sign in and shows no record; or the login state is paused",
        advice="Record a login state with `exhibit login` and name it in `auth_profile`. Where the spec names one, "
        "record that again, then resume the run."),
    "blocked": ReasonFacts(
        status="failed", fault="site", fail="blocked", for_models=True, words="the site does not let us in",
        when="the driver reports a barrier other than a login, such as a captcha",
        advice="Open the page by hand. `politeness` in the spec slows a run down."),
    "http_error": ReasonFacts(
        status="failed", fault="site", fail="http_error", words="the site answered with an error",
        when="HTTP 5xx twice, or another 4xx", advice=_RESUME),
    "unreachable": ReasonFacts(
        status="failed", fault="site", fail="unreachable", partial=True, words="the site did not answer",
        when="no answer, or none in time", advice=_RESUME),
    "still_loading": ReasonFacts(
        status="needs_review", fault="site", fail="still_loading", by_page=True,
        words="the page did not finish loading",
        when="a value or an element is missing, and the page still says that it is loading, or values were read while "
        "a request of the page's own was not answered, or had failed; at the second try too",
        advice="Look at the page. A request that brings no values is named in `background_requests`. " + _RESUME),
    # The route and the driver
    "policy_denied": ReasonFacts(
        status="failed", fault="us", fail="policy_denied", words="the address may not be visited",
        when="the start address is on a host that the task does not allow", advice="Name the host in `allowed_hosts`."),
    "off_route": ReasonFacts(
        status="needs_review", fault="us", fail="off_route", words="the page does not offer what the route asks for",
        when="a step of the route found nothing to act on", advice="Compare the page with the route."),
    "ambiguous_target": ReasonFacts(
        status="needs_review", fault="us", fail="ambiguous_target", words="two elements of the page have the same name",
        when="a step of the route found more than one element of that name",
        advice="Name the element more exactly in the route."),
    "uncertain_list": ReasonFacts(
        status="needs_review", fault="us", fail="uncertain_list", words="which list or link is meant is not certain",
        when="several lists or links fit the fields of a discovery spec, or the columns of a field of rows, or none "
        "does, items lack a field, or more was listed than the page counts",
        advice="Say it in `list` of the discovery spec (`under`, `columns`, `link`), or in `pattern` of a field; of "
        "rows in `under` of the field, or in `labels` of its columns."),
    "invalid_input": ReasonFacts(
        status="needs_review", fault="record", fail="invalid_input", for_models=True,
        words="the form does not take a value of the row",
        when="a field does not offer, does not take or does not keep a value of the row",
        advice="Compare the value with what the form offers."),
    "unknown_outcome": ReasonFacts(
        status="needs_review", fault="us", fail="unknown_outcome", for_models=True, tells_of_press=True,
        words="it is not known whether it was submitted",
        when="an irreversible button may have been pressed, by this attempt or an earlier one",
        advice="Look on the site, then say what you saw: `exhibit settle`. Until then nothing is pressed again."),
    "not_sent": ReasonFacts(
        status="needs_review", fault="record", fail="not_sent", for_models=True, tells_of_press=True,
        words="the site says that it was not sent",
        when="after an irreversible button was pressed the page says that nothing was sent or saved, or shows the form "
        "again with an alert; or the browser does not send the form, because a field of it is invalid; or the site has "
        "refused a field that saves by itself, or not answered it",
        advice="Read what the page says, and correct the row. What was pressed once is pressed again after "
        "`exhibit settle` only."),
    "unnamed_press": ReasonFacts(
        status="needs_review", fault="us", fail="unnamed_press", for_models=True,
        words="it needs a press that the task does not name",
        when="a button that may change the site was not pressed (`press_withheld`), and nothing else leads on",
        advice="Look at the page. Name the button in the `route`, or in `may_press`, if it is to be pressed."),
    "gave_up": ReasonFacts(
        status="failed", fault="us", fail="other", for_models=True, words="the driver gave up",
        when="the driver calls `fail` with the code `other`", advice=_LOOK),
    # The gates
    "ambiguous_value": ReasonFacts(
        status="needs_review", fault="us", fail="ambiguous", of_fields=True, words="the page says two things",
        when="the page shows two different values for one field",
        advice="Say which one is meant: `labels`, `under` or `pattern` of the field. `exhibit try` has it to paste."),
    "missing_fields": ReasonFacts(
        status="needs_review", fault="us", of_fields=True, words="values were not found that should be there",
        when=_INSISTED + "required fields are missing, or one that all recorded pages of a flow showed is nowhere on a "
        "page that has changed", advice="Add what the page calls them to `labels`; say "
        "where a value without a label stands with `shown_in`, or with `headline` in the `route` for a heading; do not "
        "require what a page may leave out; write the type of what it may show empty as `string | null`."),
    "missing_artifacts": ReasonFacts(
        status="needs_review", fault="us", words="a required screenshot or file is missing",
        when=_INSISTED + "a required artifact was not captured on the proven record", advice=_LOOK),
    "invalid_file": ReasonFacts(
        status="needs_review", fault="site", fail="invalid_file",
        words="the file that came is not what it is called",
        when="a file that the task asks for has no bytes, is of another kind than its name or its header says, does "
        "not open, or is a page to sign in or the answer of an error",
        advice="The file is kept as evidence of that, and the message says what it is. Fetch it by hand. " + _RESUME),
    "missing_items": ReasonFacts(
        status="needs_review", fault="site", words="the list is shorter than expected",
        when="a discovery task found fewer items than `expected_items`",
        advice="Look at the list, and correct `expected_items`."),
    "incomplete_list": ReasonFacts(
        status="needs_review", fault="site", words="the list was not read to its end",
        when="a discovery task, or the reading of rows of a record, ended where a control leads on, or where the page "
        "counts more items than were listed; or a list of a field (`array`) goes on on a page of which nothing was "
        "saved",
        advice="If the page counts something else, set `expected_items` to the length of the list and start a new "
        "run. Otherwise look at the last page, then resume the run."),
    "unproven_empty": ReasonFacts(
        status="needs_review", fault="us", words="no item was found, and the page does not say that there is none",
        when="a discovery task found nothing, and no words of the page say that the list is empty",
        advice="Look at the page. `labels` and `list` in the discovery task say how its items are read."),
    "invalid_values": ReasonFacts(
        status="needs_review", fault="us", of_fields=True, words="a value is not of the type of its field",
        when=_INSISTED + "a value is not of its field's type, or may not be absent",
        advice="Change the type, `not_present` or `date_order` of the field. `exhibit try` has it to paste."),
    "unconfirmed_values": ReasonFacts(
        status="needs_review", fault="us", words="no page shows a value that was reported",
        when=_INSISTED + "a model reports a value that no page shows", advice=_LOOK),
    "contradicted_values": ReasonFacts(
        status="needs_review", fault="us", words="the page contradicts a value that was reported",
        when=_INSISTED + "a model reports a value that its element, or the field's label, contradicts", advice=_LOOK),
    "date_order_refuted": ReasonFacts(
        status="needs_review", fault="us", final=True, words="another page refutes how its dates were read",
        when="evidence, when the run ends: a date was read in the order that the task or its page says, and another "
        "sample shows a date of the same field that is none in this order, or was read in another",
        advice="Look how the site writes this field. Correct its `date_order`, or leave it out, and start a new run."),
    "not_as_drawn": ReasonFacts(
        status="needs_review", fault="us", words="the picture does not show a value as it was read",
        when="the picture of the page shows nothing, or not all of the text, where a value stands, or something beside "
        "it that the page does not say", advice="Look at the picture of the value, and settle it."),
    "disputed_not_found": ReasonFacts(
        status="needs_review", fault="us", words="the page shows the record that is said not to be there",
        when="a model insisted on `not_found` or `identity_mismatch` while the page shows the record", advice=_LOOK),
    "api_differs": ReasonFacts(
        status="needs_review", fault="site", words="the API and the page say different things",
        when="the API of the task's `integration` gave a value, or the record itself, and the page contradicts it",
        advice="The message names both values. Look which one holds, and whether its pointer is the right one."),
    "judgment_missing": ReasonFacts(
        status="needs_review", fault="us", words="the question was not answered",
        when=_INSISTED + "there is no judgment (the rules never give one)",
        advice="Answer the question by hand, or use a model as planner."),
    "invalid_judgment": ReasonFacts(
        status="needs_review", fault="us", words="the judgment could not be used",
        when=_INSISTED + "the judgment has another form than asked for, or rests on no evidence", advice=_LOOK),
    # The limits
    "bad_replies": ReasonFacts(
        status="failed", fault="us", partial=True, words="the model's answers could not be used",
        when="three answers in a row held no action that could be used", advice=_LOOK),
    "too_many_failures": ReasonFacts(
        status="failed", fault="us", partial=True, words="too many actions in a row failed",
        when="five actions in a row failed", advice=_LOOK),
    "stagnated": ReasonFacts(
        status="failed", fault="us", partial=True, words="the work made no progress",
        when="ten steps in a row brought nothing new", advice=_LOOK),
    "max_steps_exceeded": ReasonFacts(
        status="failed", fault="us", partial=True, words="more steps than the task allows",
        when="`max_steps` of the spec was reached", advice="Raise `max_steps`, or shorten the route."),
    "time_exceeded": ReasonFacts(
        status="failed", fault="us", partial=True, words="more time than the task allows",
        when="`max_time_s` of the spec was reached", advice="Raise `max_time_s`."),
    "budget_exceeded": ReasonFacts(
        status="failed", fault="us", partial=True, words="more cost than the task allows",
        when="the budget of a sample was reached (`sample_usd`, `sample_tokens`)", advice="Raise `budget`."),
    "run_budget_exceeded": ReasonFacts(
        status="failed", fault="us", partial=True, tells_of_press=True, words="the budget of the run is used up",
        when="the budget of the run was reached (`run_usd`, `run_tokens`)",
        advice="Raise `budget`, then resume the run."),
    "interrupted": ReasonFacts(
        status="failed", fault="us", partial=True, tells_of_press=True, words="the run was interrupted",
        when="a person interrupted or closed the run", advice="Resume the run."),
    # Replays
    "replay_differs": ReasonFacts(
        status="needs_review", fault="site", fail="replay_differs", words="not as it was recorded",
        when="a replay: an element is not there, a step fails that went well, or a value is another one",
        advice="Compare what was recorded with what is shown now; both are in the notes."),
    "replay_withheld": ReasonFacts(
        status="needs_review", fault="us", fail="replay_withheld", words="a step was not taken again",
        when="a replay: the next step may change something on the site, and that was not allowed",
        advice="`exhibit replay --allow-effects` takes it."),
    # Flows
    "flow_stopped": ReasonFacts(
        status="needs_review", fault="us", fail="flow_stopped", words="the flow could not finish it",
        when="a run with `--mode flow`: the flow stopped at something that it does not know, and the rules were not "
        "certain of the rest",
        advice="The message has the line of the flow. Run the sample with `--mode auto`, or compile the flow again "
        "with a sample like it."),
    # Delivery and evidence
    "retries_exhausted": ReasonFacts(
        status="failed", fault="us", words="every try failed",
        when="four attempts ended with an error that may pass; the fault is that of the last error's code",
        advice="Read the message, remove the cause, then resume the run."),
    "artifact_mismatch": ReasonFacts(
        status="failed", fault="us", words="a file is not what was captured",
        when="evidence: the bytes that arrived are not those that were captured", advice="Resume the run."),
    "artifact_missing": ReasonFacts(
        status="failed", fault="us", words="a file that was captured is gone",
        when="evidence: the captured bytes were gone when they were to be stored", advice="Resume the run."),
    "result_refused": ReasonFacts(
        status="failed", fault="us", words="its result does not fit what its steps have left behind",
        when="evidence: it has refused the result, and nobody works on the sample any more",
        advice="Look at `exhibit doctor RUN`, then resume the run."),
    "result_unreadable": ReasonFacts(
        status="failed", fault="us", words="the result cannot be read any more",
        when="evidence: `result.json` of the sample is damaged", advice="Put the file back, or resume the run."),
    "sample_unreadable": ReasonFacts(
        status="failed", fault="us", final=True, words="what was asked for cannot be read any more",
        when="evidence: `sample.json` of a sample that is not done is damaged", advice="Put the file back."),
}
# fmt: on
_BY_CODE: dict[str, ReasonFacts] = {**REASONS}
REASON_OF: dict[str, Reason] = {facts.fail: reason for reason, facts in REASONS.items() if facts.fail is not None}
"""Maps the code of a `fail` action to the reason of the result."""
FAIL_CODES_FOR_MODELS = tuple(facts.fail for facts in REASONS.values() if facts.fail is not None and facts.for_models)


def reason_of_fail(code: str) -> Reason:
    """Return the reason for the code of a `fail` action; ``gave_up`` for an unknown code."""
    return REASON_OF.get(code, "gave_up")


def facts_of(reason: str) -> ReasonFacts | None:
    """Return the row of a reason; None for the code of an error, and for a code of another version."""
    return _BY_CODE.get(reason)


def fault_of(code: str) -> Fault:
    """Return the fault of a reason; ``us`` for a code that has no row, such as that of an error."""
    facts = facts_of(code)
    return "us" if facts is None else facts.fault


def is_final(status: str | None, reason: str) -> bool:
    """Return whether a resumed run skips a sample with this status and reason."""
    facts = facts_of(reason)
    return status == "done" or (facts is not None and facts.final)


# --- results of actions
