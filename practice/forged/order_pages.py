"""The pages of an order: the form, its review, the page of success, and the page of the order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from practice.forged.data import GRANTS, Order
from practice.forged.frame import document, fields, lines, page_dialog
from practice.forged.lies import Dialog
from practice.markup import Markup, el

LABELS = {
    "account": "Account",
    "holder": "Holder",
    "grant": "Grant",
    "amount": "Amount",
    "starts": "Valid from",
    "reason": "Reason",
}
CHANGED_MS = 900
"""How long the page of success shows an earlier order first."""


def form_page() -> str:
    inputs = [el("div", el("label", LABELS[name], for_=name), _control(name)) for name in LABELS]
    form = el("form", *inputs, el("button", "Review order"), method="post", action="/orders/review")
    return document("New order · Register", el("main", el("h1", "New order"), form))


def _control(name: str) -> Markup:
    if name == "grant":
        options = [el("option", "", value=""), *(el("option", one, value=one) for one in GRANTS)]
        return el("select", *options, id=name, name=name, required=True)
    kind = "date" if name == "starts" else "text"
    return el("input", id=name, name=name, type=kind, required=True)


def review_page(token: str, order: Order, dialog: Dialog, notice: str = "") -> str:
    """Return the review of a draft, from which it is sent. ``notice``: what is said above it."""
    asks = "return confirm('Send this order and give up what was saved before?')" if dialog == "confirm" else None
    form = el(
        "form",
        el("button", "Submit order"),
        method="post",
        action=f"/orders/{token}/submit",
        onsubmit=asks,
    )
    over = page_dialog(dialog, f"/orders/{token}/withdraw", "order")
    said = el("p", notice, role="alert") if notice else None
    return document("Review · Register", el("main", el("h1", "Review the order"), said, _values(order), form, over))


def success_page(number: str, shown: Order, *, later: tuple[str, Order] | None = None) -> str:
    """Return the page of success. ``later``: what it shows in the end, where other values are first."""
    link = el("a", "Open order", href=f"/orders/{number if later is None else later[0]}", id="open")
    whole = [fields(("Confirmation number", number)), _values(shown), link]
    script = "" if later is None else _changing(*later)
    return document("Submitted · Register", el("main", el("h1", "Order submitted"), *whole), script)


def _changing(number: str, order: Order) -> str:
    texts = [number, *asdict(order).values()]
    fill = "document.querySelectorAll('main dd').forEach((cell, at) => { cell.textContent = texts[at]; });"
    return f"setTimeout(() => {{ const texts = {texts}; {fill} }}, {CHANGED_MS});"


def order_page(number: str, order: Order) -> str:
    head = fields(("Order number", number), ("Order state", "Submitted"))
    return document(f"{number} · Register", el("main", el("h1", f"Order {number}"), head, _values(order)))


def message_page(title: str, *texts: str) -> str:
    return document(f"{title} · Register", el("main", el("h1", title), lines(*texts)))


def _values(order: Order) -> Markup:
    told: Mapping[str, str] = asdict(order)
    return fields(*((label, told[name]) for name, label in LABELS.items()))
