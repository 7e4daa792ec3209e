"""The exporters to a collector. Imported only where one is named."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import SpanExporter


def span_exporter(base: str) -> SpanExporter:
    return OTLPSpanExporter(endpoint=f"{base}/v1/traces")


def meter_provider(base: str, resource: Resource) -> MeterProvider:
    return MeterProvider([metric_reader(base)], resource=resource, shutdown_on_exit=False)


def metric_reader(base: str) -> MetricReader:
    return PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=f"{base}/v1/metrics"))
