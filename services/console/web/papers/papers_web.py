"""The page on which an ended run is checked against its seal and handed over: as a workpaper, a PDF pack, OSCAL, or
as its evidence in a zip. Both are done by the commands `exhibit verify` and `exhibit export`."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from services.console.text.seal_words import SIGNATURE_TEXTS, population_text, verdict_of, verdict_text
from services.console.web.desk import Desk, desk_of, ended_run, page
from services.console.web.papers.own_command import CommandAnswer, ask_command
from shared.errors import ExhibitError, Unavailable
from shared.evidence_format.export import EARLIEST
from shared.extras import has_extra
from shared.settings import Settings

BOUND_S = 900.0
MOST_BYTES = 4_000_000_000
MOST_DOWNLOADS = 4
"""At a time, over all who look: each has its file on disk until it is sent."""
NOT_ENDED = "The run has not ended: it has no seal yet, and is handed over when it has."


@dataclass(frozen=True)
class PaperKind:
    """What a run is handed over as. ``ends``: how the name of its file ends. ``has_links``: they lead to the evidence,
    so that it is of the same zip."""

    form: str
    title: str
    told: str
    ends: str
    has_links: bool = False

    @property
    def needs_papers(self) -> bool:
        return self.form in ("workpaper", "pdf")


KINDS = (
    PaperKind(
        "workpaper",
        "Workpaper",
        "An Excel workbook: cover, attributes with tickmarks, values, exceptions, sign-off. Each value leads to its "
        "crop, each sample to its evidence; both are in the same zip: unpack it, and open the workbook",
        "_workpaper.zip",
        has_links=True,
    ),
    PaperKind("pdf", "PDF pack", "To be read and filed: a page for each sample, with its pictures", "_pack.pdf"),
    PaperKind(
        "zip", "Evidence", "All of the run as it was sealed. Whoever has it checks it by exhibit verify FILE", ".zip"
    ),
    PaperKind(
        "oscal", "OSCAL", "Assessment results, for programs that keep track of controls, with the evidence",
        "_oscal.zip", has_links=True,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class SealFacts:
    """What `exhibit verify` says of a run, for a page. ``facts``: names and what they are."""

    verdict: str
    text: str
    facts: tuple[tuple[str, str], ...]
    sealed_at: datetime | None
    problems: tuple[str, ...]
    notes: tuple[str, ...]


async def show_papers(request: Request) -> Response:
    """Show what an ended run can be handed over as."""
    return await _papers_page(request, 200)


async def check_seal(request: Request) -> Response:
    """Check a run against its seal, and show what was found."""
    desk, run_id = desk_of(request), request.path_params["run"]
    await ended_run(desk, run_id, NOT_ENDED)
    async with _one_at_a_time(desk):
        try:
            answer = await ask_command(
                desk.settings, "verify", _place(desk.settings, run_id), "--json", bound_s=BOUND_S, most_bytes=MOST_BYTES
            )
        except Unavailable as exc:
            return await _papers_page(request, 503, lost=str(exc))
    if lost := _lost(answer, "manifest_sha256"):
        return await _papers_page(request, 409, lost=lost)
    return await _papers_page(request, 200, seal=seal_facts(answer.told))


async def export_run(request: Request) -> Response:
    """Send a run as one file. It is made anew, and nothing of it stays here."""
    desk, run_id = desk_of(request), request.path_params["run"]
    kind = next((one for one in KINDS if one.form == request.path_params["form"]), None)
    if kind is None:
        raise HTTPException(404, "A run is not handed over as this.")
    await ended_run(desk, run_id, NOT_ENDED)
    if len(desk.downloads) >= MOST_DOWNLOADS:
        raise HTTPException(409, f"{MOST_DOWNLOADS} downloads are on their way already. Try again in a moment.")
    folder = TemporaryDirectory(prefix="exhibit_export_", ignore_cleanup_errors=True)
    desk.downloads.add(folder.name)

    def clean_up() -> None:
        desk.downloads.discard(folder.name)
        folder.cleanup()

    try:
        async with _one_at_a_time(desk):
            made = await _made(desk.settings, run_id, kind, Path(folder.name))
    except ExhibitError as exc:
        clean_up()
        return await _papers_page(request, 409, lost=str(exc))
    except BaseException:
        clean_up()
        raise
    return FileResponse(made, filename=made.name, background=BackgroundTask(clean_up))


async def _made(settings: Settings, run_id: str, kind: PaperKind, folder: Path) -> Path:
    """Return the file, which was made in a folder of its own. Raises Unavailable with what the command says."""
    place, out = _place(settings, run_id), folder / f"{run_id}{kind.ends}"
    if not kind.has_links:
        await _export(settings, place, kind.form, out)
        return out
    await _export(settings, place, "zip", out)
    ends = "_workpaper.xlsx" if kind.form == "workpaper" else "_oscal.json"
    paper = folder / f"{run_id}{ends}"
    await _export(settings, str(out), kind.form, paper)  # of the zip: its links lead to what is in it
    await asyncio.to_thread(_add, out, paper)
    return out


async def _export(settings: Settings, place: str, form: str, out: Path) -> None:
    answer = await ask_command(
        settings, "export", place, "--format", form, "--out", str(out), "--json", bound_s=BOUND_S, most_bytes=MOST_BYTES
    )
    if lost := _lost(answer, "exported_to"):
        raise Unavailable(lost)
    if not answer.told.get("exported_to"):
        raise Unavailable("the run is not what was sealed, so it is put on no paper. Check its seal for what differs")


def _add(zipped: Path, paper: Path) -> None:
    """Add a paper, and the folder of its crops, to the zip of a run. The same files make the same zip."""
    crops = paper.with_name(f"{paper.stem}_crops")
    with zipfile.ZipFile(zipped, "a", allowZip64=True) as packed:
        for path in [paper, *sorted(one for one in crops.rglob("*") if one.is_file())]:
            member = zipfile.ZipInfo(path.relative_to(paper.parent).as_posix(), EARLIEST)
            member.compress_type, member.external_attr = zipfile.ZIP_STORED, 0o100644 << 16
            with packed.open(member, "w", force_zip64=True) as file, path.open("rb") as source:
                while piece := source.read(1 << 20):
                    file.write(piece)


def seal_facts(told: Mapping[str, Any]) -> SealFacts:
    """Return what is shown of an answer of `exhibit verify --json`."""
    problems, of = told["problems"], told["population"]
    facts = [
        ("Signature", f"{SIGNATURE_TEXTS[told['signed']]}: {told['fingerprint'] or '-'}"),
        ("Manifest", told["manifest_sha256"]),
        ("Files", f"{told['files']}, {told['size_bytes'] / 1e6:,.1f} MB"),
    ]
    if of is not None:
        counts = {name: of[name] for name in ("found", "done", "review", "failed", "excepted", "attempted")}
        note = "" if of["complete"] else f". CUT SHORT: there may be more samples: {of['note']}"
        facts.insert(2, ("Population", population_text(**counts) + note))
    if told["round"] is not None:
        facts.insert(0, ("Sealed", f"round {told['round']}, by {told['software']}"))
    return SealFacts(
        verdict_of(len(problems), stands=told["stands"]),
        verdict_text(len(problems), stands=told["stands"]),
        tuple(facts),
        datetime.fromisoformat(told["sealed_at"]) if told["sealed_at"] else None,
        tuple(f"{one['path']}: {one['message']}" if one["path"] else one["message"] for one in problems),
        tuple(told["notes"]),
    )


def _lost(answer: CommandAnswer, needed: str) -> str:
    """Return why a command has not done what it was asked for; empty: it has."""
    if refused := answer.told.get("refused"):
        return str(refused)
    if needed in answer.told:
        return ""
    return answer.errors.rpartition("\n")[2] or f"the command has ended with {answer.exit_code}"


def _place(settings: Settings, run_id: str) -> str:
    """Return where the evidence of a run is, as commands name it."""
    if settings.evidence_bucket is not None:
        return f"{settings.evidence_bucket.rstrip('/')}/{run_id}"
    return str(settings.evidence_dir.resolve() / run_id)


def _one_at_a_time(desk: Desk) -> asyncio.Lock:
    """Return what is held while a run is read as a whole. Raises HTTPException (409) where somebody has it."""
    if desk.handing.locked():
        raise HTTPException(409, "A run is being checked or handed over already. Try again in a moment.")
    return desk.handing


async def _papers_page(request: Request, status: int, *, seal: SealFacts | None = None, lost: str = "") -> Response:
    desk, run_id = desk_of(request), request.path_params["run"]
    record = await ended_run(desk, run_id, NOT_ENDED)
    return page(
        request, "papers.html", status, run_id=run_id, task_id=record.spec.get("task_id", ""), kinds=KINDS, seal=seal,
        lost=lost, has_papers=has_extra("papers"), most_gb=MOST_BYTES // 1_000_000_000,
    )  # fmt: skip
