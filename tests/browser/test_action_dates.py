"""Dates into fields and date pickers of several libraries: the date read back is the requested one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import SetDate
from shared.contracts.results import ActionResult, ValueSet
from shared.text.date_names import LANGUAGES
from tests.browser.action_steps import POPUP, at, do, shown


async def set_date(session: PageSession, target: str, date: str) -> ActionResult:
    return await do(session, SetDate(target=at(target), date=date))


NATIVE = (
    ("date", "2026-03-04", "2026-03-04"),
    ("month", "2026-11-21", "2026-11"),
    ("week", "2026-11-21", "2026-W47"),
    ("time", "14:30", "14:30"),
    ("datetime-local", "2026-11-21T14:30", "2026-11-21T14:30"),
)


async def test_native_fields(session: PageSession) -> None:
    await session.page.set_content("".join(f"<input type={kind} aria-label={kind}>" for kind, _, _ in NATIVE))
    for kind, date, value in NATIVE:
        assert (await set_date(session, f"css=[type={kind}]", date)).effect == ValueSet(value=value)


async def test_what_a_native_field_cannot_take(session: PageSession) -> None:
    await session.page.set_content(
        "<input type=datetime-local aria-label=Both><input type=date aria-label=Fixed readonly>"
        "<input type=date aria-label=Other oninput=\"this.value = '2000-01-01'\">"
    )
    assert (await set_date(session, "Both", "2026-11-21")).code == "failed"
    assert (await set_date(session, "Both", "21.11.2026")).code == "failed"
    assert (await set_date(session, "Fixed", "2026-11-21")).code == "not_editable"
    other = await set_date(session, "Other", "2026-11-21")
    assert (other.code, other.effect) == ("effect_not_seen", ValueSet(value="2000-01-01"))


@pytest.mark.parametrize(
    ("attributes", "value"),
    [
        ("placeholder=tt.mm.jjjj", "04.03.2026"),
        ("title='Date (D/M/YY)'", "4/3/26"),
        ("value=12/25/2025", "03/04/2026"),
    ],
)
async def test_fields_that_say_how_they_want_it(session: PageSession, attributes: str, value: str) -> None:
    await session.page.set_content(f"<input aria-label=When {attributes}>")
    assert (await set_date(session, "When", "2026-03-04")).effect == ValueSet(value=value)


READS = """<input aria-label=When onchange="const m = /^(\\d+)[/](\\d+)[/](\\d{4})$/.exec(this.value);
this.value = m && +m[MONTH] < 13 && +m[DAY] < 32 ? this.value : ''">"""


@pytest.mark.parametrize(("month", "day", "value"), [("1", "2", "03/04/2026"), ("2", "1", "04/03/2026")])
async def test_the_order_is_told_by_a_day_above_twelve(session: PageSession, month: str, day: str, value: str) -> None:
    await session.page.set_content(READS.replace("MONTH", month).replace("DAY", day))
    assert (await set_date(session, "When", "2026-03-04")).effect == ValueSet(value=value)


async def test_a_field_that_turns_the_day_round_is_found_out(session: PageSession) -> None:
    await session.page.set_content(
        "<input aria-label=When placeholder=DD/MM/YYYY onchange=\"this.value = '03/04/2026'\">"
    )
    wrong = await set_date(session, "When", "2026-03-04")
    assert (wrong.ok, wrong.code) == (False, "effect_not_seen")


