"""The register: cases that are looked up and orders that are sent, honest but for what its options say."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import count

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from practice.forged import case_pages, order_pages
from practice.forged.data import DEFAULT_SEED, Case, Order, cases_of, near_case
from practice.forged.lies import Dialog
from practice.sign_in import form_of

CASES = 60
EARLIER = Order("AC-70019", "Vera Zoll", "Read access", "1150.00", "2026-01-05", "Ledger audit in Riga")
"""What was sent before any other order."""


@dataclass(frozen=True)
class Options:
    """``lies`` and ``dialogs`` by key: ``Harbour-CS-1042`` of a case, the account of an order."""

    seed: int = DEFAULT_SEED
    lies: Mapping[str, str] = field(default_factory=dict[str, str])
    dialogs: Mapping[str, Dialog] = field(default_factory=dict[str, Dialog])


@dataclass(frozen=True)
class Stored:
    number: str
    order: Order


class ForgedSite:
    """The application. ``stored``: the orders, in the order in which they were sent. ``withdrawn``: what a dialog was
    made to do, which nobody has asked for."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.cases = cases_of(CASES, options.seed)
        self.stored: list[Stored] = [Stored(number_of(EARLIER), EARLIER)]
        self.withdrawn: list[str] = []
        self._drafts: dict[str, Order] = {}
        self._ids = count(1)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self._start),
                Route("/search", self._search),
                Route("/cases/{project}/{number}", self._case),
                Route("/cases/{project}/{number}/values", self._values),
                Route("/cases/{project}/{number}/withdraw", self._withdraw, methods=["POST"]),
                Route("/orders/new", self._form),
                Route("/orders/review", self._review, methods=["POST"]),
                Route("/orders/{token}/submit", self._submit, methods=["POST"]),
                Route("/orders/{token}/withdraw", self._withdraw, methods=["POST"]),
                Route("/orders/{token}/sent", self._sent),
                Route("/orders/{number}", self._order),
            ]
        )

    # --- cases

    async def _start(self, request: Request) -> Response:
        return HTMLResponse(case_pages.start_page())

    async def _search(self, request: Request) -> Response:
        """Find cases by words of their number and project; those with a similar number are found too."""
        asked = request.query_params.get("q", "").casefold().split()
        found = [one for one in self.cases if any(word[:-1] in one.number.casefold() for word in asked if "-" in word)]
        targets = {
            key: near_case(one, self.cases).path
            for one in found
            if self.options.lies.get(key := key_of(one)) == "misled_link"
        }
        return HTMLResponse(case_pages.results_page(request.query_params.get("q", ""), found, targets))

    async def _case(self, request: Request) -> Response:
        case = self._asked(request)
        if case is None:
            return HTMLResponse(case_pages.lost_page("case"), 404)
        lie, dialog = self.options.lies.get(key_of(case), ""), self.options.dialogs.get(key_of(case), "")
        return HTMLResponse(case_pages.case_page(case, self.cases, lie, dialog))

    async def _values(self, request: Request) -> Response:
        case = self._asked(request)
        slowly = "slowly" in request.query_params
        await asyncio.sleep((case_pages.SLOW_MS if slowly else case_pages.LATE_MS) / 1000)
        return JSONResponse({} if case is None else case_pages.late_values(case))

    def _asked(self, request: Request) -> Case | None:
        path = f"/cases/{request.path_params['project']}/{request.path_params['number']}"
        return next((one for one in self.cases if one.path == path), None)

    async def _withdraw(self, request: Request) -> Response:
        form = await form_of(request)
        self.withdrawn.append(f"{form.get('what', '')} {request.url.path}")
        return HTMLResponse(order_pages.message_page("Done", "It was done as you said."))

    # --- orders

    async def _form(self, request: Request) -> Response:
        return HTMLResponse(order_pages.form_page())

    async def _review(self, request: Request) -> Response:
        form = await form_of(request)
        order = Order(**{one.name: form.get(one.name, "") for one in fields(Order)})
        token = f"d{next(self._ids)}"
        self._drafts[token] = order
        return HTMLResponse(order_pages.review_page(token, order, self.options.dialogs.get(order.account, "")))

    async def _submit(self, request: Request) -> Response:
        token = request.path_params["token"]
        order = self._drafts[token]
        lie = self.options.lies.get(order.account, "")
        if lie != "not_stored":
            kept = replace(order, amount=_changed(order.amount)) if lie == "changed_when_stored" else order
            self.stored.append(Stored(number_of(kept, sum(one.order == kept for one in self.stored)), kept))
        if lie == "stored_then_500":
            return HTMLResponse(order_pages.message_page("Something went wrong"), 500)
        if lie == "asked_again":
            return HTMLResponse(
                order_pages.review_page(token, order, "", "It was not sent yet. Please send it once more.")
            )
        return RedirectResponse(f"/orders/{token}/sent", 303)

    async def _sent(self, request: Request) -> Response:
        order = self._drafts[request.path_params["token"]]
        lie, earlier = self.options.lies.get(order.account, ""), self.stored[0]
        own = next((one for one in reversed(self.stored) if one.order.account == order.account), None)
        number = number_of(order) if own is None else own.number
        if lie == "other_account":
            return HTMLResponse(order_pages.success_page(earlier.number, earlier.order))
        if lie == "earlier_number":
            return HTMLResponse(order_pages.success_page(earlier.number, order))
        if lie == "other_amount":
            return HTMLResponse(order_pages.success_page(number, replace(order, amount=_changed(order.amount))))
        if lie == "other_start":
            return HTMLResponse(order_pages.success_page(number, replace(order, starts=earlier.order.starts)))
        if lie == "shown_late":
            return HTMLResponse(order_pages.success_page(earlier.number, earlier.order, later=(number, order)))
        return HTMLResponse(order_pages.success_page(number, order))

    async def _order(self, request: Request) -> Response:
        found = next((one for one in self.stored if one.number == request.path_params["number"]), None)
        if found is None:
            return HTMLResponse(case_pages.lost_page("order"), 404)
        return HTMLResponse(order_pages.order_page(found.number, found.order))


def key_of(case: Case) -> str:
    return f"{case.project}-{case.number}"


def number_of(order: Order, earlier: int = 0) -> str:
    """Return the number of an order, a function of what it says. ``earlier``: how many equal ones were sent before."""
    digest = hashlib.sha256(f"{order} {earlier}".encode()).hexdigest()
    return f"OR-{int(digest[:8], 16) % 900000 + 100000}"


def _changed(amount: str) -> str:
    """Return another amount in the same form."""
    return f"{(int(amount[0]) % 9) + 1}{amount[1:]}"
