"""One run of the practice tickets with one kind of telemetry, in its own process.

    python -m benchmarks.telemetry_run KIND SPEC INPUT.csv EVIDENCE_DIR ENDPOINT

KIND is ``off``, ``json`` (logs at INFO), ``traces`` or ``metrics`` (to the collector at ENDPOINT). Prints seconds,
samples, the run's folder, and the processor time of this process from the request to the result, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from shared.host.services import run_embedded
from shared.settings import Settings, with_capacity
from shared.telemetry.about import work_of_service
from shared.telemetry.exporting import ServiceTracers, resource_of
from shared.telemetry.logs import configure_logs
from shared.telemetry.metrics import measure_with
from shared.telemetry.tracing import trace_with

CONCURRENCY = 4


@contextmanager
def telemetry(kind: str, endpoint: str) -> Generator[None]:
    with ExitStack() as stack:
        stack.enter_context(work_of_service("bench"))
        configure_logs("INFO" if kind == "json" else "WARNING", "json" if kind == "json" else "text")
        if kind in ("traces", "metrics"):
            from shared.telemetry import otlp

            if kind == "traces":
                tracers = ServiceTracers("bench")
                tracers.add(otlp.span_exporter(endpoint))
                stack.callback(tracers.close)
                stack.enter_context(trace_with(tracers))
            else:
                meters = otlp.meter_provider(endpoint, resource_of("bench"))
                stack.callback(meters.shutdown)
                stack.enter_context(measure_with(meters))
        yield


async def main(spec: Path, samples: Path, evidence: Path) -> None:
    settings = with_capacity(Settings().model_copy(update={"evidence_dir": evidence}), CONCURRENCY)
    async with run_embedded(settings) as client:
        started_s, used_s = time.perf_counter(), time.process_time()
        accepted = await client.submit(
            json.loads(spec.read_text()),
            file=(samples.name, samples.read_bytes()),
            planner="rules",
            concurrency=CONCURRENCY,
        )
        finished = await client.result(accepted.run_id)
        figures = {
            "seconds": time.perf_counter() - started_s,
            "cpu_s": time.process_time() - used_s,
            "samples": finished.samples,
            "location": finished.location,
        }
    print(json.dumps(figures))


if __name__ == "__main__":
    with telemetry(sys.argv[1], sys.argv[5]):
        asyncio.run(main(Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])))
