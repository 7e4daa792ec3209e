"""`exhibit learn`: what examples teach is read on them before it is told as learned; the rows of a list are learned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from practice.comparing import rows_of
from shared.client import Client
from tests.end_to_end.conftest import Cli
from tests.end_to_end.finished_runs import outcomes_of, run
from tests.end_to_end.small_site import Answers, SmallSite

WORDS = ("a green one", "in stock", "to be bound", "lent twice", "of a set", "as new", "worn", "signed")
WRITTEN = range(4)


class OrderPages(Answers):
    def do_GET(self) -> None:
        number = int(self.path.rsplit("/", 1)[-1])
        remark = f"<p>{'<b>' * (number % 4)}{WORDS[number]}{'</b>' * (number % 4)}</p>"
        items = "".join(f"<tr><td>{sku}</td><td>{amount}</td></tr>" for sku, amount in lines_of(number))
        self.answer(
            f"<!doctype html><title>Orders</title><h1>Order {number}</h1><dl><dt>Number</dt><dd>{number}</dd>"
            f"<dt>Buyer</dt><dd>{buyer_of(number)}</dd></dl>{remark}"
            f"<table><thead><tr><th>Sku</th><th>Amount</th></tr></thead><tbody>{items}</tbody></table>"
        )


def buyer_of(number: int) -> str:
    return ("Ann Lee", "Bo Maier", "Cy Stone", "Di Vale", "Ed Wood", "Flo Ray", "Gus Hill", "Hal Orr")[number]


def lines_of(number: int) -> list[tuple[str, str]]:
    return [(f"SKU-{number}{at}", f"{number + at}.50") for at in range(1 + number % 3)]


@pytest.fixture
def orders() -> Iterator[SmallSite]:
    with SmallSite(OrderPages) as site:
        yield site


def task_of_orders(task_id: str, url: str, **fields: Any) -> dict[str, Any]:
    return {
        "task_id": task_id,
        "goal": "the buyer of each order",
        "start_url": f"{url}/orders/{{number}}",
        "input_schema": {"number": "string"},
        "sample_id": "O-{number}",
        "output_schema": {"number": "string", "buyer": "string", **fields},
        "required_fields": ["buyer"],
        "identity": {"number": "{number}"},
    }


def learned(cli: Cli, spec: dict[str, Any], examples: list[dict[str, Any]], *options: str) -> tuple[int, Any]:
    (cli.folder / "spec.json").write_text(json.dumps(spec))
    (cli.folder / "examples.json").write_text(json.dumps(examples))
    given = ("--examples", str(cli.folder / "examples.json"), "--out", str(cli.folder / "flow"), "--yes")
    ended = cli.run("learn", str(cli.folder / "spec.json"), *given, *options)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout) if "--json" in options else ended.stdout


def others() -> list[dict[str, str]]:
    return [{"number": str(number)} for number in range(4, 8)]


async def test_an_optional_field_that_is_not_certain_is_named_and_stops_no_sample(
    client: Client, online: Cli, orders: SmallSite
):
    spec = task_of_orders("orders_learned", orders.url, remark="string")
    examples = [{"number": str(at), "buyer": buyer_of(at), "remark": WORDS[at]} for at in WRITTEN]
    code, printed = learned(online, spec, examples, "--publish")
    assert code == 1
    assert "Left for a person (1):\n  remark: " in printed
    assert "--accept-loss remark" in printed
    assert "Every field" not in printed
    assert learned(online, spec, examples, "--json", "--accept-loss", "buyer")[0] == 2

    code, told = learned(online, spec, examples, "--json", "--publish", "--accept-loss", "remark")
    assert (code, told["left"], told["given_up"]) == (0, [], ["remark"])
    again = await run(client, spec, others(), mode="flow")
    assert outcomes_of(again) == {("done", ""): 4}
    assert [one["buyer"] for one in rows_of(Path(again.table))] == [buyer_of(at) for at in range(4, 8)]


async def test_the_rows_of_an_order_are_learned_from_written_ones(client: Client, online: Cli, orders: SmallSite):
    lines = {"type": "rows", "columns": {"sku": "string", "amount": "string"}, "id_keys": ["sku"]}
    spec = task_of_orders("order_lines_learned", orders.url, lines=lines)
    examples: list[dict[str, Any]] = [
        {
            "number": str(at),
            "buyer": buyer_of(at),
            "lines": [{"sku": sku, "amount": amount} for sku, amount in lines_of(at)],
        }
        for at in WRITTEN
    ]
    wrong = [{**examples[0], "lines": [{"sku": "SKU-00"}]}, *examples[1:]]
    code, told = learned(online, spec, wrong, "--json")
    assert code == 2
    assert "has not exactly the columns sku, amount" in told["problems"][0]["message"]

    code, told = learned(online, spec, examples, "--json", "--publish")
    assert (code, told["left"]) == (0, [])
    again = await run(client, spec, others(), mode="flow")
    assert outcomes_of(again) == {("done", ""): 4}
    read = [[tuple(line.values()) for line in json.loads(one["lines"])] for one in rows_of(Path(again.table))]
    assert read == [lines_of(number) for number in range(4, 8)]
