"""Codes of errors, refusals and results of actions: one row for each code, listed only here.

The list of a code says whether a retry may succeed: `TransientCode` or `PermanentCode`. The type checker ensures that
each class in `shared.errors` takes only the codes of its own list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from shared.contracts.codes import Reason, facts_of

# --- errors

TransientCode = Literal[
    "transient",
    "unavailable",
    "rate_limited",
    "deadline_exceeded",
    "no_bus",
    "record_contended",
    "bus_closed",
    "bus_lost",
    "bus_slow",
    "bus_unavailable",
    "no_responders",
    "instance_gone",
    "run_unknown",
    "run_held",
    "no_browser",
    "no_session",
    "session_lost",
    "page_loading",
    "model_timeout",
    "model_unreachable",
    "model_unreadable",
    "model_rate_limited",
    "model_overloaded",
    "model_unavailable",
    "disk_full",
    "store_unavailable",
    "store_credentials",
    "store_denied",
    "no_bucket",
    "table_unavailable",
    "no_signing_key",
    "webhook_failed",
    "timestamp_failed",
]
"""A retry of the same call may succeed."""
PermanentCode = Literal[
    "permanent",
    "invalid_message",
    "policy_denied",
    "unsupported",
    "not_installed",
    "invalid_spec",
    "invalid_settings",
    "run_rejected",
    "unknown_run",
    "no_run",
    "run_unreadable",
    "bad_workbook",
    "cannot_write",
    "unknown_planner",
    "nothing_to_replay",
    "task_too_long",
    "prompt_too_long",
    "model_key_missing",
    "model_key_refused",
    "model_rejected",
    "model_unpaid",
    "model_forbidden",
    "model_unknown",
    "login_required",
    "no_auth_profile",
    "no_such_secret",
    "page_over_limits",
    "sample_over",
    "no_blob",
    "blob_damaged",
    "too_large",
    "not_a_picture",
    "artifact_mismatch",
    "answer_mismatch",
    "unsafe_name",
    "name_taken",
    "object_damaged",
    "no_object_lock",
    "bad_place",
    "bad_pointer",
    "key_in_evidence",
    "workflow_unreadable",
    "unknown_workflow",
    "workflow_refused",
    "workflow_failed",
    "unknown_flow",
    "other_call",
    "no_flow",
    "webhook_refused",
    "webhook_given_up",
    "control_refused",
    "settlement_refused",
    "review_refused",
    "tags_refused",
    "bus_refused",
    "no_signers",
    "not_signed",
    "bad_signature",
    "unknown_signer",
    "other_signer",
]
"""A retry of the same call fails again."""
SignatureCode = Literal["not_signed", "bad_signature", "unknown_signer", "other_signer"]
"""Why it is not believed that a message is from a service that may send it."""
ErrorCode = TransientCode | PermanentCode | Literal["internal", "retries_exhausted"]
"""``internal`` is a bug: it is retried a limited number of times. ``retries_exhausted``: all retries failed."""
EndCode = Reason | PermanentCode | Literal[""]
"""Why a sample is not done: a reason, or the code of the error that ended the sample; empty for done."""
TRANSIENT: frozenset[str] = frozenset(get_args(TransientCode))

ERRORS: dict[ErrorCode, str] = {
    "internal": "an error in this program; its traceback is in the log",
    "retries_exhausted": "every try failed",
    "transient": "something that may pass",
    "unavailable": "a peer, a browser, a disk or a site cannot serve now",
    "rate_limited": "too many requests",
    "deadline_exceeded": "it took longer than was allowed",
    "no_bus": "no NATS server answers, or none could be started",
    "bus_refused": "the bus does not know this process, or the file with its key is open to others",
    "no_signers": "the public keys of the services are missing, or are not those of this process",
    "not_signed": "a message that only a service may send has no signature",
    "bad_signature": "the signature of a message is not of these bytes on this subject",
    "unknown_signer": "a message is signed by a key that is of no service here",
    "other_signer": "a message is signed by a service that may not send it",
    "record_contended": "a record on the bus changes too fast to be written",
    "bus_closed": "the connection to the bus is closed",
    "bus_lost": "the connection to the bus was lost while an answer was waited for",
    "bus_slow": "the bus did not answer in time",
    "bus_unavailable": "the bus cannot store messages now",
    "no_responders": "no service answers this question",
    "instance_gone": "the process that was asked has ended",
    "run_unknown": "the record of the run is not on the bus yet",
    "run_held": "another evidence process has the run",
    "no_browser": "no browser is found, or it cannot be started",
    "no_session": "no browser session became free",
    "session_lost": "the browser session has ended",
    "page_loading": "the page still says that it is loading",
    "model_timeout": "the model did not answer in time",
    "model_unreachable": "the model's address does not answer",
    "model_unreadable": "the model's answer is no message",
    "model_rate_limited": "the model's API asks for fewer requests",
    "model_overloaded": "the model is overloaded",
    "model_unavailable": "the model's API answers with an error",
    "disk_full": "the disk, or the quota of the bucket, is full",
    "store_unavailable": "the evidence folder or the S3 server cannot be written or read now",
    "store_credentials": "the S3 server does not know the credentials",
    "store_denied": "the S3 credentials may not do that",
    "no_bucket": "there is no such bucket",
    "table_unavailable": "a table cannot be made now",
    "no_signing_key": "the signing key cannot be read or made",
    "webhook_failed": "the receiver of a webhook did not accept it",
    "timestamp_failed": "the time-stamping authority gave no token",
    "permanent": "the same call fails again",
    "invalid_message": "the bytes are not of the type that is expected",
    "policy_denied": "a host, a file or a scheme is not allowed",
    "unsupported": "nothing here can do that",
    "not_installed": "a part of the product that this needs is not installed",
    "invalid_spec": "the task spec is not valid",
    "invalid_settings": "an environment variable has no valid value",
    "run_rejected": "the run request is not valid; every problem is listed",
    "unknown_run": "there is no record of the run",
    "no_run": "there is no run in this place",
    "run_unreadable": "run.json of the run is damaged",
    "bad_workbook": "the input cannot be read as an Excel workbook",
    "cannot_write": "the output file cannot be written",
    "unknown_planner": "there is no planner of this name",
    "nothing_to_replay": "nothing usable was recorded of the sample",
    "task_too_long": "the task leaves no room for a page in the prompt",
    "prompt_too_long": "the prompt is too long for the model",
    "model_key_missing": "there is no key for a model",
    "model_key_refused": "the model's API refuses the key",
    "model_rejected": "the model's API rejects the request",
    "model_unpaid": "the model's account cannot pay",
    "model_forbidden": "the key may not use this model",
    "model_unknown": "the model's API does not know the model",
    "login_required": "the login state has met a login page",
    "no_auth_profile": "there is no such login state, or it cannot be used",
    "no_such_secret": "the browser pool has no such secret",
    "page_over_limits": "the pages have taken more tabs, frames, workers or memory than a session may have",
    "sample_over": "the attempt at the sample has ended",
    "no_blob": "the bytes are not on the bus any more",
    "blob_damaged": "the bytes on the bus are not those that were put there",
    "too_large": "it is larger than the limit",
    "not_a_picture": "the bytes are no picture",
    "artifact_mismatch": "the picture is not the one that was captured",
    "answer_mismatch": "the answer is not the one that evidence made",
    "unsafe_name": "a name leads out of its folder",
    "name_taken": "another file has the name already",
    "object_damaged": "stored bytes are not what their hash says",
    "no_object_lock": "the bucket has no object lock",
    "bad_place": "the address of a bucket is not valid",
    "bad_pointer": "a name in the bucket points to nothing",
    "key_in_evidence": "the signing key must not be inside of the evidence",
    "workflow_unreadable": "the file of a workflow is no workflow",
    "unknown_workflow": "there is no such workflow, or no such version of it",
    "workflow_refused": "the source of a workflow has errors, or its name is taken",
    "workflow_failed": "a workflow ended with an error",
    "unknown_flow": "no such flow waits for an answer: it has ended",
    "other_call": "the flow waits for the answer to another call, or for none",
    "no_flow": "the run uses flows only, and its task has none",
    "webhook_refused": "a webhook may not be sent: its address is not allowed, or there is no secret to sign it with",
    "control_refused": "what was asked of a run does not fit how it stands",
    "review_refused": "a decision of a review is not taken: its person, its order, its evidence or its content",
    "settlement_refused": "the sample is not one whose outcome is unknown, or the settlement lacks something",
    "tags_refused": "the tags of a run are not changed: there is no such run, or one of them is no tag",
    "webhook_given_up": "every attempt to deliver a webhook failed",
}


def is_transient(code: str) -> bool:
    """Return whether a retry of a call that failed with this code may succeed."""
    return code in TRANSIENT


def end_words(code: str) -> str:
    """Return why a sample is not done, for people; empty for done, and for a code of another version."""
    facts = facts_of(code)
    return _WORDS.get(code, "") if facts is None else facts.words


_WORDS: dict[str, str] = {**ERRORS}

# --- refusals

SqlCode = Literal[
    "syntax",
    "not_read_only",
    "several_statements",
    "no_such_view",
    "no_such_column",
    "not_allowed",
    "wrong",
    "too_slow",
    "too_large",
    "unknown_run",
    "unreadable_run",
    "failed",
]
SQL_REFUSALS: dict[SqlCode, str] = {
    "syntax": "the query cannot be parsed",
    "not_read_only": "it is no SELECT",
    "several_statements": "more than one statement",
    "no_such_view": "there is no view of that name",
    "no_such_column": "there is no column of that name",
    "not_allowed": "a function or a clause that queries may not use",
    "wrong": "the query fails, such as for types that do not fit",
    "too_slow": "the time limit was reached",
    "too_large": "the memory limit was reached",
    "unknown_run": "there is no such run",
    "unreadable_run": "a file of the run cannot be read",
    "failed": "an error that no other query would avoid",
}
RestoreCode = Literal["altered", "too_large", "not_a_page", "not_restored"]
RESTORE_REFUSALS: dict[RestoreCode, str] = {
    "altered": "the stored page is not what was recorded",
    "too_large": "the stored page is larger than the limit",
    "not_a_page": "the stored bytes are no page",
    "not_restored": "the browser cannot open the stored page",
}
SealCode = Literal[
    "missing",
    "added",
    "changed",
    "renamed",
    "exchanged",
    "swapped",
    "unreadable",
    "inconsistent",
    "row",
    "link",
    "no_file",
    "too_deep",
    "unsafe_name",
    "not_sealed",
    "signature_wrong",
    "other_key",
    "other_run",
    "not_as_noted",
    "round_lost",
    "timestamp_wrong",
    "not_as_listed",
    "zip_damaged",
    "zip_hidden",
    "zip_name",
    "zip_twice",
]
SEAL_PROBLEMS: dict[SealCode, str] = {
    "missing": "a sealed file is not there any more",
    "added": "a file was added",
    "changed": "the content of a file was changed",
    "renamed": "a file was renamed or moved",
    "exchanged": "two files, or two samples, were exchanged",
    "swapped": "a file holds what was sealed as another one",
    "unreadable": "a file cannot be read",
    "inconsistent": "two files that must agree do not",
    "row": "a row of combined.csv does not agree with the results",
    "link": "a link, which evidence never holds",
    "no_file": "neither a file nor a folder",
    "too_deep": "a folder lies deeper than evidence ever has them",
    "unsafe_name": "a name that evidence never gives",
    "not_sealed": "the run is not sealed",
    "signature_wrong": "the signature is not that of the manifest",
    "other_key": "signed by another key than the one that was given",
    "other_run": "the name is of another run than its content",
    "not_as_noted": "the manifest is not the one whose hash was noted",
    "round_lost": "an earlier round is not there as it was sealed",
    "timestamp_wrong": "a timestamp token is not of the seal, or not of the authority that was given",
    "not_as_listed": "the seal is not as the list of seals has it",
    "zip_damaged": "the zip is cut short or damaged",
    "zip_hidden": "the zip holds bytes that are in no list of its files",
    "zip_name": "a name in the zip is ambiguous or leads out of its folder",
    "zip_twice": "a name stands several times in the zip",
}


# --- results of actions

ActionCode = Literal[
    "ok",
    "not_found",
    "ambiguous",
    "stale_ref",
    "not_editable",
    "blocked",
    "dialog_open",
    "no_such_option",
    "effect_not_seen",
    "timeout",
    "unreachable",
    "http_error",
    "policy_denied",
    "no_file",
    "too_large",
    "no_such_tab",
    "no_dialog",
    "no_such_secret",
    "no_such_file",
    "press_withheld",
    "fields_changed",
    "form_invalid",
    "failed",
]


@dataclass(frozen=True, kw_only=True)
class ActionCodeFacts:
    """Facts about a code. ``fired``: the action may have reached the page, so an irreversible action is not repeated;
    False only if certainly nothing was pressed. ``answered``: False if the site gave no answer."""

    words: str
    fired: bool = True
    answered: bool = True


ACTION_CODES: dict[ActionCode, ActionCodeFacts] = {
    "ok": ActionCodeFacts(words="the action was executed and its effect was seen"),
    "not_found": ActionCodeFacts(words="no element matches the target", fired=False),
    "ambiguous": ActionCodeFacts(words="several elements match the target, or several options the text", fired=False),
    "stale_ref": ActionCodeFacts(words="the element of that ref is no longer on the page", fired=False),
    "not_editable": ActionCodeFacts(words="the element is disabled, read-only or of another kind", fired=False),
    "blocked": ActionCodeFacts(words="something else covers the element", fired=False),
    "dialog_open": ActionCodeFacts(words="a dialog of the browser waits for its answer first", fired=False),
    "no_such_option": ActionCodeFacts(words="the control does not offer that option"),
    "effect_not_seen": ActionCodeFacts(words="the action was executed, and the field does not hold what was set"),
    "timeout": ActionCodeFacts(words="no answer, or no end, within the time limit", answered=False),
    "unreachable": ActionCodeFacts(words="the site does not answer", answered=False),
    "http_error": ActionCodeFacts(words="the page answered with HTTP 400 or above"),
    "policy_denied": ActionCodeFacts(words="the address may not be visited"),
    "no_file": ActionCodeFacts(words="no file was downloaded"),
    "too_large": ActionCodeFacts(words="the file is larger than the limit"),
    "no_such_tab": ActionCodeFacts(words="there is no tab of that number"),
    "no_dialog": ActionCodeFacts(words="no dialog is open"),
    "no_such_secret": ActionCodeFacts(words="the task or the browser pool has no secret of that name"),
    "no_such_file": ActionCodeFacts(words="there is no file of that name to upload"),
    "press_withheld": ActionCodeFacts(
        words="it may change the site, and the task does not name it: nothing was pressed", fired=False
    ),
    "fields_changed": ActionCodeFacts(words="a field changed when it lost the focus: nothing was pressed", fired=False),
    "form_invalid": ActionCodeFacts(words="the browser does not send the form: nothing was pressed", fired=False),
    "failed": ActionCodeFacts(words="the browser could not execute the action"),
}


def may_have_fired(code: str) -> bool:
    """Return whether an action with this code may have reached the page; True for a code of another version."""
    return code not in _NOT_FIRED


def is_unanswered(code: str) -> bool:
    """Return whether the site gave no answer."""
    return code in _UNANSWERED


_NOT_FIRED = frozenset(code for code, facts in ACTION_CODES.items() if not facts.fired)
_UNANSWERED = frozenset(code for code, facts in ACTION_CODES.items() if not facts.answered)
