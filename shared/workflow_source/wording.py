"""Findings and parameters as texts for people and models."""

from __future__ import annotations

from shared.contracts.workflows.library import WorkflowVersion
from shared.contracts.workflows.sources import Parameter, SourceFinding


def finding_line(one: SourceFinding, file: str = "") -> str:
    """Return a finding with its place, such as ``line 3: error bare_except: ...``, or ``a.py:3: error ...``."""
    place = f"{file}:{one.line}" if file and one.line else file or (f"line {one.line}" if one.line else "")
    return f"{place}{': ' if place else ''}{one.severity} {one.code}: {finding_message(one)}"


def finding_message(one: SourceFinding) -> str:
    """Return what is wrong, and what to do about it."""
    return f"{one.message}. {one.remedy}"


def parameter_text(one: Parameter) -> str:
    """Return the parameter as it is written in Python."""
    typed = f"{one.name}: {one.type}" if one.type else one.name
    return typed if one.default is None else f"{typed} = {one.default}"


def signature_of(version: WorkflowVersion) -> str:
    """Return the parameters of ``run`` as they are written in Python."""
    more = ["**more"] if version.takes_more else []
    return ", ".join([*map(parameter_text, version.parameters), *more])
