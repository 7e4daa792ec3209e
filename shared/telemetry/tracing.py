"""One span around every handler, carried from service to service in the messages' headers.

Without an exporter the OpenTelemetry API does nothing, and costs nothing worth measuring.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import propagate, trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

_tracer = trace.get_tracer("exhibit")


def export_spans(service: str, exporter: SpanExporter) -> TracerProvider:
    """Sends the spans of this process to ``exporter`` in batches, under the name ``service``."""
    provider = TracerProvider(resource=Resource.create({"service.name": f"exhibit-{service}"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return provider


def headers_of_current_span() -> dict[str, str]:
    """W3C trace context for a message that is about to be sent; empty where nothing is traced."""
    headers: dict[str, str] = {}
    propagate.inject(headers)
    return headers


@contextmanager
def span(name: str, headers: Mapping[str, str] | None, **attributes: Any) -> Generator[None]:
    """A span named after the subject; its parent is the sender's, from the message's headers."""
    parent = propagate.extract(headers or {})
    with _tracer.start_as_current_span(name, context=parent, attributes=attributes):
        yield
