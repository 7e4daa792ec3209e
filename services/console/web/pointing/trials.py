"""A spec that is being made, tried on a few other records: the rules work on each as in a run, and no evidence is
kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from services.console.text.trial_story import TriedField, advice_of, tried_fields
from services.console.web.pointing.page_looks import PageShot, fetched_shots, remove_blobs
from shared.aio import map_concurrently
from shared.contracts.discovery import Problem, Sample, SubmitRun
from shared.contracts.explained import NEAR_WORDS
from shared.contracts.results import Artifact, Box
from shared.contracts.steps import FieldValue
from shared.contracts.tried import SampleTried, TryRefused, TrySample
from shared.errors import RunRejectedError
from shared.host.connections import SessionBus
from shared.pages.boxes import MARGIN_PX, has_centre, part_around
from shared.subjects import TRY_SAMPLE
from shared.submission.request import check_population
from shared.submission.samples import first_problems, samples_of_table
from shared.tables.excel import open_workbook
from shared.tables.files import parse_table
from shared.task.spec import check_spec
from shared.text.record_words import is_equal_text

MOST_ROWS = 3
ANSWER_TIMEOUT_S = 600.0
RULES = "rules"
PART_WIDTH_PX, BEFORE_PX = 460.0, 170.0
"""Of a picture, around a value: of a wide one, what is before it and its beginning are shown."""
MOST_OF_WIDTH = 0.75
"""So high, by its width, is the picture of a page that is not the record's."""
LEAST_HEIGHT_PX, MOST_HEIGHT_PX = 84.0, 220.0
MAX_NONE_CHARS = 30
"""A longer text is no word for "there is none"."""
ABSENT = "not_found"
_ELSEWHERE = (ABSENT, "off_route", "identity_mismatch")
ANOTHER_PAGE = "the page that came does not say that it is of this record"
LOOK_AT_IT = "Look at it: there may be no such record, or its page is built in another way."
_SAYS_NONE = re.compile(
    r"un(?:assigned|allocated|specified|defined|scheduled|answered|confirmed|resolved|set|known|paid)"
    r"|none|null|nil|not? |nobody|nothing|never|empty|blank|missing|pending|tb[ad]$|n\W?a\W?$|no$"
    r"|kein|nicht|ohne|leer|unbekannt|aucun|non |sans |vide|inconnu|ning[uú]n|sin |vac[íi]o|nessun|senza|geen|brak"
    r"|нет|не |無|无|未|なし|없음|אין|ללא|لا |بدون",
    re.I,
)
"""How short texts begin that say in some languages that there is none."""
Others = Mapping[str, tuple[dict[str, Any], ...]]
_WORDS_ALONE = ("task_id", "goal")
"""Keys of a spec that change nothing of what is read."""


@dataclass(frozen=True)
class TriedPlace:
    """A field of a tried record. ``shot``: the picture that shows it, and the ``part`` of that around it; None: none
    does. ``box``: where its value stands; of a field without one, the text that nearly was it."""

    field: TriedField
    shot: PageShot | None = None
    part: Box | None = None
    box: Box | None = None

    @property
    def near(self) -> tuple[str, str]:
        """The text that nearly was the value of a field without one, and why it is not; empty: there is none."""
        one = next(iter(self.field.near), None) if self.field.state == "not_found" else None
        return ("", "") if one is None else (one.shown, NEAR_WORDS.get(one.why, one.why))

    @property
    def may_say_none(self) -> bool:
        """Whether its text may be the site's words for no value, which only a person knows."""
        one = self.field
        offered = any(key.why == "words_for_none" for key in one.settled_by)
        words = 0 < len(one.shown) <= MAX_NONE_CHARS and not any(map(str.isdigit, one.shown))
        return one.state == "value" and words and not offered

    @property
    def likely_none(self) -> bool:
        """Whether it most likely is: it is none of the type of the field, or begins as such words do."""
        one = self.field
        told = one.value is None or not re.search(r"\w", one.shown) or _SAYS_NONE.match(one.shown) is not None
        return self.may_say_none and told


@dataclass(frozen=True)
class TriedRecord:
    """What came of one row. ``message``: why it is not done. ``done``: it is, and each of its fields is certain.
    ``says``: the texts of its page that may say that there is no such record. ``absent``: the page says so.
    ``elsewhere``: the page that came is not that of the record."""

    sample: Sample
    status: str
    done: bool
    message: str
    advice: str
    fields: tuple[TriedPlace, ...]
    shots: tuple[PageShot, ...]
    says: tuple[str, ...] = ()
    absent: bool = False
    elsewhere: bool = False
    others: Mapping[str, Sequence[FieldValue | None]] = field(default_factory=dict[str, Sequence[FieldValue | None]])
    """What its page gives with the entries that may take the place of a field's own, as `SpecTrial.others`."""

    @property
    def has_values(self) -> bool:
        """Whether the page has shown anything of the fields."""
        return any(one.field.state != "not_found" or one.field.settled_by for one in self.fields)

    @property
    def top(self) -> tuple[PageShot, Box] | None:
        """The picture of the page that came, and the part of it that is shown; None where there is none, or it is that
        of the record."""
        shot = next(iter(self.shots), None) if self.elsewhere else None
        if shot is None:
            return None
        height = min(shot.area.height, shot.area.width * MOST_OF_WIDTH)
        return shot, Box(x=shot.area.x, y=shot.area.y, width=shot.area.width, height=height)


