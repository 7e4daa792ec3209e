"""Calls of a flow performed in a real browser over the bus: elements, waits, effects, values and captured files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from shared.contracts.browser_pool import LeaseSession, ReleaseSession, SessionLeased
from shared.contracts.workflows.flows import (
    AwaitElement,
    CheckShown,
    ChooseDate,
    ChooseOption,
    ClickElement,
    CountElements,
    DownloadAll,
    DownloadFile,
    FlowCall,
    OpenAddress,
    PressKeys,
    ProveRecord,
    ReadFields,
    SetOutput,
    TakeScreenshot,
    TypeInto,
)
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import AfterText, AtSelector, ExtractionRule, UnderHeader, Where, Whole
from shared.flows.files import ElementFacts, FieldsFile, FlowFiles
from shared.flows.live import LiveFlow
from shared.subjects import LEASE, RELEASE
from shared.testing.bus import MemoryBus
from tests.browser.conftest import Pool
from tests.browser.site import Site


class Flow:
    """A live flow; a call returns its value, `refused` the code of its error."""

    def __init__(self, bus: MemoryBus, session: SessionLeased, folder: Path) -> None:
        self._bus, self._session, self._folder = bus, session, folder
        self.live = self.of(FlowFiles())

    def of(self, files: FlowFiles, **variables: object) -> LiveFlow:
        self.live = LiveFlow(self._bus, self._session, files, variables, folder=self._folder)
        return self.live

    async def __call__(self, call: FlowCall) -> Any:
        answer = await self.live.answer(call)
        assert answer.error is None, answer.error
        return answer.value

    async def refused(self, call: FlowCall) -> str:
        answer = await self.live.answer(call)
        assert answer.error is not None
        return answer.error.code


@pytest_asyncio.fixture(loop_scope="session")
async def flow(pool: Pool, tmp_path: Path) -> AsyncIterator[Flow]:
    lease = LeaseSession(run_id="run_1", sample_id="A-1", allowed_hosts=("127.0.0.1",), private_hosts=("127.0.0.1",))
    session = await pool.bus.ask(LEASE, lease)
    assert isinstance(session, SessionLeased)
    yield Flow(pool.bus, session, tmp_path / "captured")
    await pool.bus.ask(RELEASE, ReleaseSession(session_id=session.session_id, instance_id=session.instance_id))


def field(*places: Where, **rest: Any) -> FieldRules:
    return FieldRules(rules=tuple(ExtractionRule(where=at, attribute="name", part=Whole()) for at in places), **rest)


TICKET = """
<title>TCK-7</title><h1>Broken lamp</h1>
<dl><dt>Ticket</dt><dd id="number">TCK-7</dd><dt>Assignee</dt><dd>{assignee}</dd></dl>
"""
FIELDS = FieldsFile(
    fields={
        "ticket": field(UnderHeader(header="Ticket", role="definition"), AtSelector(selector="#number")),
        "assignee": field(
            UnderHeader(header="Assignee", role="definition"),
            AfterText(text="Assignee", steps=1, role="definition"),
        ),
    },
)


async def test_fields_are_read_and_the_record_is_proven(flow: Flow, site: Site):
    url = site.add("/t7", TICKET.format(assignee="Ann Lee"))
    flow.of(FlowFiles(fields=FIELDS))
    await flow(OpenAddress(url=url))
    assert await flow(ProveRecord(expected={"ticket": "tck-7"})) is True
    assert await flow.refused(ProveRecord(expected={"ticket": "TCK-77"})) == "wrong_record"
    assert await flow(ReadFields(fields=("ticket", "assignee"))) == {"ticket": "TCK-7", "assignee": "Ann Lee"}


async def test_a_value_that_a_script_brings_is_waited_for(flow: Flow, site: Site):
    html = TICKET.format(assignee='<span id="a">Loading…</span>')
    late = "<script>setTimeout(() => { document.getElementById('a').textContent = 'Ann Lee' }, 100)</script>"
    url = site.add("/late", html + late)
    flow.of(FlowFiles(fields=FIELDS))
    await flow(OpenAddress(url=url))
    assert await flow(ReadFields(fields=("assignee",))) == {"assignee": "Ann Lee"}


async def test_nothing_but_an_address_is_done_before_the_first_page(flow: Flow):
    assert await flow.refused(TakeScreenshot(label="x")) == "bad_call"


FORM = """
<title>Request</title><h1>Request</h1><form action="/sent">
<label>Name <input name="name"></label>
<label>Day <input type="date" name="day"></label>
<label>State <select name="state"><option>open</option><option>closed</option></select></label>
<fieldset><legend>Ship to</legend><label>City <input name="ship"></label></fieldset>
<fieldset><legend>Bill to</legend><label>City <input name="bill"></label></fieldset>
<button id="send" data-testid="send">{send}</button><button type="button">Cancel</button></form>
"""


async def test_a_form_is_filled_in_and_sent(flow: Flow, site: Site):
    url = site.add("/form", FORM.format(send="Send"))
    site.add("/sent", "<title>Sent</title><h1>Thank you</h1>")
    button = ElementFacts(role="button", selectors=("#send", '[data-testid="send"]'), effects=("navigated",))
    flow.of(FlowFiles(locators={'role=button[name="Send"]': button}))
    await flow(OpenAddress(url=url))
    await flow(ClickElement(selector="label=Name"))
    await flow(TypeInto(text='Ann "A" Lee'))
    await flow(ChooseDate(selector="label=Day", date="2026-03-09"))
    await flow(ChooseOption(selector="label=State", option="closed"))
    await flow(TypeInto(selector='region="Bill to" >> label=City', text="Rome"))
    assert await flow.refused(TypeInto(selector="label=City", text="Oslo")) == "element_ambiguous"
    await flow(ClickElement(selector='role=button[name="Send"]', irreversible=True))
    assert await flow(CheckShown(selector="text=Thank you")) is True


@pytest.mark.parametrize(("name", "effect"), [("Send", "page_changed"), ("Cancel", "navigated")])
async def test_another_effect_than_recorded_stops_it(flow: Flow, site: Site, name: str, effect: str):
    url = site.add("/form2", FORM.format(send="Send"))
    site.add("/sent", "<title>Sent</title><h1>Thank you</h1>")
    selector = f'role=button[name="{name}"]'
    flow.of(FlowFiles(locators={selector: ElementFacts(role="button", effects=(effect,))}))
    await flow(OpenAddress(url=url))
    assert await flow.refused(ClickElement(selector=selector)) in ("effect_missing", "action_failed")


async def test_an_element_that_is_not_there_yet_is_waited_for(flow: Flow, site: Site):
    script = """<script>setTimeout(() => {
      document.body.insertAdjacentHTML('beforeend', '<button class="go now">Go</button>') }, 400)</script>"""
    url = site.add("/later", f"<title>Later</title><h1>Later</h1>{script}")
    await flow(OpenAddress(url=url))
    await flow(ClickElement(selector='role=button[name="Go"]'))
    await flow(OpenAddress(url=url))
    await flow(ClickElement(selector="button.go.now"))
    await flow(OpenAddress(url=url))
    assert await flow(AwaitElement(selector="text=Go")) is True
    assert await flow.refused(AwaitElement(selector="text=Stop", timeout_s=0.6)) == "element_missing"


async def test_css_that_only_the_browser_knows_must_match_one(flow: Flow, site: Site):
    rows = '<li class="a">One</li><li class="a b">Two</li>'
    url = site.add("/css", f"<title>L</title><ul>{rows}</ul><button class='x'>A</button><button class='x'>B</button>")
    await flow(OpenAddress(url=url))
    assert await flow.refused(ClickElement(selector="button.x")) == "element_ambiguous"
    assert await flow(CheckShown(selector="button.x")) is False
    assert await flow(CheckShown(selector="li.b")) is True
    assert await flow(ClickElement(selector="button.nowhere", if_shown=True)) is False
    assert await flow(CountElements(selector="role=button")) == 2


async def test_pictures_and_files_are_written_to_the_folder(flow: Flow, site: Site, tmp_path: Path):
    links = "".join(f'<a href="/f{n}.csv" download>File {n}</a> ' for n in (1, 2))
    url = site.add("/files", f"<title>F</title><h1>Files</h1><nav aria-label='Files'>{links}</nav><a href='/'>Home</a>")
    for n in (1, 2):
        site.add(f"/f{n}.csv", f"a,b\n{n},2\n", content_type="text/csv")
    await flow(OpenAddress(url=url))
    await flow(TakeScreenshot(label="page"))
    await flow(TakeScreenshot(label="head", selector="role=heading"))
    await flow(DownloadFile(selector="text=File 1", label="first"))
    assert await flow(DownloadAll(selector='region="Files" >> role=link', label="each")) == 2
    names = {path.name for path in (tmp_path / "captured").iterdir()}
    assert names == set(flow.live.files)
    assert {"01_page.png", "01_page.mhtml.zst", "03_first.csv", "04_each_1.csv", "05_each_2.csv"} <= names
    assert (tmp_path / "captured" / "05_each_2.csv").read_bytes() == b"a,b\n2,2\n"


async def test_outputs_and_keys(flow: Flow, site: Site):
    url = site.add("/keys", "<title>K</title><h1>K</h1><label>City <input></label>")
    await flow(OpenAddress(url=url))
    await flow(SetOutput(key="total", value=3))
    await flow(TypeInto(selector="label=City", text="Rome"))
    await flow(PressKeys(keys="Tab"))
    assert flow.live.outputs == {"total": 3}