CALENDAR = f"""<button id=b>Choose date</button><p id=o></p>
<div id=c hidden style='{POPUP}'><button id=pv>ARROW1</button>
<span id=h></span><button id=nx>ARROW2</button><div role=grid id=g></div>OK</div><script>
let y = 2026, m = 10, sel;
function draw() {{ h.textContent = new Date(y, m, 1).toLocaleString('LANG', {{ month: 'long', year: 'numeric' }});
  g.innerHTML = ''; const first = new Date(y, m, 1).getDay(); for (let i = 0; i < 42; i++) {{
  const d = new Date(y, m, 1 - first + i), cell = document.createElement('div'); cell.textContent = d.getDate();
  cell.style = 'display:inline-block;width:30px'; cell.setAttribute('role', 'gridcell');
  cell.setAttribute('aria-disabled', d.getFullYear() < 2020); cell.onclick = () => pick(d); g.append(cell);
  if (i % 7 == 6) g.append(document.createElement('br')) }} }}
const pick = d => {{ sel = d; if (!window.ok) finish() }};
const finish = () => {{ c.hidden = true; b.textContent = sel.toLocaleDateString('LANG');
        o.textContent = sel.toDateString() }};
pv.onclick = () => {{ m--; if (m < 0) {{ m = 11; y-- }} draw() }};
nx.onclick = () => {{ m++; if (m > 11) {{ m = 0; y++ }} draw() }};
b.onclick = () => {{ c.hidden = !c.hidden; draw() }}; if (window.ok) ok.onclick = finish</script>"""
ICON = "<svg width=16 height=16></svg>"


def calendar_in(language: str, lang: str = "") -> str:
    html = CALENDAR.replace("LANG", language).replace("ARROW1", "‹").replace("ARROW2", "›").replace("OK", "")
    return f"<html lang={lang}>{html}" if lang else html


async def test_a_calendar_is_turned_forwards_and_back(session: PageSession) -> None:
    await session.page.set_content(calendar_in("en"))
    assert (await set_date(session, "Choose date", "2027-03-04")).ok
    assert await shown(session, "#o") == "Thu Mar 04 2027"
    assert (await set_date(session, "css=#b", "2026-08-31")).ok
    assert await shown(session, "#o") == "Mon Aug 31 2026"


def some(languages: Collection[str], *usual: str) -> list[Any]:
    """The usual ones; the others are long: `test_date_names.py` knows the months of all."""
    others = sorted(set(languages) - set(usual))
    return [*usual, *(pytest.param(language, marks=pytest.mark.long) for language in others)]


@pytest.mark.parametrize("language", some(LANGUAGES - {"pl", "cs", "hr"}, "de", "ja", "ar"))
async def test_a_calendar_is_turned_in_every_language_that_is_known(session: PageSession, language: str) -> None:
    await session.page.set_content(calendar_in(language))
    assert (await set_date(session, "Choose date", "2026-12-24")).ok
    assert await shown(session, "#o") == "Thu Dec 24 2026"


@pytest.mark.parametrize("language", some(("pl", "cs", "hr", "eu", "is"), "hr", "eu"))
async def test_a_calendar_in_the_language_of_its_page(session: PageSession, language: str) -> None:
    await session.page.set_content(calendar_in(language, f"{language}-XX"))
    assert (await set_date(session, "Choose date", "2026-10-31")).ok
    assert await shown(session, "#o") == "Sat Oct 31 2026"


async def test_the_language_of_a_part_of_the_page_counts_before_that_of_the_page(session: PageSession) -> None:
    html = calendar_in("hr", "pl").replace("<button id=b>", "<div lang=hr><button id=b>", 1)
    await session.page.set_content(html)
    assert (await set_date(session, "Choose date", "2026-10-31")).ok
    assert await shown(session, "#o") == "Sat Oct 31 2026"


async def test_a_month_that_two_languages_call_alike_is_not_guessed(session: PageSession) -> None:
    await session.page.set_content(calendar_in("pl"))
    unsure = await set_date(session, "Choose date", "2026-11-21")
    assert (unsure.ok, unsure.code) == (False, "effect_not_seen")
    assert "does not say which month it shows" in unsure.message
    assert await shown(session, "#o") == ""


async def test_a_page_that_comes_while_a_calendar_is_used_is_told_the_months_too(session: PageSession) -> None:
    await session.page.set_content(calendar_in("de"))
    assert (await set_date(session, "Choose date", "2026-11-03")).ok
    await session.page.goto("about:blank")
    await session.page.set_content(calendar_in("de"))
    assert (await set_date(session, "Choose date", "2026-11-04")).ok
    assert await shown(session, "#o") == "Wed Nov 04 2026"


