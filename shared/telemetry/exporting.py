"""Where traces and metrics of this process go: to a file, to a collector (OTLP over HTTP), to who asks, or nowhere.

The exporters are imported only where they are used. How they send follows the standard variables, such as
``OTEL_EXPORTER_OTLP_HEADERS``, ``OTEL_EXPORTER_OTLP_CERTIFICATE`` and ``OTEL_METRIC_EXPORT_INTERVAL``.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased

from shared.telemetry.about import work_of_service
from shared.telemetry.metrics import measure_with
from shared.telemetry.tracing import new_provider, trace_with

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader


class ServiceTracers:
    """A tracer for each service of this process, all with the same processors, each with the service's own name."""

    def __init__(self, process: str) -> None:
        self._process = process
        self._processors: list[SpanProcessor] = []
        self._tracers: dict[str, trace.Tracer] = {}

    def add(self, exporter: SpanExporter) -> None:
        self._processors.append(BatchSpanProcessor(exporter))

    def of(self, service: str) -> trace.Tracer:
        name = service or self._process
        tracer = self._tracers.get(name)
        if tracer is None:
            tracer = self._tracers[name] = self._provider(name).get_tracer("exhibit")
        return tracer

    def _provider(self, service: str) -> TracerProvider:
        provider = new_provider(resource=resource_of(service), sampler=ParentBased(ALWAYS_ON), shutdown_on_exit=False)
        for processor in self._processors:
            provider.add_span_processor(processor)
        return provider

    def close(self) -> None:
        """Send what is not sent yet."""
        for processor in self._processors:
            processor.shutdown()


def resource_of(service: str) -> Resource:
    return Resource.create({"service.name": f"exhibit-{service}", "service.namespace": "exhibit"})


@contextmanager
def export_telemetry(
    process: str, trace_file: Path | None = None, otlp_endpoint: str | None = None, *, scraped: bool = False
) -> Generator[None]:
    """Export what happens within the block; do nothing where none of it is given.

    Args:
        process: name of the service of this process, or of the program that hosts several.
        trace_file: spans are appended there, one JSON object a line.
        otlp_endpoint: base address of a collector, such as ``http://127.0.0.1:4318``: it gets traces and metrics.
        scraped: whether `shared.telemetry.scraping` can be asked for the metrics. A collector gets the same ones.
    """
    with ExitStack() as stack:
        stack.enter_context(work_of_service(process))
        if scraped or otlp_endpoint is not None:
            stack.enter_context(_measuring(process, otlp_endpoint, scraped=scraped))
        if trace_file is not None or otlp_endpoint is not None:
            stack.enter_context(_tracing(process, trace_file, otlp_endpoint))
        yield


@contextmanager
def _measuring(process: str, otlp_endpoint: str | None, *, scraped: bool) -> Generator[None]:
    from opentelemetry.sdk.metrics import MeterProvider

    with ExitStack() as stack:
        readers: list[MetricReader] = []
        if scraped:
            from shared.telemetry import scraping

            readers.append(stack.enter_context(scraping.reader()))
        if otlp_endpoint is not None:
            from shared.telemetry import otlp

            readers.append(otlp.metric_reader(otlp_endpoint.rstrip("/")))
        meters = MeterProvider(readers, resource=resource_of(process), shutdown_on_exit=False)
        stack.callback(meters.shutdown)
        stack.enter_context(measure_with(meters))
        yield


@contextmanager
def _tracing(process: str, trace_file: Path | None, otlp_endpoint: str | None) -> Generator[None]:
    with ExitStack() as stack:
        tracers = ServiceTracers(process)
        if trace_file is not None:
            file = stack.enter_context(trace_file.open("a", encoding="utf-8"))
            tracers.add(ConsoleSpanExporter(out=file, formatter=lambda span: span.to_json(indent=None) + "\n"))
        if otlp_endpoint is not None:
            from shared.telemetry import otlp

            tracers.add(otlp.span_exporter(otlp_endpoint.rstrip("/")))
        stack.callback(tracers.close)
        stack.enter_context(trace_with(tracers))
        yield
