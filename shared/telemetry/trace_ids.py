"""Ids of traces. Nothing of OpenTelemetry is loaded to tell one: many commands trace nothing."""

from __future__ import annotations

import sys
from hashlib import sha256


def sample_trace_id(run: str, sample: str) -> str:
    """Return the id of a sample's trace, as 32 hex digits."""
    return sha256(f"exhibit/{run}/{sample}".encode()).hexdigest()[:32]


def current_trace_id() -> str:
    """Return the id of the trace as 32 hex digits; empty where nothing is traced."""
    current_span = getattr(sys.modules.get("opentelemetry.trace"), "get_current_span", None)
    if current_span is None:  # it is not loaded, so no span was opened in this process
        return ""
    context = current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else ""
