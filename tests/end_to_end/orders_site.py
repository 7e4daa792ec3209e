"""A site of orders whose values change their order."""

from __future__ import annotations

from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

OWNERS = ("Ann Lee", "Bert Maier", "Cleo Stone")


class OrdersSite(SmallSite):
    """``reordered``: the values stand in another order, and new ones between them."""

    def __init__(self) -> None:
        super().__init__(OrdersPages)
        self.reordered = False


class OrdersPages(Answers):
    def do_GET(self) -> None:
        site, number = expect(self.server, OrdersSite), self.path.rsplit("-", 1)[-1]
        if not number.isdigit():
            return self.answer("<title>Orders</title><h1>Orders</h1>")
        rows = [("Number", f"O-{number}"), ("Owner", OWNERS[int(number)]), ("Queue", f"Q-{int(number) % 2}")]
        if site.reordered:
            rows = [("Number", f"O-{number}"), ("Desk", "North"), ("Queue", f"Q-{int(number) % 2}"), rows[1]]
        listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
        return self.answer(f"<!doctype html><title>Orders</title><h1>Order O-{number}</h1><dl>{listed}</dl>")
