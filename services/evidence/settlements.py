"""Settlements of samples by a person: taken when asked for, filed in the order of the run's events.

A settlement is a new version of the result. What was sealed before stays: the round in ``rounds/N/``, the result and
its manifest in ``settled_N/`` of the sample, beside the settlement itself.
"""

from __future__ import annotations

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.ports import Store
from services.evidence.seal.run_seal import archive_sealed_round
from services.evidence.seal.sample_seal import seal_sample
from services.evidence.state.run_state import RunState, parse_sample_end
from services.evidence.state.settling import Refused, decide_settlement, is_unknown, settled_result
from shared.contracts.sessions.settling import (
    SampleSettled,
    Settlement,
    SettlementRefused,
    SettlementTaken,
    SettleReply,
    SettleSample,
)
from shared.errors import Unsupported
from shared.evidence_format import chain, layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.sample import PressFile, ResultFile, SettlementFile, parse_result
from shared.subjects import SAMPLE_SETTLED


async def read_settlements(store: Store, run_id: str, sample_id: str) -> tuple[Settlement, ...]:
    """Return all settlements of a sample in their order."""
    folder = layout.sample_key(run_id, sample_id)
    found: list[Settlement] = []
    for number in layout.settlements_in(await store.names(folder)):
        written = await store.read(f"{folder}/{layout.settlement_folder(number)}/{layout.SETTLEMENT}")
        if written is not None:  # without it, the settlement was cut off before it counted
            found.append(msgspec.json.decode(written, type=SettlementFile).settlement)
    return tuple(found)


async def times_released(store: Store, run_id: str, sample_id: str) -> int:
    """Return how many times a person has released the claims of a sample."""
    return sum(one.verdict == "again" for one in await read_settlements(store, run_id, sample_id))


async def take_settlement(deps: EvidenceDeps, request: SettleSample) -> SettleReply:
    """Return whether a settlement is taken, and queue it. Asked again, it says whether it is filed."""
    if deps.publishes is None or deps.read_only:
        raise Unsupported("this service only reads evidence")
    run_id, sample_id = request.run_id, request.sample_id
    state = await deps.ledger.find(run_id)
    decided = await _decide(deps, state, request)
    if isinstance(decided, Refused):
        return SettlementRefused(run_id=run_id, sample_id=sample_id, code=decided.code, problems=decided.problems)
    assert state is not None
    result = await _read_result(deps.store, run_id, sample_id)
    filed = state.current_summary is not None and result is not None and result.settlement == decided
    if not filed:
        event = SampleSettled(
            run_id=run_id,
            sample_id=sample_id,
            attempt=decided.attempt,
            number=decided.number,
            settlement=decided,
        )
        await deps.publishes.publish(SAMPLE_SETTLED, event)
    return SettlementTaken(run_id=run_id, sample_id=sample_id, settlement=decided, filed=filed)


async def _decide(deps: EvidenceDeps, state: RunState | None, request: SettleSample) -> Settlement | Refused:
    run_id, sample_id = request.run_id, request.sample_id
    if state is None:
        return Refused.because("no_such_run", "run_id", layout.no_run(run_id, deps.store.location("")))
    if sample_id not in state.samples:
        return Refused.because("no_such_sample", "sample_id", f"{run_id} has no sample {sample_id!r}")
    if not state.is_complete:
        return Refused.because("run_at_work", "run_id", f"{run_id} is not finished: settle its samples when it is")
    result = await _read_result(deps.store, run_id, sample_id)
    if result is None:
        return Refused.because("not_unknown", sample_id, "its result cannot be read")
    earlier = await read_settlements(deps.store, run_id, sample_id)
    claimed = await _claimed_steps(deps.store, run_id, sample_id, sum(one.verdict == "again" for one in earlier))
    return decide_settlement(request, result, earlier, claimed, state.record.spec, deps.now())


async def _claimed_steps(store: Store, run_id: str, sample_id: str, released: int) -> list[int]:
    """Return the steps whose claims are neither released nor given back."""
    folder, steps = layout.sample_key(run_id, sample_id), list[int]()
    for name in await store.names(folder):
        written = await store.read(f"{folder}/{name}") if name.startswith("pressed_") else None
        if written is not None:
            file = msgspec.json.decode(written, type=PressFile)
            held = name == layout.pressed_file(file.step, released) and not file.given_back
            steps += [file.step] if held else []
    return steps


async def _read_result(store: Store, run_id: str, sample_id: str) -> ResultFile | None:
    try:
        return parse_result(await store.read(layout.sample_key(run_id, sample_id, layout.RESULT)) or b"")
    except chain.NOT_JSON:
        return None


async def file_settlement(deps: EvidenceDeps, state: RunState, message: SampleSettled) -> None:
    """File a settlement, and write the result that follows from it. Idempotent, and nothing at all if the sample has
    gone on meanwhile, or another settlement came first."""
    run_id, sample_id, settlement = message.run_id, message.sample_id, message.settlement
    folder = layout.sample_key(run_id, sample_id)
    own = f"{folder}/{layout.settlement_folder(settlement.number)}"
    written = await deps.store.read(f"{own}/{layout.SETTLEMENT}")
    if written is None and not await _begin(deps, state, message):
        await deps.quarantine.keep(
            run_id, message, "settled_late", f"the sample has gone on, or was settled before; it is by {settlement.by}"
        )
        return
    if written is not None:
        same = msgspec.json.decode(written, type=SettlementFile).settlement == settlement
        if not same or state.current_summary is not None or not _is_at(state, sample_id, settlement.attempt):
            return
    if written is None:
        for name in (layout.RESULT, layout.MANIFEST):
            if (data := await deps.store.read(f"{folder}/{name}")) is not None:
                await deps.store.write(f"{own}/{name}", data)
        file = SettlementFile(run_id=run_id, sample_id=sample_id, settlement=settlement)
        async with deps.ledger.claiming:
            await deps.store.write(f"{own}/{layout.SETTLEMENT}", encode_file(file))
            await deps.store.make_durable(own)
    await _write_result(deps, state, message, own)


async def _begin(deps: EvidenceDeps, state: RunState, message: SampleSettled) -> bool:
    """Return whether the settlement still fits the sample. If so, put aside what was sealed."""
    run_id, sample_id, settlement = message.run_id, message.sample_id, message.settlement
    result = await _read_result(deps.store, run_id, sample_id)
    earlier = await read_settlements(deps.store, run_id, sample_id)
    open_still = result is not None and result.attempt == settlement.attempt and is_unknown(result)
    if not state.is_complete or not open_still or settlement.number != len(earlier) + 1:
        return False
    if state.current_summary is not None:
        await archive_sealed_round(deps, state)
        state.settlements += 1
        await deps.ledger.save_finished(state, None)
    return True


def _is_at(state: RunState, sample_id: str, attempt: int) -> bool:
    end = state.ends.get(sample_id)
    return end is not None and end.attempt == attempt


async def _write_result(deps: EvidenceDeps, state: RunState, message: SampleSettled, own: str) -> None:
    run_id, sample_id = message.run_id, message.sample_id
    before = parse_result(await deps.store.read(f"{own}/{layout.RESULT}") or b"")
    result = encode_file(settled_result(before, message.settlement))
    await deps.store.write(layout.sample_key(run_id, sample_id, layout.RESULT), result)
    await seal_sample(deps, run_id, sample_id, await deps.ledger.log(run_id, sample_id), result)
    await deps.store.make_durable(layout.sample_key(run_id, sample_id))
    deps.ledger.forget_log(run_id, sample_id)
    state.set_end(sample_id, parse_sample_end(result))
