"""Pure: what the rows of all tables are made with. What the files of a sample do not have is NULL in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.evidence.closing.products import Dossier

Json = Mapping[str, Any]
Row = dict[str, Any]
NOTHING: Json = {}


@dataclass(frozen=True)
class Task:
    """What the rows of a run share."""

    run_id: str
    spec: Json

    @property
    def ids(self) -> Row:
        return {"run_id": self.run_id, "task_id": self.spec.get("task_id")}

    def types(self) -> dict[str, str]:
        schema: Json = self.spec.get("output_schema") or {}
        return {name: said if isinstance(said, str) else said.get("type", "") for name, said in schema.items()}


@dataclass(frozen=True)
class Attempt:
    """One try at a sample: its number, its log, and whether it is the one that counts."""

    number: int
    log: Sequence[Json]
    latest: bool


def attempts_of(dossier: Dossier, earlier: Iterable[tuple[int, Sequence[Json]]]) -> list[Attempt]:
    """All tries, the one that counts last; ``earlier`` are the logs that were put aside."""
    return [*(Attempt(number, log, False) for number, log in earlier), Attempt(last_of(dossier), dossier.log, True)]


def last_of(dossier: Dossier) -> int:
    """The number of the attempt that counts, or is at work."""
    return int(dossier.result.get("attempt") or max((int(entry["attempt"]) for entry in dossier.log), default=1))


def same(of: Json, *names: str) -> Row:
    return {name: of.get(name) for name in names}


def box_of(box: Json | None) -> Row:
    return {} if box is None else {f"box_{side}_px": box[side] for side in ("x", "y", "width", "height")}
