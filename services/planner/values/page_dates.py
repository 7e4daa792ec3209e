"""Pure: in which order a page writes day, month and year, where its own dates leave no doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.planner.values.clocks import NotADate
from services.planner.values.written_dates import NUMERIC, Dated, DateOrders, days_by_order, form_of, read_date
from shared.contracts.browser_pool import Element, PageObserved
from shared.task_spec import DateOrder
from shared.text.normal import plain

_ALONE = re.compile(rf"(?<![\w./-]){NUMERIC.pattern}(?![\w/-]|\.\d)")
Evidence = tuple[str, DateOrder]


def date_order_of(page: PageObserved) -> DateOrders | None:
    """What all dates on the page say together. One that says another order than the rest, and nothing is settled."""
    found: set[Evidence] = {evidence for element in page.elements for evidence in _evidence(element)}
    orders: set[DateOrder] = {order for _, order in found}
    if len(orders) != 1:
        return None
    return DateOrders(orders.pop(), frozenset(form for form, _ in found))


def _evidence(element: Element) -> Iterator[Evidence]:
    for text in (element.name, element.value, element.title, element.header):
        for match in _ALONE.finditer(plain(text)) if text and _may_hold_one(text) else ():
            order = _only_order(match)
            if order is not None:
                yield form_of(match), order
    yield from _by_title(element)


def _may_hold_one(text: str) -> bool:
    return any(separator in text for separator in "/-.") or not text.isascii()


def _only_order(match: re.Match[str]) -> DateOrder | None:
    """The one order in which this can be a date. 2.13.24 is rather a version than a date of thirteen months."""
    orders = days_by_order(match)
    if match["sep"] == "/":
        orders.pop("ymd", None)
    if (match["sep"], len(match["y"])) == (".", 2) or len(orders) != 1:
        return None
    return next(iter(orders))


def _by_title(element: Element) -> Iterator[Evidence]:
    """A date whose title says which one it is shows how the page writes them."""
    match = NUMERIC.fullmatch(plain(element.name)) if element.title is not None and len(element.name) <= 30 else None
    if match is None or element.title is None:
        return
    try:
        told = read_date(element.title)
    except NotADate:
        return
    if isinstance(told, Dated):
        orders: list[DateOrder] = [order for order, days in days_by_order(match).items() if told.days <= set(days)]
        if len(orders) == 1:
            yield form_of(match), orders[0]
