"""Invoices whose amounts stand on a second page. After a redesign the link to it is called, placed and addressed
otherwise, among links that look as likely."""

from __future__ import annotations

from tests.end_to_end.small_site import Answers, SmallSite

CUSTOMERS = ("Northwind Traders", "Adatum", "Fabrikam", "Tailspin Toys", "Litware", "Contoso", "Proseware", "Wingtip")


def total_of(number: int) -> str:
    return f"{number * 137 % 997},50 EUR"


def due_of(number: int) -> str:
    return f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}"


class Invoices(Answers):
    def do_GET(self) -> None:
        redesigned = getattr(self.server, "redesigned", False)
        parts = self.path.strip("/").split("/")
        number = int(parts[1])
        if len(parts) == 2:
            self.answer(_overview(number, redesigned=redesigned))
        elif parts[2] in ("details", "breakdown"):
            self.answer(_details(number))
        else:
            self.answer(_page(f"Invoice INV-{number}", "<p>There is nothing here yet.</p>"))


class InvoiceSite(SmallSite):
    """``redesigned``: the pages are those after the redesign."""

    redesigned = False

    def __init__(self) -> None:
        super().__init__(Invoices)


def _page(title: str, body: str) -> str:
    return f"<!doctype html><html><head><title>{title}</title></head><body><main>{body}</main></body></html>"


def _overview(number: int, *, redesigned: bool) -> str:
    facts = f"<dl><dt>Number</dt><dd>INV-{number}</dd><dt>Customer</dt><dd>{CUSTOMERS[number % 8]}</dd></dl>"
    heading = f"<h1>Invoice INV-{number}</h1>"
    if not redesigned:
        links = f'<a id="details" href="/i/{number}/details">Details</a> <a href="/i/{number}/print">Print</a>'
        return _page(f"Invoice INV-{number}", f"{heading}<nav>{links}</nav>{facts}")
    names = {
        "print": "Print view",
        "breakdown": "Line items and total",
        "payments": "Payments",
        "remind": "Remind customer",
    }
    links = "".join(f'<li><a class="tool" href="/i/{number}/{path}">{name}</a></li>' for path, name in names.items())
    return _page(f"Invoice INV-{number}", f'{heading}{facts}<div class="tools"><ul>{links}</ul></div>')


def _details(number: int) -> str:
    facts = {"Number": f"INV-{number}", "Total": total_of(number), "Due date": due_of(number)}
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    return _page(f"Invoice INV-{number}", f"<h1>Invoice in full</h1><dl>{listed}</dl>")
