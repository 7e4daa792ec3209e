"""What published widgets show is found again in the stored files of their page, without their scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.fetch_packages import npm_missing
from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import SessionLimits
from services.browser_pool.page.snapshot import compose
from shared.contracts.actions import Goto
from shared.contracts.reperform import FAULTS
from shared.pages.read.fields import FieldFound, read_fields
from shared.settings import Settings
from shared.task.spec import TaskSpec
from tests.browser.site import LOOPBACK
from tests.browser.stored_pages import read_all_again
from tests.real.widgets_play import widget_site

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(npm_missing(), reason="npm is not on this machine: NO WIDGET IS TRIED"),
]
LIMITS = SessionLimits(action_s=8.0, navigation_s=20.0, rest_s=1.0, download_bytes=50_000)
SET = {
    "fields": """date.setDate('2026-03-10'); meeting.setDate('2026-03-10 10:30'); shown.setDate('2026-03-10');
        country.setChoiceByValue('no'); tags.setChoiceByValue(['urgent', 'export']); owner.setValue('lina');
        customer.addOption({ id: '17', name: 'Acme Paper' }); customer.setValue('17');""",
    "shoelace": """for (const one of document.querySelectorAll('sl-select')) {
        const values = [...one.querySelectorAll('sl-option')].map((option) => option.value);
        one.value = one.multiple ? values.slice(0, 2) : values.at(-1); }""",
    "jquery_ui": """for (const one of document.querySelectorAll('select')) {
        one.selectedIndex = one.options.length - 1; try { jQuery(one).selectmenu('refresh') } catch { continue } }
        for (const one of document.querySelectorAll('input:not([type])')) one.value ||= 'typed';""",
}


CHOSEN = {
    "owner": ("string", "Lina Berg"),
    "tags": ("array", "urgent, export"),
    "country": ("string", "Norway"),
    "topics": ("array", "printers, toner"),
    "speed": ("string", "Fast"),
    "colours": ("array", "Red, Blue"),
}


async def test_what_selects_with_clear_buttons_show_is_their_choice(tmp_path: Path):
    fields = {name: kind for name, (kind, _) in CHOSEN.items()}
    task = TaskSpec.model_validate({"task_id": "t", "goal": "Read it.", "start_url": "{url}", "output_schema": fields})
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path / "auth"), limits=LIMITS)
    try:
        async with widget_site() as site:
            session, fresh = await browser.open_session(LOOPBACK), await browser.open_session(LOOPBACK)
            await session.act(Goto(url=f"{site.url}/clearing.html"))
            page = compose(await session.observe("s1", max_tokens=100_000), "s1")
            read = await read_all_again(session, fresh)
    finally:
        await browser.close()
    found = {name: one for name, one in read_fields(task, page).items() if isinstance(one, FieldFound)}
    assert {name: one.candidate.shown for name, one in found.items()} == {n: text for n, (_, text) in CHOSEN.items()}
    # A tag that a script makes pressable is a text in the stored page; its name with the glyph is no value.
    values = [(element, one) for element, one in read if element.role != "button"]
    assert {str(one.recorded) for _, one in values} >= {"Lina Berg", "urgent export", "Norway", "Fast", "Red Blue"}
    assert [(element.role, one.recorded, one.message) for element, one in values if one.verdict in FAULTS] == []


@pytest.mark.parametrize("name", sorted(SET))
async def test_every_text_of_published_widgets_is_found_again(name: str, tmp_path: Path):
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path / "auth"), limits=LIMITS)
    try:
        async with widget_site() as site:
            session, fresh = await browser.open_session(LOOPBACK), await browser.open_session(LOOPBACK)
            await session.act(Goto(url=f"{site.url}/{name}.html?name=stored"))
            await session.page.evaluate(SET[name])
            read = await read_all_again(session, fresh)
    finally:
        await browser.close()
    assert len(read) > 15
    lost = [(element.role, one.recorded, one.verdict, one.message) for element, one in read if one.verdict in FAULTS]
    assert lost == []
