"""The metrics of this process as Prometheus reads them, for who asks. They are the ones that a collector gets.

Names follow the convention of OpenTelemetry: ``exhibit.queue.depth`` is ``exhibit_queue_depth``, a duration ends with
``_seconds`` and a counter with ``_total``, and an attribute ``exhibit.state`` is the label ``exhibit_state``.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.sdk.metrics.export import (
    Gauge,
    HistogramDataPoint,
    InMemoryMetricReader,
    Metric,
    MetricsData,
    NumberDataPoint,
    Sum,
)

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
UNITS = {"s": "seconds"}
"""The units that are part of a name; those in braces are words for people."""
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_]")


class _Scraped:
    reader: InMemoryMetricReader | None = None


@contextmanager
def reader() -> Generator[InMemoryMetricReader]:
    """Yield the reader that :func:`scrape` asks within the block."""
    before, _Scraped.reader = _Scraped.reader, InMemoryMetricReader()
    try:
        yield _Scraped.reader
    finally:
        _Scraped.reader = before


def scrape() -> str:
    """Return what was counted and measured until now; empty where nothing was, or nothing is."""
    data = None if _Scraped.reader is None else _Scraped.reader.get_metrics_data()
    return "" if data is None else prometheus_text(data)


def prometheus_text(data: MetricsData) -> str:
    """Return the metrics in the text format of Prometheus, version 0.0.4."""
    metrics = (
        metric for resource in data.resource_metrics for scope in resource.scope_metrics for metric in scope.metrics
    )
    return "".join(f"{line}\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    counts = isinstance(metric.data, Sum) and metric.data.is_monotonic
    name = "_".join(filter(None, (_name(metric.name), UNITS.get(metric.unit or ""), "total" if counts else "")))
    kind = "counter" if counts else "gauge" if isinstance(metric.data, Sum | Gauge) else "histogram"
    yield f"# HELP {name} {_escaped(metric.description or '')}"
    yield f"# TYPE {name} {kind}"
    for point in metric.data.data_points:
        labels = {_name(key): str(value) for key, value in sorted((point.attributes or {}).items())}
        if isinstance(point, NumberDataPoint):
            yield f"{name}{_labels(labels)} {_number(point.value)}"
        elif isinstance(point, HistogramDataPoint):
            yield from _classes(name, labels, point)


def _classes(name: str, labels: Mapping[str, str], point: HistogramDataPoint) -> Iterator[str]:
    """Each class counts what is in it and in those below it."""
    below = 0
    for bound, count in zip([*map(_number, point.explicit_bounds), "+Inf"], point.bucket_counts, strict=True):
        below += count
        yield f"{name}_bucket{_labels({**labels, 'le': bound})} {below}"
    yield f"{name}_sum{_labels(labels)} {_number(point.sum)}"
    yield f"{name}_count{_labels(labels)} {point.count}"


def _name(text: str) -> str:
    return _NOT_IN_NAMES.sub("_", text)


def _labels(labels: Mapping[str, str]) -> str:
    written = ",".join(f'{key}="{_escaped(value, quotes=True)}"' for key, value in labels.items())
    return f"{{{written}}}" if written else ""


def _escaped(text: str, *, quotes: bool = False) -> str:
    told = text.replace("\\", r"\\").replace("\n", r"\n")
    return told.replace('"', r"\"") if quotes else told


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))
