"""Third-party apps whose record pages have been redesigned: a proxy draws labels and values in another layout.

The same samples are worked out by the rules alone and by a flow that was compiled on the app's own pages, so that what
a flow loses by a redesign is told apart from what no reader can tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from practice.comparing import rows_of
from practice.serving import serve
from shared.host.services import run_embedded
from shared.testing.settings import library_settings
from tests.drift.flows import Subject, keep_as_compiled, publish_compiled, record_on_plain_site, run
from tests.real.apps.app import RealApp, Record, as_text, read_spec, real_app

APPS = ("calibreweb", "datasette", "otterwiki", "sqladmin")
LAYOUTS = (
    "a definition list",
    "rows of a table",
    "columns of a table",
    "labels above values",
    "labels as headings",
    "label and value in one text",
    "labels in bold in one text",
    "labels with a mark",
    "labels with a colon",
    "a menu that repeats the labels",
    "labels in capitals",
    "another record above",
    "another record below",
)
PLAIN = "(plain)"
RECORDED, EACH = 9, 10
MAX_WHY = 300
SCRIPT = (Path(__file__).parent / "redesign.js").read_text(encoding="utf-8")
UNSENT = frozenset({"host", "accept-encoding", "connection", "content-length"})
UNRETURNED = frozenset(
    {"content-length", "content-encoding", "transfer-encoding", "connection", "content-security-policy"}
)
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


class RedesignedSite:
    """A proxy in front of an app. ``layout``: in which its pages are drawn; ``PLAIN``: as they are."""

    def __init__(self, url: str, client: httpx2.AsyncClient) -> None:
        self.layout = PLAIN
        self._url, self._client = url, client

    async def answer(self, request: Request) -> Response:
        own = f"{request.base_url}".rstrip("/")
        headers = {name: value for name, value in request.headers.items() if name.lower() not in UNSENT}
        query = f"?{request.url.query}" if request.url.query else ""
        answer = await self._client.request(
            request.method, f"{self._url}{request.url.path}{query}", headers=headers, content=await request.body()
        )
        kept = {name: value.replace(self._url, own) for name, value in answer.headers.items() if name not in UNRETURNED}
        body = answer.content.replace(self._url.encode(), own.encode())
        if self.layout != PLAIN and "html" in answer.headers.get("content-type", ""):
            script = SCRIPT.replace("(LAYOUT)", f"({json.dumps(self.layout)})")
            body = re.sub(rb"</body>", lambda _: f"<script>{script}</script></body>".encode(), body, count=1)
        return Response(body, answer.status_code, kept)


@dataclass(frozen=True)
class RedesignOutcome:
    """What became of the samples of an app in a layout. ``rules_right``: done and right by rules alone; ``right``: with
    the flow; ``both``: either way; ``by_flow``: by the flow to its end. ``wrong``: fields of samples that are done."""

    app: str
    layout: str
    samples: int
    rules_right: int
    right: int
    both: int
    by_flow: int
    wrong: tuple[str, ...]
    rules_wrong: tuple[str, ...]
    why: tuple[str, ...]

    @property
    def line(self) -> str:
        return (
            f"{self.samples} samples; right: rules {self.rules_right}, run with the flow {self.right} "
            f"(by the flow to its end {self.by_flow}, of the rules' {self.both}); wrong: {len(self.wrong)}, "
            f"rules {len(self.rules_wrong)}"
        )


def told(found: Sequence[RedesignOutcome]) -> str:
    """Return a line a layout, each with what is wrong, and why a few samples are not done."""
    lines: list[str] = []
    for one in found:
        lines.append(f"{one.app}, {one.layout}: {one.line}")
        lines += [f"  {text[:MAX_WHY]}" for text in (*one.wrong, *one.rules_wrong, *one.why[:2])]
    return "\n".join(lines)


@asynccontextmanager
async def redesigned(app: RealApp) -> AsyncGenerator[tuple[str, RedesignedSite]]:
    """Serve the app behind the proxy; yield its address there."""
    async with httpx2.AsyncClient(follow_redirects=False, timeout=30.0) as client:
        site = RedesignedSite(app.url, client)
        served = Starlette(routes=[Route("/{path:path}", site.answer, methods=METHODS)])
        async with serve(served) as url:
            yield url.rstrip("/"), site


async def measure_app(folder: Path, name: str, layouts: Sequence[str] = LAYOUTS) -> list[RedesignOutcome]:
    """Return what becomes of records in each layout by a flow for which only the app's own pages were seen."""
    async with real_app(name, folder / "app") as app, redesigned(app) as (url, site):
        subject = subject_of(app, url)
        async with run_embedded(library_settings(folder, planner="rules")) as client:
            flow = await publish_compiled(client, subject, await record_on_plain_site(client, subject))
            await keep_as_compiled(client, flow)
            found: list[RedesignOutcome] = []
            for layout in (PLAIN, *layouts):
                site.layout = layout
                alone = await run(client, {**subject.spec, "workflow": "off"}, subject.rows)
                with_flow = await run(client, subject.spec, subject.rows)
                found.append(_compared(subject, layout, alone, with_flow))
            return found


