"""The screen and the picture of a row that was tried."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from PIL import Image, ImageDraw

from services.console.commands.trial.one_row import Shot
from services.console.commands.trial.picture import GOOD, UNSURE, write_picture
from services.console.commands.trial.trial import TriedSample
from services.console.outcomes import show
from services.console.text.trial_story import MOST_WIDTH, TrialStory, advice_of, trial_lines, tried_fields
from shared.contracts.codes import REASONS
from shared.contracts.discovery import Sample
from shared.contracts.explained import KEY_WORDS, NEAR_WORDS, FieldExplained, NearValue, SettlingKey
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Box, Ink, InkState
from shared.contracts.steps import FieldValue, ValueCandidate, ValueSource
from shared.task.spec import TaskSpec

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://contracts.example.com/C-1"
SPEC = TaskSpec.model_validate(
    {
        "task_id": "contracts",
        "goal": "g",
        "output_schema": {
            "number": "string",
            "owner": "string",
            "ends_on": "date",
            "amount": {"type": "decimal", "pattern": "[0-9]+"},
            "note": "string | null",
        },
        "required_fields": ["number", "owner", "ends_on"],
    }
)
NUMBER, OWNER = Box(x=300, y=100, width=80, height=20), Box(x=300, y=160, width=90, height=20)


def source(label: str | None, box: Box | None = None, ink: Ink | InkState = "seen") -> ValueSource:
    return ValueSource(
        snapshot_id="s", observation_sha256="", url=URL, ref=1, role="definition", label=label, box=box, frame="main",
        ink=Ink(state=ink) if isinstance(ink, str) else ink,
    )  # fmt: skip


def finished(**changes: Any) -> SampleFinished:
    given: dict[str, Any] = {
        "run_id": "try_1", "sample_id": "C-1", "attempt": 1, "status": "done", "started_at": NOON, "finished_at": NOON,
        "sample": Sample(sample_id="C-1", key="C-1", row=3), "decided_by": "rules",
    }  # fmt: skip
    return SampleFinished(**{**given, **changes})


def value(field: str, raw: object, shown: str, **more: Any) -> FieldValue:
    return FieldValue(field=field, state="value", value=raw, shown=shown, **{"source": source(field), **more})


def story(*values: FieldValue, explained: tuple[FieldExplained, ...] = (), **changes: Any) -> TrialStory:
    ended = finished(explained=explained)
    given: dict[str, Any] = {
        "task_id": "contracts", "sample_id": "C-1", "row": 3, "file": "contracts.csv", "url": URL,
        "status": "needs_review", "reason": "missing_fields", "message": "", "advice": "", "certain": False,
        "decided_by": "rules", "fields": tried_fields(SPEC, ended, values),
    }  # fmt: skip
    return TrialStory(**{**given, **changes})


def lines(told: TrialStory, width: int = 100) -> list[str]:
    return ["".join(piece.text for piece in line) for line in trial_lines(told, width)]


def problems_of(*values: FieldValue) -> dict[str, str]:
    return {one.field: one.problem for one in tried_fields(SPEC, finished(), values) if one.problem}


def test_each_field_says_why_it_is_not_certain():
    told = problems_of(
        value("number", "C-1", "C-1", source=source("Number", ink="unexplained")),
        FieldValue(field="owner", state="not_found", candidates=(ValueCandidate(shown="A"), ValueCandidate(shown="B"))),
        value("ends_on", None, "03/04/2026"),
        value("amount", None, "12 EUR"),
    )
    assert told["number"] == "something is drawn beside it that the page does not say"
    assert told["owner"] == "the page says 2 things"
    assert "03/04/2026" in told["ends_on"]
    assert told["amount"] == "'12 EUR' does not fit the pattern [0-9]+"
    assert told["note"] == "not found"
    none = problems_of(FieldValue(field="note", state="not_present", shown="-", source=source("Note", ink="absent")))
    assert "note" not in none, "there is no text to be seen"
    boxes = Ink(state="absent", glyphless=2)
    assert "number" not in problems_of(value("number", "C-1", "C-1", source=source("Number", ink=boxes)))
    waits = value("number", "C-1", "C-1", source=structs.replace(source("Number"), awaited="/api/contract"))
    assert problems_of(waits)["number"] == "it was read while the page had no answer of /api/contract"
    required = problems_of(FieldValue(field="owner", state="not_present", shown="None"))
    assert required["owner"] == "“None” says that there is none, and string does not allow that"


def test_the_screen_says_what_was_matched_and_where_what_nearly_was_and_what_to_paste():
    near = NearValue(shown="Bo", why="past", label="Old owner", section="History")
    entry = {"type": "string", "labels": ["Responsible"]}
    key = SettlingKey(keys={"labels": ["Responsible"]}, entry=entry, why="label_alike", state="value", value="Ann Lee")
    told = story(
        value("number", "C-1", "C-1", source=source("Number", NUMBER)),
        explained=(
            FieldExplained(field="number", label="Number", section="Contract"),
            FieldExplained(field="owner", near=(near,), settled_by=(key,)),
        ),
    )
    shown = [line.strip() for line in lines(told)]
    assert shown[0] == "C-1  row 3 of contracts.csv  Needs review, values were not found that should be there"
    number = shown.index("● number   C-1")
    assert shown[number + 1 : number + 3] == ["Number → “C-1”", "definition in “Contract”, at 300,100 80×20, ink seen"]
    owner = shown.index("▲ owner    not found")
    assert shown[owner + 1 : owner + 6] == [
        "it is required",
        f"near   Old owner → “Bo”, in “History”: {NEAR_WORDS['past']}",
        f"paste  {KEY_WORDS['label_alike']}",
        f'"owner": {json.dumps(entry)}',
        "→ “Ann Lee”",
    ]
    assert any(line.startswith("1 of 5 fields certain") for line in shown)


def test_no_line_is_longer_than_the_screen_but_what_is_pasted_and_a_terminal_obeys_nothing(
    capsys: pytest.CaptureFixture[str],
):
    hostile = "\x1b[2J\u202e" + "long words of a page " * 30
    entry = {"type": "string", "labels": [f"a label of a page {at}" for at in range(9)]}
    key = SettlingKey(keys=entry, entry=entry, why="label_free", state="value", value=hostile)
    told = story(
        value("number", hostile, hostile, source=source(hostile)),
        explained=(FieldExplained(field="owner", near=(NearValue(shown=hostile, why="rival"),), settled_by=(key,)),),
        message=hostile,
        notes=(hostile,),
    )
    for width in (60, 80, 400):
        for line in lines(told, width):
            assert all(letter.isprintable() for letter in line)
            assert len(line) <= min(width, MOST_WIDTH) or '"labels"' in line
    at = next(at for at, line in enumerate(lines(told)) if line.strip() == '"owner": {')
    pasted = "".join(lines(told)[at : at + 4])
    assert json.loads(f"{{{pasted}}}") == {"owner": entry}
    show(TriedSample(told), as_json=False)
    assert f'"labels": {json.dumps(entry["labels"])}' in capsys.readouterr().out, "a terminal is given it whole"


def test_what_to_do_is_told_where_no_field_says_it():
    assert advice_of("done", "") == ""
    assert advice_of("needs_review", "missing_fields") == ""
    assert advice_of("failed", "not_found") == REASONS["not_found"].advice


def page_of(*boxes: Box, scale: int = 1, top: int = 0) -> Shot:
    """Return a picture of a page on which each value is drawn as a block of its own colour."""
    image = Image.new("RGB", (800 * scale, 600 * scale), "white")
    for box, colour in zip(boxes, ("#0000ff", "#00aa00"), strict=False):
        place = (
            box.x * scale,
            (box.y - top) * scale,
            (box.x + box.width) * scale - 1,
            (box.y - top + box.height) * scale - 1,
        )
        ImageDraw.Draw(image).rectangle(place, fill=colour)
    data = io.BytesIO()
    image.save(data, "PNG")
    return Shot(data.getvalue(), Box(x=0, y=top, width=800, height=600), "a" * 64)


def written(told: TrialStory, path: Path, *shots: Shot) -> Image.Image | None:
    if not write_picture(told, shots, path):
        return None
    return Image.open(path).convert("RGB")


def has(image: Image.Image, colour: str, pixels: int) -> bool:
    wanted = tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
    colours = image.getcolors(image.width * image.height) or []
    return any(found == wanted and count >= pixels for count, found in colours)


def test_the_picture_has_a_crop_for_each_value_and_each_rival_with_its_outline(tmp_path: Path):
    rival = ValueCandidate(shown="A", source=source("Owner", OWNER))
    open_field = FieldValue(field="owner", state="not_found", candidates=(rival,))
    told = story(value("number", "C-1", "C-1", source=source("Number", NUMBER)), open_field)
    image = written(told, tmp_path / "tries" / "one.png", page_of(NUMBER, OWNER))
    assert image is not None
    assert has(image, "#0000ff", 80 * 20)
    assert has(image, "#00aa00", 90 * 20)
    assert has(image, GOOD, 2 * (86 + 26))
    assert has(image, UNSURE, 2 * (96 + 26))
    assert ((tmp_path / "tries/one.png").stat().st_mode & 0o777) == 0o600


def test_a_value_is_looked_for_on_the_part_of_a_tall_page_that_shows_it_at_any_scale(tmp_path: Path):
    below = Box(x=300, y=700, width=80, height=20)
    told = story(value("number", "C-1", "C-1", source=source("Number", below)))
    image = written(told, tmp_path / "one.png", page_of(NUMBER), page_of(below, scale=2, top=600))
    assert image is not None
    assert has(image, "#0000ff", 80 * 20)
    assert written(told, tmp_path / "none.png", page_of(NUMBER)) is None
    assert not (tmp_path / "none.png").exists()
