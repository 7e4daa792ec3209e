"""Attaches provenance to values: has the browser pool store the page they were read from, and records where they are on
it.

How a value is tied to its stored page is decided in :mod:`services.planner.state.value_sources`. A page that cannot be
stored adds a note and fails nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from services.planner.deps import PlannerDeps
from services.planner.state.attempt_state import SampleView
from services.planner.state.step_parts import to_filed_pages
from services.planner.state.value_sources import (
    fields_without_picture,
    not_stored_notes,
    page_pictures,
    refs_to_capture,
    stored_pages,
    with_captured_sources,
    with_files,
)
from shared.contracts.browser_pool import CapturePage, PageCaptured, SessionLeased
from shared.contracts.steps import FieldValue, FiledArtifact, Note
from shared.errors import ExhibitError
from shared.subjects import CAPTURE

CAPTURE_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class StoredValues:
    """Values with their provenance, the files that were stored for them, and notes for a reviewer."""

    values: tuple[FieldValue, ...]
    page_files: tuple[FiledArtifact, ...] = ()
    notes: tuple[Note, ...] = ()
    browser_ms: float = 0.0


async def attach_provenance(
    view: SampleView,
    values: Iterable[FieldValue],
    session: SessionLeased,
    deps: PlannerDeps,
    *,
    step_picture: bool = False,
) -> StoredValues:
    """Return the values with their stored pages. A page whose observation is stored already is not stored again.

    ``step_picture``: the step has no other picture, so that one is taken of a page that is stored.
    """
    given = tuple(values)
    pictures = page_pictures(view.state.history, view.page)
    to_picture = fields_without_picture(given) if pictures else frozenset[str]()
    done = StoredValues(with_files(given, stored_pages(view.state.stored)))
    for snapshot_id, refs in refs_to_capture(done.values, view.page, to_picture).items():
        stored = (*view.state.stored, *done.page_files)
        known = stored_pages(stored)
        request = CapturePage(
            session_id=session.session_id,
            instance_id=session.instance_id,
            label=view.page.title if view.page is not None else "",
            snapshot_id=snapshot_id,
            refs=refs,
            known=tuple(sha256 for sha256, one in known.items() if one.observation),
            pictures=pictures,
            step_picture=step_picture and not _is_pictured(done),
        )
        answer, problems = await _capture_page(request, deps)
        kept = to_filed_pages(view.state, stored, answer.artifacts)
        values, doubts = with_captured_sources(
            done.values, snapshot_id, answer, view.page, stored_pages((*stored, *kept))
        )
        notes = (*done.notes, *not_stored_notes(problems), *doubts)
        done = StoredValues(values, (*done.page_files, *kept), notes, done.browser_ms + answer.browser_ms)
        if not answer.observation_sha256:
            break  # a page that does not answer would cost the timeout again for each snapshot
    return done


def _is_pictured(done: StoredValues) -> bool:
    return any(one.artifact.kind == "step" for one in done.page_files)


async def keep_page(
    view: SampleView, done: StoredValues, session: SessionLeased, deps: PlannerDeps, *, step_picture: bool = False
) -> StoredValues:
    """Have the page stored on which a list ends, or a sample that is not done. A reviewer needs what was seen.

    A page that is stored already is not stored again.
    """
    if view.page is None:
        return done
    stored = (*view.state.stored, *done.page_files)
    request = CapturePage(
        session_id=session.session_id,
        instance_id=session.instance_id,
        label=view.page.title,
        snapshot_id=view.page.snapshot_id,
        refs=(),
        known=tuple(sha256 for sha256, one in stored_pages(stored).items() if one.observation),
        step_picture=step_picture and not _is_pictured(done),
    )
    answer, problems = await _capture_page(request, deps)
    return StoredValues(
        done.values,
        (*done.page_files, *to_filed_pages(view.state, stored, answer.artifacts)),
        (*done.notes, *not_stored_notes(problems)),
        done.browser_ms + answer.browser_ms,
    )


async def _capture_page(request: CapturePage, deps: PlannerDeps) -> tuple[PageCaptured, tuple[str, ...]]:
    try:
        answer = await deps.asks.ask(CAPTURE, request, timeout_s=CAPTURE_TIMEOUT_S)
    except ExhibitError as exc:
        return PageCaptured(observation_sha256=""), (str(exc),)
    return answer, answer.problems
