"""Stored pages opened again: their content is read again, and nothing else is requested."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from services.browser_pool.adapters.archive.restore import UnfitPage, unpack
from services.browser_pool.adapters.browser.chromium import Chromium, PoolSession
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import RestoredPage, RestoreRefused, RestoreRequest
from shared.contracts.actions import ByRef, Extract, Goto
from shared.contracts.browser.stored_pages import Sought
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.reperform import FAULTS
from shared.contracts.results import Locator, TextRead
from shared.zstd import pack_zstd
from tests.browser.action_steps import do
from tests.browser.site import LOOPBACK, Site
from tests.browser.stored_pages import mhtml_of, read_all_again, written

RECORD = """<!doctype html><title>Ticket TCK-7</title><h1>Ticket TCK-7</h1>
<div hidden>not to be seen</div><div id=state>Open</div>
<table><tr><th scope=row>Assignee</th><td>Ana Ruiz</td></tr><tr><th scope=row>Amount</th><td>1,234.50</td></tr>
<tr><th scope=row>Opened</th><td><time datetime="2026-03-10">10/03/26</time></td></tr></table>
<dl><dt>Owner<dd><a href="/people/7">Ana Ruiz</a></dl>
<label>Team <input name=team value=Blue></label>
<iframe name=notes src="/notes"></iframe><iframe src="/more"></iframe><iframe srcdoc="<p>written in place</p>"></iframe>
<open-box></open-box><closed-box></closed-box>
<script>
for (const mode of ['open', 'closed']) customElements.define(`${mode}-box`, class extends HTMLElement {
  constructor() { super(); this.attachShadow({mode}).innerHTML = `<p>in the ${mode} root</p>`; } });
