"""Codes: each has exactly one row, and every written code has one."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import msgspec

from shared import statuses
from shared.contracts.actions import Fail
from shared.contracts.base import Failure
from shared.contracts.codes import (
    FAIL_CODES_FOR_MODELS,
    REASON_OF,
    REASONS,
    FailCode,
    Fault,
    Reason,
    Status,
    fault_of,
    is_final,
    reason_of_fail,
)
from shared.contracts.error_codes import (
    ACTION_CODES,
    ERRORS,
    RESTORE_REFUSALS,
    SEAL_PROBLEMS,
    SQL_REFUSALS,
    ActionCode,
    PermanentCode,
    RestoreCode,
    SealCode,
    SqlCode,
    TransientCode,
    is_transient,
    is_unanswered,
    may_have_fired,
)
from shared.contracts.evidence import OutcomeCount, SqlRefused
from shared.contracts.explained import KEY_WORDS, NEAR_WORDS, KeyCode, NearCode
from shared.contracts.results import ActionResult
from shared.errors import ExhibitError, PermanentError, TransientError, from_failure, to_failure
from tests.cases import cases

HOUSE = Path(__file__).parents[3]
SOURCES = [path for room in ("services", "shared") for path in sorted((HOUSE / room).rglob("*.py"))]


@cases(
    ("names", "rows"),
    [
        (Reason, REASONS), (ActionCode, ACTION_CODES), (SqlCode, SQL_REFUSALS), (RestoreCode, RESTORE_REFUSALS),
        (SealCode, SEAL_PROBLEMS), (Status, dict.fromkeys(get_args(Status))), (NearCode, NEAR_WORDS),
        (KeyCode, KEY_WORDS),
    ],
)  # fmt: skip
def test_every_code_has_one_row(names, rows):
    assert set(get_args(names)) == set(rows)
    assert len(get_args(names)) == len(rows)


def test_every_error_has_one_row_and_one_verdict():
    transient, permanent = set(get_args(TransientCode)), set(get_args(PermanentCode))
    assert not transient & permanent
    assert {*transient, *permanent, "internal", "retries_exhausted"} == set(ERRORS)


def test_every_fail_code_becomes_one_reason():
    assert set(REASON_OF) == set(get_args(FailCode))
    assert len([facts for facts in REASONS.values() if facts.fail is not None]) == len(REASON_OF)
    assert reason_of_fail("auth_required") == "login_required"
    assert reason_of_fail("ambiguous") == "ambiguous_value"
    assert reason_of_fail("of another version") == "gave_up"


def test_models_are_offered_the_codes_for_models_in_the_order_of_the_rows():
    record = ("not_found", "ambiguous_record", "identity_mismatch")
    told = (*record, "auth_required", "blocked", "invalid_input", "unknown_outcome", "not_sent", "unnamed_press")
    assert (*told, "other") == FAIL_CODES_FOR_MODELS


def test_a_reason_says_what_it_means_and_what_to_do():
    for reason, facts in REASONS.items():
        assert facts.status != "done", reason
        assert facts.fault in get_args(Fault), reason
        assert facts.fault, reason
        assert facts.advice.endswith("."), reason
        assert facts.words, reason
        assert not facts.when.endswith("."), reason
        assert not facts.partial or facts.status == "failed", reason


def test_what_another_try_does_not_change_is_left_as_it_is_beside_those_that_are_done():
    assert [reason for reason in REASONS if is_final("failed", reason)] == ["date_order_refuted", "sample_unreadable"]
    assert is_final("done", "")
    assert not is_final(None, "")
    assert not is_final("failed", "of another version")


def test_what_was_not_fired_for_certain():
    not_fired = {"not_found", "ambiguous", "stale_ref", "not_editable", "blocked", "dialog_open", "press_withheld"}
    not_fired |= {"fields_changed", "form_invalid"}
    assert {code for code in ACTION_CODES if not may_have_fired(code)} == not_fired
    assert may_have_fired("of another version")
    assert {code for code in ACTION_CODES if is_unanswered(code)} == {"timeout", "unreachable"}


def test_the_fault_of_an_error_that_ends_a_sample():
    assert fault_of("unreachable") == "site"
    assert fault_of("model_key_missing") == "us"
    assert fault_of("of another version") == "us"


# --- what another version has written is read


@cases(
    ("kind", "written"),
    [
        (Fail, {"action": "fail", "code": "of another version"}),
        (Failure, {"type": "Failure", "code": "of another version", "message": "", "retry": False}),
        (SqlRefused, {"type": "SqlRefused", "code": "of another version", "message": ""}),
        (
            ActionResult,
            {
                "type": "ActionResult",
                "ok": False,
                "code": "of another version",
                "message": "",
                "change": {"url_before": "", "url_after": ""},
            },
        ),
    ],
)
def test_a_code_of_another_version_is_read(kind, written):
    assert msgspec.json.decode(msgspec.json.encode(written), type=kind).code == "of another version"


def test_a_status_and_a_reason_of_another_version_are_read():
    written = {"status": "of another version", "reason": "of another version", "samples": 1}
    assert msgspec.convert(written, OutcomeCount).reason == "of another version"


def test_a_status_of_another_version_is_sorted_last_and_excepted():
    assert statuses.urgency_of("new") > max(statuses.urgency_of(status) for status in statuses.STATUSES)
    assert statuses.group_of("new") == "excepted"
    assert statuses.colour_of("new") == ""
    assert max([*statuses.STATUSES, "new"], key=statuses.population_order) == "new"


def test_the_orders_in_which_statuses_are_told():
    assert statuses.STATUSES == ("done", "partial_success", "needs_review", "auth_required", "failed")
    ordered = sorted(statuses.STATUSES, key=statuses.population_order)
    assert ordered == ["done", "partial_success", "needs_review", "failed", "auth_required"]
    assert set(statuses.STATUSES) == set(get_args(Status))
    assert {style.group for style in statuses.STYLES.values()} == set(statuses.GROUPS)


# --- errors


def kinds(base: type[ExhibitError]) -> list[type[ExhibitError]]:
    return [base, *(kind for below in base.__subclasses__() for kind in kinds(below))]


@cases(("base", "retry"), [(TransientError, True), (PermanentError, False)])
def test_the_code_of_a_class_has_the_verdict_of_the_class(base, retry):
    for kind in kinds(base):
        assert is_transient(kind.code) is retry, kind
        assert kind.code in ERRORS
    assert to_failure(base("told")).retry is retry
    assert isinstance(from_failure(to_failure(base("told"))), base)


def test_every_code_of_an_error_is_used_somewhere():
    """A row that nothing raises misleads whoever reads the table."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "error_codes.py")
    told = set(re.findall(r"\"([a-z_]+)\"", text))
    assert [code for code in ERRORS if code not in told] == []
    assert [code for code in (*SQL_REFUSALS, *SEAL_PROBLEMS) if code not in told] == []


def test_no_second_set_of_codes():
    """A set of codes that stands elsewhere is a second home for a decision."""
    allowed = {"shared/contracts/codes.py", "shared/contracts/error_codes.py"}
    known = {*REASONS, *ACTION_CODES, *get_args(FailCode)}
    found = [
        f"{path.relative_to(HOUSE)}:{node.lineno}"
        for path in SOURCES
        if str(path.relative_to(HOUSE)) not in allowed
        and len(known & set(re.findall(r"\w+", text := path.read_text()))) > 2
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Set | ast.Dict) and _codes_in(node, known) >= 3
    ]
    assert found == []


def _codes_in(node: ast.Set | ast.Dict, known: set[str]) -> int:
    told = node.elts if isinstance(node, ast.Set) else node.keys
    words = [one.value for one in told if isinstance(one, ast.Constant)]
    return sum(word in known for word in words) if all(word in known for word in words) else 0
