"""A list behind a login form and a filter: the route of the discovery task leads there."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.end_to_end.conftest import Cli
from tests.end_to_end.small_site import Answers, SmallSite

PER_PAGE = 4
ORDERS = {f"PO-{number}": ("open", "closed", "late")[number % 3] for number in range(100, 118)}
LATE = [key for key, state in ORDERS.items() if state == "late"]
FORM = "<form method=post action=/login><label>Name <input name=n></label><button>Sign in</button></form>"


class OrderSite(Answers):
    """The list is behind a form that sets a cookie. It shows all orders, or those of one state, four on a page."""

    def do_POST(self) -> None:
        said = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        cookie = {"set_cookie": "in=1; Path=/"} if said.get("n") == ["ann"] else {}
        self.answer("", status=303, location="/orders", **cookie)

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if "in=1" not in (self.headers["cookie"] or ""):
            return self.answer(f"<title>Welcome</title><h1>Welcome</h1>{FORM}")
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        return self.answer(_orders(asked.get("state", ""), int(asked.get("page", "1"))))


def _orders(state: str, page: int) -> str:
    fitting = [key for key, own in ORDERS.items() if state in ("", own)]
    shown = fitting[(page - 1) * PER_PAGE : page * PER_PAGE]
    rows = "".join(f"<tr><td><a href=/orders/{key}>{key}</a><td>{ORDERS[key]}" for key in shown)
    options = "".join(f"<option value={one!r}>{one or 'all'}" for one in ("", "open", "closed", "late"))
    fields = f"<label>State <select name=state>{options}</select></label><button>Apply</button>"
    more = page * PER_PAGE < len(fitting)
    following = f'<a href="/orders?state={state}&page={page + 1}">Next</a>' if more else ""
    table = f"<p>{len(fitting)} results</p><table><tr><th>Order<th>State{rows}</table>"
    return f"<title>Orders</title><h1>Orders</h1><form action=/orders>{fields}</form>{table}{following}"


@pytest.fixture
def orders() -> Iterator[str]:
    with SmallSite(OrderSite) as site:
        yield site.url


def listing(url: str, **changes: Any) -> dict[str, Any]:
    schema = {"order": {"type": "string", "pattern": "PO-[0-9]+"}, "state": "string", "url": "string"}
    return {
        **{"task_id": "orders", "phase": "discovery", "goal": "List the late orders.", "sample_id": "{order}"},
        **{"start_url": f"{url}/orders", "allowed_hosts": ["127.0.0.1"], "output_schema": schema},
        **{"input_schema": {"state": "string"}, "required_fields": list(schema)},
        "route": [
            *({"fill": {"Name": "ann"}}, {"press": "Sign in"}),
            *({"fill": {"State": "{state}"}}, {"press": "Apply"}),
        ],
        **changes,
    }


def run(cli: Cli, folder: Path, spec: dict[str, Any]) -> tuple[dict[str, Any], int]:
    file = folder / "orders.json"
    file.write_text(json.dumps(spec))
    ended = cli.run("run", str(file), "--with", "state=late", "--json")
    assert ended.stdout, ended.stderr
    return json.loads(ended.stdout), ended.returncode


def test_a_list_behind_a_login_form_and_a_filter_is_read_exactly(online: Cli, orders: str, tmp_path: Path):
    finished, code = run(online, tmp_path, listing(orders))
    assert (code, finished["population_complete"], finished["samples"]) == (0, True, len(LATE)), finished
    with (Path(finished["location"]) / "discovered_samples.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["order"], row["state"]) for row in rows] == [(key, "late") for key in LATE]


def test_a_route_that_the_page_does_not_offer_lists_nothing_and_says_why(online: Cli, orders: str, tmp_path: Path):
    route = [{"fill": {"Name": "ann"}}, {"press": "Sign in"}, {"press": "Archive"}]
    finished, code = run(online, tmp_path, listing(orders, route=route))
    assert (code, finished["population_complete"], finished["samples"]) == (1, False, 0)
    assert finished["population_reason"] == "off_route"
    assert "Archive" in finished["population_note"]
