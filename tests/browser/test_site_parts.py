"""What stands in the footer of a page, or in a header that is the site's, is no value of a record; what is the record's
own is read wherever its markup has it."""

from __future__ import annotations

import pytest

from shared.pages.identity.identity import read_page
from shared.pages.read.fields import FieldFound
from tests.browser.conftest import Look
from tests.unit.planner.planner_pages import sample, spec

SAID = "<p>By: Acme Corp</p>"
OWN = "<p>By: Ann Lee</p>"
RECORD = "<h1>TCK-1001</h1><dl><dt>Amount</dt><dd>12.50</dd></dl>"
MAIN, DIV = f"<main>{RECORD}</main>", f"<div>{RECORD}</div>"

THE_SITES = {
    "a footer": f"{MAIN}<footer>{SAID}</footer>",
    "rows of a footer": f"{MAIN}<footer><dl><dt>By</dt><dd>Acme Corp</dd></dl></footer><nav><a href=/>Home</a></nav>",
    "called so by its role": f"{DIV}<div role=contentinfo>{SAID}</div>",
    "called so by its id": f"{DIV}<div id=footer>{SAID}</div>",
    "called so within the frame of all": f"<div id=app>{DIV}<div class=footer>{SAID}</div></div>",
    "called the site's": f"<div>{DIV}<div><p>Help</p></div><div class='site-footer dark'>{SAID}</div></div>",
    "with a copyright": f"<div>{DIV}<div>{SAID}<p>© 2024</p></div></div>",
    "on the line of the copyright": f"<div>{DIV}<p>By: Acme Corp | All rights reserved</p></div>",
    "what it is made with": f"{DIV}<div>{SAID}<p>Powered by X</p></div>",
    "a header without the record": f"<header>{SAID}</header>{MAIN}",
}
THE_RECORDS = {
    "the footer of its article": f"<main><article>{RECORD}<footer>{OWN}</footer></article></main><footer>©</footer>",
    "the footer of the content": f"<main>{RECORD}<footer>{OWN}</footer></main>",
    "the footer of its section": f"<section>{RECORD}<footer>{OWN}</footer></section>",
    "the end of its card": f"<div class=card>{RECORD}<div class=card-footer>{OWN}</div></div>",
    "a footer with content behind": f"<div>{RECORD}<footer>{OWN}</footer></div><div>More of it.</div>",
    "beside the content": f"{MAIN}<aside>{OWN}</aside><footer>© Acme</footer>",
    "a header with the record": f"<header><h1>TCK-1001</h1>{OWN}</header><main>All of TCK-1001.</main>",
    "the last line of the page": f"<div>{RECORD}{OWN}</div>",
    "beside another in the footer": f"<main>{RECORD}{OWN}</main><footer>{SAID}</footer>",
}


async def author(look: Look, html: str, **field: object) -> str | None:
    fields = {"ticket_number": "string", "author": {"type": "string", "labels": ["By"], **field}}
    task = spec(output_schema=fields, required_fields=[])
    found = read_page(task, sample(), await look(html)).readings["author"]
    return found.candidate.shown if isinstance(found, FieldFound) else None


@pytest.mark.parametrize("html", THE_SITES.values(), ids=THE_SITES)
async def test_what_stands_on_every_page_of_a_site_is_no_value(look: Look, html: str) -> None:
    assert await author(look, html) is None


@pytest.mark.parametrize("html", THE_RECORDS.values(), ids=THE_RECORDS)
async def test_what_a_record_says_at_its_end_is_its_value(look: Look, html: str) -> None:
    assert await author(look, html) == "Ann Lee"


async def test_a_task_may_ask_for_what_a_footer_says(look: Look) -> None:
    html = f"{MAIN}<footer aria-label=Imprint>{SAID}</footer>"
    assert await author(look, html, under="Imprint") == "Acme Corp"
    assert await author(look, html, labels=[], shown_in="text", pattern="[A-Z].*", preceded_by="By:") == "Acme Corp"
