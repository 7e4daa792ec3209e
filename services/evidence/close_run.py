"""Closes a complete round of a run: makes the outputs, seals the run and releases its lock."""

from __future__ import annotations

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.outputs.make_products import make_products
from services.evidence.seal.file_hashes import make_tree_durable
from services.evidence.seal.run_seal import archive_sealed_round, seal_run
from services.evidence.state.run_state import RunState, round_summary
from shared.contracts.evidence import RunFinished
from shared.evidence_format import layout


async def close_run_if_complete(deps: EvidenceDeps, state: RunState) -> RunFinished | None:
    """Close the round once every sample is accounted for, and return its summary; None before that.

    Idempotent: the summary of a closed round is returned again, because it may not have been published.
    """
    if not state.is_complete:
        return None
    if state.current_summary is None:
        await archive_sealed_round(deps, state)
        await deps.ledger.save_finished(state, await _make_outputs(deps, state))
    assert state.finished is not None
    state.finished = await seal_run(deps, state, state.finished)
    deps.ledger.forget_finished(but=state.record.run_id)
    await deps.store.unlock_run(state.record.run_id)
    return state.finished


async def _make_outputs(deps: EvidenceDeps, state: RunState) -> RunFinished:
    """Make all outputs of a complete round; return its summary, without the seal."""
    run_id = state.record.run_id
    table = deps.store.location(layout.run_key(run_id, layout.COMBINED))
    summary = round_summary(state, deps.store.location(layout.run_key(run_id)), table, deps.now())
    products = await make_products(deps.store, deps.products, state, summary, deps.on_blocked)
    await make_tree_durable(deps.store, layout.run_key(run_id, layout.MEMORY))
    await deps.store.make_durable(layout.run_key(run_id))
    report = deps.store.location(layout.run_key(run_id, layout.REPORT)) if layout.REPORT in products.names else ""
    table = table if layout.COMBINED in products.names else ""
    return msgspec.structs.replace(summary, table=table, report=report, not_made=products.failures)