def subject_of(app: RealApp, url: str) -> Subject:
    spec = app.spec("careful")
    key = next(name for name in read_spec(app.name, "careful")["input_schema"] if name != "url")
    records = {name: one for name, one in app.truth.records.items() if name not in app.truth.quoting}
    learned = _of_each_kind(records, RECORDED)
    others = [name for name in records if name not in learned][:EACH]
    rows = [[{key: name, "url": url + records[name].path} for name in some] for some in (learned, others)]
    truth = [{field: as_text(records[name].values.get(field)) for field in spec["output_schema"]} for name in others]
    return Subject(app.name, spec, rows[0], rows[1], truth, learned=4)


def _of_each_kind(records: Mapping[str, Record], wanted: int) -> list[str]:
    """Return records of each kind in turn: a kind is which fields are empty."""
    kinds: dict[frozenset[str], list[str]] = {}
    for name, one in records.items():
        kinds.setdefault(frozenset(key for key, value in one.values.items() if value in (None, "")), []).append(name)
    queues = [kinds[kind] for kind in sorted(kinds, key=len)]
    turns = [queue[at] for at in range(wanted) for queue in queues if at < len(queue)]
    return turns[:wanted]


def _compared(subject: Subject, layout: str, alone: Path, with_flow: Path) -> RedesignOutcome:
    rules, flow = _ends(subject, alone), _ends(subject, with_flow)
    right = [at for at, (is_done, wrong, _) in flow.items() if is_done and not wrong]
    rules_right = [at for at, (is_done, wrong, _) in rules.items() if is_done and not wrong]
    return RedesignOutcome(
        subject.name,
        layout,
        len(subject.rows),
        len(rules_right),
        len(right),
        len(set(right) & set(rules_right)),
        len(set(right) & _done_by_flow(with_flow)),
        tuple(wrong for is_done, wrong, _ in flow.values() if is_done and wrong),
        tuple(wrong for is_done, wrong, _ in rules.values() if is_done and wrong),
        tuple(f"{row['sample_id']}: {row['message']}" for is_done, _, row in flow.values() if not is_done),
    )


def _ends(subject: Subject, folder: Path) -> dict[int, tuple[bool, str, dict[str, str]]]:
    """Return by row: whether it is done, which fields are wrong then, and the row of the table."""
    found: dict[int, tuple[bool, str, dict[str, str]]] = {}
    for row in rows_of(folder / "combined.csv"):
        at = int(row["row"]) - 1
        wrong = [
            f"{name}: {row[name]!r}, not {value!r}"
            for name, value in subject.truth[at].items()
            if not _same(row[name], value)
        ]
        found[at] = (row["status"] == "done", "; ".join(wrong), row)
    return found


def _done_by_flow(folder: Path) -> set[int]:
    """Return the rows of the samples whose last step is the flow's."""
    rows = {row["sample_id"]: int(row["row"]) - 1 for row in rows_of(folder / "combined.csv")}
    logs = {path.parent: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*/action_log.json")}
    ended = [
        json.loads((at / "sample.json").read_text())["sample_id"]
        for at, log in logs.items()
        if log[-1]["decided_by"] == "flow"
    ]
    return {rows[one] for one in ended}


def _same(got: str, wanted: str) -> bool:
    try:
        return got == wanted or Decimal(got) == Decimal(wanted)
    except ArithmeticError:
        return False
