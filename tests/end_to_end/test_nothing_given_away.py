"""Traces, metrics and logs of whole runs have nothing of a page, a prompt, a row, a file's name or a secret in them.

Each kind of text has a marker of its own, which is searched in all that was told at DEBUG, in every encoding. That it
can be told is shown too: the same markers are in the evidence, at the site, or at the model.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from pydantic import SecretStr

from shared.bus.nats_bus import connect_bus
from shared.contracts.evidence import AskSql
from shared.contracts.workflows.invocations import RunCode
from shared.errors import ExhibitError
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.subjects import ASK_SQL, RUN_CODE
from shared.telemetry.exporting import export_telemetry
from shared.telemetry.logs import TextLines, configure_logs, message_of
from shared.telemetry.metrics import measure_with
from shared.telemetry.trace_ids import sample_trace_id
from tests.end_to_end.secret_search import forms, found_below, unpacked
from tests.end_to_end.small_site import Answers, SmallSite
from tests.handlers.planner.messages_server import Endpoint, endpoint, error, message, tool_call
from tests.typed import expect

MARKERS = {
    "page": "zebra-umbrella-4711",
    "value": "quince-lantern-4712",
    "row": "walrus-trombone-4713",
    "goal": "pelican-drawbridge-4714",
    "secret": "mammoth-saxophone-4715",
    "file": "otter-barometer-4716",
    "input": "gibbon-telescope-4717",
    "reason": "heron-metronome-4718",
    "refused": "badger-lighthouse-4719",
    "model": "lemur-accordion-4720",
    "query": "puffin-gramophone-4721",
    "code": "jackal-periscope-4722",
}
MADE_AT = {"query", "code"}
"""Told to a service by the test itself."""


class Forms(SmallSite):
    def __init__(self) -> None:
        super().__init__(FormAnswers)
        self.got: list[str] = []


class FormAnswers(Answers):
    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        expect(self.server, Forms).got.extend(value for values in query.values() for value in values)
        if path.startswith("/file"):
            name = f"{MARKERS['file']}.txt"
            self.answer("a text", "text/plain", content_disposition=f'attachment; filename="{name}"')
        elif path == "/odd":
            self.answer(MARKERS["page"], status=500)
        else:
            self.answer(PAGE.format(number=query.get("number", [path.strip("/")])[0], **MARKERS))


PAGE = """<!doctype html><title>Ticket {page}</title><h1>{page}</h1>
<dl><dt>Number</dt><dd>{number}</dd><dt>Owner {page}</dt><dd>{value}</dd></dl>
<form><input type="hidden" name="number" value="{number}"><label>Note {page}<input name="note"></label>
<label>Code<input name="code" type="password"></label><button>Save {page}</button></form>
<a href="/file/{file}">{file}</a><img src="http://127.0.0.2:9/{refused}/{page}">
<script>console.log("{page}"); console.error("{page}")</script>"""


@pytest.fixture
def site() -> Iterator[Forms]:
    with Forms() as served:
        yield served


def spec(url: str) -> dict[str, Any]:
    return {
        "task_id": "marked",
        "goal": f"Read the owner, {MARKERS['goal']}.",
        "input_schema": {"number": "string", "note": "string", "url": "string"},
        "sample_id": "{number}",
        "output_schema": {"number": "string", "owner": {"type": "string", "labels": [f"Owner {MARKERS['page']}"]}},
        "required_fields": ["owner"],
        "identity": {"number": "{number}"},
        "secrets": ["portal"],
        "allowed_hosts": [url.removeprefix("http://")],
        "vision": "auto",
    }


def calls() -> list[Any]:
    why = MARKERS["reason"]
    done = {"values": {"number": "T-1", "owner": MARKERS["value"]}, "not_present": {}, "refs": {}, "reason": why}
    refs = {"values": {"number": "T-1"}, "refs": {"number": 9_999}, "reason": why}
    return [
        tool_call("type", {"target": "css=[name=note]", "text": MARKERS["row"], "reason": why}),
        tool_call("type_secret", {"target": "css=[name=code]", "secret": "portal", "reason": why}),
        tool_call("extract", {"target": f"css=#{MARKERS['refused']}", "reason": why}),
        tool_call("download", {"target": MARKERS["file"], "label": "paper", "reason": why}),
        tool_call("ask_picture", {"question": f"what is {MARKERS['reason']}?", "reason": why}),
        tool_call("goto", {"url": f"http://{MARKERS['refused']}.example/{MARKERS['row']}", "reason": why}),
        tool_call("click", {"target": "css=button", "reason": why}),
        tool_call("no_such_tool", {MARKERS["model"]: MARKERS["model"]}),
        tool_call("screenshot", {"label": "ticket", "reason": why}),
        message([{"type": "text", "text": MARKERS["model"]}], "end_turn"),
        tool_call("done", refs),
        tool_call("done", done),
        tool_call("fail", {"code": "other", "note": MARKERS["model"], "reason": why}),
        error(400, MARKERS["model"]),
    ]


def table(url: str) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["number", "note", "url"])
    for number, path in (("T-1", "T-1"), ("T-2", "T-2"), ("T-3", "odd"), ("T-4", "T-4")):
        rows.writerow([number, MARKERS["row"], f"{url}/{path}?{MARKERS['row']}"])
    return text.getvalue().encode("utf-16")


def is_written_in(pieces: bytes, text: str) -> bool:
    small = pieces.lower()
    return any(form in small for form in forms(text).values())


class Told:
    """All that was told of a run: lines of both forms of log, spans, and metrics."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.json, self.text, self.metrics = folder, io.StringIO(), io.StringIO(), ""

    @property
    def spans(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "spans.jsonl").read_text().splitlines()]

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.json.getvalue().splitlines()]

    @property
    def whole(self) -> bytes:
        spans = (self.folder / "spans.jsonl").read_text()
        return "\n".join((self.json.getvalue(), self.text.getvalue(), spans, self.metrics)).encode()


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    """Logs at DEBUG, in both forms, into memory. What libraries say is in it too."""
    told, root = Told(tmp_path), logging.getLogger()
    handlers, level = list(root.handlers), root.level
    configure_logs("DEBUG", "json", told.json)
    plain = logging.StreamHandler(told.text)
    plain.setFormatter(TextLines())
    root.addHandler(plain)
    yield told
    root.handlers[:] = handlers
    root.setLevel(level)


