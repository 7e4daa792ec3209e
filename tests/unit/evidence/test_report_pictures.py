"""Which screenshots are embedded in the report, and their cropping."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evidence.report.pictures import (
    TALLEST,
    BoxesByPicture,
    PictureBudget,
    PicturePlan,
    boxes_by_picture,
    choose_pictures,
    crop_of,
    embedded_area,
    picture_plan,
    value_spans,
)
from shared.contracts.results import Artifact, Box
from shared.contracts.steps import ValueSource
from shared.evidence_format.files.sample import StoredArtifact, StoredField
from shared.evidence_view.sample_facts import ArtifactFacts


def shot(name: str, sha: str = "", kind: str = "screenshot", size: int = 1000, **area: float) -> ArtifactFacts:
    stored = StoredArtifact(filename=name, kind=kind, sha256=sha or name, size_bytes=size)
    captured = Artifact(
        kind="screenshot",
        label="",
        media_type="image/png",
        suffix=".png",
        size_bytes=size,
        sha256=stored.sha256,
        blob="",
        source_url="",
        captured_at=datetime(2026, 3, 1, tzinfo=UTC),
        area=Box(**area) if area else None,
    )
    return ArtifactFacts(stored, captured, ())


def shown(*values: tuple[str, float]) -> BoxesByPicture:
    """Values by the picture that shows them, and how far down the page they are."""
    return boxes_by_picture(field(sha, y) for sha, y in values)


def field(sha: str, y: float) -> StoredField:
    source = ValueSource(
        snapshot_id="s",
        observation_sha256="",
        url="",
        ref=1,
        role="",
        label=None,
        box=Box(x=0.0, y=y, width=10.0, height=20.0),
        frame="main",
        screenshot_sha256=sha,
    )
    return StoredField(state="value", source=source)


def names(found: list[ArtifactFacts]) -> list[str]:
    return [one.stored.filename for one in found]


def test_the_picture_that_shows_most_values_comes_first_then_the_latest() -> None:
    files = [shot("a"), shot("b"), shot("c"), shot("d", kind="download")]
    assert names(choose_pictures(files, shown(("a", 0), ("a", 0), ("b", 0)), 3)) == ["a", "b", "c"]
    assert names(choose_pictures(files, {}, 2)) == ["c", "b"]


def test_a_picture_of_many_megabytes_is_left_in_its_folder() -> None:
    assert choose_pictures([shot("a", size=50_000_000)], {}, 1) == []


def test_a_large_run_keeps_room_for_what_is_not_plainly_done() -> None:
    budget = PictureBudget(PicturePlan(width_px=256, per_sample=1, most=5, for_trouble=2))
    assert [budget.grant(trouble=False) for _ in range(6)] == [True, True, True, False, False, False]
    assert [budget.grant(trouble=True) for _ in range(3)] == [True, True, False]
    assert (budget.given, budget.left_out) == (5, 4)


@pytest.mark.parametrize("samples", [0, 60, 61, 300, 301, 10_000])
def test_what_rides_along_stays_small_whatever_the_size_of_the_run(samples: int) -> None:
    plan = picture_plan(samples)
    pictures = min(samples, plan.most) * plan.per_sample
    assert pictures * plan.width_px**2 * TALLEST <= 200_000_000  # a few MB as WebP


@given(
    width=st.integers(1, 5000),
    height=st.integers(1, 100_000),
    marks=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.3)), max_size=5),
)
def test_a_cut_lies_within_the_picture_and_is_never_taller_than_may_be(
    width: int, height: int, marks: list[tuple[float, float]]
) -> None:
    cut = crop_of(width, height, [(top, top + high) for top, high in marks])
    assert 0 <= cut.top < cut.bottom <= 1 + 1e-9
    assert (cut.bottom - cut.top) * height <= max(width * TALLEST, height if height <= width * TALLEST else 0) + 1e-6


def test_values_that_fit_the_cut_are_all_in_it() -> None:
    cut = crop_of(1000, 10_000, [(0.62, 0.63), (0.70, 0.71)])
    assert cut.top <= 0.62 < 0.71 <= cut.bottom


def test_values_near_the_top_are_shown_with_the_head_of_the_page() -> None:
    assert crop_of(1000, 10_000, [(0.05, 0.1)]).top == 0.0


def test_only_boxes_of_this_picture_count() -> None:
    file = shot("a", x=0.0, y=1000.0, width=800.0, height=500.0)
    values = shown(("a", 1100.0), ("b", 1200.0), ("a", 200.0))
    assert value_spans(file, values) == [pytest.approx((0.2, 0.24))]
    assert value_spans(shot("a"), shown(("a", 1100.0))) == []


def test_the_area_of_a_cut_is_that_part_of_the_document() -> None:
    file = shot("a", x=5.0, y=1000.0, width=800.0, height=500.0)
    cut = crop_of(100, 1000, [(0.5, 0.6)])
    area = embedded_area(file, cut)
    assert area is not None
    assert area.y == pytest.approx(1000 + 500 * cut.top)
    assert area.height == pytest.approx(500 * 0.15)
    assert embedded_area(shot("a"), cut) is None
