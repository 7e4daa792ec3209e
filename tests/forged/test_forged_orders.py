"""Flows send orders to a site that lies about what it has stored: nothing is sent twice, nothing wrong is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from practice.forged.data import orders_of
from practice.forged.lies import ORDER_LIES, dealt, dialogs
from practice.forged.server import serve
from practice.forged.site import ForgedSite, Options
from shared.client import Client
from shared.contracts.discovery import RunMode
from tests.drift.flows import Subject, compile_on_plain_site
from tests.forged.outcomes import Outcome, assert_nothing_wrong, outcome_of
from tests.forged.runs import HONEST, RECORDED, SEED, run
from tests.forged.tasks import order_rows, order_truth, orders_task

pytestmark = pytest.mark.asyncio(loop_scope="module")
TOLD_BY_WHAT_IS_STORED = ("changed_when_stored", "not_stored", "earlier_number")
"""The page of success says the same as for an honest order."""


async def run_all(client: Client, mode: RunMode, *, looks_back: bool) -> tuple[list[Outcome], ForgedSite]:
    lies = [one for one in ORDER_LIES if looks_back or one not in TOLD_BY_WHAT_IS_STORED]
    async with serve(Options(SEED)) as (url, site):
        task = orders_task(url, looks_back=looks_back)
        orders = orders_of(RECORDED + len(lies) + HONEST, SEED)
        await compile_on_plain_site(client, Subject("orders", task, order_rows(orders[:RECORDED]), (), ()))
        chosen = {one.account: one for one in orders[RECORDED:]}
        met, over = dealt([*chosen], lies, SEED), dialogs([*chosen], ("confirm", "keep", "withdraw"), SEED)
        site.options = replace(site.options, lies=met, dialogs=over)
        table = await run(client, task, order_rows([*chosen.values()]), mode)
    assert {one["sample_id"] for one in table} == set(chosen)
    return [
        outcome_of(task["task_id"], mode, met[key], over.get(key, ""), row, order_truth(site, chosen[key]))
        for row in table
        for key in (row["sample_id"],)
    ], site


@pytest.mark.parametrize(
    ("looks_back", "mode"),
    [
        pytest.param(True, "flow", id="by_what_is_stored"),
        pytest.param(True, "auto", id="by_what_is_stored_with_rules", marks=pytest.mark.long),
        pytest.param(False, "flow", id="by_success", marks=pytest.mark.long),
        pytest.param(False, "auto", id="by_success_with_rules", marks=pytest.mark.long),
    ],
)
async def test_no_order_is_sent_twice_or_done_as_another(client: Client, looks_back: bool, mode: RunMode):
    outcomes, site = await run_all(client, mode, looks_back=looks_back)
    assert_nothing_wrong(outcomes)
    assert site.withdrawn == []
    counts = Counter(one.order.account for one in site.stored)
    assert [account for account, count in counts.items() if count > 1] == []
    contradicted = [one for one in outcomes if one.lie in ("other_account", "other_amount", "other_start")]
    assert {one.verdict for one in contradicted} == {"left"}
