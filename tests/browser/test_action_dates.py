"""Dates into fields and date pickers of several libraries: the date read back is the requested one."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import SetDate
from shared.contracts.results import ActionResult, ValueSet
from shared.text.date_names import LANGUAGES
from tests.browser.action_steps import POPUP, at, do, shown


async def set_date(session: PageSession, target: str, date: str) -> ActionResult:
    return await do(session, SetDate(target=at(target), date=date))


@pytest.mark.parametrize(
    ("kind", "date", "value"),
    [
        ("date", "2026-03-04", "2026-03-04"),
        ("month", "2026-11", "2026-11"),
        ("month", "2026-11-21", "2026-11"),
        ("week", "2026-11-21", "2026-W47"),
        ("time", "14:30", "14:30"),
        ("datetime-local", "2026-11-21T14:30", "2026-11-21T14:30"),
    ],
)
async def test_native_fields(session: PageSession, kind: str, date: str, value: str) -> None:
    await session.page.set_content(f"<input type={kind} aria-label=When>")
    assert (await set_date(session, "When", date)).effect == ValueSet(value=value)


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
        ("placeholder=MM/DD/YYYY", "03/04/2026"),
        ("placeholder=tt.mm.jjjj", "04.03.2026"),
        ("title='Date (D/M/YY)'", "4/3/26"),
        ("placeholder='d MMM yyyy'", "4 Mar 2026"),
        ("value=12/25/2025", "03/04/2026"),
        ("value=25/12/2025", "04/03/2026"),
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
nx.onclick = () => {{ m++; if (m > 11) {{ m = 0; y++ }} setTimeout(draw, 120) }};
b.onclick = () => {{ c.hidden = !c.hidden; draw() }}; if (window.ok) ok.onclick = finish</script>"""
ICON = "<svg width=16 height=16></svg>"


def calendar_in(language: str, lang: str = "") -> str:
    html = CALENDAR.replace("LANG", language).replace("ARROW1", "‹").replace("ARROW2", "›").replace("OK", "")
    return f"<html lang={lang}>{html}" if lang else html


@pytest.mark.parametrize("language", ["en", "de", "fr", "ja", "ru"])
async def test_a_calendar_in_any_language(session: PageSession, language: str) -> None:
    await session.page.set_content(calendar_in(language))
    assert (await set_date(session, "Choose date", "2027-03-04")).ok
    assert await shown(session, "#o") == "Thu Mar 04 2027"
    assert (await set_date(session, "css=#b", "2026-08-31")).ok
    assert await shown(session, "#o") == "Mon Aug 31 2026"


@pytest.mark.parametrize("language", sorted(LANGUAGES - {"pl", "cs", "hr"}))
async def test_a_calendar_is_turned_in_every_language_that_is_known(session: PageSession, language: str) -> None:
    await session.page.set_content(calendar_in(language))
    assert (await set_date(session, "Choose date", "2026-12-24")).ok
    assert await shown(session, "#o") == "Thu Dec 24 2026"


@pytest.mark.parametrize("language", ["pl", "cs", "hr", "eu", "is"])
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


async def test_arrows_without_a_name_and_a_button_that_confirms(session: PageSession) -> None:
    html = CALENDAR.replace("LANG", "en").replace("ARROW1", ICON).replace("ARROW2", ICON)
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
