"""A round is over: what is made of the run is made, sealed, said, and the run is let go."""

from __future__ import annotations

import msgspec

from services.evidence.deps import Deps
from services.evidence.outputs.make_products import make_products
from services.evidence.seal.file_hashes import secured
from services.evidence.seal.run_seal import open_round, sealed
from services.evidence.state.run_state import RunState, run_finished
from shared.contracts.evidence import RunFinished
from shared.evidence_format import layout


async def finish_if_complete(deps: Deps, state: RunState) -> RunFinished | None:
    """The table and the summary, once every sample is accounted for."""
    if not state.complete:
        return None
    if state.said is None:
        await open_round(deps, state)
        await deps.ledger.save_finished(state, await made(deps, state))
    assert state.finished is not None
    state.finished = await sealed(deps, state, state.finished)
    deps.ledger.forget_finished(but=state.record.run_id)
    await deps.store.release(state.record.run_id)
    return state.finished  # told again, it is the same: whether it was published we cannot know


async def made(deps: Deps, state: RunState) -> RunFinished:
    """Makes all that is made of a complete round."""
    run_id = state.record.run_id
    table = deps.store.location(layout.run_key(run_id, layout.COMBINED))
    finished = run_finished(state, deps.store.location(layout.run_key(run_id)), table, deps.now())
    products = await make_products(deps.store, deps.products, state, finished, deps.on_blocked)
    await secured(deps.store, layout.run_key(run_id, layout.MEMORY))
    await deps.store.secure(layout.run_key(run_id))
    report = deps.store.location(layout.run_key(run_id, layout.REPORT)) if layout.REPORT in products.names else ""
    table = table if layout.COMBINED in products.names else ""
    return msgspec.structs.replace(finished, table=table, report=report, not_made=products.failures)
