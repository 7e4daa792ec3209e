"""Traces and metrics to a collector over HTTP (OTLP), to a file, and to nowhere."""

from __future__ import annotations

import gzip
import io
import json
import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from shared.settings import Settings
from shared.telemetry.about import about_from, about_headers, about_now, set_step, work_of_service, work_on_sample
from shared.telemetry.exporting import export_telemetry
from shared.telemetry.logs import JsonLines
from shared.telemetry.metrics import QueueDepth, is_measured, record_ask, record_queue
from shared.telemetry.trace_ids import sample_trace_id
from shared.telemetry.tracing import is_traced, received, sent_about, trace_headers
from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

OK_SPAN = "exhibit.v1.ask.browser_pool.page.act"


class Collector(SmallSite):
    def __init__(self) -> None:
        super().__init__(CollectorAnswers)
        self.traces = ExportTraceServiceRequest()
        self.metrics = ExportMetricsServiceRequest()
        self.keys: list[str] = []


class CollectorAnswers(Answers):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        collector = expect(self.server, Collector)
        collector.keys.append(self.headers.get("x-key", ""))
        {"/v1/traces": collector.traces, "/v1/metrics": collector.metrics}[self.path].MergeFromString(body)
        self.answer("", "application/x-protobuf")


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as served:
        yield served


def test_a_collector_gets_one_trace_of_a_sample_with_the_services_by_their_names(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=abc")
    with export_telemetry("console", None, collector.url):
        with work_of_service("discovery"), sent_about("run_1", "T-1", "found", begins=True):
            sent = trace_headers()
        with work_of_service("planner"), work_on_sample("run_1", "T-1"), received("work", sent):
            set_step(3)
            asked = {**about_headers(), **trace_headers()}
        with work_of_service("browser_pool"):
            about = about_from(asked)
            with work_on_sample(about.run, about.sample), received(OK_SPAN, asked) as span:
                span.fail("session_lost")
            record_ask(OK_SPAN, 0.25, "session_lost")
            record_queue("SAMPLES", QueueDepth(waiting=4, at_work=3, demand=5))
    spans = {
        span.name: span
        for resource in collector.traces.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
    names = {
        attribute.value.string_value
        for resource in collector.traces.resource_spans
        for attribute in resource.resource.attributes
        if attribute.key == "service.name"
    }
    assert names == {"exhibit-discovery", "exhibit-planner", "exhibit-browser_pool"}
    assert {span.trace_id.hex() for span in spans.values()} == {sample_trace_id("run_1", "T-1")}
    assert spans["found"].parent_span_id == b""
    assert spans["work"].parent_span_id == spans["found"].span_id
    assert spans[OK_SPAN].parent_span_id == spans["work"].span_id
    assert spans[OK_SPAN].status.message == "session_lost"
    metrics = {
        metric.name: metric
        for resource in collector.metrics.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert (metrics["exhibit.ask.duration"].unit, metrics["exhibit.queue.depth"].unit) == ("s", "{message}")
    depths = metrics["exhibit.queue.depth"].gauge.data_points
    assert sorted(point.as_int for point in depths) == [3, 4]
    assert set(collector.keys) == {"abc"}, "the standard variables say how it is sent"


@pytest.mark.system
def test_nothing_is_sent_and_no_exporter_is_loaded_where_none_is_named(collector: Collector, tmp_path: Path):
    with export_telemetry("console"), work_on_sample("run_1", "T-1"), received("work", {}):
        assert not is_traced()
        assert not is_measured()
        assert trace_headers() == {}
        record_ask(OK_SPAN, 0.25, "")
    assert collector.keys == []
    code = (
        "import shared.host.services, shared.telemetry.exporting, sys\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry.exporter')])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_a_service_that_is_not_traced_passes_the_trace_on():
    sender = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
    with received("ask", sender):
        assert trace_headers()["traceparent"] == sender["traceparent"]
    assert trace_headers() == {}


def test_a_collector_that_is_gone_costs_no_work_and_says_so(tmp_path: Path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        gone = f"http://127.0.0.1:{probe.getsockname()[1]}"
    told = io.StringIO()
    handler = logging.StreamHandler(told)
    handler.setFormatter(JsonLines())
    library = logging.getLogger("opentelemetry")
    library.addHandler(handler)
    try:
        with (
            pytest.MonkeyPatch.context() as patch,
            export_telemetry("console", tmp_path / "spans.jsonl", _bounded(patch, gone)),
            received("work", {}),
        ):
            pass
    finally:
        library.removeHandler(handler)
    assert [json.loads(line)["name"] for line in (tmp_path / "spans.jsonl").read_text().splitlines()] == ["work"]
    assert any("xport" in json.loads(line)["message"] for line in told.getvalue().splitlines())


def _bounded(patch: pytest.MonkeyPatch, endpoint: str) -> str:
    patch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    return endpoint


@pytest.mark.parametrize(
    "header", ["", "a/b", "run/x/y/z", "run/../1", "r un/T-1/1", f"{'a' * 101}/T-1/1", "run/T-1/x"]
)
def test_a_header_that_is_none_of_ours_says_nothing(header: str):
    assert about_from({"Exhibit-About": header}).run == ""
    assert about_from({"Exhibit-About": "run_1/T-1/2"}).step == 2
    assert about_now().run == ""


def test_settings_name_the_collector_in_either_way(monkeypatch: pytest.MonkeyPatch):
    assert Settings().otlp_endpoint is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
    assert Settings().otlp_endpoint == "http://collector:4318"
    monkeypatch.setenv("EXHIBIT_OTLP_ENDPOINT", "https://other/otlp")
    assert Settings().otlp_endpoint == "https://other/otlp"
    monkeypatch.setenv("EXHIBIT_OTLP_ENDPOINT", "http://user:hunter2@other")
    with pytest.raises(ValueError, match="OTLP_ENDPOINT") as caught:
        Settings()
    assert "hunter2" not in str(caught.value)