@pytest.mark.usefixtures("patient")
async def test_arrows_without_a_name_months_that_come_late_and_a_button_that_confirms(session: PageSession) -> None:
    html = CALENDAR.replace("LANG", "en").replace("ARROW1", ICON).replace("ARROW2", ICON)
    html = html.replace("y++ } draw() }", "y++ } setTimeout(draw, 60) }")
    await session.page.set_content(html.replace("OK", "<button id=ok>Apply</button>"))
    assert (await set_date(session, "Choose date", "2027-01-31")).ok
    assert await shown(session, "#o") == "Sun Jan 31 2027"


async def test_a_day_that_cannot_be_picked(session: PageSession) -> None:
    html = CALENDAR.replace("LANG", "en").replace("ARROW1", "Previous").replace("ARROW2", "Next").replace("OK", "")
    await session.page.set_content(html.replace("y = 2026", "y = 2020"))
    off = await set_date(session, "Choose date", "2019-12-24")
    assert (off.ok, off.code) == (False, "no_such_option")
    assert await shown(session, "#o") == ""


LISTS = f"""<label>Born<input id=i readonly></label>
<div id=c hidden style='{POPUP}'><select id=ms></select><select id=ys>
</select><table id=t></table></div><script>
for (let k = 0; k < 12; k++) ms.add(new Option(new Date(2024, k, 1).toLocaleString('en', {{ month: 'short' }}), k));
for (let k = 1950; k < 2031; k++) ys.add(new Option(k, k));
ms.value = 10; ys.value = 2026;
function draw() {{ t.innerHTML = ''; const last = new Date(+ys.value, +ms.value + 1, 0).getDate(); let row;
        for (let d = 1;
  d <= last; d++) {{ if (d % 7 == 1) {{ row = t.insertRow();
        row.insertCell().outerHTML = `<td class=week>${{Math.ceil(d / 7)}}`; }}
  const a = document.createElement('a'); a.href = '#'; a.textContent = d; row.insertCell().append(a);
  a.onclick = e => {{ e.preventDefault(); i.value = `${{d}}.${{+ms.value + 1}}.${{ys.value}}`; c.hidden = true }} }} }}
ms.onchange = ys.onchange = draw; i.onfocus = () => {{ c.hidden = false; draw() }}</script>"""


async def test_lists_of_months_and_years_and_the_numbers_of_weeks(session: PageSession) -> None:
    await session.page.set_content(LISTS)
    assert (await set_date(session, "Born", "1985-03-04")).effect == ValueSet(value="4.3.1985")
    assert await session.page.input_value("#i") == "4.3.1985"


async def test_what_is_no_date_field(session: PageSession) -> None:
    await session.page.set_content("<button>Dead</button><input aria-label=Off disabled>")
    assert (await set_date(session, "Dead", "2026-03-04")).code == "not_editable"
    assert (await set_date(session, "Off", "2026-03-04")).code == "not_editable"


# --- what is reported is what the field holds at rest; no key reaches a calendar that was not opened


# A field with a calendar. PICKED: what a press on a day does; ESCAPE: what the key does.
PICKER = f"""<label>Due<input id=i READONLY></label>BUTTON<div id=c hidden style='{POPUP};top:40px'><b>March 2026</b>
<table><tr id=r></tr></table>CONFIRM</div><p id=k></p><script>
for (let d = 1; d < 32; d++) r.innerHTML += `<td>${{d}}</td>`;
const put = text => {{ i.value = text }}, fade = () => {{ c.style.opacity = 0.5; setTimeout(() => {{ c.hidden = true;
  c.style.opacity = 1 }}, 100) }};
const open = () => {{ c.hidden = false }};
i.onclick = open; document.querySelectorAll('.open').forEach(b => {{ b.onclick = open }});
r.onclick = e => {{ const day = `2026-03-${{e.target.textContent.padStart(2, '0')}}`; PICKED }};
onkeydown = e => {{ k.append(e.key + ' '); if (e.key == 'Escape') {{ ESCAPE }} }}</script>"""


def picker(picked: str, *, escape: str = "", **parts: str) -> str:
    html = PICKER.replace("PICKED", picked).replace("ESCAPE", escape)
    for name in ("READONLY", "BUTTON", "CONFIRM"):
        html = html.replace(name, parts.get(name.lower(), ""))
    return html