document.body.insertAdjacentHTML('beforeend', '<p data-testid=late>came late</p>');
</script>"""
ALL = 100_000


def packed(mhtml: str) -> bytes:
    return pack_zstd(mhtml.encode())


def plainly(elements: tuple[Element, ...]) -> list[tuple[object, ...]]:
    return [(e.role, e.name, e.value, e.header, e.title, e.frame, e.url, e.fingerprint) for e in elements]


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(chromium: Chromium) -> AsyncIterator[PoolSession]:
    leased = await chromium.open_session(LOOPBACK)
    yield leased
    await leased.close()


async def restored(fresh: PoolSession, mhtml: str, **asked: object) -> PageObserved:
    page = await fresh.restore(RestoreRequest(packed(mhtml), "r1", **asked))  # type: ignore[arg-type]
    assert isinstance(page, RestoredPage), page
    return compose(page.raw, "r1")


@pytest_asyncio.fixture(loop_scope="session")
async def record(session: PageSession, site: Site) -> PageObserved:
    site.add("/notes", "<p id=note>a note</p>")
    site.add("/more", "<p>more of it</p>")
    await do(session, Goto(url=site.add("/record", RECORD)))
    return compose(await session.observe("live", max_tokens=ALL, locators=True), "live")


async def test_a_stored_page_reads_as_the_page_did(session: PageSession, record: PageObserved, fresh: PoolSession):
    again = await restored(fresh, await mhtml_of(session), max_tokens=ALL)
    assert plainly(again.elements) == plainly(record.elements)
    assert (again.url, again.title) == (record.url, "Ticket TCK-7")
    texts = {element.name for element in again.elements}
    assert {"in the open root", "in the closed root", "a note", "more of it", "written in place", "came late"} <= texts
    assert {e.frame for e in again.elements} == {"main", "notes", record.url.replace("record", "more"), "about:srcdoc"}


async def test_what_was_typed_is_not_in_a_stored_page(session: PageSession, record: PageObserved, fresh: PoolSession):
    await session.page.fill("[name=team]", "Red")
    again = await restored(fresh, await mhtml_of(session), max_tokens=ALL)
    assert [e.value for e in again.elements if e.name == "Team"] == ["Blue"]


async def test_what_is_sought_is_told_whatever_the_budget(
    session: PageSession, record: PageObserved, fresh: PoolSession
):
    state = next(e for e in record.elements if e.name == "Open")
    note = next(e for e in record.elements if e.name == "a note")
    late = next(e for e in record.elements if e.name == "came late")
    team = next(e for e in record.elements if e.name == "Team")
    mhtml = (await mhtml_of(session)).replace(">Open<", ">Closed<").replace(">came late<", ">came early<")
    sought = tuple(Sought(fingerprint=e.fingerprint, locators=e.locators) for e in (state, note, late, team))
    broken = Sought(locators=(Locator(kind="css", value=":::", matches=1),))
    again = await restored(fresh, mhtml, max_tokens=0, sought=(*sought, broken), keywords=("assignee",))
    found = [(e.role, e.name, e.header) for e in again.elements]
    assert ("cell", "Ana Ruiz", "Assignee") in found
    assert {"Closed", "a note", "came early", "Team"} <= {name for _, name, _ in found}
    assert again.left_out > 0
    ref = next(e.ref for e in again.elements if e.name == "Closed")
    read = await do(fresh, Extract(target=ByRef(ref=ref, snapshot_id="r1")))
    assert read.effect == TextRead(text="Closed")


async def test_a_stored_page_is_drawn_again(session: PageSession, site: Site, fresh: PoolSession):
    site.add("/look.css", "p { color: black; background: white } #note { color: black }", content_type="text/css")
    page = """<link rel=stylesheet href=/look.css>
    <p>1,250.00</p><p id=note>paid</p><p style="position: relative">77.10
    <b style="position: absolute; inset: 0; background: gold"></b></p>"""
    await do(session, Goto(url=site.add("/notes-drawn", page)))
    live = compose(await session.observe("live", max_tokens=ALL, locators=True), "live")
    sought = tuple(Sought(fingerprint=e.fingerprint, locators=e.locators) for e in live.elements)
    stored = await mhtml_of(session)
    mhtml = stored.replace("#note { color: black; }", "#note { color: white; }")
    assert mhtml != stored
    again = await fresh.restore(RestoreRequest(packed(mhtml), "r1", max_tokens=ALL, sought=sought))
    assert isinstance(again, RestoredPage), again
    names = {one.ref: one.item.name for one in again.raw.seen}
    assert {names[ref]: one.state for ref, one in again.ink.items()} == {
        "1,250.00": "seen",
        "paid": "absent",
        "77.10": "absent",
    }


async def test_a_stored_page_reaches_nothing(site: Site, fresh: PoolSession, tmp_path: Path):
    secret = tmp_path / "secret.html"
    secret.write_text("<p>of this machine</p>")
    there = site.url
    html = f"""<title>trap</title><meta http-equiv=refresh content="0;url={there}/refreshed">
    <base href="{there}/"><link rel=stylesheet href="{there}/style"><link rel=prefetch href="{there}/prefetched">
    <link rel=preconnect href="{there}">
    <style>@import "{there}/imported"; body {{ background: url({there}/drawn) }}</style>
    <p>stays</p><p id=word>unwritten</p><img src="{there}/seen"><object data="{there}/object"></object>
    <embed src="{there}/embedded"><video src="{there}/played" autoplay></video>
    <iframe src="{there}/framed"></iframe><iframe src="{secret.as_uri()}"></iframe><iframe src="cid:inner"></iframe>
    <iframe src="data:text/html,<script>document.write('ran')</script><p>data"></iframe>
    <iframe srcdoc="<script>document.write('ran')</script>"></iframe><iframe src="javascript:'ran'"></iframe>
    <svg><use href="{there}/used#x"></use></svg>
    <script>document.getElementById('word').textContent = 'ran'; fetch('{there}/fetched');
    location = '{there}/left'</script>
    <p onclick="1"><img src=x onerror="document.getElementById('word').textContent='ran'">"""
    inner = f"<p>inner</p><iframe src='{there}/deeper'></iframe><script>parent.location = '{there}/top'</script>"
    seen = await restored(fresh, written(html, frames={"inner": inner}), max_tokens=ALL)
    texts = {element.name for element in seen.elements}
    assert {"stays", "unwritten", "inner"} <= texts
    assert not {"ran", "of this machine"} & texts
    await restored(fresh, written("<p>another"), max_tokens=ALL)  # by now what was to come of the first has come
    asked = ("refreshed", "style", "prefetched", "imported", "drawn", "seen", "object", "embedded", "played", "framed",
             "used", "fetched", "left", "deeper", "top")  # fmt: skip
    assert [path for path in asked if site.asked_for(f"/{path}").is_set()] == []


async def test_a_session_with_a_stored_page_opens_nothing_else(site: Site, fresh: PoolSession, tmp_path: Path):
    await restored(fresh, written("<p>one</p>"))
    other = tmp_path / "other.html"
    other.write_text("<p>other")
    for url in (site.add("/elsewhere", "x"), other.as_uri()):
        refused = await do(fresh, Goto(url=url))
        assert (refused.ok, refused.code) == (False, "policy_denied")
    assert not site.asked_for("/elsewhere").is_set()
    assert [e.name for e in (await restored(fresh, written("<p>two</p>"))).elements] == ["two"]


async def test_a_session_that_has_opened_pages_takes_no_stored_one(site: Site, fresh: PoolSession):
    await do(fresh, Goto(url=site.add("/first", "x")))
    refused = await fresh.restore(RestoreRequest(packed(written("<p>one")), "r1"))
    assert isinstance(refused, RestoreRefused)
    assert refused.code == "not_restored"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"no zstd at all", "not_a_page"),
        (pack_zstd(b""), "not_a_page"),
        (pack_zstd(b"<h1>Just HTML</h1>"), "not_a_page"),
        (pack_zstd(b"Content-Type: multipart/related; boundary=x\r\n\r\nno part"), "not_a_page"),
    ],
)
async def test_what_is_no_stored_page_is_refused_and_leaves_nothing(fresh: PoolSession, data: bytes, code: str):
    refused = await fresh.restore(RestoreRequest(data, "r1"))
    assert isinstance(refused, RestoreRefused)
    assert refused.code == code
    assert not list(fresh._browser_folder.glob("stored-*"))


async def test_no_file_of_a_stored_page_is_left(fresh: PoolSession):
    await restored(fresh, written("<p>one</p>"))
    assert not list(fresh._browser_folder.glob("stored-*"))


def test_a_page_that_unpacks_to_too_much_is_not_unpacked(tmp_path: Path):
    bomb = pack_zstd(b"\0" * 50_000_000)
    assert len(bomb) < 10_000
    with pytest.raises(UnfitPage) as refused:
        unpack(bomb, tmp_path / "bomb", max_bytes=1_000_000)
    assert refused.value.code == "too_large"
    assert (tmp_path / "bomb").stat().st_size <= 1_000_000


# --- widgets that scripts draw are found again, without scripts and form state


HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)"
WIDGETS = f"""<!doctype html><title>Case 7</title><h1>Case 7</h1>
<div><label for=state>State</label> <select id=state style="{HIDDEN}" tabindex=-1 aria-hidden=true>
  <option value="">Pick</option><option>Open</option><option>Closed</option></select>
  <span><span role=combobox aria-expanded=false tabindex=0 aria-labelledby=state-shown>
  <button type=button tabindex=-1 title="Remove all items">&times;</button>
  <span id=state-shown role=textbox aria-readonly=true title=Closed>Closed</span></span></span></div>
