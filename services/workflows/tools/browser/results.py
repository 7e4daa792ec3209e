"""What comes back from the browser pool, as values of workflow code."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from services.workflows.ports import HostCallError
from shared.contracts.browser_pool import PageCaptured, PageObserved
from shared.contracts.results import ActionResult, Artifact, TextRead
from shared.contracts.workflows.invocations import JsonValue
from shared.errors import ExhibitError

_ERROR_TYPES = {
    "policy_denied": "PermissionError",
    "timeout": "TimeoutError",
    "deadline_exceeded": "TimeoutError",
    "unreachable": "ConnectionError",
    "no_responders": "ConnectionError",
    "bus_lost": "ConnectionError",
    "no_session": "ConnectionError",
    "instance_gone": "ConnectionError",
    "session_lost": "ConnectionError",
    "unavailable": "ConnectionError",
    "not_found": "LookupError",
    "ambiguous": "LookupError",
    "stale_ref": "LookupError",
    "no_such_option": "LookupError",
    "no_such_tab": "LookupError",
    "no_such_secret": "LookupError",
}
"""By the codes of actions and errors; others are a RuntimeError."""
_PAGE_FIELDS = ("snapshot_id", "url", "title", "http_status", "text", "elements", "left_out", "settled", "dialog")


def failure(title: str, code: str, message: str) -> HostCallError:
    """Return the error of a call, with the code of the pool."""
    return HostCallError(_ERROR_TYPES.get(code, "RuntimeError"), f"{title}(): {code}: {message}")


def failure_of(title: str, exc: ExhibitError) -> HostCallError:
    return failure(title, exc.code, str(exc))


def action_value(title: str, result: ActionResult) -> JsonValue:
    """Return what an action did. Raises HostCallError for one that failed."""
    if not result.ok:
        raise failure(title, result.code, result.message)
    change = result.change
    value: dict[str, JsonValue] = {
        "message": result.message,
        "url": change.url_after,
        "title": change.title,
        "http_status": change.http_status,
        "effect": msgspec.to_builtins(result.effect),
        "appeared": list(change.appeared),
        "dialogs": list(change.dialogs),
        "denied": list(change.denied),
        "new_tabs": change.new_tabs,
        "files": file_values(result.artifacts),
    }
    return {**value, "text": result.effect.text} if isinstance(result.effect, TextRead) else value


def page_value(page: PageObserved) -> JsonValue:
    """Return what a page shows. ``elements`` leave out what is as usual."""
    own = msgspec.to_builtins({name: getattr(page, name) for name in _PAGE_FIELDS})
    return {**own, "tabs": msgspec.to_builtins(page.tabs)}


def capture_value(captured: PageCaptured) -> JsonValue:
    return {"files": file_values(captured.artifacts), "problems": list(captured.problems)}


def file_values(artifacts: Iterable[Artifact]) -> list[JsonValue]:
    """Return the facts of captured files. ``file`` is what read_file and save_file take."""
    return [
        {
            "file": one.sha256,
            "kind": one.kind,
            "label": one.label,
            "media_type": one.media_type,
            "suffix": one.suffix,
            "size_bytes": one.size_bytes,
            "source_url": one.source_url,
            "original_name": one.original_name,
            "text_preview": one.text_preview,
        }
        for one in artifacts
    ]
