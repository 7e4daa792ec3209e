"""What is wrong with the source of a workflow, or could be better: one code for each rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shared.contracts.base import Part

Severity = Literal["error", "warning", "advice"]
"""``error``: the workflow is refused. ``warning``: it is taken, and should be mended. ``advice``: it may not be worth
keeping."""

FindingCode = Literal[
    "invalid_name",
    "reserved_name",
    "too_long",
    "syntax",
    "no_run",
    "positional_only",
    "bare_except",
    "swallowed_error",
    "lost_cause",
    "missing_hint",
    "missing_return_hint",
    "missing_docstring",
    "missing_section",
    "cryptic_name",
    "thin_wrapper",
    "few_statements",
]


@dataclass(frozen=True)
class Rule:
    severity: Severity
    remedy: str


RULES: dict[FindingCode, Rule] = {
    "invalid_name": Rule("error", "Choose a Python identifier that does not begin with an underscore."),
    "reserved_name": Rule("error", "Choose another name: this one is a method of `workflows`."),
    "too_long": Rule("error", "Split it into workflows that invoke each other."),
    "syntax": Rule("error", "Mend the syntax."),
    "no_run": Rule("error", "Define `def run(...)` or `async def run(...)` at the top level."),
    "positional_only": Rule("error", "Remove the `/`: a workflow is invoked with keyword arguments."),
    "bare_except": Rule("error", "Name the exceptions that are meant."),
    "swallowed_error": Rule("error", "Raise an error that says what failed, `from` this one, or return what it means."),
    "lost_cause": Rule("error", "Write `raise ... from error`, so that the cause is kept."),
    "missing_hint": Rule("warning", "Add a type hint."),
    "missing_return_hint": Rule("warning", "Add the type of what `run` returns, or `-> None`."),
    "missing_docstring": Rule("warning", "Say in a docstring of `run` what it does."),
    "missing_section": Rule("warning", "Add the section to the docstring of `run`."),
    "cryptic_name": Rule("warning", "Write the word in full."),
    "thin_wrapper": Rule("advice", "Call the tool directly: the workflow adds nothing to it."),
    "few_statements": Rule("advice", "Keep a workflow for what is worth finding again: five statements or more."),
}


class SourceFinding(Part, frozen=True, kw_only=True):
    """One finding. ``line``: from 1; 0 for the name or the whole file."""

    line: int
    severity: Severity
    code: FindingCode
    message: str
    remedy: str


def finding(code: FindingCode, message: str, line: int = 0) -> SourceFinding:
    """Return a finding with the severity and the remedy of its rule."""
    rule = RULES[code]
    return SourceFinding(line=line, severity=rule.severity, code=code, message=message, remedy=rule.remedy)
