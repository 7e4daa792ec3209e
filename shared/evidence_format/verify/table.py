"""Pure: of a table that was changed, the rows that do not say what the results of the samples say."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from shared.evidence_format.notes import note_texts

MOST_TOLD = 20
_PLAIN = (
    *("row", "status", "reason", "message", "fault", "flagged", "attempt", "llm_calls", "decided_by"),
    *("started_at", "finished_at"),
)
"""Columns that say what stands in result.json under the same name."""


_STATES, _FOR_PEOPLE = ("not_present", "not_found"), ("screenshot", "download")


class _Field(msgspec.Struct, frozen=True):
    state: str = ""


class _File(msgspec.Struct, frozen=True):
    kind: str = ""
    filename: str = ""


class _Listed(msgspec.Struct, frozen=True):
    fields: dict[str, _Field] = {}
    artifacts: list[_File] = []


def rows_that_differ(
    table: bytes, samples: set[str], result_of: Callable[[str], Mapping[str, Any] | None]
) -> list[str]:
    """In words, the first of them. ``samples``: all of the run; ``result_of``: what is in the result.json of one."""
    told: list[str] = []
    left = set(samples)
    try:
        for row in csv.DictReader(io.StringIO(table.decode(errors="replace"), newline=""), strict=True):
            sample_id = str(row.get("sample_id"))
            if sample_id not in left:
                told.append(f"row {sample_id}: there is no such sample, or its row stands there twice")
                continue
            left.discard(sample_id)
            told += _cells(sample_id, row, result_of(sample_id) or {})
    except csv.Error as exc:
        told.append(f"it cannot be read as a table: {exc}")
    told += [f"row {sample_id}: is not there any more" for sample_id in sorted(left)]
    more = len(told) - MOST_TOLD
    return [*told[:MOST_TOLD], *([f"rows: {more} more"] if more > 0 else [])]


def _cells(sample_id: str, row: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    extracted = result.get("extracted")
    fields: dict[str, Any] = extracted if isinstance(extracted, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    right = {**_own(result), **fields}
    return [
        f"row {sample_id}, column {name}: {str(row[name])[:80]!r} is not {_text(value)[:80]!r}, as in its result.json"
        for name, value in right.items()
        if name in row and not _says(str(row[name] or ""), value)
    ]


def _own(result: Mapping[str, Any]) -> dict[str, Any]:
    """What every table has beside the fields of the task, by column; what result.json does not say is left out."""
    own = {name: result.get(name) for name in _PLAIN if name in result}
    if isinstance(judgment := result.get("judgment"), dict):
        said: dict[str, Any] = judgment  # pyright: ignore[reportUnknownVariableType]
        names = {"judgment": "answer", "judgment_confidence": "confidence", "judgment_reasoning": "reasoning"}
        own |= {column: said.get(name) for column, name in names.items()}
    if isinstance(notes := result.get("notes"), list):
        own["notes"] = "; ".join(note_texts(notes))  # pyright: ignore[reportUnknownArgumentType]
    return {**own, **_listed(result), **({"sample_key": result["key"]} if "key" in result else {})}


def _listed(result: Mapping[str, Any]) -> dict[str, str]:
    """The columns that list names; none of a result that is none: it may have been changed as well."""
    try:
        said = msgspec.convert(dict(result), _Listed)
    except msgspec.ValidationError:
        return {}
    stated = {state: [name for name, one in said.fields.items() if one.state == state] for state in _STATES}
    shown = [one.filename for one in said.artifacts if one.kind in _FOR_PEOPLE]
    return {name: ";".join(names) for name, names in {**stated, "artifacts": shown}.items()}


def _says(cell: str, value: Any) -> bool:
    """Whether a cell shows this value, in any of the ways in which one may be written."""
    return any(_text(value) == one for one in (cell, cell.removeprefix("'"))) or (
        not isinstance(value, str) and cell.strip().lower() in (_text(value).lower(), json.dumps(value).lower())
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
