"""Memory that is free on this machine or in this container, and memory that a browser uses."""

from __future__ import annotations

from pathlib import Path

import psutil

BYTES_PER_MB = 1024 * 1024
CGROUPS = Path("/sys/fs/cgroup")
NO_LIMIT_BYTES = 2**60
"""Version 1 of control groups reports a number just below 2**63 where version 2 says ``max``."""


def free_mb() -> float:
    """Return the memory that can be taken, of the machine or of the tightest limit on this process."""
    machine = psutil.virtual_memory().available
    return min([machine, *cgroup_headroom_bytes(CGROUPS, Path("/proc/self/cgroup"))]) / BYTES_PER_MB


def tree_mb(pid: int) -> float:
    """Return the memory of a process and its descendants; shared pages count once where the system reports it."""
    try:
        root = psutil.Process(pid)
        return sum(_bytes_of(process) for process in (root, *root.children(recursive=True))) / BYTES_PER_MB
    except psutil.Error:
        return 0.0


def resident_mb(pid: int) -> float:
    """Return the memory that a process has now, with what it shares; 0 where it has ended. Cheap, unlike `tree_mb`."""
    try:
        return psutil.Process(pid).memory_info().rss / BYTES_PER_MB
    except psutil.Error:
        return 0.0


def _bytes_of(process: psutil.Process) -> int:
    """Return proportional size: browser processes share most code, and plain sizes would add up to twice the truth."""
    try:
        full = process.memory_full_info()
        return int(getattr(full, "pss", 0) or full.uss)
    except psutil.AccessDenied:
        return process.memory_info().rss
    except psutil.Error:  # it has ended
        return 0


def cgroup_headroom_bytes(root: Path, listed: Path) -> list[int]:
    """Return what each limit above this process leaves, for both versions of control groups."""
    try:
        lines = listed.read_text().splitlines()
    except OSError:
        return []
    left: list[int] = []
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if not kinds:
            left += _left_up(root, path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in kinds.split(","):
            left += _left_up(
                root / "memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
            )
    return left


def _left_up(root: Path, path: str, limit: str, used: str, cache: str) -> list[int]:
    """Return the headroom of a group and its parents. In a container, its own group is the visible root."""
    group = root / path.lstrip("/")
    folders = [folder for folder in (group, *group.parents, root) if folder == root or root in folder.parents]
    left = [_left_in(folder, limit, used, cache) for folder in dict.fromkeys(folders)]
    return [each for each in left if each is not None]


def _left_in(folder: Path, limit: str, used: str, cache: str) -> int | None:
    """Return the headroom of one group, or None without a limit. Cached files can be evicted and
    do not count as used."""
    try:
        most = (folder / limit).read_text().strip()
        # The kernel adds up the usage slowly, so it is read only where there is a limit.
        if not most.isdecimal() or int(most) >= NO_LIMIT_BYTES:
            return None
        now = int((folder / used).read_text())
        stat = dict(
            line.split() for line in (folder / "memory.stat").read_text().splitlines() if len(line.split()) == 2
        )
    except (OSError, ValueError):
        return None
    return max(int(most) - now + int(stat.get(cache, 0)), 0)
