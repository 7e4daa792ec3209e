"""The data of a PDF pack: everything that `pack.typ` sets, as texts that the fonts can show. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.evidence_format.review.amounts import decided_words
from shared.evidence_format.review.reviewed import NO_EVIDENCE
from shared.papers.paper import EXCEPTION_KINDS, MARKS, Paper, PaperException, PaperField, PaperSample, PaperValue
from shared.papers.pdf_pack.glyphs import GlyphSet, Run
from shared.papers.pictures.crops import CropPlan, PictureCrop, names_of
from shared.papers.words import (
    attribute,
    by_words,
    controls_words,
    decision_words,
    draw_words,
    exception_by_words,
    exception_decision_words,
    exception_reason_words,
    exception_value_words,
    moment_words,
    of_them_decided,
    period,
    read_as_words,
    review_period,
    review_words,
    sample_status_words,
    status_words,
    value_decision_words,
    value_words,
    verdict,
)
from shared.statuses import group_of

FIELDS_ACROSS = 4
"""Fields of one attribute table; more are in further tables."""
MOST_IN_TABLE = 64
"""Characters of a value in the attribute table. The page of the sample has more."""
MOST_IN_PAGE = 3_000
WHOLE = 0.995
"""Of the height of a picture: what counts as all of it."""
MOST_NOTES = 40
MOST_EXCEPTIONS = 5_000


@dataclass(frozen=True)
class ShownCrop:
    """A part of a picture as it is in the paper: its file for the typesetter, and its size in pixels."""

    crop: PictureCrop
    file: str
    width_px: int
    height_px: int


@dataclass(frozen=True)
class SamplePictures:
    """``unshown``: pictures that could not be shown, by their paths."""

    plan: CropPlan
    shown: Sequence[ShownCrop]
    unshown: Sequence[str] = ()


class PackData:
    """Makes the data. ``glyphs`` notes every character that it could not show."""

    def __init__(self, paper: Paper, glyphs: GlyphSet) -> None:
        self._paper, self._glyphs = paper, glyphs
        self._cut = 0
        self._pages = {one.sample_id: f"s{number}" for number, one in enumerate(paper.samples, 1)}
        """The label of the page of each sample."""

    def data(self, samples: Sequence[dict[str, Any]], families: Sequence[str], fonts: Sequence[tuple[str, str]]) -> Any:
        """Return all data. ``samples``: what `sample` returned for each. ``families``: of the fonts, in the order in
        which they are asked for a character. ``fonts``: names and hashes of their files."""
        paper, said = self._paper, self._said
        body = {
            **self._cover(),
            **self._population(),
            **self._drawn(),
            "fonts": list(families),
            "fontfiles": [[said(name), sha256] for name, sha256 in fonts],
            "exceptions": [self._exception(one) for one in paper.exceptions[:MOST_EXCEPTIONS]],
            "marks": [[code, meaning] for code, meaning in MARKS.items()],
            "tables": list(self._tables()),
            "samples": samples,
            **self._integrity(),
        }
        body["remarks"] = [said(one) for one in self._remarks()]
        body["made"] = self._pairs(
            ("Made by", paper.software), ("Of", f"{paper.run_id}, sealed with {paper.seal.manifest_sha256}")
        )
        return body

    def sample(self, one: PaperSample, pictures: SamplePictures) -> dict[str, Any]:
        """Return the data of a sample's page."""
        said = self._said
        line = " · ".join(
            part
            for part in (
                f"row {one.row}" if one.row else "",
                one.url,
                f"decided by {one.decided_by}" if one.decided_by else "",
                moment_words(one.finished_at),
            )
            if part
        )
        told = [part for part in (one.why, one.message) if part] if one.group != "done" else []
        if one.reviewed is not None:
            told.append(
                f"{decision_words(one.reviewed)} by {by_words(one.reviewed)}: {one.reviewed.reason}".rstrip(": ")
            )
        boxed = pictures.plan.boxed
        return {
            "page": self._pages[one.sample_id],
            "key": said(one.key or one.sample_id),
            "group": one.group,
            "status": said(sample_status_words(one)),
            "line": said(line),
            "told": [said(part, MOST_IN_PAGE) for part in told],
            "values": [self._value(number, value, boxed) for number, value in enumerate(one.values, 1)],
            "judgment": self._judgment(one),
            "crops": [self._crop(shown, one) for shown in pictures.shown],
            "unshown": [said(part) for part in _unshown(pictures)],
            "notes": [said(note, MOST_IN_PAGE) for note in one.notes[:MOST_NOTES]]
            + (
                [said(f"and {len(one.notes) - MOST_NOTES} more, in result.json")] if len(one.notes) > MOST_NOTES else []
            ),
            "files": [[said(file.path), file.sha256] for file in one.files if file.kind != "step"],
        }

    # --- texts

    def _said(self, text: str, most: int = MOST_IN_PAGE) -> list[Run]:
        """Return a text as runs. A text that is cut says so."""
        if len(text) > most:
            self._cut += 1
            text = f"{text[:most]} … [cut: {len(text):,} characters, all of them in result.json]"
        return self._glyphs.runs(text)

    def _pairs(self, *pairs: tuple[str, str]) -> list[list[list[Run]]]:
        """Return facts under each other, without empty ones."""
        return [[self._said(name), self._said(text)] for name, text in pairs if text]

    # --- parts

    def _cover(self) -> Mapping[str, Any]:
        paper, said = self._paper, self._said
        population = paper.population
        return {
            "title": f"Evidence pack of {paper.run_id}",
            "description": f"{paper.task_id}: {verdict(paper)}",
            "keywords": [one.name for one in paper.controls],
            "run_id": said(paper.run_id),
            "running": said(", ".join(one.name for one in paper.controls[:4]) or paper.task_id),
            "task": said(_title(paper.task_id)),
            "attribute": said(attribute(paper)),
            "good": paper.seal.whole,
            "verdict": said(verdict(paper)),
            "figures": [
                {"number": f"{count:,}", "name": self._figure(name, count, group), "group": group}
                for name, count, group in (
                    ("samples", population.found, ""),
                    ("done", population.done, "done"),
                    ("for review", population.review, "review"),
                    ("failed", population.failed, "failed"),
                    ("open exceptions", paper.open_exceptions, ""),
                )
            ],
            "cover": self._pairs(
                ("Control", controls_words(paper)),
                ("Population", f"{population.headline}. {population.why_not}".strip()),
                ("Method", population.method),
                ("Drawn for people", draw_words(paper.draw)),
                ("Period of collection", period(paper)),
                ("Period of review", review_period(paper)),
                ("Sealed", moment_words(paper.seal.sealed_at)),
                ("Requested by", paper.requested_by),
                ("Review", review_words(paper)),
                ("Decided", decided_words(paper.decided)),
                ("Seal", paper.seal.manifest_sha256),
                ("Made by", paper.software),
            ),
        }

    def _figure(self, name: str, count: int, group: str) -> str:
        told = of_them_decided(count, self._paper.population.decided.get(group, 0))
        return f"{name}, {told}" if told else name

    def _population(self) -> Mapping[str, Any]:
        population, said = self._paper.population, self._said
        return {
            "population": self._pairs(
                ("Source", "\n".join(filter(None, population.source))),
                ("Completeness", population.headline),
                ("Why not complete", population.why_not),
                ("Method", population.method),
                ("Flagged", f"{population.flagged:,} samples with a remark for a person" if population.flagged else ""),
            ),
            "outcomes": [
                {
                    "group": group_of(one.status),
                    "status": said(status_words(one.status)),
                    "reason": said(one.words or one.reason),
                    "samples": f"{one.samples:,}",
                    "decided": f"{one.decided:,}" if one.decided else "",
                }
                for one in population.outcomes
            ],
        }

    def _drawn(self) -> Mapping[str, Any]:
        draw = self._paper.draw
        if draw is None:
            return {"draw": [], "strata": []}
        pairs = self._pairs(("Drawn", draw_words(draw)), ("Seed", draw.seed), ("Samples", ", ".join(draw.sample_ids)))
        strata = [
            [self._said(name), self._said(str(size)), self._said(str(drawn))] for name, size, drawn in draw.strata
        ]
        return {"draw": pairs, "strata": strata}

    def _exception(self, one: PaperException) -> dict[str, Any]:
        parts = [exception_decision_words(one), exception_value_words(one), exception_by_words(one)]
        reason = exception_reason_words(one)
        return {
            "kind": self._said(EXCEPTION_KINDS[one.kind]),
            "page": self._pages.get(one.sample_id, ""),
            "sample": self._said(one.sample_id),
            "where": self._said(one.where),
            "told": self._said(one.told),
            "decision": self._said("\n".join(filter(None, [*parts, reason]))),
        }

    def _tables(self) -> Iterable[dict[str, Any]]:
        """Yield the attribute tables: the fields side by side, a few in each."""
        paper = self._paper
        for begin in range(0, max(len(paper.fields), 1), FIELDS_ACROSS):
            fields = paper.fields[begin : begin + FIELDS_ACROSS]
            judged = bool(paper.question) and begin + FIELDS_ACROSS >= len(paper.fields)
            heads = ["Sample", "Status", *(one.name for one in fields), *(["Answer"] if judged else [])]
            yield {
                "columns": [1.1, 0, *(1.6 for _ in fields), *([1.2] if judged else [])],
                "heads": [self._said(head) for head in heads],
                "rows": [self._row(sample, fields, judged=judged) for sample in paper.samples],
            }

    def _row(self, sample: PaperSample, fields: Sequence[PaperField], *, judged: bool) -> list[dict[str, Any]]:
        values = {value.field: value for value in sample.values}
        cells: list[dict[str, Any]] = [
            {"text": self._said(sample.key or sample.sample_id, MOST_IN_TABLE), "page": self._pages[sample.sample_id]},
            {"text": self._said(sample_status_words(sample)), "group": sample.group},
        ]
        cells += [self._cell(values.get(field.name)) for field in fields]
        return [*cells, self._cell(sample.judgment)] if judged else cells

    def _cell(self, value: PaperValue | None) -> dict[str, Any]:
        if value is None:
            return {"text": []}
        text = value_words(value)
        shown = text if len(text) <= MOST_IN_TABLE else f"{text[:MOST_IN_TABLE]} …"
        cell: dict[str, Any] = {"text": self._glyphs.runs(shown, lines=False), "mark": value.tickmark}
        told = value_decision_words(value)
        if told and not text.startswith(told):  # what was set aside says so itself
            cell["decided"] = self._said(told, 200)
        return cell

    def _value(self, number: int, value: PaperValue, boxed: frozenset[str]) -> dict[str, Any]:
        decided = value.reviewed
        decision = "\n".join(
            filter(
                None,
                (
                    decision_words(decided),
                    by_words(decided),
                    f"stands in {value.where}" if value.where else "",
                    decided.reason if decided else "",
                ),
            )
        )
        return {
            "number": str(number),
            "boxed": any(name in boxed for name, _ in names_of(number, value)),
            "field": self._said(value.field),
            "text": self._said(_numbered_words(number, value)),
            "shown": self._said(_shown_words(number, value)),
            "mark": value.tickmark,
            "decided": value.decision_instead is not None,
            "decision": self._said(decision),
        }

    def _judgment(self, one: PaperSample) -> list[list[list[Run]]]:
        judged = one.judgment
        if judged is None:
            return []
        return self._pairs(
            ("Question", self._paper.question),
            ("Answer", value_words(judged)),
            ("Answer as judged", judged.text if judged.decision_instead is not None else ""),
            ("Reasoning", one.reasoning),
            ("Decided by", judged.read_by),
            ("Decision", f"{decision_words(judged.reviewed)} {by_words(judged.reviewed)}".strip()),
        )

    def _crop(self, shown: ShownCrop, sample: PaperSample) -> dict[str, Any]:
        crop = shown.crop
        named = "; ".join(f"{one.name} {one.field}: {one.text}" for one in crop.boxes)
        what = f"with boxes around {named}" if named else "with no box: no value is tied to a place on it"
        part = (
            f", its upper {crop.bottom:.0%}"
            if crop.top <= 0
            else f", {crop.top:.0%} to {crop.bottom:.0%} of its height"
        )
        part = "" if crop.top <= 0 and crop.bottom > WHOLE else part
        return {
            "file": shown.file,
            "width": shown.width_px,
            "height": shown.height_px,
            "alt": f"Picture of the page of {sample.key or sample.sample_id}, {what}"[:1000],
            "caption": self._said(f"{crop.path}{part}"),
            "boxes": [
                {"name": one.name, "left": one.left, "top": one.top, "width": one.width, "height": one.height}
                for one in crop.boxes
            ],
        }

    def _integrity(self) -> Mapping[str, Any]:
        paper, said = self._paper, self._said
        seal = paper.seal
        return {
            "seal": self._pairs(
                ("Run", paper.run_id),
                ("State", verdict(paper)),
                ("SHA-256 of manifest.json", seal.manifest_sha256),
                ("Key that sealed it", seal.fingerprint),
                ("Sealed at", moment_words(seal.sealed_at)),
                ("Round", str(seal.round) if seal.round else ""),
                ("Sealed by", seal.software),
                ("Remarks", "\n".join(seal.notes)),
                ("To check it", f"exhibit verify {paper.run_id} --key FINGERPRINT, as the sender has told it to you"),
            ),
            "problems": [said(one) for one in seal.problems],
            "review": said(review_words(paper)),
            "signatures": [[said(one.name), said(one.role), moment_words(one.at), one.key] for one in paper.signatures],
            "stamps": [
                [
                    said(str(one.round)),
                    said(moment_words(one.at)),
                    said(one.by),
                    said("checked" if one.checked else "not checked against an authority"),
                ]
                for one in seal.stamps
            ],
            "hashes": [[said(path), sha256] for path, sha256 in seal.hashes],
            "manifests": [
                [said(one.key or one.sample_id), one.manifest_sha256] for one in paper.samples if one.manifest_sha256
            ],
        }

    def _remarks(self) -> Iterable[str]:
        """Yield what a reader has to know of the paper itself."""
        lacking = sorted(self._glyphs.lacking)
        if lacking:
            named = ", ".join(f"U+{ord(one):04X}" for one in lacking[:12])
            more = f" and {len(lacking) - 12} more" if len(lacking) > 12 else ""
            yield (
                f"Characters that stand as their codes: {len(lacking)} ({named}{more}). The fonts of this paper do not "
                "have them, or they are no text. The pictures and the workpaper show them."
            )
        if self._cut:
            yield f"Texts that are too long for a page, each says so at its end: {self._cut}"
        left = len(self._paper.exceptions) - MOST_EXCEPTIONS
        if left > 0:
            yield f"Further exceptions, in the workpaper only: {left:,}"


