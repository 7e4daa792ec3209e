"""Pictures and files that the task asks for, and the end."""

from __future__ import annotations

from collections.abc import Iterable

from services.planner.judge.completeness import missing_artifacts, to_kind_and_label
from services.planner.page.identity import PageRead
from services.planner.page.text import label_form
from services.planner.state.attempt_state import Act, SampleView
from services.planner.state.common_decisions import MAX_TRIES, by_rule
from shared.contracts.actions import ByRef, Done, Download, Screenshot
from shared.contracts.browser_pool import PageObserved
from shared.contracts.steps import FieldValue


def missing_artifact_action(view: SampleView, page: PageObserved, read: PageRead) -> Act | None:
    """Return the capture of the next missing artifact, once the record is proven."""
    if read.proof.state != "proven":
        return None
    for wanted in missing_artifacts(view):
        kind, label = to_kind_and_label(wanted)
        action = _screenshot(view, label) if kind == "screenshot" else _download(page, label)
        if action is not None and _tries(view, action) < MAX_TRIES:
            return by_rule(action)
    return None


def _screenshot(view: SampleView, label: str) -> Screenshot:
    return Screenshot(label=label or view.spec.task_id or "page", reason="The task asks for a picture of the record.")


def _download(page: PageObserved, label: str) -> Download | None:
    """Return the download by the one link or button with the file's name."""
    name = label_form(label.replace("_", " ")) or "download"
    links = [e for e in page.elements if e.role in ("link", "button") and not e.in_dialog]
    fitting = [e for e in links if label_form(e.name) == name] or [e for e in links if name in label_form(e.name)]
    if len(fitting) != 1:
        return None
    target = ByRef(ref=fitting[0].ref, snapshot_id=page.snapshot_id)
    return Download(target=target, label=label or "download", reason="The task asks for this file.")


def _tries(view: SampleView, action: Screenshot | Download) -> int:
    return sum(isinstance(e.action, type(action)) and e.action.label == action.label for e in view.state.history)


def done_decision(seen: Iterable[FieldValue], page: PageObserved) -> Act:
    """Return the end of the work. A ref is given only for values of the current page."""
    values = tuple(seen)
    here = [v for v in values if v.source is not None and v.source.snapshot_id == page.snapshot_id]
    return by_rule(
        Done(
            values={v.field: v.value for v in values if v.state == "value"},
            not_present={v.field: v.shown or "" for v in values if v.state == "not_present"},
            refs={v.field: v.source.ref for v in here if v.source is not None},
            reason="Every field the page shows has been read.",
        )
    )