async def set_due(session: PageSession, target: str = "Due") -> ActionResult:
    return await do(session, SetDate(target=at(target), date="2026-03-14"))


HELD = ValueSet(value="2026-03-14")


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("readonly", ["", "readonly"])
async def test_a_calendar_that_fades_is_waited_for_and_gets_no_key(session: PageSession, readonly: str) -> None:
    await session.page.set_content(picker("put(day); fade()", escape="put('')", readonly=readonly))
    assert (await set_due(session)).effect == HELD
    assert await session.page.input_value("#i") == "2026-03-14"
    assert await shown(session, "#k") == ""


@pytest.mark.parametrize("escape", ["c.hidden = true; put('')", "c.hidden = true"])
async def test_a_key_that_closes_the_calendar_and_empties_the_field_is_made_good(
    session: PageSession, escape: str
) -> None:
    await session.page.set_content(picker("put(day)", escape=escape, readonly="readonly"))
    assert (await set_due(session)).effect == HELD
    assert await session.page.input_value("#i") == "2026-03-14"


async def test_a_calendar_that_was_open_before_gets_no_key(session: PageSession) -> None:
    await session.page.set_content(picker("put(day)", escape="put('')", readonly="readonly"))
    await session.page.click("#i")
    assert (await set_due(session)).effect == HELD
    assert await shown(session, "#k") == ""


@pytest.mark.usefixtures("patient")
async def test_a_field_that_is_emptied_a_moment_later_is_not_said_to_be_set(session: PageSession) -> None:
    taken_back = "put(day); c.hidden = true; setTimeout(() => put(''), 20)"
    await session.page.set_content(picker(taken_back, readonly="readonly"))
    lost = await set_due(session)
    assert (lost.ok, lost.code, lost.effect) == (False, "effect_not_seen", ValueSet(value=""))


@pytest.mark.usefixtures("patient")
async def test_a_typed_date_that_is_turned_round_a_moment_later_is_not_said_to_be_set(session: PageSession) -> None:
    await session.page.set_content(
        "<input aria-label=Due placeholder=DD/MM/YYYY onchange=\"setTimeout(() => this.value = '03/04/2026', 20)\">"
    )
    lost = await set_due(session)
    assert (lost.ok, lost.effect) == (False, ValueSet(value="03/04/2026"))


@pytest.mark.usefixtures("patient")
async def test_a_date_that_is_shown_late_is_waited_for(session: PageSession) -> None:
    await session.page.set_content(picker("fade(); setTimeout(() => put(day), 60)", readonly="readonly"))
    assert (await set_due(session)).effect == HELD


APPLY = '<button onclick="put(window.chosen); c.hidden = true">Apply</button>'


@pytest.mark.parametrize(("confirm", "held"), [(APPLY, "2026-03-14"), ("", "")])
async def test_a_mark_in_a_calendar_is_no_date_in_the_field(session: PageSession, confirm: str, held: str) -> None:
    """It has to be confirmed; the key that closes the calendar drops it."""
    marks = "e.target.setAttribute('aria-selected', 'true'); window.chosen = day"
    await session.page.set_content(picker(marks, escape="c.hidden = true", confirm=confirm))
    told = await set_due(session)
    assert (told.ok, told.effect) == (bool(held), ValueSet(value=held))


async def test_a_button_beside_the_field_opens_the_calendar(session: PageSession) -> None:
    button = "<button class=open aria-haspopup=dialog aria-label='Choose a day'>#</button>"
    page = picker("put(day); c.hidden = true", button=button).replace("i.onclick = open;", "")
    await session.page.set_content(page)
    assert (await set_due(session, "Choose a day")).ok
    assert await session.page.input_value("#i") == "2026-03-14"


async def test_the_calendar_of_another_field_is_not_pressed(session: PageSession) -> None:
    page = (
        picker("put(day)", readonly="readonly")
        + "<label style='position:absolute;top:900px'>Other<input readonly></label>"
    )
    await session.page.set_content(page)
    await session.page.click("#i")
    other = await set_due(session, "Other")
    assert not other.ok
    assert await session.page.input_value("#i") == ""
