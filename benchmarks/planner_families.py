"""How many fields a decider got right, by family of tasks: rows for the table from counts that somebody else made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.report import Row, least


@dataclass(frozen=True)
class Right:
    """Of one family: fields that are as the site's ground truth has them, of all there are. ``peer``: the same for
    whatever it is held against, as a share."""

    right: int
    fields: int
    peer: float | None = None

    @property
    def share(self) -> float:
        return self.right / self.fields if self.fields else 0.0


def family_rows(decider: str, families: Mapping[str, Right], aim: float = 1.0) -> list[Row]:
    """One row a family; ``aim`` is the least share of its fields."""
    return [
        least(aim, f"fields right, {decider}: {family}", f"share of {one.fields}", one.share, one.peer)
        for family, one in families.items()
    ]
