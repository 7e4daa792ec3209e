"""Findings about a workflow's source, and its parameters."""

from __future__ import annotations

from typing import Literal

from shared.contracts.base import Part
from shared.contracts.codes import OpenCode

Severity = Literal["error", "warning", "advice"]
"""``error``: the workflow is refused. ``warning``: it is taken, and should be mended. ``advice``: it may not be worth
keeping."""

FindingCode = Literal[
    "invalid_name",
    "reserved_name",
    "name_taken",
    "not_current",
    "invalid_file",
    "invalid_sample",
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


class SourceFinding(Part, frozen=True, kw_only=True):
    """One finding about a source. ``line``: from 1; 0 for the name or the whole file."""

    line: int
    severity: Severity
    code: OpenCode[FindingCode]
    message: str
    remedy: str


class Parameter(Part, frozen=True, kw_only=True):
    """A parameter of ``run``. ``type`` and ``default`` are expressions as they are written; ``type`` may be empty."""

    name: str
    type: str
    required: bool
    default: str | None = None
