"""Generated texts: the page holds what was typed or selected, and its texts are reported exactly once."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef, SelectOption, TypeText
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ValueSet
from shared.pages.identity.identity import read_page
from shared.pages.read.fields import FieldFound
from shared.task.typed_values import typed_value
from shared.text.normal import Normal
from tests.browser.generated_pages import TIMES, examples, observed
from tests.browser.generated_records import Page, record_pages
from tests.browser.site import Site
from tests.unit.planner.planner_pages import sample, spec

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIELDS = """<!doctype html><input aria-label=field><textarea aria-label=field></textarea>
<div contenteditable style="min-height:20px;white-space:pre-wrap" aria-label=field></div>
<div contenteditable style="min-height:20px" aria-label=field></div>"""
HELD = """n => { const el = document.querySelectorAll('[aria-label=field]')[n];
  return 'value' in el ? el.value : el.innerText }"""
INPUT, AREA, RICH, LOOSE = range(4)

# What people write, and what they paste: no control characters but line ends and tabs.
letters = st.characters(exclude_categories=("Cs", "Cc", "Cn"))
odd = st.sampled_from(
    (
        *("é", "e\u0301", "שלום", "مرحبا", "\u202eabc\u202c", "😀", "👩\u200d👩\u200d👧", "ß", "İ"),
        *("0", "<b>", '"', "\\", "\u00a0", "  ", "\t", "\n", "\n\n", "\u2028"),
    )
)
texts = st.one_of(
    st.text(letters, max_size=20),
    st.lists(st.one_of(odd, st.text(letters, max_size=4)), max_size=8).map("".join),
    st.text(letters, min_size=1, max_size=5).map(lambda text: text * 900),
)


INVISIBLE = re.compile(r"[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")


def cleaned(text: str) -> str:
    return " ".join("".join(" " if ord(one) < 0x20 else one for one in INVISIBLE.sub("", text)).split())


@examples(12)
@given(field=st.sampled_from([INPUT, AREA, RICH, LOOSE]), text=texts)
async def test_what_is_typed_is_what_the_field_holds_and_what_is_told(
    session: PageSession, field: int, text: str
) -> None:
    await session.page.set_content(FIELDS)
    refs = [one.ref for one in (await observed(session, "fields")).elements if one.name == "field"]
    typed = (await session.act(TypeText(target=ByRef(ref=refs[field], snapshot_id="fields"), text=text))).result
    holds = await session.page.evaluate(HELD, field)
    assert isinstance(typed.effect, ValueSet), typed
    if field in (INPUT, AREA):
        assert typed.effect.value == holds
        assert typed.ok, (typed.message, holds)
        if field == INPUT and "\n" in text:  # what becomes of line ends in a single line is up to the browser
            assert "".join(holds.split()) == "".join(text.split())
        else:
            assert holds == text
    else:
        assert cleaned(typed.effect.value) == cleaned(holds)
        assert typed.ok, (typed.message, holds)
        assert cleaned(holds) == cleaned(text)
    [told] = [one for one in (await observed(session, "after")).elements if one.ref == refs[field]]
    assert cleaned(told.value or "")[:2000] == cleaned(holds)[:2000]


# A place holds the text "@" once, as a person would see it there, or hidden from everybody.
PLACES = (
    *("<p>@</p>", "<table><tr><td>@</td><td>-</td></tr></table>", "<ul><li>@</li></ul>", "<label>@</label>"),
    *("<div style='display:flex;gap:20px'><span>@</span><span>beside</span></div>", "<button>@</button>"),
    *("<svg width=300 height=30><text y=20>@</text></svg>", "<input value='@'>", "<textarea>@</textarea>"),
    *("<select><option>one<option>@</select>", "<div contenteditable>@</div>", "<h2>@</h2>", "<a href=/x>@</a>"),
    *("<label>@ <input type=checkbox></label>", "<dl><dt>@</dt><dd>one</dd></dl>", "<dl><dt>one</dt><dd>@</dd></dl>"),
    *("<details open><summary>more</summary>@</details>", "<details><summary>@</summary>less</details>"),
    *("<img alt='@' width=20 height=20>", "<div>@</div>", "<b>@</b>", "<p><em>@</em></p>", "<pre>@</pre>"),
    *("<blockquote><p>@</p></blockquote>", "<fieldset><legend>@</legend></fieldset>", "<div role=alert>@</div>"),
    *(
        "<table><caption>@</caption><tr><td>1</td></tr></table>",
        "<table><tr><th>@</th></tr><tr><td>1</td></tr></table>",
    ),
    *("<div aria-live=polite><span>@</span></div>", "<figure><figcaption>@</figcaption></figure>"),
    *(
        "<p aria-hidden=true>@</p>",
        "<label for=f>@</label><input id=f>",
        "<input placeholder='@'>",
        "<span role=switch tabindex=0>@</span>",
    ),
)
UNSEEN = (
    *(
        "<p hidden>@</p>",
        "<p style='display:none'>@</p>",
        "<p style='visibility:hidden'>@</p>",
        "<template>@</template>",
    ),
    "<details><summary>more</summary>@</details>",
    *("<script type=text/x>@</script>", "<input type=password value='@'>"),
    *("<p style='opacity:0'>@</p>", "<noscript>@</noscript>", "<datalist><option>@</option></datalist>"),
)
WRAPS = (
    *("{}", "<section>{}</section>", "<div style='display:flex;flex-direction:column'>{}</div>", "<form>{}</form>"),
    *("<x-open><template shadowrootmode=open>{}</template></x-open>", "<x-in><p>-</p>{}</x-in>"),
    *("<x-shut><template shadowrootmode=closed>{}</template></x-shut>", "<ul><li>{}</li></ul>", "<main>{}</main>"),
    *(
        "<table><tr><td>{}</td></tr></table>",
        "<div style='overflow:auto;max-height:80px'>{}</div>",
        "<dialog open>{}</dialog>",
    ),
)


@st.composite
def pages(draw: st.DrawFn) -> tuple[str, list[str], list[str]]:
    """HTML, the words that can be seen in it, in order, and those that cannot."""
    seen: list[str] = []
    unseen: list[str] = []

    def piece(depth: int) -> str:
        kind = draw(st.integers(0, 9 if depth < 3 else 6))
        if kind < 5:
            seen.append(f"seen{len(seen)}x")
            return draw(st.sampled_from(PLACES)).replace("@", seen[-1])
        if kind < 7:
            unseen.append(f"hidden{len(unseen)}x")
            return draw(st.sampled_from(UNSEEN)).replace("@", unseen[-1])
        wrap = draw(st.sampled_from(WRAPS))
        return wrap.replace("{}", "\n".join(piece(depth + 1) for _ in range(draw(st.integers(1, 3)))))

    html = "\n".join(piece(0) for _ in range(draw(st.integers(1, 6))))
    return html.replace("id=f", "").replace("for=f", ""), seen, unseen


def said(page: PageObserved) -> str:
    return "\n".join(f"{one.header or ''} {one.name} {one.value or ''}" for one in page.elements)


def order(page: PageObserved, words: list[str]) -> list[str]:
    """The words in the order in which they are told, each as often as it is; headers are told with each value."""
    texts = [f"{one.name} {one.value or ''}" for one in page.elements]
    return [word for text in texts for word in re.findall(r"seen\d+x", text) if word in words]


@examples(12)
@given(made=pages(), budget=st.integers(1, 60))
@example(("<table><caption>seen0x</caption><tr><td>1</td></tr></table>", ["seen0x"], []), 20)
@example(("<ul><li><svg width=300 height=30><text y=20>seen0x</text></svg></li></ul>", ["seen0x"], []), 20)
@example(("<table><tr><td><div contenteditable>seen0x</div></td></tr></table>", ["seen0x"], []), 20)
@example(("<ul><li><img alt=seen0x width=20 height=20></li></ul>", ["seen0x"], []), 20)
@example(("<ul><li><div role=alert>seen0x</div></li></ul>", ["seen0x"], []), 20)
async def test_what_can_be_seen_is_told_once_and_in_order(
    session: PageSession, site: Site, made: tuple[str, list[str], list[str]], budget: int
) -> None:
    html, seen, unseen = made
    await session.page.goto(site.add("/generated", f"<!doctype html><body>{html}"))
    page = await observed(session, "all")
    assert order(page, seen) == seen, page.text
    assert not [word for word in unseen if word in said(page)], page.text
    short = await observed(session, "short", max_tokens=budget)
    assert len(short.elements) + short.left_out == short.total_elements == page.total_elements
    assert set(short.elements) <= set(page.elements)
    assert ("more elements" in short.text) == (short.left_out > 0)


@examples(5)
@given(labels=st.lists(texts.map(cleaned).filter(bool), min_size=1, max_size=5, unique_by=str.casefold), data=st.data())
async def test_the_option_that_is_meant_is_the_one_selected(
    session: PageSession, labels: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(labels) - 1))
    await session.page.set_content("<select aria-label=list><option value=''>none</option></select>")
    script = "all => all.forEach((one, n) => document.querySelector('select').add(new Option(one, 'v' + n)))"
    await session.page.evaluate(script, [label[:200] for label in labels])
    [ref] = [one.ref for one in (await observed(session, "list")).elements if one.name == "list"]
    action = SelectOption(target=ByRef(ref=ref, snapshot_id="list"), option=labels[at][:200])
    result = (await session.act(action)).result
    twins = [one for one in labels if one[:200].strip().casefold() == labels[at][:200].strip().casefold()]
    holds = await session.page.evaluate("document.querySelector('select').value")
    assert (result.ok, holds) == ((True, f"v{at}") if len(twins) == 1 else (False, "")), result


# --- fields of a record: each is read right, or goes to a person; never another text


TASK = spec(
    output_schema={
        "ticket_number": "string",
        "status": "string | null",
        "owner": "string | null",
        "due": {"type": "date | null", "labels": ["Due date"]},
        "points": "number | null",
    },
    required_fields=["ticket_number"],
    required_artifacts=[],
)


def read(page: PageObserved) -> dict[str, str | None]:
    """The text of each field that would stand in the result; None where it would go to a person or is not read."""
    found = read_page(TASK, sample(), page)
    assert found.proof.state == "proven", found.proof
    shown: dict[str, str | None] = {}
    for name, reading in found.readings.items():
        if name in TASK.identity:
            continue
        candidate = reading.candidate if isinstance(reading, FieldFound) else None
        field = TASK.output_schema[name]
        is_value = candidate is not None and (
            candidate.shown == "" or isinstance(typed_value(field, candidate.shown, title=candidate.title), Normal)
        )
        shown[name] = candidate.shown if candidate is not None and is_value else None
    return shown


@examples(40)
@given(made=record_pages())
async def test_a_field_is_right_or_goes_to_a_person(session: PageSession, made: Page) -> None:
    await session.page.set_content(made.html)
    page = await observed(session, "record")
    wrong = {name: shown for name, shown in read(page).items() if shown is not None and shown != made.values[name]}
    assert not wrong, page.text


@examples(24)
@given(made=record_pages(certain=True))
async def test_what_is_certain_is_read(session: PageSession, made: Page) -> None:
    await session.page.set_content(made.html)
    page = await observed(session, "record")
    assert read(page) == made.values, page.text


@pytest.mark.long
async def test_all_of_these_and_of_refs_hold_for_many_more() -> None:
    own = Path(__file__)
    files = (str(own), str(own.with_name("test_properties.py")))
    asked = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files)
    run = await asyncio.create_subprocess_exec(*asked, cwd=own.parents[2], env={**os.environ, TIMES: "5"})
    assert await run.wait() == 0
