"""A run with really rendered screenshots, so the position of each value on them is known."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any

import msgspec
from playwright.async_api import Browser

from services.evidence.facts import RunFacts
from services.evidence.outputs.report_file import ReportFile
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import DriversCount, RunFinished
from shared.evidence_format.files.reconciliation import (
    FiledRegister,
    ReconciledRecord,
    ReconciliationHead,
    count_records,
    write_reconciliation,
)
from shared.evidence_format.review.reviewed import RunReview
from shared.evidence_view.sample_facts import SampleFiles
from tests.handlers.evidence.written_sample import files_of

AT = datetime(2026, 3, 1, 10, 15, tzinfo=UTC)
WIDTH_PX = 800
COLOURS = {"number": "rgb(12, 34, 200)", "assignee": "rgb(10, 140, 60)", "closed": "rgb(150, 20, 90)"}
"""Each value has a background colour that is unique on the page."""


def spec(**more: Any) -> dict[str, Any]:
    return {
        "task_id": "tickets_review",
        "goal": "Read each ticket and say whether it was closed in time.",
        "start_url": "https://tickets.example/{number}",
        "output_schema": {"number": "string", "assignee": "string | null", "closed": "date | null"},
        "required_fields": ["number"],
        "identity": {"number": "{number}"},
        **more,
    }


@dataclass(frozen=True)
class Pictured:
    """A captured page."""

    png: bytes
    area: dict[str, float]
    boxes: dict[str, dict[str, float]]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.png).hexdigest()


async def pictured(browser: Browser, values: Mapping[str, str], *, above_px: int = 60) -> Pictured:
    """Capture a page with the values, each further down and to the right than the previous one."""
    lines = "".join(
        f'<p style="margin:90px 0 0 {40 + 90 * at}px"><b id="{name}" style="color:#fff;padding:6px;'
        f'display:inline-block;background:{COLOURS[name]}">{escape(value)}</b></p>'
        for at, (name, value) in enumerate(values.items())
    )
    page = await browser.new_page(viewport={"width": WIDTH_PX, "height": 600})
    await page.set_content(f'<body style="margin:0;padding-top:{above_px}px;height:{above_px + 900}px">{lines}')
    boxes: dict[str, dict[str, float]] = {}
    for name in values:
        box = await page.locator(f"#{name}").bounding_box()
        assert box is not None
        boxes[name] = {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}
    height: float = await page.evaluate("document.documentElement.scrollHeight")
    png = await page.screenshot(full_page=True)
    await page.close()
    return Pictured(png, {"x": 0.0, "y": 0.0, "width": float(WIDTH_PX), "height": height}, boxes)


@dataclass
class Told:
    """One sample and its end."""

    sample_id: str
    values: dict[str, Any]
    key: str = ""
    status: str = "done"
    reason: str = ""
    message: str = ""
    flagged: bool = False
    notes: tuple[str, ...] = ()
    picture: Pictured | None = None
    shown: dict[str, str] = field(default_factory=dict[str, str])
    url: str = ""
    judgment: dict[str, Any] | None = None
    not_present: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    candidates: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Of a field without a value: the boxes of the picture between which a person decides."""
    explained: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """Of a field without a value: what nearly matched, and what would settle it."""
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    """Of a field of rows: the cells of each row, as result.json has them."""
    on_picture: bool = True
    """Whether the sources of the values name the screenshot."""
    scrolled: bool = False
    """Whether the screenshot was taken for the values, and a view of a part that scrolls is the same picture."""


def sample_files(told: Told, row: int) -> SampleFiles:
    """Return the sample as it is read from its files."""
    url = told.url or f"https://tickets.example/{told.sample_id}"
    artifacts: dict[str, dict[str, Any]] = {}
    if told.picture is not None:
        views = {"00_view.png": {**_artifact(told.picture, url), "area": None}} if told.scrolled else {}
        artifacts = {**views, "01_ticket.png": {**_artifact(told.picture, url), "of_values": told.scrolled}}
    filed = [{"filename": name, "artifact": one} for name, one in artifacts.items()]
    sample = {"sample_id": told.sample_id, "key": told.key or told.sample_id, "row": row, "url": url}
    result = {
        "status": told.status,
        "reason": told.reason,
        "message": told.message,
        "flagged": told.flagged,
        "notes": list(told.notes),
        "fields": {name: _field(told, name, url) for name in ("number", "assignee", "closed")},
        "artifacts": [
            *({**{k: one[k] for k in _RESULT}, "filename": name} for name, one in artifacts.items()),
            *({"kind": "download", "filename": name, "source_url": url} for name in told.downloads),
        ],
        "judgment": told.judgment,
        "usage": {"llm_calls": 0, "cost_usd": 0.0},
        "finished_at": _iso(AT + timedelta(seconds=4)),
    }
    took = {"step": 2, "action": "screenshot", "params": {"label": "ticket"}, "artifacts": filed, "total_ms": 900.0}
    log = [{"step": 1, "action": "goto", "params": {"url": url}, "artifacts": [], "total_ms": 900.0}, took]
    whole = {**sample, "fields": {"number": told.sample_id, "url": url}}
    return files_of(whole, result, log if filed else [])


