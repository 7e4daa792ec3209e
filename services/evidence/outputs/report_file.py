"""report.html as a product: what grows with the samples goes to files, and the page is put together from them."""

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

from services.evidence.facts.run_facts import RunFacts
from services.evidence.facts.sample_facts import ArtifactFacts, SampleFacts
from services.evidence.outputs.products import Made, OpenFile
from services.evidence.outputs.thumbnails import Small, small_copy
from services.evidence.report.page import SAMPLES_A_CHUNK, Assets, as_json, data_block, head, packed, program
from services.evidence.report.pictures import Budget, Shown, area_of, chosen, marks_on, plan_for, shown_values
from services.evidence.report.run_summary import Sums, run_facts
from services.evidence.report.sample_details import detail_of, row_of
from services.evidence.report.status_styles import status_css, status_js
from shared.evidence_format import layout

THREADS = 2
IN_WORK = 8
"""Samples whose pictures are being made small: so many big pictures are in memory at most."""
SCRIPTS = ("dom", "data", "overview", "listing", "sample", "fields", "stage", "cards", "printing", "main")
Shrinking = tuple[ArtifactFacts, "Future[Small | None] | None"]


@cache
def assets() -> Assets:
    """The page's own style and program, which lie beside `services.evidence.report`."""
    folder = resources.files("services.evidence.report")
    scripts = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    css = "\n".join((folder / f"{name}.css").read_text(encoding="utf-8") for name in ("report", "print"))
    return Assets(
        css=f"{css}\n{status_css()}",
        js=f'(() => {{\n"use strict";\n{status_js()}{scripts}\n}})();',
        body=(folder / "body.html").read_text("utf-8"),
    )


@dataclass
class _Waiting:
    detail: dict[str, Any]
    pictures: list[Shrinking]


class ReportFile:
    """See :class:`services.evidence.outputs.products.Product`. Equal samples give equal bytes."""

    makes = "report.html"

    def __init__(self, closing: RunFacts, folder: Path) -> None:
        self._closing, self._folder = closing, folder
        self._sums, self._budget = Sums(), Budget(plan_for(closing.finished.samples))
        if closing.discovery_facts is not None:
            self._sums.add_work(closing.discovery_facts.log)
        self._rows = (folder / "rows").open("w", encoding="utf-8")
        self._chunks = (folder / "chunks").open("w", encoding="utf-8")
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="thumbnails")
        self._waiting: deque[_Waiting] = deque()
        self._chunk: list[dict[str, Any]] = []
        self._small: list[str] = []
        self._written = 0
        self._added = 0

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        self._sums.add(sample)
        self._rows.write(f"{',' if self._added else ''}\n{as_json(row_of(sample))}")
        self._added += 1
        self._waiting.append(_Waiting(detail_of(sample), self._shrinking(sample, open_file)))
        if len(self._waiting) > IN_WORK:
            self._take(self._waiting.popleft())

    def finish(self) -> Iterable[Made]:
        while self._waiting:
            self._take(self._waiting.popleft())
        self._write_chunk()
        self._rows.close()
        self._chunks.close()
        target = self._folder / layout.REPORT
        self._put_together(target)
        return [Made(layout.REPORT, target)]

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._rows.close()
        self._chunks.close()

    def _shrinking(self, sample: SampleFacts, open_file: OpenFile) -> list[Shrinking]:
        shown = shown_values(sample.fields.values())
        pictures = chosen(sample.artifact_facts, shown, self._budget.plan.per_sample)
        if not pictures or not self._budget.grant(trouble=sample.status != "done" or bool(sample.flagged)):
            return []
        return [(one, self._started(one, shown, open_file)) for one in pictures]

    def _started(self, picture: ArtifactFacts, shown: Shown, open_file: OpenFile) -> Future[Small | None] | None:
        """None where the file is not the one that was captured: another picture is never shown for it."""
        data = open_file(picture.stored.filename)
        if data is None or hashlib.sha256(data).hexdigest() != picture.stored.sha256:
            return None
        return self._pool.submit(small_copy, data, self._budget.plan.width_px, marks_on(picture, shown))

    def _take(self, waiting: _Waiting) -> None:
        for picture, future in waiting.pictures:
            name, small = picture.stored.filename, future.result() if future is not None else None
            if small is None:
                waiting.detail.setdefault("unshown", []).append(name)
                continue
            here = {"name": name, "area": area_of(picture, small.cut), "w": small.width_px, "h": small.height_px}
            waiting.detail.setdefault("small", []).append(here)
            self._small.append(small.data)
            self._small.append("|")
        self._small.append(",")
        self._chunk.append(waiting.detail)
        if len(self._chunk) == SAMPLES_A_CHUNK:
            self._write_chunk()

    def _write_chunk(self) -> None:
        if self._chunk:
            self._chunks.write(data_block(f"t{self._written}", "".join(self._small)))
            self._chunks.write(data_block(f"d{self._written}", packed(self._chunk)))
            self._written += 1
            self._chunk, self._small = [], []

    def _put_together(self, target: Path) -> None:
        record = self._closing.record
        pictures = {"shown": self._budget.given, "left_out": self._budget.left_out, "chunk": SAMPLES_A_CHUNK}
        facts = run_facts(self._closing, self._sums, pictures)
        label = f"{record.spec.get('task_id', '')} · {record.run_id}"
        with target.open("w", encoding="utf-8") as page:
            page.write(head(assets(), f"Exhibit · {label}", label))
            page.write(data_block("run", as_json(facts)))
            page.write('<script type="text/plain" id="rows">[')
            with (self._folder / "rows").open(encoding="utf-8") as rows:
                shutil.copyfileobj(rows, page)
            page.write("]</script>\n" + program(assets()))
            with (self._folder / "chunks").open(encoding="utf-8") as chunks:
                shutil.copyfileobj(chunks, page)
            page.write("</body></html>\n")
