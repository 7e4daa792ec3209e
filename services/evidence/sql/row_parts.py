"""Pure: what the rows of all tables are made with. What the files of a sample do not have is NULL in them."""

from __future__ import annotations

from typing import Any

from shared.contracts.results import Box

Row = dict[str, Any]


def same(of: object, *names: str) -> Row:
    """The attributes of these names; each None where there is no object."""
    return dict.fromkeys(names) if of is None else {name: getattr(of, name) for name in names}


def box_of(box: Box | None) -> Row:
    return {} if box is None else {f"box_{side}_px": getattr(box, side) for side in ("x", "y", "width", "height")}
