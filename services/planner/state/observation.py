"""Pure: what the step log keeps of a page that was looked at."""

from __future__ import annotations

import msgspec

from services.planner.page.identity import prove
from services.planner.state.progress import signature
from services.planner.state.value_sources import kept_pages
from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import Sample
from shared.contracts.steps import FiledArtifact, ObservationRef
from shared.task_spec import TaskSpec


def observation_ref(page: PageObserved, spec: TaskSpec, sample: Sample) -> ObservationRef:
    """What the step log keeps of a page that was looked at."""
    return ObservationRef(
        snapshot_id=page.snapshot_id,
        sha256=page.sha256,
        url=page.url,
        title=page.title,
        http_status=page.http_status,
        dom_confidence=page.dom_confidence,
        signature=signature(page),
        proof=prove(spec, sample, page).state,
        triggers=page.triggers,
    )


def with_page(ref: ObservationRef | None, stored: tuple[FiledArtifact, ...]) -> ObservationRef | None:
    """With the page that was kept of what was observed, where one was."""
    page = None if ref is None else kept_pages(stored).get(ref.sha256)
    return ref if ref is None or page is None else msgspec.structs.replace(ref, page_sha256=page.page or None)
