"""The picture of a tried row: for each field the part of the page where its value stands, and what nearly matched."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from services.console.commands.trial.one_row import Shot
from services.console.text.trial_story import TrialStory, TriedField
from shared.contracts.explained import keys_text, near_words
from shared.contracts.results import Box

WIDTH_PX, MARGIN_PX, NAMES_PX, GAP_PX = 1120, 28, 250, 14
CROP_WIDTH_PX = WIDTH_PX - 3 * MARGIN_PX - NAMES_PX
AROUND_PX = {"left": 240.0, "top": 46.0, "right": 160.0, "bottom": 26.0}
"""What is shown of the page around a value: its label stands left of it or above it."""
MOST_CROP_PX, MOST_OTHERS, MOST_WORDS, MOST_PIXELS = 260, 3, 110, 120_000_000
GROUND, CARD, LINE, INK, SOFT = "#f6f6f3", "#ffffff", "#dcdcd6", "#1c1c1a", "#6b6b66"
GOOD, UNSURE, OFFERED = "#1c7a4c", "#b35309", "#1f5f99"


@dataclass(frozen=True)
class CropPart:
    """One crop with what is written beside it."""

    words: str
    box: Box
    colour: str


def write_picture(story: TrialStory, shots: Sequence[Shot], path: Path) -> bool:
    """Write the picture; False where no picture shows a value or what nearly was one."""
    opened = [(Image.open(io.BytesIO(one.png)), one.area) for one in shots]
    opened = [(image, area) for image, area in opened if image.width * image.height <= MOST_PIXELS]
    rows = [
        (field, [drawn for part in _parts(field) if (drawn := _crop(part, opened)) is not None])
        for field in story.fields
    ]
    if not any(crops for _, crops in rows):
        return False
    heights = [max(54, sum(crop.height + GAP_PX + 20 for _, crop in crops)) + GAP_PX for _, crops in rows]
    sheet = Image.new("RGB", (WIDTH_PX, 84 + sum(heights) + GAP_PX * len(rows) + MARGIN_PX), GROUND)
    draw = ImageDraw.Draw(sheet)
    draw.text((MARGIN_PX, 22), _ascii(story.sample_id), INK, _font(24))
    draw.text(
        (MARGIN_PX, 54), _ascii(f"{story.task_id}, row {story.row}: {story.status.replace('_', ' ')}"), SOFT, _font(15)
    )
    top = 84
    for (field, crops), height in zip(rows, heights, strict=True):
        _card(draw, sheet, field, crops, top, height)
        top += height + GAP_PX
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    sheet.save(path, "PNG", optimize=True)
    path.chmod(0o600)
    return True


def _card(
    draw: ImageDraw.ImageDraw,
    sheet: Image.Image,
    field: TriedField,
    crops: Sequence[tuple[CropPart, Image.Image]],
    top: int,
    height: int,
) -> None:
    colour = GOOD if field.certain else UNSURE
    draw.rounded_rectangle((MARGIN_PX, top, WIDTH_PX - MARGIN_PX, top + height), 8, CARD, LINE)
    draw.rectangle((MARGIN_PX, top + 8, MARGIN_PX + 3, top + height - 8), colour)
    draw.text((MARGIN_PX + 16, top + 12), _ascii(field.field)[:26], INK, _font(18))
    draw.text((MARGIN_PX + 16, top + 36), "certain" if field.certain else "not certain", colour, _font(14))
    at = top + GAP_PX
    for part, crop in crops:
        draw.text((MARGIN_PX + NAMES_PX, at), part.words, part.colour, _font(13))
        sheet.paste(crop, (MARGIN_PX + NAMES_PX, at + 18))
        at += crop.height + GAP_PX + 20


def _parts(field: TriedField) -> Iterator[CropPart]:
    """Yield what is shown of a field, each place once."""
    shown: set[Box] = set()
    for words, box, colour in _places(field):
        if box is not None and box not in shown:
            shown.add(box)
            yield CropPart(_ascii(words)[:MOST_WORDS], box, colour)


def _places(field: TriedField) -> Iterator[tuple[str, Box | None, str]]:
    if field.state != "not_found":
        yield "the value" if field.certain else "what was read", field.box, GOOD if field.certain else UNSURE
    for candidate in field.candidates[:MOST_OTHERS]:
        yield "the page says this", candidate.source.box if candidate.source is not None else None, UNSURE
    for key in field.settled_by[:MOST_OTHERS]:
        yield f"with {keys_text(key.keys)}", key.box, OFFERED
    for near in field.near[:MOST_OTHERS]:
        yield f"nearly: {near_words(near.why)}", near.box, SOFT


def _crop(part: CropPart, shots: Sequence[tuple[Image.Image, Box]]) -> tuple[CropPart, Image.Image] | None:
    """Return the part of the page around a box, with the box outlined; None where no picture shows it."""
    box = part.box
    x, y = box.x + box.width / 2, box.y + box.height / 2
    for image, area in reversed(shots):
        if area.width <= 0 or not (area.x <= x <= area.x + area.width and area.y <= y <= area.y + area.height):
            continue
        scale = image.width / area.width
        left, top = (box.x - AROUND_PX["left"] - area.x) * scale, (box.y - AROUND_PX["top"] - area.y) * scale
        right = (box.x + min(box.width, CROP_WIDTH_PX) + AROUND_PX["right"] - area.x) * scale
        bottom = (box.y + min(box.height, MOST_CROP_PX) + AROUND_PX["bottom"] - area.y) * scale
        cut = (max(0, int(left)), max(0, int(top)), min(image.width, int(right)), min(image.height, int(bottom)))
        if cut[2] - cut[0] < 2 or cut[3] - cut[1] < 2:
            continue
        crop = image.convert("RGB").crop(cut)
        outline = (
            (box.x - area.x) * scale - cut[0] - 3,
            (box.y - area.y) * scale - cut[1] - 3,
            min((box.x + box.width - area.x) * scale - cut[0] + 3, cut[2] - cut[0] - 2),
            min((box.y + box.height - area.y) * scale - cut[1] + 3, cut[3] - cut[1] - 2),
        )
        drawn = ImageDraw.Draw(crop)
        drawn.rectangle(outline, outline=part.colour, width=2)
        drawn.rectangle((0, 0, crop.width - 1, crop.height - 1), outline=LINE)
        crop.thumbnail((CROP_WIDTH_PX, MOST_CROP_PX * 2))
        return part, crop
    return None


def _ascii(text: str) -> str:
    """Return the text in letters that the font has; what pages say stands in the crops, in the fonts of the page."""
    return text.encode("ascii", "replace").decode()


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
