"""Cuts the picture of each value: the part of the page that shows it, with a frame around it.

The pictures are files beside a workpaper. Their names are made here and hold nothing that a file system, a link or a
formula takes for more than letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from shared.evidence_format import chain
from shared.papers.paper import Paper, PaperSample, PaperValue
from shared.papers.pictures.crops import MOST_CROPS, CropPlan, CropShape, names_of, plan_crops
from shared.papers.pictures.cut_pictures import (
    cut_part,
    draw_boxes,
    open_picture,
    picture_width,
    stack_parts,
    to_jpeg,
)
from shared.text.names import safe_id

if TYPE_CHECKING:
    from PIL import Image

MOST_FILES = 20_000
MOST_MB = 500
"""How many crops one workpaper has at most, and how large they are together."""
SHAPE = CropShape(most=1_000, tallest=0.25, least=0.2)
"""A crop is of one value, and the whole picture is a link away: it shows the lines around the value."""
USUAL_FIELDS = 8
"""Of a sample: the crops of more are as wide as those of a run with more samples."""
_NAME = 40
_THREADS = 4
_BATCH = 32
"""Samples whose crops are in memory at once."""


@dataclass
class CropCounts:
    """``files``, ``size_bytes``: of the crops that were written. ``beyond``: values without one, for a workpaper has as
    many as it may. ``unshown``: values without one, for their picture is not as it was captured, or cannot be shown.
    ``in_part``: values some of whose texts are on no crop."""

    files: int = 0
    size_bytes: int = 0
    beyond: int = 0
    unshown: int = 0
    in_part: int = 0

    @property
    def remarks(self) -> list[str]:
        """What the crops lack, a sentence each; empty if they lack nothing."""
        told: list[str] = []
        if self.beyond:
            told.append(
                f"Values that lead to their whole picture, for a workpaper has at most {MOST_FILES:,} crops and "
                f"{MOST_MB:,} MB of them: {self.beyond:,}"
            )
        if self.unshown:
            told.append(
                f"Values without a crop, for their picture is not as it was captured or cannot be shown: "
                f"{self.unshown:,}"
            )
        if self.in_part:
            told.append(f"Values that are open between texts of which a crop does not show all: {self.in_part:,}")
        return told


@dataclass(frozen=True)
class CroppedPaper:
    """``paper``: whose values name their crops."""

    paper: Paper
    counts: CropCounts


@dataclass
class _CutSample:
    """Crops of a sample by the place of their value."""

    crops: dict[int, bytes] = field(default_factory=dict[int, bytes])
    unshown: int = 0
    in_part: int = 0


def write_crops(paper: Paper, read: Callable[[str], bytes | None], folder: Path, base: str) -> CroppedPaper:
    """Write the crop of each value that has a box, into an empty folder: ``0001_SAMPLE/01_FIELD.jpg``.

    Args:
        read: returns a file of the run by its path, from any thread; None without it.
        base: the way from the workpaper to the folder as it will be named.

    Raises:
        OSError: a file cannot be written; and what ``read`` raises.
    """
    boxed = sum(_has_box(value) for sample in paper.samples for value in sample.values)
    width, counts = picture_width(-(-boxed // USUAL_FIELDS)), CropCounts()
    samples: list[PaperSample] = []
    with ThreadPoolExecutor(_THREADS) as pool:
        for begin in range(0, len(paper.samples), _BATCH):
            batch = paper.samples[begin : begin + _BATCH]
            if counts.beyond:
                cut = iter(_CutSample() for _ in batch)
            else:
                cut = pool.map(partial(_cut_sample, read=read, width=width), batch)
            for sample, made in zip(batch, cut, strict=True):
                samples.append(_write_sample(sample, made, folder, base, len(samples) + 1, counts))
    return CroppedPaper(replace(paper, samples=samples), counts)


def _write_sample(
    sample: PaperSample, made: _CutSample, folder: Path, base: str, number: int, counts: CropCounts
) -> PaperSample:
    size = sum(map(len, made.crops.values()))
    if counts.beyond or counts.files + len(made.crops) > MOST_FILES or counts.size_bytes + size > MOST_MB * 10**6:
        counts.beyond += sum(_has_box(value) for value in sample.values)
        return sample
    counts.unshown += made.unshown
    counts.in_part += made.in_part
    if not made.crops:
        return sample
    own = f"{number:04d}_{safe_id(sample.sample_id, max_length=_NAME)}"
    (folder / own).mkdir()
    values = list(sample.values)
    for at, data in made.crops.items():
        name = f"{at + 1:02d}_{safe_id(values[at].field, max_length=_NAME)}.jpg"
        (folder / own / name).write_bytes(data)
        values[at] = replace(values[at], crop=f"{base}/{own}/{name}")
    counts.files += len(made.crops)
    counts.size_bytes += size
    return replace(sample, values=tuple(values))


def _has_box(value: PaperValue) -> bool:
    return any(place.box is not None and place.area is not None and place.picture for place in value.places)


# --- one sample


def _cut_sample(sample: PaperSample, read: Callable[[str], bytes | None], width: int) -> _CutSample:
    """Return the crops of a sample. Each part of a picture is cut once for all of its values."""
    plan = plan_crops(sample, enumerate(sample.values, 1), SHAPE)
    made = _CutSample()

    @lru_cache(maxsize=1)
    def picture(path: str, hashed: str) -> Image.Image | None:
        data = read(path)
        return open_picture(data) if data is not None and chain.sha256(data) == hashed else None

    @lru_cache(maxsize=MOST_CROPS)
    def part(at: int) -> Image.Image | None:
        crop = plan.crops[at]
        whole = picture(crop.path, crop.sha256)
        return cut_part(whole, crop, width)[0] if whole is not None else None

    for at, value in enumerate(sample.values):
        if not _has_box(value):
            continue
        names = {name for name, _ in names_of(at + 1, value)}
        shown = list(_framed(plan, names, part))
        data = to_jpeg(stack_parts(shown), width) if shown else None
        if data is None:
            made.unshown += 1
            continue
        made.crops[at] = data
        made.in_part += _parts_of(plan, names) > len(shown) or bool(names & set(plan.left_out))
    return made


def _framed(plan: CropPlan, names: set[str], part: Callable[[int], Image.Image | None]) -> Iterator[Image.Image]:
    """Yield the parts that show a value, with a frame around each of its texts, and around no other."""
    shown = 0
    for at, crop in enumerate(plan.crops):
        boxes = [box for box in crop.boxes if box.name in names]
        if not boxes or shown == MOST_CROPS:
            continue
        cut = part(at)
        if cut is not None:
            shown += 1
            yield draw_boxes(cut, boxes)


def _parts_of(plan: CropPlan, names: set[str]) -> int:
    return sum(any(box.name in names for box in crop.boxes) for crop in plan.crops)
