"""The order of the tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.order import slow_first


@dataclass(frozen=True)
class One:
    path: Path
    number: int


def test_each_share_begins_with_slow_tests_and_no_test_is_lost():
    items = [
        *(One(Path(f"tests/end_to_end/test_{module}.py"), number) for module in range(6) for number in range(2)),
        *(One(Path(f"tests/unit/test_{module}.py"), number) for module in range(8) for number in range(10)),
    ]
    ordered = slow_first(items, 4)
    assert sorted(ordered, key=items.index) == items
    starts = [ordered[len(items) * worker // 4] for worker in range(4)]
    assert [one.path.parent.name for one in starts] == ["end_to_end"] * 4
    assert len({one.path for one in starts}) == 4
    assert slow_first(items, 1) == items
    assert slow_first([], 4) == []
