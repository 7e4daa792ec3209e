"""Flows that were compiled from honest cases run over a batch in which most of the cases lie: nothing wrong is done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from practice.forged.lies import CASE_LIES, dealt, dialogs
from practice.forged.server import serve
from practice.forged.site import ForgedSite, Options, key_of
from shared.client import Client
from shared.contracts.discovery import RunMode
from tests.drift.flows import Subject, compile_on_plain_site
from tests.forged.outcomes import Outcome, assert_nothing_wrong, outcome_of
from tests.forged.runs import HONEST, RECORDED, SEED, run
from tests.forged.tasks import case_samples, case_truth, cases_task

pytestmark = pytest.mark.asyncio(loop_scope="module")


ALIKE = frozenset(
    {
        *("decoy_transparent", "decoy_clipped", "decoy_tiny", "decoy_colourless", "decoy_away"),
        *("late_slow_fetch", "late_timer", "double_label_before", "double_label_after", "swapped_labels"),
    }
)
"""Lies that another one is much like: a text that cannot be seen for another reason, a value that comes otherwise."""


async def run_all(client: Client, mode: RunMode, *, search: bool, whole: bool) -> tuple[list[Outcome], ForgedSite]:
    lies = [one for one in CASE_LIES if (search or one != "misled_link") and (whole or one not in ALIKE)]
    async with serve(Options(SEED)) as (url, site):
        task = cases_task(url, search=search)
        cases = site.cases[: RECORDED + len(lies) + HONEST]
        rows, keys = case_samples(cases, url), [key_of(one) for one in cases[RECORDED:]]
        truth = {key_of(one): case_truth(one) for one in cases}
        await compile_on_plain_site(client, Subject("cases", task, rows[:RECORDED], (), ()))
        met, over = dealt(keys, lies, SEED), dialogs(keys, ("keep", "withdraw"), SEED)
        site.options = replace(site.options, lies=met, dialogs=over)
        table = await run(client, task, rows[RECORDED:], mode)
    assert {one["sample_id"] for one in table} == set(keys)
    return [
        outcome_of(task["task_id"], mode, met[key], over.get(key, ""), row, truth[key])
        for row in table
        for key in (row["sample_id"],)
    ], site


@pytest.mark.parametrize(
    ("search", "mode", "whole"),
    [
        pytest.param(False, "auto", False, id="by_address"),
        pytest.param(False, "flow", True, id="by_address_alone", marks=pytest.mark.long),
        pytest.param(True, "auto", True, id="by_search", marks=pytest.mark.long),
    ],
)
async def test_no_case_is_done_with_a_wrong_value(client: Client, search: bool, mode: RunMode, whole: bool):
    """Rules go on where the flow has stopped (``auto``). They find a case among others like it, which no flow does."""
    outcomes, site = await run_all(client, mode, search=search, whole=whole)
    assert_nothing_wrong(outcomes)
    assert site.withdrawn == []
