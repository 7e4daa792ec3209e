"""`exhibit flows drift|approve|history|diff|rollback` on a site whose values change their order."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.end_to_end.conftest import Cli
from tests.end_to_end.orders_site import OWNERS, OrdersSite
from tests.end_to_end.owner_tasks import run_owner_task, write_owner_task


@pytest.fixture
def site() -> Iterator[OrdersSite]:
    with OrdersSite() as site:
        yield site


def drifted(cli: Cli) -> dict:
    ended = cli.run("flows", "drift", "last", "--json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def hashes(cli: Cli) -> list[str]:
    ended = cli.run("flows", "history", "orders", "--json")
    return [one["version"]["hash"] for one in json.loads(ended.stdout)["entries"] if one["kind"] == "created"]


def run_orders(cli: Cli, site: OrdersSite, task_id: str, **keys: str) -> None:
    write_owner_task(cli, task_id, f"{site.url}/orders", [f"O-{n}" for n in range(len(OWNERS))], **keys)
    run_owner_task(cli)


def test_what_drifts_is_shown_approved_and_rolled_back(online: Cli, site: OrdersSite):
    orders = online
    run_orders(orders, site, "orders")
    ended = orders.run("compile", "last", "--out", str(orders.folder / "flow"))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert orders.run("flows", "diff", "orders").returncode == 2, "there is one version only"
    run_owner_task(orders)
    assert drifted(orders)["drift"] == []
    refused = orders.run("flows", "approve", "last")
    assert (refused.returncode, "Nothing was published" in refused.stdout) == (1, True)

    site.reordered = True
    run_owner_task(orders)
    told = drifted(orders)
    assert {(one["kind"], one["subject"]) for one in told["drift"]} == {
        ("field", "owner"), ("field", "number"), ("proof", "number"),  # the first of three is the first of four now
    }  # fmt: skip
    assert {(one["samples"], one["of"]) for one in told["drift"]} == {(len(OWNERS), len(OWNERS))}
    [before] = hashes(orders)
    assert told["version"] == before
    approved = orders.run("flows", "approve", "last")
    assert approved.returncode == 0, approved.stdout + approved.stderr
    _, healed = hashes(orders)
    assert healed[:12] in approved.stdout
    assert "workspace/fields.json" in orders.run("flows", "diff", "orders").stdout

    run_owner_task(orders)
    assert drifted(orders)["drift"] == []
    assert orders.run("flows", "check", "orders").returncode == 0
    back = orders.run("flows", "rollback", "orders", before[:12])
    assert (back.returncode, before[:12] in back.stdout) == (0, True)
    assert hashes(orders)[-1] == before
    assert orders.run("flows", "check", "orders").returncode == 0, "its samples are still there"
    assert orders.run("flows", "rollback", "orders", "ffffffffffff").returncode == 2


def test_a_run_without_a_flow_has_no_drift(online: Cli, site: OrdersSite):
    run_orders(online, site, "orders_of_old", workflow="off")
    ended = online.run("flows", "drift", "last")
    assert ended.returncode == 2
    assert "no sample of it used a flow" in ended.stdout + ended.stderr
