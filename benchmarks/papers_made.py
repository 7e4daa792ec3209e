"""The cost of papers: workpaper, PDF pack and OSCAL of runs whose pictures have the size of a page.

python -m benchmarks.papers_made 60
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from PIL import Image, ImageDraw

from benchmarks import evidence_files
from benchmarks.evidence_world import RUN_ID, World
from benchmarks.report import Row, under
from services.evidence.deps import EvidenceDeps
from services.evidence.lifecycle import close_run_if_complete
from services.evidence.store.folder_store import FolderStore
from shared.evidence_format.signing import SigningKey
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import RunCheck, check_run
from shared.papers.oscal import assessment_results
from shared.papers.paper import Paper
from shared.papers.pdf_pack.make_pack import make_pack
from shared.papers.pictures.value_crops import write_crops
from shared.papers.read_paper import CheckedFiles, read_paper
from shared.papers.workpaper.write_workpaper import make_workpaper
from shared.testing.bus import MemoryBus

SIZES = {60: 10.0, 1_000: 120.0}
"""Samples, and the seconds that a paper of them may take."""
WIDTH_PX, HEIGHT_PX = 1280, 800
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class PaperTimes:
    """Seconds from the sealed folder to the bytes of each paper: the check and the reading are part of each."""

    samples: int
    workpaper_s: float
    crops_mb: float
    pdf_s: float
    oscal_s: float
    pdf_mb: float


def page_picture(number: int) -> bytes:
    """Return a picture like a page, with lines of text; a different one for each number."""
    drawn = Image.new("RGB", (WIDTH_PX, HEIGHT_PX), "white")
    pen = ImageDraw.Draw(drawn)
    pen.rectangle((0, 0, 220, HEIGHT_PX), fill="#eef1f4")
    for line in range(28):
        pen.text((285, 120 + 24 * line), f"TCK-{number:05d}  line {line}: {number * 7919 + line}", fill="#1b2733")
    out = io.BytesIO()
    drawn.save(out, "PNG", compress_level=1)
    return out.getvalue()


@contextmanager
def page_pictures() -> Generator[None]:
    """Let the world have pictures of the size of a page."""
    small = evidence_files.made_picture
    evidence_files.made_picture = page_picture
    try:
        yield
    finally:
        evidence_files.made_picture = small


async def paper_times(samples: int) -> PaperTimes:
    """Make a sealed run of so many samples, and each paper of it."""
    with tempfile.TemporaryDirectory(prefix="exhibit-bench-") as scratch, page_pictures():
        root = Path(scratch) / "evidence"
        key = SigningKey(Ed25519PrivateKey.generate())
        World(samples).write(root, artifacts=True)
        deps = EvidenceDeps(store=FolderStore(root), blobs=MemoryBus(), now=lambda: datetime.now(UTC), signer=key)
        if await close_run_if_complete(deps, await deps.ledger.lock_and_read(RUN_ID)) is None:
            raise SystemExit("the run is not complete")

        def read() -> tuple[Paper, FolderSource, RunCheck]:
            source = FolderSource(root / RUN_ID)
            checked = check_run(source, key.public)
            if checked.problems:
                raise SystemExit(f"the run does not verify: {checked.problems[:3]}")
            return read_paper(source, checked), source, checked

        def pdf() -> bytes:
            paper, source, checked = read()
            return make_pack(paper, CheckedFiles(source, checked).read).data

        def workpaper() -> int:
            paper, source, checked = read()
            (Path(scratch) / "crops").mkdir()
            made = write_crops(paper, CheckedFiles(source, checked).read, Path(scratch) / "crops", "crops")
            make_workpaper(made.paper, _beside, lacking=made.counts.remarks)
            return made.counts.size_bytes

        workpaper_s, crop_bytes = _timed(workpaper)
        pdf_s, pack = _timed(pdf)
        oscal_s, _ = _timed(lambda: assessment_results(read()[0], _beside))
        return PaperTimes(samples, workpaper_s, crop_bytes / 1e6, pdf_s, oscal_s, len(pack) / 1e6)


def _beside(path: str) -> str:
    return f"{RUN_ID}/{path}"


def _timed(make: Callable[[], _Made]) -> tuple[float, _Made]:
    before = time.perf_counter()
    made = make()
    return time.perf_counter() - before, made


def paper_rows(times: PaperTimes) -> list[Row]:
    """Return the figures with their aims."""
    limit, of = SIZES.get(times.samples, 120.0), f"of {times.samples:,} samples, its check included"
    return [
        under(limit, f"workpaper with its crops {of}", "s", times.workpaper_s),
        Row(f"size of the crops of the workpaper of {times.samples:,} samples", "MB", times.crops_mb),
        under(limit, f"PDF pack {of}", "s", times.pdf_s),
        Row(f"OSCAL {of}", "s", times.oscal_s),
        Row(f"size of the PDF pack of {times.samples:,} samples", "MB", times.pdf_mb),
    ]


def main(*sizes: int) -> None:
    for samples in sizes or SIZES:
        for row in paper_rows(asyncio.run(paper_times(samples))):
            print(f"{row.what}: {row.figure:.1f} {row.unit}{f' ({row.aim})' if row.aim else ''}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
