"""How a value is tied to the files that show it: the stored page, its observation, a picture.

This module alone decides that; :mod:`services.planner.provenance` has the pages stored. A value is tied to a page that
shows it, or to none. If the page had changed by the time it was stored, the value keeps where it was read, and a
reviewer is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import TypeVar

from msgspec.structs import replace as replace_part

from services.planner.state.attempt_state import Entry
from shared.contracts.actions import AskPicture, Screenshot, ScreenshotViews
from shared.contracts.browser_pool import Element, ElementFound, PageCaptured, PageObserved
from shared.contracts.results import Artifact, Box, Ink, TargetFound
from shared.contracts.steps import (
    CellValue,
    FieldValue,
    FiledArtifact,
    Note,
    RowValue,
    StepTaken,
    ValueCandidate,
    ValueSource,
)
from shared.evidence_format.cells import with_cells
from shared.pages.elements import is_input, text_of
from shared.text.normal import fold, label_form, quoted

CellT = TypeVar("CellT", bound=CellValue)
MAX_PARTS = 60
"""Most elements that one value may extend over."""
MAX_CAPTURE_URL = 2000
"""Characters of its address that a capture has."""


@dataclass(frozen=True)
class StoredPageFiles:
    """The files of one state of a page. `page` and `observation` are hashes, empty if there is no such file."""

    observation_sha256: str
    page: str = ""
    observation: str = ""
    pictures: tuple[Artifact, ...] = ()

    def picture_of(self, box: Box | None) -> str:
        """Return the hash of the first picture of the page that has the middle of the box, or an empty text."""
        if box is None:
            return ""
        of_page = (one for one in self.pictures if not one.of_values)
        return next((one.sha256 for one in of_page if one.area is not None and _in(box, one.area)), "")


def stored_pages(filed: Iterable[FiledArtifact]) -> dict[str, StoredPageFiles]:
    """Return the stored files of each page, by the hash of its observation."""
    kept: dict[str, StoredPageFiles] = {}
    for one in (each.artifact for each in filed):
        if one.capture is None:
            continue
        sha256 = one.capture.observation_sha256
        page = kept.get(sha256, StoredPageFiles(sha256))
        if one.kind == "screenshot":
            page = replace(page, pictures=(*page.pictures, one))
        elif one.kind == "page":
            page = replace(page, page=page.page or one.sha256)
        elif one.kind == "observation":
            page = replace(page, observation=page.observation or one.sha256)
        kept[sha256] = page
    return kept


def _in(box: Box, area: Box) -> bool:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    return area.x <= x <= area.x + area.width and area.y <= y <= area.y + area.height


def with_reader(values: Iterable[FieldValue], name: str) -> tuple[FieldValue, ...]:
    """Return the values with this reader, where none is recorded yet."""
    return tuple(_with_reader(one, name) for one in values)


def _with_reader(value: FieldValue, name: str) -> FieldValue:
    rows = tuple(RowValue(cells=tuple(_read_by(cell, name) for cell in row.cells)) for row in value.rows)
    return replace_part(_read_by(value, name), rows=rows)


def _read_by(value: CellT, name: str) -> CellT:
    return value if value.read_by or value.state == "not_found" else replace_part(value, read_by=name)


# --- candidates of an ambiguous field, and cells of rows, are tied to the page like values


def with_parts_apart(values: Iterable[FieldValue]) -> tuple[FieldValue, ...]:
    """Return the values, and after them the candidates and cells of each as values of their own."""
    given = tuple(values)
    return (*given, *(part for value in given for part in _parts(value)))


def _parts(value: FieldValue) -> tuple[FieldValue, ...]:
    own, *cells = with_cells(value)
    return (*_candidates(own), *(part for cell in cells for part in (cell, *_candidates(cell))))


def _candidates(value: FieldValue) -> list[FieldValue]:
    return [
        FieldValue(field=value.field, state="value", value=one.shown, shown=one.shown, source=one.source)
        for one in value.candidates
    ]


def with_parts_joined(values: Iterable[FieldValue], number: int) -> tuple[FieldValue, ...]:
    """Return the first ``number`` values with the parts that :func:`with_parts_apart` has put after them."""
    given = tuple(values)
    apart = iter(given[number:])
    return tuple(_joined(value, apart) for value in given[:number])


def _joined(value: FieldValue, apart: Iterator[FieldValue]) -> FieldValue:
    candidates = _with_sources(value.candidates, apart)
    return replace_part(value, candidates=candidates, rows=tuple(_joined_row(row, apart) for row in value.rows))


def _joined_row(row: RowValue, apart: Iterator[FieldValue]) -> RowValue:
    cells = (
        replace_part(cell, source=next(apart).source, candidates=_with_sources(cell.candidates, apart))
        for cell in row.cells
    )
    return RowValue(cells=tuple(cells))


def _with_sources(candidates: Iterable[ValueCandidate], apart: Iterator[FieldValue]) -> tuple[ValueCandidate, ...]:
    return tuple(replace_part(one, source=next(apart).source) for one in candidates)


# --- without asking the browser


def with_files(values: Iterable[FieldValue], kept: Mapping[str, StoredPageFiles]) -> tuple[FieldValue, ...]:
    """Return the values with the files that are already stored of exactly the page state they were read from."""
    return tuple(_with_files(one, kept) for one in values)


def _with_files(value: FieldValue, kept: Mapping[str, StoredPageFiles]) -> FieldValue:
    source = value.source
    if source is None:
        return value
    page = _page_of(source, kept)
    if page is None:
        return value
    fresh = replace_part(
        source,
        page_sha256=source.page_sha256 or page.page,
        observation_file_sha256=source.observation_file_sha256 or page.observation,
        screenshot_sha256=source.screenshot_sha256 or page.picture_of(source.box),
        kept_ref=source.kept_ref or (source.ref if page.observation else 0),
    )
    return replace_part(value, source=fresh)


def _page_of(source: ValueSource, kept: Mapping[str, StoredPageFiles]) -> StoredPageFiles | None:
    bound = source.observation_file_sha256 or source.page_sha256
    if not bound:
        return kept.get(source.observation_sha256)
    return next((one for one in kept.values() if bound in (one.observation, one.page)), None)


# --- with what the browser says


def page_pictures(history: Iterable[Entry], page: PageObserved | None) -> tuple[str, ...]:
    """Return the hashes of the pictures of the page, not of an element, that were taken at its present address."""
    if page is None:
        return ()
    url = page.url[:MAX_CAPTURE_URL]
    taken = [entry.filed for entry in history if isinstance(entry.action, Screenshot | ScreenshotViews)]
    shown = [one.artifact for filed in taken for one in filed if one.artifact.kind == "screenshot"]
    return tuple(one.sha256 for one in shown if one.capture is not None and one.capture.url == url)


def fields_without_picture(values: Iterable[FieldValue]) -> frozenset[str]:
    """Return the fields of values that are tied to no picture."""
    return frozenset(one.field for one in values if one.source is not None and not one.source.screenshot_sha256)


def refs_to_capture(
    values: Iterable[FieldValue], page: PageObserved | None, to_picture: frozenset[str] = frozenset()
) -> dict[str, tuple[int, ...]]:
    """Return the refs to store, by snapshot: of values whose page is still shown, and that lack a stored page, locators
    or a look at their ink, or are of the fields ``to_picture``."""
    asked: dict[str, tuple[int, ...]] = {}
    places = _places(page)
    for value in values:
        source = value.source
        if source is None or page is None or value.origin == "vision" or not source.ref:
            continue
        unseen = source.ink is None and value.origin == "page"
        lacking = not (source.page_sha256 or source.observation_file_sha256) or not source.locators or unseen
        lacking = lacking or value.field in to_picture
        if lacking and (source.snapshot_id == page.snapshot_id or source.url == page.url):
            refs = (source.ref, *_others(value, source, page, places))
            asked[source.snapshot_id] = tuple(dict.fromkeys((*asked.get(source.snapshot_id, ()), *refs)))
    return asked


def _places(page: PageObserved | None) -> dict[int, int]:
    """Return where each element of the page stands among them."""
    return {one.ref: at for at, one in enumerate(page.elements)} if page is not None else {}


def _others(value: FieldValue, source: ValueSource, page: PageObserved, places: Mapping[int, int]) -> tuple[int, ...]:
    """Return the other elements of a value that extends over several adjacent ones. The first is its source."""
    behind = islice(page.elements, places.get(source.ref, len(page.elements)), None)
    following = list(islice((one for one in behind if one.frame == source.frame), MAX_PARTS))
    if source.snapshot_id != page.snapshot_id or not following or not value.shown:
        return ()
    if _shows(text_of(following[0]), value.shown):
        return ()
    parts = takewhile(lambda one: text_of(one) and _shows(value.shown or "", text_of(one)), following[1:])
    return tuple(one.ref for one in parts)


def _shows(text: str, words: str) -> bool:
    """Return whether the text holds the words on their own: `10` and `1.5` do not show `1`."""
    return re.search(rf"(?<!\w){re.escape(fold(words))}(?!\w|[.,]\d)", fold(text)) is not None


def with_captured_sources(
    values: Iterable[FieldValue],
    snapshot_id: str,
    answer: PageCaptured,
    page: PageObserved | None,
    kept: Mapping[str, StoredPageFiles],
) -> tuple[tuple[FieldValue, ...], tuple[Note, ...]]:
    """Return the values of this snapshot with their place on the stored page, and notes for a reviewer.

    Other values are returned unchanged.
    """
    found = {one.ref: one.element for one in answer.found}
    pictures = {one.ref: one for one in answer.found if one.picture is not None}
    ink = {one.ref: one.ink for one in answer.found if one.ink is not None}
    files = kept.get(answer.observation_sha256)
    then = {} if page is None or page.snapshot_id != snapshot_id else {one.ref: one for one in page.elements}
    places = _places(page)
    after: list[FieldValue] = []
    notes: list[Note] = []
    for value in values:
        source = value.source
        if source is None or source.snapshot_id != snapshot_id or source.ref not in found:
            after.append(value)
            continue
        now = found[source.ref]
        doubt = _doubt(value, source, then.get(source.ref), now)
        others = () if page is None or not then else _others(value, source, page, places)
        doubt = doubt or next((message for ref in others if (message := _other_doubt(then[ref], found.get(ref)))), "")
        if now is not None and not doubt:
            drawn = _worst_ink([ink[ref] for ref in (source.ref, *others) if ref in ink])
            source = _with_picture(_captured_source(source, now, files), pictures.get(source.ref))
            value = replace_part(value, source=replace_part(source, ink=drawn))
        elif not source.page_sha256:
            notes.append(Note(kind="not_as_read", field=value.field, text=doubt))
        after.append(value)
    return tuple(after), tuple(notes)


def _worst_ink(drawn: Sequence[Ink]) -> Ink | None:
    """Return what the picture shows of a value that extends over several elements."""
    against = next((one for one in drawn if one.said not in ("seen", "glyphless")), None)
    if against is not None or not drawn:
        return against
    glyphless = sum(one.glyphless for one in drawn)
    return Ink(state="absent", glyphless=glyphless) if glyphless else drawn[0]


def _doubt(value: FieldValue, source: ValueSource, then: Element | None, now: Element | None) -> str:
    """Return why the stored page does not show the value; empty: it does."""
    if now is None:
        return "its element was gone when the page was kept"
    read, shown = text_of(then) if then is not None else None, text_of(now)
    if read != shown and not (value.shown and _shows(shown, value.shown)):
        was = quoted(value.shown or read or "")
        return f"{was} was read, and when the page was kept its element showed {quoted(shown)}"
    label = now.header or (now.name if is_input(now) else None)
    if source.label is not None and label_form(source.label) != label_form(label or ""):
        return f"it was read under {quoted(source.label)}, and stood under {quoted(label or '')} when the page was kept"
    return ""


def _other_doubt(then: Element, now: Element | None) -> str:
    read, shown = text_of(then), "" if now is None else text_of(now)
    return "" if read == shown else f"{quoted(read)} was a part of it, and was {quoted(shown)} when the page was kept"


def _captured_source(source: ValueSource, now: Element, files: StoredPageFiles | None) -> ValueSource:
    """Return the source with the stored page. If it has one already, only missing facts are added."""
    where = replace_part(source, fingerprint=now.fingerprint, locators=now.locators, frame=now.frame)
    if source.page_sha256 or source.observation_file_sha256 or files is None:
        return where
    return replace_part(
        where,
        box=now.box,
        kept_ref=now.ref,
        page_sha256=files.page,
        observation_file_sha256=files.observation,
        screenshot_sha256=files.picture_of(now.box),
    )


def _with_picture(source: ValueSource, found: ElementFound | None) -> ValueSource:
    """Return the source with the picture that the browser pool has compared with the page, and the place on it; with
    neither where no picture shows it."""
    if found is None or found.picture is None:
        return source
    return replace_part(source, box=found.on_picture, screenshot_sha256=found.picture)


# --- what a picture says


def picture_source(step: StepTaken) -> ValueSource | None:
    """Return where a picture that was asked about was taken, or None."""
    pictures = [one.artifact for one in step.artifacts if one.artifact.kind == "screenshot"]
    if not isinstance(step.action, AskPicture) or step.observation is None or not pictures:
        return None
    found = step.result.target if step.result is not None else None
    kept = list(stored_pages(step.artifacts).values())
    files = kept[0] if kept else StoredPageFiles("")
    about = TargetFound(role="", name="", tag="", fingerprint="", box=pictures[0].area) if found is None else found
    target = step.action.target
    return ValueSource(
        snapshot_id=step.observation.snapshot_id,
        observation_sha256=step.observation.sha256,
        url=step.observation.url,
        ref=getattr(target, "ref", 0),
        role=about.role,
        label=None,
        box=about.box,
        frame=about.frame,
        fingerprint=about.fingerprint,
        locators=about.locators,
        page_sha256=files.page,
        observation_file_sha256=files.observation,
        screenshot_sha256=pictures[0].sha256,
    )


# --- small facts


def merged_readings(seen: Iterable[FieldValue], again: Iterable[FieldValue]) -> tuple[FieldValue, ...]:
    """Return the readings of a step; `again` replaces those of the same fields. Equal readings of several looks at a
    page are one."""
    fresh = tuple(again)
    fields = {one.field for one in fresh}
    before = [one for one in seen if one.field not in fields]
    return (*(one for at, one in enumerate(before) if one not in before[at + 1 :]), *fresh)


def not_stored_notes(problems: Iterable[str]) -> tuple[Note, ...]:
    """Return notes about pages that could not be stored."""
    return tuple(Note(kind="not_kept", text=problem) for problem in problems)


def lacks_stored_source(notes: Sequence[Note]) -> bool:
    """Return whether a note says that a page was not stored, or that it no longer shows its value as stored."""
    return any(note.kind in ("not_as_read", "not_kept") for note in notes)
