"""What is wrong with the source of a workflow, or could be better: one code for each rule."""

from __future__ import annotations

from dataclasses import dataclass

from shared.contracts.workflows.sources import FindingCode, Severity, SourceFinding


@dataclass(frozen=True)
class Rule:
    severity: Severity
    remedy: str


RULES: dict[FindingCode, Rule] = {
    "invalid_name": Rule("error", "Choose a Python identifier that does not begin with an underscore."),
    "reserved_name": Rule("error", "Choose another name: this one is a method of `workflows`."),
    "name_taken": Rule("error", "Choose another name, or delete the workflow that has it."),
    "not_current": Rule("error", "Read the current version, and give its hash if this one is to replace it."),
    "invalid_file": Rule("error", "Mend the file or its name, or leave it out."),
    "invalid_sample": Rule("error", "Keep fewer or smaller samples, each as it was recorded."),
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


def finding(code: FindingCode, message: str, line: int = 0) -> SourceFinding:
    """Return a finding with the severity and the remedy of its rule."""
    rule = RULES[code]
    return SourceFinding(line=line, severity=rule.severity, code=code, message=message, remedy=rule.remedy)
