"""A register of access roles: a role has its facts on one page and its members on five others."""

from __future__ import annotations

import random
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.end_to_end.small_site import Answers, SmallSite

ROLE, TITLE, OWNER = "ROLE-0417", "Payment approver, Nordics", "Ingrid Falk"
A_PAGE = 6
COUNT = 27
PAGES = -(-COUNT // A_PAGE)
FIRST = ("Ada", "Bo", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines")
LAST = ("Ahlgren", "Bakker", "Costa", "Dvorak", "Eide", "Fontaine", "Gruber")
UNITS = ("Treasury", "Accounts payable", "Shared services", "Internal control")
SPEC: dict[str, Any] = {
    "task_id": "role_members",
    "goal": "Who holds this role: bring back the owner of the role and the user names of all of its members, and take "
    'one screenshot labelled "members" of the first page of the list of members.',
    "start_url": "{url}",
    "allowed_hosts": ["127.0.0.1"],
    "input_schema": {"role": "string", "url": "string"},
    "sample_id": "{role}",
    "output_schema": {
        "role": "string",
        "owner": {"type": "string", "labels": ["Role owner"]},
        "members": {"type": "array", "description": "The user name of every member, over all pages of the list."},
    },
    "required_fields": ["role", "owner", "members"],
    "required_artifacts": ["screenshot:members"],
    "identity": {"role": "{role}"},
    "max_steps": 30,
    "max_actions_per_turn": 1,
    "max_time_s": 0,
    "memory": "off",
    "vision": "off",
}


def members() -> list[tuple[str, str, str]]:
    """Return user name, name and unit of each member, in the order of the list. Two of them have one name."""
    chance = random.Random(417)
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    chosen = chance.sample(names, COUNT - 1)
    chosen.insert(19, chosen[4])
    return [
        (f"{name.split()[0][0]}{name.split()[1][:4]}{number:02d}".lower(), name, chance.choice(UNITS))
        for number, name in enumerate(chosen, 11)
    ]


class Role(Answers):
    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.path == f"/roles/{ROLE}":
            return self.answer(_page(_facts()))
        if asked.path == f"/roles/{ROLE}/members":
            return self.answer(_page(_members(int(parse_qs(asked.query).get("page", ["1"])[0]))))
        return self.answer("<!doctype html><title>Not found</title><h1>No such role</h1>", status=404)


def role_site() -> SmallSite:
    return SmallSite(Role)


def row_of(site: SmallSite) -> dict[str, str]:
    return {"role": ROLE, "url": f"{site.url}/roles/{ROLE}"}


def _page(main: str) -> str:
    return f"""<!doctype html><html lang="en"><title>{ROLE} - Access register</title>
<style>body {{ font: 15px sans-serif; margin: 1rem 2rem }} td, th {{ padding: .3rem .8rem; text-align: left }}
nav a, nav b {{ margin-right: .8rem }}</style>
<header><a href="/">Access register</a></header>
<main><h1>{ROLE}</h1><p>{TITLE}</p><nav aria-label="Role"><a href="/roles/{ROLE}">Facts</a>
<a href="/roles/{ROLE}/members">Members ({COUNT})</a></nav>{main}</main></html>"""


def _facts() -> str:
    facts = {"Role": ROLE, "Role owner": OWNER, "Last review": "2026-08-31", "Risk": "High"}
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>" for name, said in facts.items()) + "</dl>"


def _members(page: int) -> str:
    start = (page - 1) * A_PAGE
    rows = "".join(
        f"<tr><td>{user}</td><td>{escape(name)}</td><td>{escape(unit)}</td></tr>"
        for user, name, unit in members()[start : start + A_PAGE]
    )
    table = f"<table><tr><th>User name</th><th>Name</th><th>Unit</th></tr>{rows}</table>"
    numbers = "".join(_number(at, page) for at in range(1, PAGES + 1))
    on = f'<a href="?page={page + 1}">Next</a>' if page < PAGES else ""
    shown = f"<p>{start + 1} to {min(start + A_PAGE, COUNT)} of {COUNT} members</p>"
    return f'<h2>Members</h2>{table}{shown}<nav aria-label="Pages">{numbers}{on}</nav>'


def _number(at: int, page: int) -> str:
    return f'<b aria-current="page">{at}</b>' if at == page else f'<a href="?page={at}">{at}</a>'
