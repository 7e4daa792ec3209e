"""Whatever is sent to evidence is taken or refused: a sealed run stays as it is, and other runs go on."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from shared.bus.decoding import decode
from shared.errors import InvalidMessage, PermanentError
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from tests.fuzz.hostile import EXAMPLES, WHATEVER, changed
from tests.handlers.evidence.evidence_desk import (
    HANDLERS,
    KEY,
    Desk,
    closed,
    ended,
    found,
    outcomes,
    sample,
    started,
    took,
)

TYPES = {type_.__name__: type_ for type_ in HANDLERS}
ONE, TWO = sample("A-1"), sample("A-2", 2)


def of_run(run_id: str, message: Any) -> Any:
    if (record := getattr(message, "record", None)) is not None:
        message = replace(message, record=replace(record, run_id=run_id))
    return replace(message, run_id=run_id)


def honest(run_id: str) -> list[Any]:
    """All events of a run of two samples, one of which is done."""
    log = [took(ONE), ended(ONE, steps=1), took(TWO), ended(TWO, status="failed", reason="not_found", steps=1)]
    return [of_run(run_id, one) for one in [started(), found(ONE), found(TWO), closed(2), *log]]


SEALED, OPEN, OTHER = "run_1", "run_2", "run_3"
WHOLE: list[Any] = [
    json.loads(msgspec.json.encode(one)) for run in (SEALED, OPEN) for one in [*honest(run), started(1), closed(2, 1)]
]


async def send(desk: Desk, value: Any) -> None:
    """Hand over what the bus would; what is no message, or never can be handled, is a dead letter."""
    type_ = TYPES.get(str(value.get("type"))) if isinstance(value, Mapping) else None
    if type_ is None:
        return
    try:
        message = decode(json.dumps(value).encode(), type_)
    except InvalidMessage:
        return
    try:
        await desk.hand(message)
    except PermanentError:
        return


def may_open(value: Any) -> bool:
    """Whether it is a resume of the sealed run, which opens it."""
    return isinstance(value, Mapping) and value.get("type") == "RunStarted" and value.get("run_id") == SEALED


def files_of(desk: Desk, run_id: str) -> dict[str, bytes]:
    return {name: data for name, data in desk.files().items() if name.startswith(f"{run_id}/")}


@settings(WHATEVER, max_examples=EXAMPLES // 2)
@given(st.lists(changed(WHOLE), min_size=1, max_size=8), st.integers(0, 8), st.integers(0, 7))
async def test_what_is_sent_changes_no_sealed_run_and_holds_up_no_other(
    ram_path: Path, forged: Sequence[Any], restart_at: int, told_before: int
):
    desk = Desk(Path(tempfile.mkdtemp(dir=ram_path)) / "evidence", products=())
    try:
        await desk.tell(*honest(SEALED))
        sealed = files_of(desk, SEALED)
        assert check_run(FolderSource(desk.root / SEALED), KEY.public).stands
        begun = honest(OTHER)
        await desk.tell(*begun[:told_before])
        for at, value in enumerate(forged):
            if at == restart_at:
                desk.restart()
                await desk.recall()
            await send(desk, value)
        if not any(map(may_open, forged)):
            assert files_of(desk, SEALED) == sealed
        last = await desk.tell(*begun[told_before:])
        assert outcomes(last) == {("done", ""): 1, ("failed", "not_found"): 1}
        assert check_run(FolderSource(desk.root / OTHER), KEY.public).stands
    finally:
        shutil.rmtree(desk.root, ignore_errors=True)
