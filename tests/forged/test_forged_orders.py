"""Flows send orders to a site that lies about what it has stored: nothing is sent twice, nothing wrong is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
from tests.forged.runs import FLOW_AND_AUTO, HONEST, RECORDED, SEED, run
from tests.forged.tasks import order_rows, order_truth, orders_task

pytestmark = pytest.mark.asyncio(loop_scope="module")
TOLD_BY_WHAT_IS_STORED = ("changed_when_stored", "not_stored", "earlier_number")
"""The page of success says the same as for an honest order."""


async def run_all(client: Client, modes: Sequence[RunMode], *, looks_back: bool) -> tuple[list[Outcome], ForgedSite]:
    lies = [one for one in ORDER_LIES if looks_back or one not in TOLD_BY_WHAT_IS_STORED]
    found: list[Outcome] = []
    each = len(lies) + HONEST
    async with serve(Options(SEED)) as (url, site):
        task = orders_task(url, looks_back=looks_back)
        orders = orders_of(RECORDED + len(modes) * each, SEED)
        await compile_on_plain_site(client, Subject("orders", task, order_rows(orders[:RECORDED]), (), ()))
        for at, mode in enumerate(modes):
            chosen = orders[RECORDED + at * each : RECORDED + (at + 1) * each]
            keys = [one.account for one in chosen]
            met, over = dealt(keys, lies, SEED + at), dialogs(keys, ("confirm", "keep", "withdraw"), SEED + at)
            site.options = replace(site.options, lies=met, dialogs=over)
            table = await run(client, task, order_rows(chosen), mode)
            assert {one["sample_id"] for one in table} == set(keys)
            truth = {one.account: order_truth(site, one) for one in chosen}
            for row in table:
                key = row["sample_id"]
                found.append(outcome_of(task["task_id"], mode, met[key], over.get(key, ""), row, truth[key]))
    return found, site


@pytest.mark.parametrize(
    ("looks_back", "modes"),
    [
        pytest.param(True, ("flow",), id="by_what_is_stored"),
        pytest.param(False, FLOW_AND_AUTO, id="by_success", marks=pytest.mark.long),
        pytest.param(True, ("auto",), id="by_what_is_stored_with_rules", marks=pytest.mark.long),
    ],
)
async def test_no_order_is_sent_twice_or_done_as_another(client: Client, looks_back: bool, modes: Sequence[RunMode]):
    outcomes, site = await run_all(client, modes, looks_back=looks_back)
    assert_nothing_wrong(outcomes)
    assert site.withdrawn == []
    counts = Counter(one.order.account for one in site.stored)
    assert [account for account, count in counts.items() if count > 1] == []
    contradicted = [one for one in outcomes if one.lie in ("other_account", "other_amount", "other_start")]
    assert {one.verdict for one in contradicted} == {"left"}