async def run_marked(settings: Settings, site: Forms, asked: Endpoint, told: Told) -> Path:
    """Run samples with markers in all that they meet, and ask what services refuse. Return the evidence of four."""
    reader = InMemoryMetricReader()
    settings = settings.model_copy(
        update={"anthropic_base_url": asked.url, "vision_model": "seer", "fast_model": "small"}
    )
    with export_telemetry("test", told.folder / "spans.jsonl"), measure_with(MeterProvider([reader])):
        async with run_embedded(settings) as client:
            accepted = await client.submit(
                spec(site.url), file=(f"{MARKERS['input']}.csv", table(site.url)), concurrency=1
            )
            finished = await client.result(accepted.run_id)
            row = {"number": "T-5", "note": MARKERS["row"], "url": f"{site.url}/T-5"}
            by_rules = await client.submit(spec(site.url), rows=[row], planner="rules")
            read = (await client.result(by_rules.run_id)).location
            values = json.loads((Path(read) / "T-5/result.json").read_text())["extracted"]
            assert values == {"number": "T-5", "owner": MARKERS["value"]}
            ran = await client.bus.ask(RUN_CODE, RunCode(code=f"raise ValueError({MARKERS['code']!r})"))
            assert MARKERS["code"] in str(ran)
            refused = await client.bus.ask(ASK_SQL, AskSql(query=f'select "{MARKERS["query"]}" from samples'))
            assert MARKERS["query"] in str(refused)
        data = reader.get_metrics_data()
    told.metrics = data.to_json() if data is not None else ""
    return Path(finished.location)


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("EXHIBIT_SECRET_PORTAL", MARKERS["secret"])
    return Settings(
        evidence_dir=tmp_path / "evidence",
        state_dir=tmp_path / "state",
        workflows_dir=tmp_path / "workflows",
        nats_url=None,
        planner="anthropic",
        anthropic_api_key=SecretStr("sk-none"),
        planner_capacity=1,
    )


async def test_nothing_of_pages_rows_prompts_files_and_secrets_is_told(
    marked: Settings, site: Forms, told: Told, capfd: pytest.CaptureFixture[str]
):
    others = {
        "seer": [tool_call("answer", {"answer": MARKERS["model"], "confidence": 2})],
        "small": [error(400, MARKERS["model"])],
    }
    async with endpoint(*calls(), by_model=others) as asked:
        evidence = await run_marked(marked, site, asked, told)

    at_site_or_model = str(site.got) + str(asked.requests)
    met = {name for name, text in MARKERS.items() if text in at_site_or_model} | MADE_AT
    met |= {name for name, text in MARKERS.items() if name not in met and found_below(evidence / "T-1", text)}
    assert met | {"input"} == set(MARKERS), "what was never met could not be told"
    assert any(MARKERS["row"] in str(request) for request in asked.requests)

    out, err = capfd.readouterr()
    pieces = b"\n".join(piece for _, piece in unpacked(told.whole + (out + err).encode(), "told"))
    assert is_written_in(pieces, "planner.step")
    assert [name for name, text in MARKERS.items() if is_written_in(pieces, text)] == []
    check_lines(told)
    check_traces(told, evidence.name)
    check_metrics(told)


