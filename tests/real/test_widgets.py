"""Widgets of five third-party libraries, set with the observation and the typed actions only.

The page itself reports the value of the widget. `make real` prints the table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.fetch_packages import npm_missing
from tests.real.player import Player, play_all, pool
from tests.real.widgets_list import WIDGETS
from tests.real.widgets_play import Played, Widget, play, report, widget_site

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(npm_missing(), reason="npm is not on this machine: NO WIDGET IS TRIED"),
]


async def test_every_widget_holds_what_was_asked_for(tmp_path: Path):
    assert len({one.told_as for one in WIDGETS}) == len(WIDGETS), "each tells under a name of its own"
    async with widget_site() as site, pool(tmp_path) as settings:

        async def turn(somebody: Player, widget: Widget) -> Played:
            return await play(somebody, site, widget)

        played = await play_all(settings, site.url, WIDGETS, turn)
    print("\n" + report(played))
    lost = [one for one in played if not one.solved]
    assert not lost, report(lost)
