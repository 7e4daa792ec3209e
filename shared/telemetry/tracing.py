"""One span around every handler, carried from service to service in the messages' headers.

Without an exporter the OpenTelemetry API does nothing, and costs nothing worth measuring.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opentelemetry import propagate, trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

_tracer = trace.get_tracer("exhibit")


@contextmanager
def export_traces(service: str, path: Path | None) -> Generator[None]:
    """Append the spans of the block to ``path``, one JSON object a line; do nothing where it is None."""
    if path is None:
        yield
        return
    provider = TracerProvider(resource=Resource.create({"service.name": f"exhibit-{service}"}))
    trace.set_tracer_provider(provider)
    with path.open("a", encoding="utf-8") as file:
        exporter = ConsoleSpanExporter(out=file, formatter=lambda span: span.to_json(indent=None) + "\n")
        provider.add_span_processor(BatchSpanProcessor(exporter))
        try:
            yield
        finally:
            provider.shutdown()


def trace_headers() -> dict[str, str]:
    """Return the W3C trace context for a message that is sent now; empty where nothing is traced."""
    headers: dict[str, str] = {}
    propagate.inject(headers)
    return headers


@contextmanager
def span(name: str, headers: Mapping[str, str] | None, **attributes: Any) -> Generator[None]:
    """Open a span for the block; its parent is the sender's, from the message's headers."""
    parent = propagate.extract(headers or {})
    with _tracer.start_as_current_span(name, context=parent, attributes=attributes):
        yield
