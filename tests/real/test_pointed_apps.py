"""Two items of the list of a third-party app are pointed at: what is read with them is what its own database has."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.console.web.pointing.list_drafts import ListDraft, list_of
from services.console.web.pointing.list_trials import try_list
from services.console.web.pointing.page_looks import look_at
from shared.contracts.browser_pool import PageObserved
from shared.host.services import run_embedded
from shared.pages.elements import text_of
from shared.settings import Settings
from shared.text.record_words import find_mention
from tests.real.apps.app import real_app

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]


@pytest.mark.parametrize("name", ["calibreweb", "datasette", "helpdesk", "sqladmin"])
async def test_a_list_by_pointing_is_all_that_the_app_has(name: str, tmp_path: Path):
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", planner="rules")
    async with real_app(name, tmp_path / "app") as app, run_embedded(settings) as client:
        url, listed = app.url + app.truth.list_path, list(app.truth.listed)
        page = (await look_at(client.bus, url, "")).page
        first, _, third, *_ = [ref for key in listed if (ref := ref_of(page, key))]
        found = list_of(page, {"first": str(first), "second": str(third)}, f"{name}_list")
        assert isinstance(found, ListDraft), found
        trial = await try_list(client.bus, found.spec(url, ""))
    assert (trial.state, len(trial.items)) == ("complete", len(listed)), trial.message
    shown = [[str(value) for value in one.values.values()] for one in trial.items]
    assert [key for key in listed if not any(find_mention(text, key) for texts in shown for text in texts)] == []
    assert len({one.address for one in trial.items}) == len(listed)


def ref_of(page: PageObserved, key: str) -> int:
    """Return the first element that shows it, 0 where none does."""
    return next((one.ref for one in page.elements if text_of(one) == key), 0)
