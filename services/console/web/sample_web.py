"""The page of one sample: its values beside the picture that shows them, its steps, its files."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import NO_RUN, desk_of, page
from services.console.web.guard import policy
from services.console.web.markup import as_data
from services.console.web.page_origin import SUFFIX
from services.console.web.review.review_facts import DECIDED_AS
from services.console.web.review.table_facts import DECISION_SIGNS
from services.console.web.run_facts import status_words
from services.console.web.stored_samples import read_one, read_sample, read_signed_off
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.discovery import Sample
from shared.contracts.evidence import LoadedSample, LoadRun, RunUnknown
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.sources.source import Unreadable
from shared.evidence_view.sample_details import detail_of
from shared.statuses import NO_RESULT
from shared.subjects import LOAD_RUN, is_token

SHOWN = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "txt": "text/plain; charset=utf-8", "json": "application/json",
}  # fmt: skip
"""Types that a browser shows and runs nothing of, by the end of a file's name. All others are saved."""
FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


async def show_sample(request: Request) -> Response:
    """Show a sample. The page has its details as data, and the stage of report.html draws them; without scripts the
    values, files and remarks are a list."""
    desk, run_id, sample_id = desk_of(request), request.path_params["run"], request.path_params["sample"]
    loaded = await desk.client.bus.ask(
        LOAD_RUN, LoadRun(run_id=run_id, beside=sample_id, limit=3), timeout_s=LOAD_BOUND_S
    )
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, NO_RUN)
    task = TaskFacts.of(loaded.record.spec)
    lost, signed = "", None
    try:
        signed = await asyncio.to_thread(read_signed_off, desk.settings, loaded.record)
    except Unreadable as exc:
        lost = str(exc)
    stored = await asyncio.to_thread(read_sample, desk.settings, run_id, sample_id, task, signed)
    if stored is None and loaded.finished is None and is_token(sample_id):
        return RedirectResponse(f"/runs/{quote(run_id)}/samples/{quote(sample_id)}/live", 303)
    if stored is None:
        raise HTTPException(404, "There is no such sample in the run, or its files are not on this machine.")
    detail: dict[str, Any] = msgspec.to_builtins(detail_of(stored.facts))
    review = stored.facts.review
    pages = [
        (str(file["name"]), desk.pages.address(run_id, sample_id, str(file["name"])))
        for file in detail.get("files", ())
        if desk.pages is not None and str(file["name"]).endswith(SUFFIX)
    ]
    made = page(
        request, "sample.html", pages=pages, run_id=run_id, detail=detail, review_lost=lost, decided_as=DECIDED_AS,
        ended=loaded.finished is not None, turns=turns_of(loaded.samples, sample_id),
        task_id=loaded.record.spec.get("task_id", ""),
        status=stored.facts.status or NO_RESULT, words_of_status=status_words(stored.facts.status or NO_RESULT),
        decided=review.decision if review is not None and stored.facts.signed_off_at is not None else "",
        decision_signs=DECISION_SIGNS, signed_off_at=stored.facts.signed_off_at,
        data=as_data(detail), flows=as_data(dict(stored.flows)), shots=_shots(detail),
    )  # fmt: skip
    made.headers["Content-Security-Policy"] = policy(frames="" if desk.pages is None else desk.pages.base)
    return made


def turns_of(page: Sequence[LoadedSample], sample_id: str) -> tuple[Sample | None, Sample | None]:
    """Return the samples before and after one, in row order; None where there is none."""
    samples = [one.sample for one in page]
    at = next((i for i, one in enumerate(samples) if one.sample_id == sample_id), None)
    if at is None:
        return None, None
    return samples[at - 1] if at else None, samples[at + 1] if at + 1 < len(samples) else None


def _shots(detail: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [file for file in detail.get("files", ()) if file["kind"] == "screenshot"]


async def sample_file(request: Request) -> Response:
    """Send a file of a sample as it is stored. What could run is saved, and shown by no browser."""
    desk, asked = desk_of(request), request.path_params
    name: str = asked["file"]
    if not _FILE.fullmatch(name):
        raise HTTPException(404, "There is no such file.")
    data = await asyncio.to_thread(read_one, desk.settings, asked["run"], asked["sample"], name)
    if data is None:
        raise HTTPException(404, "There is no such file.")
    kind = SHOWN.get(name.rpartition(".")[2].lower())
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "private, no-cache"}
    if kind is None:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return Response(data, media_type=kind or "application/octet-stream", headers=headers)
