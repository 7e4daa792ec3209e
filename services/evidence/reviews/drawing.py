"""The samples of a run that can be drawn to be looked at again, each in its stratum."""

from __future__ import annotations

from collections.abc import Iterable

from services.evidence.ports import READ_LIMIT, Store
from services.evidence.reviews.review_logs import read_sample
from services.evidence.state.run_state import RunState
from shared.aio import map_concurrently
from shared.evidence_format.files.sample import ResultFile
from shared.evidence_format.review.items import why_of
from shared.evidence_format.review.sampling import Drawable, amount_band, amount_of

BY_DECIDER, BY_DOUBT, BY_AMOUNT = "decider", "doubt", "amount:"
"""What strata are made by; the name of a field follows the last."""


async def drawables(store: Store, state: RunState, by: tuple[str, ...]) -> list[Drawable] | str:
    """Return all samples with a result and the stratum of each; for people why not, if it cannot be drawn by that."""
    for name in by:
        field = name.removeprefix(BY_AMOUNT) if name.startswith(BY_AMOUNT) else ""
        if name not in (BY_DECIDER, BY_DOUBT) and field not in (state.record.spec.get("output_schema") or {}):
            return f"strata are made by {BY_DECIDER}, {BY_DOUBT} or {BY_AMOUNT}FIELD, and not by {name!r}"

    async def read(sample_id: str) -> tuple[str, ResultFile | None]:
        sample = await read_sample(store, state.record.run_id, sample_id)
        return sample_id, sample.result if sample is not None else None

    found = await map_concurrently(read, sorted(state.samples), READ_LIMIT)
    results = {sample_id: result for sample_id, result in found if result is not None}
    largest = {
        name: _largest(results.values(), name.removeprefix(BY_AMOUNT)) for name in by if name.startswith(BY_AMOUNT)
    }
    return [
        Drawable(sample_id, ", ".join(_stratum(result, name, largest) for name in by) or "all")
        for sample_id, result in results.items()
    ]


def _stratum(result: ResultFile, by: str, largest: dict[str, float]) -> str:
    if by == BY_DECIDER:
        return f"decided by {result.drivers[-1] if result.drivers else result.decided_by or 'nobody'}"
    if by == BY_DOUBT:
        uncertain = any(one.state == "not_found" or one.candidates or one.settled_by for one in result.fields.values())
        return "in doubt" if uncertain or why_of(result) else "certain"
    stored = result.fields.get(by.removeprefix(BY_AMOUNT))
    return f"{amount_band(stored.value if stored is not None else None, largest[by])} {by.removeprefix(BY_AMOUNT)}"


def _largest(results: Iterable[ResultFile], field: str) -> float:
    stored = [result.fields.get(field) for result in results]
    return max((amount_of(one.value) or 0.0 for one in stored if one is not None), default=0.0)
