"""What a page says of its lists beside their texts: parts that scroll by themselves, declared sizes, feet of tables."""

from __future__ import annotations

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef, Scroll
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import Scrolled
from shared.pages.lists.list_states import parts_around
from tests.browser.action_steps import do
from tests.browser.conftest import Look
from tests.typed import expect

NESTED = (
    "<p>Above</p><div style='height:200px;overflow:auto'><div style='height:150px'>Outer</div>"
    "<div style='height:120px;overflow-y:scroll'><table aria-rowcount=41>{head}{rows}</table></div></div>"
)
HEAD = "<tr aria-rowindex=1><th>Key<th>Name</tr>"
ROWS = "".join(f"<tr aria-rowindex={n + 1} style='height:30px'><td>K-{n}<td>Name {n}</tr>" for n in range(1, 11))
FOOT = "<tfoot><tr><td>Total<td>10</tr></tfoot>"


def named(page: PageObserved, name: str) -> Element:
    return next(e for e in page.elements if e.name == name)


async def test_a_part_that_scrolls_by_itself_is_told_with_what_is_in_it(look: Look) -> None:
    page = await look(NESTED.format(head=HEAD, rows=ROWS) + "<table><tr><td>a<td>b</tr>" + FOOT + "</table>")
    last = named(page, "K-10")
    inner, outer = parts_around(page, last.scroller)
    assert (inner.y_px, inner.height_px, outer.within) == (0, 120, 0)
    assert inner.max_y_px > 10 * 30 - 120
    assert parts_around(page, named(page, "Outer").scroller) == [outer]
    assert named(page, "Above").scroller == 0
    assert (last.set_size, last.set_at, named(page, "a").set_size) == (41, 11, 0)
    assert (named(page, "Total").in_foot, named(page, "a").in_foot) == (True, False)


async def test_a_scroll_with_a_target_moves_the_innermost_part_that_can_go_on(look: Look, session: PageSession) -> None:
    html = NESTED.format(head=HEAD, rows=ROWS)
    page = await look(html)
    target = ByRef(ref=named(page, "K-1").ref, snapshot_id=page.snapshot_id)
    inner, outer = parts_around(page, named(page, "K-1").scroller)
    to_end = Scroll(amount_px=9999, target=target)
    assert (await do(session, to_end)).effect == Scrolled(y_px=inner.max_y_px, max_y_px=inner.max_y_px)
    assert (await do(session, to_end)).effect == Scrolled(y_px=outer.max_y_px, max_y_px=outer.max_y_px)
    up = expect((await do(session, Scroll(direction="up", amount_px=5, target=target))).effect, Scrolled)
    assert up.y_px == inner.max_y_px - 5
