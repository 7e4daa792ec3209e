"""The tasks on the forged site: cases by their address and by a search, orders with and without a look at what is
stored, and what the site knows to be true of each sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from practice.forged.data import Case, Order
from practice.forged.site import ForgedSite

Row = dict[str, str]
CASE_FIELDS = ("case_number", "project", "assignee", "reporter", "created", "due")


def _task(name: str, url: str, **parts: Any) -> dict[str, Any]:
    return {"task_id": name, "allowed_hosts": ["127.0.0.1"], "start_url": url, "max_steps": 40, **parts}


def cases_task(url: str, *, search: bool) -> dict[str, Any]:
    """Return the task of reading a case, by its address or by a search."""
    found = {"pick": {"Case number": "{case_number}", "Project": "{project}"}}
    route = [found, {"screenshot": "case"}, {"read": [*CASE_FIELDS]}]
    return _task(
        "forged_cases_found" if search else "forged_cases",
        f"{url}/search?q={{case_number}} {{project}}" if search else "{url}",
        goal='Open the case, take a screenshot labelled "case", and report what its properties say.',
        input_schema={"case_number": "string", "project": "string"} | ({} if search else {"url": "string"}),
        sample_id="{project}-{case_number}",
        output_schema={
            **dict.fromkeys(CASE_FIELDS[:4], "string"),
            **dict.fromkeys(CASE_FIELDS[4:], "date"),
        },
        required_fields=[*CASE_FIELDS],
        required_artifacts=["screenshot:case"],
        identity={"case_number": "{case_number}", "project": "{project}"},
        not_found_texts=["There is no such case"],
        **({"route": route} if search else {}),
    )


def orders_task(url: str, *, looks_back: bool) -> dict[str, Any]:
    """Return the task of sending an order once. ``looks_back``: the page of what is stored is opened and read too."""
    names = {
        "account": "Account", "holder": "Holder", "grant": "Grant", "amount": "Amount", "starts": "Valid from",
        "reason": "Reason",
    }  # fmt: skip
    back = [{"follow": "Open order"}, {"read": ["order_number", "order_state"]}] if looks_back else []
    fields = {"confirmation_number": "string"} | (
        {"order_number": "string", "order_state": "string"} if looks_back else {}
    )
    return _task(
        "forged_orders_looked_up" if looks_back else "forged_orders",
        f"{url}/orders/new",
        goal='Send the order once, take a screenshot labelled "result", and report its confirmation number.',
        input_schema={name: "date" if name == "starts" else "string" for name in names},
        sample_id="{account}",
        output_schema=fields,
        required_fields=[*fields],
        required_artifacts=["screenshot:result"],
        route=[
            {"fill": {label: f"{{{name}}}" for name, label in names.items()}},
            {"press": "Review order"},
            {"press": "Submit order", "irreversible": True},
            {"read": ["confirmation_number"]},
            {"screenshot": "result"},
            *back,
        ],
    )


def case_samples(cases: Sequence[Case], url: str) -> list[Row]:
    return [{"case_number": one.number, "project": one.project, "url": f"{url}{one.path}"} for one in cases]


def case_truth(case: Case) -> dict[str, str]:
    return {
        "case_number": case.number,
        "project": case.project,
        "assignee": case.assignee,
        "reporter": case.reporter,
        "created": case.created.isoformat(),
        "due": case.due.isoformat(),
    }


def order_rows(orders: Sequence[Order]) -> list[Row]:
    return [asdict(one) for one in orders]


def order_truth(site: ForgedSite, order: Order) -> dict[str, str] | None:
    """Return the cells of an order that was stored once, as it was asked for; None: it was not."""
    stored = [one for one in site.stored if one.order.account == order.account]
    if [one.order for one in stored] != [order]:
        return None
    number = stored[0].number
    return {"confirmation_number": number, "order_number": number, "order_state": "Submitted"}
