"""The crops of a workpaper: each value leads to a picture with a box around it, and around nothing else."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from openpyxl import load_workbook
from PIL import Image, ImageDraw

from services.evidence.outputs.make_products import ALL_PRODUCTS
from shared.contracts.results import Box
from shared.evidence_format import chain
from shared.evidence_format.sources.folder import FolderSource
from shared.papers.paper import Paper, PaperPlace, PaperSample, PaperValue
from shared.papers.pictures.crops import MARGIN_PX
from shared.papers.pictures.value_crops import CropCounts, CroppedPaper, write_crops
from shared.papers.read_paper import CheckedFiles
from tests.handlers.evidence.evidence_desk import KEY, Desk
from tests.handlers.evidence.paper_world import AREA, BOX, HOSTILE, exported, filed_run, paper_of, picture
from tests.typed import there

FRAME, BAR, WHITE = (198, 40, 40), (20, 61, 160), (255, 255, 255)
WORKPAPER = ("--format", "workpaper", "--out")


@pytest.fixture
async def run(desk: Desk) -> Desk:
    await filed_run(desk)
    return desk


def pictured(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as opened:
        assert opened.format == "JPEG"
        return opened.convert("RGB")


def near(picture: Image.Image, x: float, y: float, colour: tuple[int, int, int]) -> bool:
    found: Any = picture.getpixel((round(x), round(y)))
    return all(abs(one - other) < 40 for one, other in zip(found, colour, strict=True))


def links_of(out: Path, name: str, column: int) -> list[Any]:
    book: Any = load_workbook(out)
    return [row[column].hyperlink for row in book[name].iter_rows(min_row=6) if row[column].hyperlink]


async def test_a_value_leads_to_its_own_crop_with_a_frame_around_the_value(run: Desk, tmp_path: Path):
    (tmp_path / "Q1 #1, 100% = a:b").mkdir()
    (tmp_path / "auditor.pem").write_text(KEY.public.pem)
    out = tmp_path / "Q1 #1, 100% = a:b" / "paper #1.xlsx"
    code, words = exported(run.root / "run_1", tmp_path / "state", *WORKPAPER, out, "--key", tmp_path / "auditor.pem")
    assert code == 0, words
    assert f"paper #1_crops/: crops of {len(HOSTILE) + 1} values" in words
    for name, column in (("Attributes", 5), ("Values", 2)):
        links = links_of(out, name, column)
        assert len({one.target for one in links}) == len(HOSTILE) + 1, name
        assert [one.target for one in links if {*":#? "} & {*one.target}] == [], "a part of an address"
        assert [one.target for one in links if not (out.parent / unquote(one.target)).is_file()] == []
        assert links[0].tooltip == "Cut of T-1/01_ticket.png"
    first = links_of(out, "Attributes", 5)[0].target
    assert unquote(first) == "paper #1_crops/0001_T-1/02_owner.jpg"
    crop = pictured((out.parent / unquote(first)).read_bytes())
    scale = crop.width / AREA.width
    left, right = BOX.x * scale, (BOX.x + BOX.width) * scale
    middle = (MARGIN_PX + BOX.height / 2) * scale
    assert near(crop, left + 8, middle, BAR)
    assert near(crop, right - 8, middle, BAR)
    assert near(crop, left - 2, middle, FRAME)
    assert near(crop, right + 1, middle, FRAME)
    assert near(crop, left - 12, middle, WHITE)


async def test_the_same_evidence_gives_the_same_crops(run: Desk, tmp_path: Path):
    made: list[dict[str, bytes]] = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        exported(run.root / "run_1", tmp_path / "state", *WORKPAPER, tmp_path / folder / "p.xlsx")
        files = [one for one in (tmp_path / folder).rglob("*") if one.is_file() and one.suffix == ".jpg"]
        made.append({one.relative_to(tmp_path / folder).as_posix(): one.read_bytes() for one in files})
    assert made[0] == made[1]
    assert len(made[0]) == len(HOSTILE) + 1


async def test_what_is_there_already_is_not_touched_and_nothing_is_left_of_a_refusal(run: Desk, tmp_path: Path):
    theirs = tmp_path / "p_crops"
    theirs.mkdir()
    (theirs / "note.txt").write_text("mine")
    code, words = exported(run.root / "run_1", tmp_path / "state", *WORKPAPER, tmp_path / "p.xlsx")
    assert (code, "p_crops, where its crops belong, is there already" in words) == (2, True)
    assert {one.name for one in tmp_path.iterdir()} - {"evidence", "state"} == {"p_crops"}
    assert (theirs / "note.txt").read_text() == "mine"
    (tmp_path / "own.xlsx").write_bytes(b"no workbook")
    given = (tmp_path / "q.xlsx", "--template", tmp_path / "own.xlsx")
    assert exported(run.root / "run_1", tmp_path / "state", *WORKPAPER, *given)[0] == 2
    assert {one.name for one in tmp_path.iterdir()} - {"evidence", "state"} == {"p_crops", "own.xlsx"}


async def test_a_picture_that_is_not_as_it_was_captured_is_cut_for_no_crop(run: Desk, tmp_path: Path):
    (run.root / "run_1/T-1/01_ticket.png").write_bytes(picture(77))
    out = tmp_path / "p.xlsx"
    assert exported(run.root / "run_1", tmp_path / "state", *WORKPAPER, out, "--broken")[0] == 1
    assert not (tmp_path / "p_crops" / "0001_T-1").exists()
    book: Any = load_workbook(out)
    assert "Values without a crop, for their picture is not as it was captured" in book["Cover"]["A4"].value
    assert links_of(out, "Attributes", 5)[0].target.endswith("run_1/T-1/01_ticket.png")


async def test_a_sample_leads_to_its_page_of_the_report(tmp_path: Path):
    desk = Desk(tmp_path / "evidence", products=ALL_PRODUCTS)
    await filed_run(desk)
    out = tmp_path / "p.xlsx"
    exported(desk.root / "run_1", tmp_path / "state", *WORKPAPER, out)
    for name, column in (("Attributes", 1), ("Values", 0)):
        first = links_of(out, name, column)[0]
        assert (first.target, first.location) == ("evidence/run_1/report.html", "sample=T-1")
    assert (out.parent / "evidence/run_1/report.html").is_file()
    page = links_of(out, "Attributes", 6)[0]
    assert "zstd -d" in page.tooltip
    assert len(page.tooltip) <= 255


# --- of papers that no honest run gives


def cropped(desk: Desk, folder: Path, *change: Any) -> CroppedPaper:
    paper, checked = paper_of(desk)
    source = FolderSource(desk.root / "run_1")
    source.list_files()
    folder.mkdir()
    for one in change:
        paper = one(paper)
    return write_crops(paper, CheckedFiles(source, checked).read, folder, "p_crops")


def crops_in(paper: Paper) -> list[str]:
    return [value.crop for sample in paper.samples for value in sample.values if value.crop]


NAMES = ("../../up", "CON", "a" * 300, "Ünï/ćode\\", "=cmd|'x'!A1", "..", "a:b", "nul.txt", "")


async def test_names_of_others_become_names_of_files_in_the_folder_alone(run: Desk, tmp_path: Path):
    def renamed(paper: Paper) -> Paper:
        def one(sample: PaperSample, name: str) -> PaperSample:
            values = tuple(replace(value, field=name) for value in sample.values)
            return replace(sample, sample_id=name, values=values)

        return replace(paper, samples=[one(*pair) for pair in zip(paper.samples, NAMES, strict=False)])

    made = cropped(run, tmp_path / "crops", renamed)
    paths = crops_in(made.paper)
    assert len(set(paths)) == len(NAMES) == made.counts.files
    written = {
        f"p_crops/{one.relative_to(tmp_path / 'crops').as_posix()}" for one in (tmp_path / "crops").rglob("*.jpg")
    }
    assert written == set(paths)
    assert [
        path
        for path in paths
        if not all(part.replace(".jpg", "").replace("_", "").replace("-", "").isalnum() for part in path.split("/"))
    ] == []
    assert max(map(len, paths)) < 130


async def test_beyond_a_bound_values_lead_to_the_whole_picture_which_is_said(
    run: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("shared.papers.pictures.value_crops.MOST_FILES", 3)
    made = cropped(run, tmp_path / "crops")
    assert len(crops_in(made.paper)) == made.counts.files == 3
    assert made.counts.beyond == len(HOSTILE) + 1 - 3
    assert made.counts.remarks == [
        f"Values that lead to their whole picture, for a workpaper has at most 3 crops and 500 MB of them: "
        f"{made.counts.beyond}"
    ]


# --- what a crop shows


def on(y: float, x: float = 100) -> PaperPlace:
    """Return a text at this height of the picture `tall`."""
    hashed = chain.sha256(tall())
    return PaperPlace(
        "v", "T-1/1.png", hashed, Box(x=x, y=y, width=120, height=30), Box(x=0, y=0, width=400, height=2000)
    )


def tall() -> bytes:
    """Return a picture of 400 x 2000 with a part that was hidden, at y 60 to 90."""
    drawn = Image.new("RGB", (400, 2000), "white")
    ImageDraw.Draw(drawn).rectangle((100, 60, 300, 90), fill="black")
    out = io.BytesIO()
    drawn.save(out, "PNG")
    return out.getvalue()


async def shown(desk: Desk, folder: Path, data: bytes, *places: PaperPlace) -> tuple[CropCounts, Image.Image | None]:
    """Return the crop of a value that is open between the texts at these places."""
    await filed_run(desk, owners=())
    folder.mkdir()
    value = PaperValue("owner", "string", "?", None, "", open=places)
    sample = replace(paper_of(desk)[0].samples[0], values=(value,))
    made = write_crops(replace(paper_of(desk)[0], samples=[sample]), lambda _: data, folder, folder.name)
    path = made.paper.samples[0].values[0].crop
    return made.counts, pictured((folder.parent / path).read_bytes()) if path else None


async def test_what_is_hidden_in_the_picture_is_hidden_in_the_crop(desk: Desk, tmp_path: Path):
    _, crop = await shown(desk, tmp_path / "c", tall(), on(60))
    assert crop is not None
    inside = [
        crop.getpixel((x, y)) for x in range(106, 214, 4) for y in (MARGIN_PX + 6, MARGIN_PX + 15, MARGIN_PX + 24)
    ]
    assert [pixel for pixel in inside if max(there(pixel)) > 30] == []  # pyright: ignore[reportArgumentType]


async def test_values_that_are_on_one_part_have_a_frame_each_on_its_own_crop(desk: Desk, tmp_path: Path):
    await filed_run(desk, owners=())
    paper = paper_of(desk)[0]
    values = tuple(
        PaperValue(name, "string", "?", None, "", open=(on(100, x),)) for name, x in (("a", 100), ("b", 240))
    )
    one = replace(paper.samples[0], values=values)
    (tmp_path / "c").mkdir()
    made = write_crops(replace(paper, samples=[one]), lambda _: tall(), tmp_path / "c", "c")
    crops = [pictured((tmp_path / path).read_bytes()) for path in crops_in(made.paper)]
    middle = MARGIN_PX + 15
    assert [[near(crop, x, middle, FRAME) for x in (98, 238)] for crop in crops] == [[True, False], [False, True]]


def rows_of(crop: Image.Image) -> list[bool]:
    """Return for each row whether a frame crosses its middle."""
    return [near(crop, 160, y, FRAME) for y in range(crop.height)]


async def test_texts_that_are_far_apart_are_parts_under_each_other(desk: Desk, tmp_path: Path):
    _, one = await shown(desk, tmp_path / "one", tall(), on(100))
    _, two = await shown(Desk(tmp_path / "b", products=()), tmp_path / "two", tall(), on(100), on(1500))
    assert one is not None
    assert two is not None
    assert two.height > 1.9 * one.height
    edges = sum(now and not before for before, now in pairwise(rows_of(two)))
    assert edges == 4, "the upper and the lower edge of two frames"


async def test_a_value_whose_texts_are_on_more_parts_than_a_crop_has_is_counted(desk: Desk, tmp_path: Path):
    counts, crop = await shown(desk, tmp_path / "c", tall(), *(on(300 * number) for number in range(6)))
    assert (counts.files, counts.in_part, crop is not None) == (1, 1, True)


async def test_what_is_no_picture_gives_no_crop(desk: Desk, tmp_path: Path):
    data = b"no picture"
    place = replace(on(60), picture_sha256=chain.sha256(data))
    counts, crop = await shown(desk, tmp_path / "c", data, place)
    assert (counts.unshown, crop) == (1, None)