def _unshown(pictures: SamplePictures) -> Iterable[str]:
    if pictures.plan.left_out:
        numbers = ", ".join(pictures.plan.left_out)
        yield f"Not pictured here, because they stand too far apart: {numbers}. Their pictures are in its folder."
    for path in pictures.unshown:
        yield f"{path} cannot be shown: it is not as it was captured, or no picture."


def _numbered_words(number: int, value: PaperValue) -> str:
    """Return a value; one that is open between several texts has a line for each, with its name on the picture."""
    if len(value.open) < 2 or value.decision_instead is not None:
        return value_words(value)
    return "\n".join(["open between", *_named_texts(number, value)])


def _shown_words(number: int, value: PaperValue) -> str:
    """Return what stands under a value: how the page shows it, or what was read where people have decided otherwise."""
    if value.decision_instead is not None:
        if len(value.open) > 1:
            return "\n".join(["was open between", *_named_texts(number, value)])
        return read_as_words(value) if value.decision_instead.decision not in NO_EVIDENCE else ""
    is_read = not value.absent and value.mark not in ("?", "-") and value.shown != value.text
    return f"on the page: {value.shown}" if is_read and value.shown else ""


def _named_texts(number: int, value: PaperValue) -> list[str]:
    return [f"{name}  {place.text}" for name, place in names_of(number, value)]


def _title(task_id: str) -> str:
    words = task_id.replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else "Run"
