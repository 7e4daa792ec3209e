"""Pictures of one page that are asked for at once, or given up: each shows the page as it is."""

from __future__ import annotations

import asyncio
import io

from PIL import Image

from services.browser_pool.adapters.pictures import take_png, take_small_picture
from services.browser_pool.adapters.session import PageSession
from shared.contracts.results import Box

CORNER = (
    "<style>div { position: fixed; right: 0; bottom: 0; width: 60px; height: 60px; background: red }</style><div></div>"
)


def corner_of(picture: bytes) -> tuple[int, ...]:
    with Image.open(io.BytesIO(picture)) as image:
        pixel = image.convert("RGB").getpixel((image.width - 10, image.height - 10))
        assert isinstance(pixel, tuple)
        return pixel


async def test_a_picture_shows_the_page_as_it_is_while_and_after_a_smaller_one_is_drawn(session: PageSession) -> None:
    await session.page.set_content(CORNER)
    size = session.page.viewport_size
    assert size is not None
    view = Box(x=0, y=0, width=size["width"], height=size["height"])
    small = asyncio.ensure_future(take_small_picture(session.page, view))
    both = await asyncio.gather(*(take_png(session.page) for _ in range(3)))
    red, green, blue = corner_of(await small)
    assert (red > 240, green < 20, blue < 20) == (True, True, True)  # a JPEG is not exact
    assert [corner_of(one) for one in (*both, await take_png(session.page))] == [(255, 0, 0)] * 4


async def test_a_picture_that_is_given_up_is_no_part_of_the_next_one(session: PageSession) -> None:
    await session.page.set_content(CORNER)
    size = session.page.viewport_size
    assert size is not None
    view = Box(x=0, y=0, width=size["width"], height=size["height"])
    for turns in range(4):
        small = asyncio.ensure_future(take_small_picture(session.page, view))
        for _ in range(turns):  # each answer comes between the steps of the one that is given up
            await session.page.title()
        small.cancel()
        await asyncio.wait([small])
        assert corner_of(await take_png(session.page)) == (255, 0, 0), turns
