"""A page and the results of actions as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shared.contracts.base import Part
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult
from shared.text.normal import printable


class BadLine(Part, frozen=True, kw_only=True):
    """A line that is no action."""

    ok: bool = False
    code: str = "bad_line"
    message: str


def page_text(page: PageObserved, status: str = "") -> str:
    """Return address, title and status of a page, then what is on it: each element that can be acted on has its number.

    ``status``: used where the page has no HTTP status.
    """
    status = f"HTTP {page.http_status}" if page.http_status else status
    head = [line for line in (page.url, page.title, status) if line]
    unsettled = "" if page.settled else "\n\nthe page was still changing"
    return printable("\n".join((*head, "", page.text)), keep="\n") + f"{unsettled}\n"


def result_text(result: ActionResult, saved: Sequence[Path] = ()) -> str:
    """Return what came of an action, where the tab is if it went elsewhere, and which files were saved."""
    lines = [f"{'ok' if result.ok else f'failed ({result.code})'}: {result.message}"]
    change = result.change
    if change.url_after and change.url_after != change.url_before:
        lines.append(f"    now at {change.url_after}" + (f" (HTTP {change.http_status})" if change.http_status else ""))
    lines += [f"    {name}: {text}" for name in ("dialogs", "appeared", "denied") for text in getattr(change, name)]
    lines += [f"    saved {path}" for path in saved]
    return printable("\n".join(lines), keep="\n") + "\n"
