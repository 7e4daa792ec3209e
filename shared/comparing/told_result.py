"""What the comparison reads of result.json. All else is passed over, which is many times as fast as decoding it.

The keys are those of :class:`shared.evidence_format.files.sample.ResultFile`; those that are here are the same in every
version.
"""

from __future__ import annotations

from typing import Any

import msgspec


class _Told(msgspec.Struct, frozen=True, kw_only=True, gc=False): ...


class ToldCell(_Told, frozen=True, kw_only=True, gc=False):
    state: str
    candidates: tuple[Any, ...] = ()


class ToldRow(_Told, frozen=True, kw_only=True, gc=False):
    cells: dict[str, ToldCell]


class ToldSource(_Told, frozen=True, kw_only=True, gc=False):
    url: str = ""
    page_sha256: str = ""
    screenshot_sha256: str = ""


class ToldResponse(_Told, frozen=True, kw_only=True, gc=False):
    url: str
    sha256: str


class ToldField(_Told, frozen=True, kw_only=True, gc=False):
    state: str
    value: Any = None
    shown: str | None = None
    source: ToldSource | None = None
    candidates: tuple[Any, ...] = ()
    settled_by: tuple[Any, ...] = ()
    rows: tuple[ToldRow, ...] = ()
    lacking: str = ""
    response: ToldResponse | None = None

    @property
    def doubtful(self) -> bool:
        """Whether something speaks against the value, or against one of its rows, so that a person has to look."""
        if self.candidates or self.settled_by or self.lacking:
            return True
        if not self.rows:
            return False
        return any(
            cell.state == "not_found" or bool(cell.candidates) for row in self.rows for cell in row.cells.values()
        )


class ToldFile(_Told, frozen=True, kw_only=True, gc=False):
    filename: str
    sha256: str


class ToldJudgment(_Told, frozen=True, kw_only=True, gc=False):
    answer: str
    reasoning: str = ""
    evidence_refs: tuple[str, ...] = ()


class ToldResult(_Told, frozen=True, kw_only=True, gc=False):
    sample_id: str
    key: str
    row: int
    status: str
    reason: str
    fields: dict[str, ToldField]
    artifacts: tuple[ToldFile, ...]
    judgment: ToldJudgment | None


def parse_told_result(data: bytes) -> ToldResult:
    """Return what is read of result.json. Raises one of `chain.NOT_JSON`."""
    return _DECODER.decode(data)


_DECODER = msgspec.json.Decoder(ToldResult)