<div><label for=region>Region</label>
  <div class=chooser role=combobox aria-expanded=false tabindex=0><div><select id=region hidden>
  <option value="">Pick</option><option>North</option></select><div><div class=item>North</div></div></div></div></div>
<div><label for=owner>Owner</label><div class=picked><div class=option>Lina Berg</div>
  <input id=owner role=combobox></div></div>
<div><label>Tags</label><div class=tags><span>urgent <button>Remove</button></span><span>export
  <button>Remove</button></span></div></div>
<div><label for=when>Due</label> <input type=hidden id=when><input class=shown></div>
<div><label for=kind>Kind</label> <select id=kind><option>Small</option><option>Large</option></select></div>
<div><label for=many>Parts</label> <select id=many multiple><option>a</option><option>b</option></select></div>
<label><input type=checkbox id=paid> Paid</label> <label><input type=radio name=r id=fast> Fast</label>
<div><label for=note>Note</label> <textarea id=note></textarea></div>
<script>
state.value = 'Closed'; region.value = 'North'; kind.value = 'Large'; many.options[1].selected = true;
paid.checked = true; fast.checked = true; note.value = 'typed by a script';
document.querySelector('.shown').value = 'March 10, 2026';
for (const one of document.querySelectorAll('.option, .tags span')) one.addEventListener('click', () => {{}});
</script>"""


async def test_every_text_of_scripted_widgets_is_found_again(session: PoolSession, fresh: PoolSession, site: Site):
    await do(session, Goto(url=site.add("/widgets", WIDGETS)))
    read = await read_all_again(session, fresh)
    assert {element.value for element, _ in read} >= {"North", "Large", "b", "March 10, 2026"}
    lost = [(element.role, one.recorded, one.verdict, one.message) for element, one in read if one.verdict in FAULTS]
    assert lost == []
