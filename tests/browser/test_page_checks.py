"""The checks of the console's pages find what they are for, on pages that are wrong."""

from __future__ import annotations

from tests.end_to_end.page_checks import cut_off, motion_of, out_of_reach
from tests.practice_sites.site_browser import a_browser

RIGHT = '<h1>Right</h1><a href="#a">one</a> <button>two</button> <p>Some words of a text.</p>'
WRONG = {
    '<div style="width: 500px">wide</div>': "outside",
    '<p style="width: 40px; overflow: hidden; white-space: nowrap">words that are not seen</p>': "cut off",
    '<p style="width: 30px; overflow-wrap: anywhere">narrowness</p>': "broken: narrowness",
    '<button style="transition: color 1s">three</button>': "moves: button",
    '<a href="#b" style="outline: none">no ring</a>': "shows no focus: a",
    "<button onfocus=\"document.querySelector('a').focus()\">a trap</button><button>after</button>": "has no end",
    '<button onfocus="this.blur()">gone</button><button>after</button>': "not reached: button",
}


async def test_what_is_wrong_with_a_page_is_found():
    async with a_browser() as browser:
        page = await browser.new_page(viewport={"width": 390, "height": 800})
        page.set_default_timeout(300)  # a focus that is not shown is waited for
        page.set_default_navigation_timeout(30_000)  # a page has the time that a busy machine takes
        for wrong, told in {"": "", **WRONG}.items():
            await page.set_content(RIGHT + wrong)
            found = [*await cut_off(page), *await motion_of(page), *await out_of_reach(page)]
            assert bool(found) == bool(wrong), wrong
            assert not wrong or any(told in one for one in found), (wrong, found)
