"""The memory limit of this process: the machine, or its control groups."""

from __future__ import annotations

import os
from pathlib import Path

from services.browser_pool.adapters.browser.memory import cgroup_headroom_bytes, free_mb, tree_mb
from tests.cases import cases


def group(folder: Path, version: int, limit: str, used: int, cache: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for name, text in zip(names, (limit, str(used)), strict=True):
        (folder / name).write_text(f"{text}\n")
    prefix = "" if version == 2 else "total_"
    (folder / "memory.stat").write_text(f"anon 1\n{prefix}inactive_file {cache}\n")


def listed(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "cgroup"
    path.write_text(text)
    return path


def test_every_group_above_counts_and_cached_files_give_way(tmp_path: Path) -> None:
    root = tmp_path / "sys"
    group(root / "pods", 2, "1000", 700, 50)
    group(root / "pods" / "pool", 2, "max", 10, 0)
    group(root, 2, "max", 10, 0)
    assert cgroup_headroom_bytes(root, listed(tmp_path, "0::/pods/pool\n")) == [350]


def test_within_a_container_its_own_group_is_the_root(tmp_path: Path) -> None:
    root = tmp_path / "sys"
    group(root, 2, "900", 400, 0)
    assert cgroup_headroom_bytes(root, listed(tmp_path, "0::/\n")) == [500]
    assert cgroup_headroom_bytes(root, listed(tmp_path, "0::/docker/unseen\n")) == [500]


def test_the_first_version_has_other_names(tmp_path: Path) -> None:
    root = tmp_path / "sys"
    group(root / "memory" / "docker", 1, "800", 500, 100)
    text = "5:cpu,cpuacct:/docker\n4:memory:/docker\n"
    assert cgroup_headroom_bytes(root, listed(tmp_path, text)) == [400]


def test_more_used_than_allowed_leaves_nothing(tmp_path: Path) -> None:
    group(tmp_path / "sys", 2, "100", 400, 0)
    assert cgroup_headroom_bytes(tmp_path / "sys", listed(tmp_path, "0::/\n")) == [0]


def test_a_group_without_a_limit_limits_nothing_and_is_not_asked_what_it_uses(tmp_path: Path) -> None:
    for version, limit in ((1, str(2**63 - 4096)), (2, "max")):
        folder = tmp_path / str(version) / ("memory" if version == 1 else "")
        group(folder, version, limit, 10, 0)
        (folder / "memory.stat").write_text("what cannot be read as figures\ninactive_file none\n")
        told = "4:memory:/\n" if version == 1 else "0::/\n"
        assert cgroup_headroom_bytes(tmp_path / str(version), listed(tmp_path, told)) == []


@cases("text", ["", "0::/\n", "0::/../../etc\n"])
def test_where_nothing_is_limited_nothing_is_told(tmp_path: Path, text: str) -> None:
    assert cgroup_headroom_bytes(tmp_path / "sys", listed(tmp_path, text)) == []
    assert cgroup_headroom_bytes(tmp_path / "sys", tmp_path / "none") == []


def test_this_machine_has_memory_and_this_process_takes_some_of_it() -> None:
    assert free_mb() > 0
    assert 1 < tree_mb(os.getpid()) < 100_000


def test_a_process_that_has_ended_takes_none() -> None:
    assert tree_mb(2**22 + 1) == 0.0
