"""Makes report.html.

Data that grows with the number of samples is spooled to files, from which the page is written.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from services.evidence.facts import RunFacts
from services.evidence.outputs.closed_block import ClosedBlock
from services.evidence.outputs.products import OpenFile, OutputFile
from services.evidence.outputs.reconciliation import read_reconciliation
from services.evidence.outputs.thumbnails import Thumbnail, make_thumbnail
from services.evidence.report.page import (
    SAMPLES_A_CHUNK,
    Assets,
    as_json,
    data_block,
    head,
    packed,
    program,
)
from services.evidence.report.pictures import (
    BoxesByPicture,
    PictureBudget,
    boxes_by_picture,
    choose_pictures,
    embedded_area,
    picture_plan,
    step_pictures,
    value_spans,
)
from services.evidence.report.reconciliation_facts import reconciliation_facts
from services.evidence.report.run_summary import RunSums, run_summary
from shared.evidence_format import layout
from shared.evidence_format.files.flow import parse_flow_file
from shared.evidence_view.assets import read_parts, status_css, status_js
from shared.evidence_view.playback_facts import MOST_FLOWS, flow_of, source_of
from shared.evidence_view.sample_details import detail_of, row_of
from shared.evidence_view.sample_facts import ArtifactFacts, SampleFacts

THREADS = 2
MAX_SAMPLES_IN_WORK = 8
"""Samples whose thumbnails are being made. It limits how many full pictures are in memory."""
SCRIPTS = (
    "dom",
    "parts",
    "data",
    "overview",
    "reconciliation",
    "listing",
    "sample",
    "fields",
    "stage",
    "playback",
    "cards",
    "printing",
    "main",
)
STYLES = ("report", "playback", "print")
PendingThumbnail = tuple[ArtifactFacts, "Future[Thumbnail | None] | None"]


@cache
def assets() -> Assets:
    """Return the style, program and skeleton of the page, from the package `services.evidence.report`; what others show
    a sample with as well is in `shared.evidence_view`."""
    folder = resources.files("services.evidence.report")
    own = {one.name for one in folder.iterdir()}

    def joined(names: Iterable[str]) -> str:
        texts = ((folder / name).read_text("utf-8") if name in own else read_parts([name]) for name in names)
        return "\n".join(texts)

    scripts, css = joined(f"{name}.js" for name in SCRIPTS), joined(f"{name}.css" for name in STYLES)
    return Assets(
        css=f"{css}\n{status_css()}",
        js=f'(() => {{\n"use strict";\n{status_js()}{scripts}\n}})();',
        body=(folder / "body.html").read_text("utf-8"),
    )


@dataclass
class _PendingSample:
    detail: dict[str, Any]
    pictures: list[PendingThumbnail]


class ReportFile:
    """See :class:`services.evidence.outputs.products.Product`. The bytes are deterministic."""

    makes = "report.html"

    def __init__(self, run: RunFacts, folder: Path) -> None:
        self._run, self._folder = run, folder
        self._sums, self._budget = RunSums(), PictureBudget(picture_plan(run.finished.samples))
        if run.discovery_facts is not None:
            self._sums.add_work(run.discovery_facts)
        self._closed = ClosedBlock(run, folder)
        self._rows = (folder / "rows").open("w", encoding="utf-8")
        self._chunks = (folder / "chunks").open("w", encoding="utf-8")
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="thumbnails")
        self._pending: deque[_PendingSample] = deque()
        self._chunk: list[dict[str, Any]] = []
        self._small: list[str] = []
        self._flows: dict[str, str] = {}
        """Sources of flows, by the hash of their version."""
        self._written = 0
        self._added = 0

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self._sums.add(sample)
        self._closed.add(sample)
        self._rows.write(f"{',' if self._added else ''}\n{as_json(row_of(sample))}")
        self._added += 1
        self._add_flow(sample, open_file)
        self._pending.append(
            _PendingSample(detail_of(sample, reviewed=False), self._start_thumbnails(sample, open_file))
        )
        if len(self._pending) > MAX_SAMPLES_IN_WORK:
            self._add_finished(self._pending.popleft())

    def finish(self) -> Iterable[OutputFile]:
        while self._pending:
            self._add_finished(self._pending.popleft())
        self._write_chunk()
        self._rows.close()
        self._chunks.close()
        target = self._folder / layout.REPORT
        self._write_page(target)
        return [OutputFile(layout.REPORT, target)]

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._closed.close()
        self._rows.close()
        self._chunks.close()

    def _start_thumbnails(self, sample: SampleFacts, open_file: OpenFile) -> list[PendingThumbnail]:
        shown = boxes_by_picture(sample.fields.values())
        pictures = choose_pictures(sample.artifact_facts, shown, self._budget.plan.per_sample)
        if not pictures or not self._budget.grant(trouble=sample.status != "done" or bool(sample.flagged)):
            pictures = []
        steps = step_pictures(sample.artifact_facts)
        pictures += steps if self._budget.grant_steps(len(steps)) else []
        return [(picture, self._start_thumbnail(picture, shown, open_file)) for picture in pictures]

    def _add_flow(self, sample: SampleFacts, open_file: OpenFile) -> None:
        """Keep the source of the flow that worked on the sample, once for each version."""
        flow = flow_of(sample)
        if flow is None or "sha" not in flow or flow["hash"] in self._flows or len(self._flows) >= MOST_FLOWS:
            return
        data = open_file(flow["file"])
        if data is not None and hashlib.sha256(data).hexdigest() == flow["sha"]:
            source = source_of(parse_flow_file(data), flow["hash"])
            self._flows |= {} if source is None else {flow["hash"]: source}

    def _start_thumbnail(
        self, picture: ArtifactFacts, shown: BoxesByPicture, open_file: OpenFile
    ) -> Future[Thumbnail | None] | None:
        """Return None if the file differs from its capture: no other picture is shown in its place."""
        data = open_file(picture.stored.filename)
        if data is None or hashlib.sha256(data).hexdigest() != picture.stored.sha256:
            return None
        return self._pool.submit(make_thumbnail, data, self._budget.plan.width_px, value_spans(picture, shown))

    def _add_finished(self, pending: _PendingSample) -> None:
        for picture, future in pending.pictures:
            name, small = picture.stored.filename, future.result() if future is not None else None
            if small is None:
                pending.detail.setdefault("unshown", []).append(name)
                continue
            shown = {"name": name, "area": embedded_area(picture, small.cut), "w": small.width_px, "h": small.height_px}
            pending.detail.setdefault("small", []).append(shown)
            self._small.append(f"{small.kind}:{small.data}|")
        self._small.append(",")
        self._chunk.append(pending.detail)
        if len(self._chunk) == SAMPLES_A_CHUNK:
            self._write_chunk()

    def _write_chunk(self) -> None:
        if self._chunk:
            self._chunks.write(data_block(f"t{self._written}", "".join(self._small)))
            self._chunks.write(data_block(f"d{self._written}", packed(self._chunk)))
            self._written += 1
            self._chunk, self._small = [], []

    def _write_page(self, target: Path) -> None:
        record = self._run.record
        pictures = {"shown": self._budget.given, "left_out": self._budget.left_out, "chunk": SAMPLES_A_CHUNK}
        facts = run_summary(self._run, self._sums, pictures) | self._reconciliation()
        label = f"{record.spec.get('task_id', '')} · {record.run_id}"
        with target.open("w", encoding="utf-8") as page:
            page.write(head(assets(), f"Exhibit · {label}", label))
            page.write(data_block("run", as_json(facts)))
            page.write(data_block("flows", as_json(self._flows)))
            self._closed.write(page)
            page.write('<script type="text/plain" id="rows">[')
            with (self._folder / "rows").open(encoding="utf-8") as rows:
                shutil.copyfileobj(rows, page)
            page.write("]</script>\n" + program(assets()))
            with (self._folder / "chunks").open(encoding="utf-8") as chunks:
                shutil.copyfileobj(chunks, page)
            page.write("</body></html>\n")

    def _reconciliation(self) -> dict[str, Any]:
        """Return the part of the summary about a register; empty if the run was compared with none."""
        register = self._run.record.register
        if register is None:
            return {}
        with read_reconciliation(self._run) as made:
            if made is None:
                return {"reconciliation": {"register": {"name": register.file.name}}}
            return {"reconciliation": reconciliation_facts(*made)}