@dataclass(frozen=True)
class SpecTrial:
    """``spec``: what was tried, without its name and goal. ``rows``: as they were written. ``trial_id``: what is said
    of its records names it, since somebody may have tried again meanwhile."""

    spec: Mapping[str, Any]
    rows: str
    records: tuple[TriedRecord, ...]
    trial_id: str
    given: int = 0
    """Rows that were written. The first `MOST_ROWS` of them are tried."""
    others: Others = field(default_factory=dict[str, tuple[dict[str, Any], ...]])
    """Entries that read the value of a field on the page that was pointed at, too, each tried on the rows."""


def tried_part(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a spec a trial is of."""
    return {key: value for key, value in spec.items() if key not in _WORDS_ALONE}


def rows_file(columns: Sequence[str], text: str) -> bytes:
    """Return the written rows as a table with a header. A header that they have themselves stays."""
    lines = [line for line in text.replace("\r", "").split("\n") if line.strip()]
    between = "\t" if any("\t" in line for line in lines) else ","
    header = between.join(columns)
    if lines and lines[0].replace(" ", "").lower() == header.replace(" ", "").lower():
        lines = lines[1:]
    return "\n".join([header, *lines, ""]).encode()


def read_rows(
    spec: dict[str, Any], columns: Sequence[str], text: str, pointed: str
) -> tuple[tuple[Sample, ...], tuple[Problem, ...]]:
    """Return the rows as samples, or all that is wrong with them. ``pointed``: the key of the record that the
    spec was made with, which proves nothing."""
    checked, problems = check_spec(spec)
    if checked is None:
        return (), tuple(problems)
    if not text.strip():
        return (), (Problem(where="rows", message="there are none: write one a line"),)
    table, problems = parse_table(rows_file(columns, text), "rows.csv", open_workbook)
    _, found = check_population(SubmitRun(spec=spec, samples=(), planner=RULES), (table, problems))
    if found or table is None:
        return (), first_problems((*problems, *found) if table is None else tuple(found))
    samples = samples_of_table(checked, table)[0]
    if any(is_equal_text(one.key, pointed) for one in samples):
        told = f"{pointed} is the record that the spec was made with: it shows nothing of the others"
        return (), (Problem(where="rows", message=told),)
    return samples, ()


async def try_rows(
    bus: SessionBus, spec: dict[str, Any], samples: Iterable[Sample], others: Others | None = None
) -> tuple[TriedRecord, ...]:
    """Have each row worked on by the rules, at once. ``others``: entries that are read on each page besides.

    Raises:
        RunRejectedError: the spec cannot be tried.
        ExhibitError: no planner answers.
    """
    return tuple(await map_concurrently(partial(_try_row, bus, spec, dict(others or {})), samples, MOST_ROWS))


async def _try_row(
    bus: SessionBus, spec: dict[str, Any], others: dict[str, tuple[dict[str, Any], ...]], sample: Sample
) -> TriedRecord:
    request = TrySample(spec=spec, sample=sample, planner=RULES, others=others)
    reply = await bus.ask(TRY_SAMPLE, request, timeout_s=ANSWER_TIMEOUT_S)
    if isinstance(reply, TryRefused):
        raise RunRejectedError(reply.problems)
    captured = _captured(reply)
    try:
        shots = await fetched_shots(bus, captured)
    finally:
        await remove_blobs(bus, captured)
    return tried_record(spec, sample, reply, shots)


def _captured(reply: SampleTried) -> tuple[Artifact, ...]:
    """Return the files; those of the last page, on which the values were read, come first."""
    return (*reply.pictures, *(one.artifact for one in reply.finished.artifacts))


def tried_record(spec: dict[str, Any], sample: Sample, reply: SampleTried, shots: tuple[PageShot, ...]) -> TriedRecord:
    """Return what came of a row, each field with the picture that shows it."""
    checked, _ = check_spec(spec)
    assert checked is not None, "it was checked before it was tried"
    finished = reply.finished
    fields = tried_fields(checked, finished, reply.values)
    taken = {one.field: one.source.screenshot_sha256 for one in reply.values if one.source is not None}
    places = tuple(_placed(one, shots, taken.get(one.field)) for one in fields)
    done = finished.status == "done" and all(one.certain for one in fields)
    message, advice = "" if done else finished.message, advice_of(finished.status, finished.reason)
    if finished.reason == "off_route":  # of a route that nobody has written: its steps are the fields
        message, advice = ANOTHER_PAGE, LOOK_AT_IT
    absent = finished.reason == ABSENT
    elsewhere = finished.reason in _ELSEWHERE
    if finished.reason == "missing_fields":
        elsewhere = any(one.state != "value" for one in fields if one.field in checked.identity)
    says = reply.says if elsewhere and not absent else ()
    told = "" if absent else advice
    return TriedRecord(
        sample, finished.status, done, message, told, places, shots, says, absent, elsewhere, reply.others
    )


def _placed(field: TriedField, shots: Sequence[PageShot], taken: str | None) -> TriedPlace:
    near = next(iter(field.near), None) if field.state == "not_found" else None
    box = near.box if near is not None and near.frame == "main" else field.box
    if box is None:
        return TriedPlace(field)
    own = sorted(shots, key=lambda one: one.sha256 != taken)
    shot = next((one for one in own if has_centre(one.area, box)), None)
    part = None if shot is None else _part_of(box, shot.area)
    return TriedPlace(field, shot, part, box)


def _part_of(box: Box, area: Box) -> Box:
    """Return the part of a picture that shows where a value begins, and what stands before it."""
    height = max(LEAST_HEIGHT_PX, min(box.height + 2 * MARGIN_PX, MOST_HEIGHT_PX))
    return part_around(area, box, PART_WIDTH_PX, height, box.x - BEFORE_PX)