_RESULT = ("kind", "label", "sha256", "size_bytes", "media_type", "source_url")


def _iso(moment: datetime) -> str:
    return str(msgspec.to_builtins(moment))


def _artifact(picture: Pictured, url: str) -> dict[str, Any]:
    return {
        **{"kind": "screenshot", "label": "ticket", "media_type": "image/png", "suffix": ".png", "blob": ""},
        **{"captured_at": _iso(AT), "source_url": url, "area": picture.area, "part": 1, "parts": 1},
        **{"size_bytes": len(picture.png), "sha256": picture.sha256},
    }


def _field(told: Told, name: str, url: str) -> dict[str, Any]:
    value = told.values.get(name)
    if name in told.rows:
        cells = [{"cells": row} for row in told.rows[name]]
        return {"state": "value", "value": [{}] * len(cells), "rows": cells, "lacking": "1 of 2", "read_by": "rules"}
    if value is None:
        state = "not_present" if name in told.not_present else "not_found"
        candidates = [{"shown": at, "source": _source(told, at, url)} for at in told.candidates.get(name, ())]
        explained = told.explained.get(name, {})
        return {"state": state, "shown": told.shown.get(name), "candidates": candidates, **explained}
    shown = told.shown.get(name, str(value))
    source = _source(told, name, url)
    return {"state": "value", "value": value, "shown": shown, "source": source, "origin": "page", "read_by": "rules"}


def _source(told: Told, name: str, url: str) -> dict[str, Any]:
    whole = {"snapshot_id": "s", "observation_sha256": "", "ref": 1, "box": None, "frame": "main"}
    source: dict[str, Any] = {**whole, "url": url, "role": "definition", "label": name}
    if told.picture is not None and name in told.picture.boxes:
        source["box"] = told.picture.boxes[name]
        source["screenshot_sha256"] = told.picture.sha256 if told.on_picture else ""
    return source


def write(
    folder: Path,
    told: Iterable[Told],
    *,
    pictures: bool = True,
    worked: tuple[DriversCount, ...] = (),
    reconciliation: str = "",
    population: Mapping[str, Any] | None = None,
    review: RunReview | None = None,
    **record: Any,
) -> Path:
    """Write a run's folder with screenshots and report; return the path of the report. ``reconciliation``: path of the
    comparison with its register. ``population``: what the end of the run says of its population. ``review``: where it
    is signed off."""
    samples = list(told)
    record_given = {"spec": spec(), "planner": None, "concurrency": 1, "requested_by": "R. Auditor", **record}
    closing = RunFacts(
        RunRecord(run_id="run_2026-03-01_101500", created_at=AT, **record_given),
        finished(samples, worked=worked, **(population or {})),
        ("number", "url"),
        reconciliation=reconciliation,
        review=review,
    )
    spool = folder / "spool"
    spool.mkdir(parents=True)
    product = ReportFile(closing, spool)
    try:
        for row, one in enumerate(samples, start=1):
            png = one.picture.png if one.picture is not None else None
            if pictures and png is not None:
                (folder / one.sample_id).mkdir()
                for name in ("00_view.png", "01_ticket.png") if one.scrolled else ("01_ticket.png",):
                    (folder / one.sample_id / name).write_bytes(png)
            product.add(closing.facts_of(sample_files(one, row)), {"01_ticket.png": png}.get)
        (made,) = product.finish()
    finally:
        product.close()
    return made.path.rename(folder / made.name)


def finished(samples: list[Told], **more: Any) -> RunFinished:
    return RunFinished(
        run_id="run_2026-03-01_101500",
        attempt_base=0,
        samples=len(samples),
        outcomes=(),
        location="",
        table="",
        flagged=sum(one.flagged for one in samples),
        llm_calls=0,
        cost_usd=0.0,
        started_at=AT,
        finished_at=AT + timedelta(minutes=3),
        **more,
    )


def reconciliation_bytes(records: Sequence[ReconciledRecord], name: str) -> bytes:
    """Return a reconciliation.json of these records."""
    samples, rows = (sum(len(getattr(one, side)) for one in records) for side in ("samples", "rows"))
    head = ReconciliationHead(
        run_id="run_2026-03-01_101500",
        register=FiledRegister(
            path="reconciliation/register_000000000000.csv", name=name, sha256="0" * 64, size_bytes=1
        ),
        key="number",
        key_column="Number",
        keys="exact",
        columns=(),
        fields_without_column=(),
        columns_without_field=(),
        population_complete=True,
        counts=count_records(samples, rows, Counter(one.verdict for one in records)),
    )
    return b"".join(write_reconciliation(head, map(msgspec.json.encode, records)))