def check_lines(told: Told) -> None:
    """Each line has every key, and those about a step say whose it is, in the services that are asked too."""
    keys = {"time", "level", "logger", "service", "run", "sample", "step", "trace", "message", "error"}
    assert {frozenset(line) for line in told.lines} == {frozenset(keys)}
    of_pool = [line for line in told.lines if line["message"].startswith("a document is refused")]
    assert {line["service"] for line in of_pool} == {"browser_pool"}
    assert {line["sample"] for line in of_pool} == {"T-1", "T-2", "T-4", "T-5"}
    failed = next(line for line in told.lines if line["sample"] == "T-4" and line["logger"] == "shared.bus.runner")
    assert (failed["service"], failed["step"]) == ("planner", 2)
    assert failed["trace"] == sample_trace_id(failed["run"], "T-4")
    assert len(told.text.getvalue().splitlines()) >= len(told.lines)


def check_traces(told: Told, run: str) -> None:
    """The trace of a sample begins where it is found, and has spans of all services that had to do with it."""
    mine = [span for span in told.spans if span["context"]["trace_id"] == f"0x{sample_trace_id(run, 'T-1')}"]
    ids = {span["context"]["span_id"] for span in mine}
    assert [span["name"] for span in mine if span["parent_id"] is None] == [
        "publish exhibit.v1.evt.discovery.sample.found"
    ]
    assert {span["parent_id"] for span in mine} - {None} <= ids
    services = {span["resource"]["attributes"]["service.name"] for span in mine}
    names = ("discovery", "planner", "browser_pool", "vision", "workflows", "evidence")
    assert services == {f"exhibit-{name}" for name in names}
    steps = [span for span in mine if span["name"] == "planner.step"]
    assert {span["attributes"]["exhibit.action"] for span in steps} >= {"goto", "type", "type_secret", "done"}
    assert all(span["events"] == [] for span in told.spans), "no event, so no exception's text"


def check_metrics(told: Told) -> None:
    metrics = msgspec.json.decode(told.metrics)["resource_metrics"][0]["scope_metrics"][0]["metrics"]
    units = {metric["name"]: metric["unit"] for metric in metrics}
    assert units == {
        "exhibit.queue.depth": "{message}",
        "exhibit.queue.demand": "{message}",
        "exhibit.slots": "{slot}",
        "exhibit.pool.full": "{pool}",
        "exhibit.sessions": "{session}",
        "exhibit.step.duration": "s",
        "exhibit.ask.duration": "s",
        "exhibit.samples": "{sample}",
        "exhibit.failures": "{failure}",
        "exhibit.model.tokens": "{token}",
        "exhibit.model.calls": "{call}",
        "exhibit.model.cost": "{USD}",
    }
    ended = next(metric for metric in metrics if metric["name"] == "exhibit.samples")["data"]["data_points"]
    assert sum(point["value"] for point in ended) == 5
    said = [point["attributes"] for metric in metrics for point in metric["data"]["data_points"]]
    names = ("service", "queue", "state", "subject", "action", "code", "of", "kind", "status")
    assert {key for one in said for key in one} == {f"exhibit.{name}" for name in names}
    assert [one for one in said if "T-1" in one.values() or "run_" in str(one)] == []


async def test_what_an_error_says_is_not_logged_but_its_code_and_place_are(told: Told):
    try:
        raise ExhibitError(MARKERS["page"], code="no_blob") from KeyError(MARKERS["row"])
    except ExhibitError as exc:
        ours = logging.getLogger("services.test")
        ours.warning("a step: %s: %s", exc.code, exc, exc_info=exc)
        odd = logging.LogRecord("services.test", logging.INFO, "x.py", 1, "an odd call: %d", (exc,), None)
        assert message_of(odd) == "an odd call: %d"
        logging.getLogger("asyncio").error("Task was lost\nfuture: %r" % exc)  # noqa: UP031  as asyncio does it
        logging.getLogger("urllib3").warning("Retrying %s", MARKERS["page"])
        logging.getLogger("anthropic").debug("Request options: %s", MARKERS["goal"])
    first, *others = told.lines
    assert first["message"] == "a step: no_blob: the bytes are not on the bus any more"
    assert [line for line in first["error"] if not line.startswith("  ")] == ["ExhibitError no_blob", "KeyError"]
    assert any("test_nothing_given_away.py" in line for line in first["error"])
    assert [line["message"] for line in others] == ["Task was lost", "Retrying %s"]
    for text in MARKERS.values():
        assert text not in told.json.getvalue() + told.text.getvalue()


async def test_what_a_callback_of_the_bus_raises_is_not_quoted(told: Told, nats_url: str):
    raised = asyncio.Event()

    async def breaks(_: Any) -> None:
        raised.set()
        raise ValueError(MARKERS["row"])

    async with connect_bus(nats_url, name="test") as bus:
        await bus.nc.subscribe("given.away", cb=breaks)
        await bus.nc.publish("given.away", MARKERS["page"].encode())
        await bus.nc.flush()
        await asyncio.wait_for(raised.wait(), 60)
    assert [line["message"] for line in told.lines if line["level"] == "INFO"] == ["bus: test: ValueError"]
    assert MARKERS["row"] not in told.json.getvalue() + told.text.getvalue()
