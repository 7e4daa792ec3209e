"""Pure: what the files of a sample say, as one row of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from services.evidence import layout
from services.evidence.closing.products import Dossier
from services.evidence.combining.cells import fits, text_of
from services.evidence.combining.columns import Column, columns_of
from shared.evidence_format.notes import note_texts

Cells = Mapping[str, Any]
"""By the name of the column, as in result.json; None: there is nothing."""
_FOR_PEOPLE = ("screenshot", "download")
_PLAIN = ("status", "flagged", "attempt", "llm_calls", "started_at", "finished_at")
_WORDED = ("reason", "message", "fault", "decided_by")


class Row(msgspec.Struct, frozen=True):
    """One sample. ``cells`` stand in the order of the columns and are of their types; ``wrong`` has the text of those
    that are not, by the name of their field."""

    sample_id: str
    status: str
    cells: list[Any]
    wrong: dict[str, str]
    screenshots: list[str]
    """File names in the sample's folder that can be linked to."""


class RowMaker:
    """Makes the rows of one run."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.columns = columns_of(spec)
        fields = [column.name for column in self.columns if column.field]
        self._telling = [*(name for name in spec.get("identity", {}) if name in fields), *fields]

    def row(self, dossier: Dossier) -> Row:
        result = dossier.result
        fields: Mapping[str, Mapping[str, Any]] = result.get("fields") or {}
        cells = {**_own(dossier), "record_url": self._record_url(dossier, fields), "wrong_type": None}
        cells |= {name: fields.get(name, {}).get("value") for name in self._telling}
        wrong = {c.name: _wrong(cells[c.name], c) for c in self.columns if not fits(cells[c.name], c.kind)}
        cells |= {**dict.fromkeys(wrong), "wrong_type": list(wrong) or None}
        listed = [cells[column.name] for column in self.columns]
        return Row(dossier.sample_id, text_of(cells["status"], "text"), listed, wrong, list(_screenshots(result)))

    def _record_url(self, dossier: Dossier, fields: Mapping[str, Mapping[str, Any]]) -> str | None:
        """Of the page that proved to be the record; else of the first value, the last picture, the input."""
        for name in self._telling:
            source = fields.get(name, {}).get("source")
            if source and source.get("url"):
                return str(source["url"])
        pictured = [one["source_url"] for one in dossier.result.get("artifacts") or () if one.get("source_url")]
        return pictured[-1] if pictured else dossier.sample.get("url")


def _wrong(value: Any, column: Column) -> str:
    return text_of(value, "array" if column.field else column.kind)


def _own(dossier: Dossier) -> dict[str, Any]:
    """The cells that every table has; a sample without a result has its name and its row."""
    sample, result = dossier.sample, dossier.result
    judgment: Mapping[str, Any] = result.get("judgment") or {}
    shown = [one["filename"] for one in result.get("artifacts") or () if one.get("kind") in _FOR_PEOPLE]
    return {
        "sample_id": dossier.sample_id,
        "row": sample.get("row", result.get("row")),
        **{name: result.get(name) for name in _PLAIN},
        **{name: result.get(name) or None for name in _WORDED},
        **_states(result.get("fields") or {}),
        "artifacts": shown or None,
        "notes": note_texts(result.get("notes")) or None,
        "cost_usd": _dollars(result.get("usage")),
        "sample_key": sample.get("key", result.get("key")),
        "judgment": judgment.get("answer"),
        "judgment_confidence": judgment.get("confidence"),
        "judgment_reasoning": judgment.get("reasoning"),
        "judgment_evidence": list(judgment.get("evidence_refs") or ()) or None,
        "judgment_by": judgment.get("decided_by") or None,
    }


def _states(fields: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str] | None]:
    """Names of the fields that are not there, were not found, or stand on no page in these words."""
    named: dict[str, list[str]] = {"not_present": [], "not_found": [], "inferred": []}
    for name, one in fields.items():
        state = one.get("state")
        if state in named:
            named[state].append(name)
        elif one.get("origin", "page") != "page":
            named["inferred"].append(name)
    return {state: names or None for state, names in named.items()}


def _dollars(usage: Mapping[str, Any] | None) -> str | None:
    """Money is a decimal: to a millionth, which is finer than any price."""
    if not usage:
        return None
    return f"{float(usage.get('cost_usd') or 0):.6f}".rstrip("0").rstrip(".")


def _screenshots(result: Mapping[str, Any]) -> Iterator[str]:
    for one in result.get("artifacts") or ():
        if one.get("kind") == "screenshot" and layout.is_filename(one["filename"]):
            yield one["filename"]
