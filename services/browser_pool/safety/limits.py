"""How much a session may have open, and how large its pages may grow. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LEAST_LARGE_MB = 200.0
"""A smaller process of pages is not what the machine is short of."""


@dataclass(frozen=True)
class UseLimits:
    """Most tabs, frames in all tabs, and workers of a session, and most memory of one process that shows pages."""

    tabs: int = 20
    frames: int = 500
    workers: int = 60
    page_memory_mb: float = 1500.0

    @property
    def flood_tabs(self) -> int:
        """From so many tabs on, open or closed again at once, the session ends: its pages open them without end."""
        return 3 * self.tabs

    @property
    def flood_dialogs(self) -> int:
        """From so many dialogs on, within one action, the session ends."""
        return 10 * self.tabs

    @property
    def frame_processes(self) -> int:
        """Most frames that have a process of their own, as those of other sites have in some browsers."""
        return 5 * self.tabs


@dataclass(frozen=True)
class SessionUse:
    """What a session has at one moment. ``refused_tabs``: those closed as soon as they were opened. ``apart``: frames
    that the browser keeps in other processes than their page."""

    tabs: int = 0
    refused_tabs: int = 0
    frames: int = 0
    apart: int = 0
    workers: int = 0
    dialogs: int = 0


def excess(use: SessionUse, limits: UseLimits) -> str:
    """Return what of it is more than a session may have; empty where nothing is."""
    if max(use.tabs, use.refused_tabs) >= limits.flood_tabs:
        return f"its pages have opened {max(use.tabs, use.refused_tabs)} tabs, and {limits.tabs} may be open"
    if use.frames > limits.frames:
        return f"its pages have {use.frames} frames, and {limits.frames} is the most (EXHIBIT_SESSION_MAX_FRAMES)"
    if use.apart > limits.frame_processes:
        return f"its pages have {use.apart} frames of other sites, and {limits.frame_processes} is the most"
    if use.workers > limits.workers:
        return f"its pages have {use.workers} workers, and {limits.workers} is the most (EXHIBIT_SESSION_MAX_WORKERS)"
    if use.dialogs >= limits.flood_dialogs:
        return f"its pages have opened {use.dialogs} dialogs within one action"
    return ""


def processes_to_end(
    sizes_mb: Mapping[int, float], limits: UseLimits, *, free_mb: float, least_free_mb: float
) -> dict[int, str]:
    """Return the processes that show pages and have to end, with the reason for each.

    ``sizes_mb``: their memory, by process id. Those above the limit end; where the machine has less than
    ``least_free_mb`` left, the largest ends too, before the system chooses one.
    """
    over = {
        pid: f"its pages took {size:.0f} MB, and {limits.page_memory_mb:g} MB is the most (EXHIBIT_PAGE_MEMORY_MB)"
        for pid, size in sizes_mb.items()
        if size > limits.page_memory_mb
    }
    if over or free_mb >= least_free_mb or not sizes_mb:
        return over
    largest = max(sizes_mb, key=lambda pid: sizes_mb[pid])
    if sizes_mb[largest] < LEAST_LARGE_MB:
        return {}
    return {largest: f"its pages took {sizes_mb[largest]:.0f} MB, and the machine had {free_mb:.0f} MB left"}
