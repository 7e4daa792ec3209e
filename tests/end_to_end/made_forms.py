"""Forms that are made from a seed, served with what each is sent: the truth of a press that cannot be taken back."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass
from html import escape
from urllib.parse import parse_qsl

from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

SEED = 32
KINDS = (
    *("taken", "taken", "taken", "taken later", "taken in place", "taken in silence"),
    *("enabled on leaving", "two forms"),
    *("refused", "refused in place", "refused without words", "failed", "failed in place", "lost", "signed out"),
    *("field missing", "emptied on leaving", "changed"),
)
TAKEN = frozenset({"taken", "taken later", "taken in place", "enabled on leaving", "two forms"})
"""The site receives the values, and says so with a number: these can be done."""
REFUSALS = (
    "Amount is higher than your limit. Your request was not sent.",
    "Die Anfrage wurde nicht gesendet: der Betrag ist zu hoch.",
    "Votre demande n'a pas été envoyée.",
    "No se pudo guardar la solicitud.",
    "Something went wrong. Nothing was saved.",
)
SEND = (
    "f.onsubmit = async e => { e.preventDefault(); const r = await fetch(f.action, {method: 'POST', "
    "body: new URLSearchParams(new FormData(f))}); const told = await r.text(); "
)


@dataclass(frozen=True)
class MadeForm:
    """``older``: the number of an earlier request that stands beside the form, and beside what comes after it."""

    number: int
    kind: str
    older: str
    table: bool
    refusal: str
    amount: str
    name: str = "Ann Lee"

    @property
    def path(self) -> str:
        return f"/forms/{self.number}"


def made_forms(count: int) -> list[MadeForm]:
    rng = random.Random(SEED)
    forms: list[MadeForm] = []
    for number in range(count):
        older = f"Q-{rng.randint(10, 49)}" if rng.random() < 0.5 else ""
        amount = f"{rng.randint(1, 9999)}.{rng.randint(0, 99):02}"
        kind = KINDS[number % len(KINDS)]
        forms.append(MadeForm(number, kind, older, rng.random() < 0.5, rng.choice(REFUSALS), amount))
    return forms


class FormSite(SmallSite):
    """Serves the forms and keeps what it was sent: by form, the name and the amount."""

    def __init__(self, forms: list[MadeForm]) -> None:
        super().__init__(_Forms)
        self.forms = forms
        self.received: dict[int, list[tuple[str, str]]] = {}
        self.turn = threading.Lock()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a connection that a form lets fall."""


class _Forms(Answers):
    def do_GET(self) -> None:
        made = self._made()
        if self.path.endswith("/received"):
            return self.answer(_page(made, _received(made)))
        return self.answer(_page(made, _form(made)))

    def do_POST(self) -> None:
        made, site = self._made(), expect(self.server, FormSite)
        sent = dict(parse_qsl(self.rfile.read(int(self.headers.get("content-length") or 0)).decode()))
        if made.kind in ("refused", "refused without words"):
            words = made.refusal if made.kind == "refused" else "⚠"
            return self.answer(_page(made, f"<p role=alert>{escape(words)}</p>{_form(made, sent)}"))
        if made.kind == "refused in place":
            return self.answer(made.refusal, "text/plain; charset=utf-8", status=422)
        if made.kind == "failed":
            return self.answer(_page(made, "<h1>Server error</h1>"), status=500)
        if made.kind == "failed in place":
            return self.answer("Something went wrong.", status=500)
        if made.kind == "lost":
            return self.connection.close()
        if made.kind == "signed out":
            form = "<h1>Sign in</h1><form><label>Password <input type=password></label><button>Sign in</button></form>"
            return self.answer(f"<!doctype html><title>Sign in</title>{form}")
        amount = sent.get("amount", "")
        kept = amount[:-1] if made.kind == "changed" else amount
        with site.turn:
            site.received.setdefault(made.number, []).append((sent.get("name", ""), kept))
        if made.kind in ("taken in place", "taken later"):
            return self.answer(_received(made))
        return self.answer("", status=303, location=f"{made.path}/received")

    def _made(self) -> MadeForm:
        return expect(self.server, FormSite).forms[int(self.path.split("/")[2])]


def number_of(made: MadeForm) -> str:
    return f"Q-77{made.number:03}"


def _page(made: MadeForm, main: str) -> str:
    beside = f"<aside><h2>Your last request</h2>{_facts(made, made.older, None)}</aside>" if made.older else ""
    return f"<!doctype html><html lang=en><meta charset=utf-8><title>Requests</title>{beside}<main>{main}</main>"


def _form(made: MadeForm, sent: dict[str, str] | None = None) -> str:
    held = {name: escape((sent or {}).get(name, ""), quote=True) for name in ("name", "amount")}
    other = "<form role=search><input aria-label=Search><button>Submit</button></form>"
    first = other if made.kind == "two forms" else ""
    reason = "<p><label for=r>Reason</label> <input id=r name=reason required></p>"
    off = " disabled" if made.kind == "enabled on leaving" else ""
    return (
        f'<h1>New request</h1>{first}<form id=f method=post action="{made.path}">'
        f'<p><label for=n>Name</label> <input id=n name=name value="{held["name"]}"></p>'
        f'<p><label for=a>Amount</label> <input id=a name=amount value="{held["amount"]}"></p>'
        f"{reason if made.kind == 'field missing' else ''}<button id=s{off}>Submit</button></form>"
        f"<div id=told role=status></div><script>{_script(made)}</script>"
    )


def _script(made: MadeForm) -> str:
    return {
        "taken in place": SEND + "document.querySelector('main').innerHTML = told; }",
        "taken later": SEND + "const main = document.querySelector('main'); main.innerHTML = '<p>Sending...</p>'; "
        "setTimeout(() => { main.innerHTML = told; }, 1500); }",
        "refused in place": SEND + "document.getElementById('told').textContent = told; }",
        "failed in place": SEND + "const t = document.getElementById('told'); t.textContent = told; "
        "setTimeout(() => { t.textContent = ''; }, 1500); }",
        "enabled on leaving": "a.onblur = () => { s.disabled = false; }",
        "emptied on leaving": "a.onblur = () => { a.value = ''; }",
    }.get(made.kind, "")


def _received(made: MadeForm) -> str:
    if made.kind == "taken in silence":
        return "<h1>Requests</h1><p>Choose what to do next.</p>"
    amount = made.amount[:-1] if made.kind == "changed" else None
    return f"<h1>Request received</h1>{_facts(made, number_of(made), amount)}"


def _facts(made: MadeForm, number: str, amount: str | None) -> str:
    facts = {"Request number": number, **({} if amount is None else {"Amount": amount})}
    if made.table:
        rows = (f"<tr><th>{name}</th><td>{said}</td></tr>" for name, said in facts.items())
        return f"<table>{''.join(rows)}</table>"
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{said}</dd>" for name, said in facts.items()) + "</dl>"
