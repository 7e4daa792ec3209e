"""What the frames of a page say of their lists, by the refs of the whole page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from services.browser_pool.page.model import ListFacts, ListPlace
from shared.contracts.browser_pool import Scroller


@dataclass(frozen=True)
class PageLists:
    """``list_places``: by ref."""

    scrollers: tuple[Scroller, ...]
    list_places: Mapping[int, ListPlace]


def lists_of(frames: Iterable[tuple[float, ListFacts, Callable[[set[int]], set[int]]]]) -> PageLists:
    """Return the parts that scroll, numbered over all frames, and what is said of each element.

    Each frame: where its document begins, what it says, and what gives the indexes of its elements on the page.
    """
    scrollers: list[Scroller] = []
    places: dict[int, ListPlace] = {}
    for top_of_frame, facts, indexes_of in frames:
        first = len(scrollers) + 1
        for number, (y, largest, top, height, outer) in enumerate(facts.scrollers, first):
            within = first + outer if outer >= 0 else 0
            scrollers.append(
                Scroller(
                    number=number, y_px=y, max_y_px=largest, top_px=top_of_frame + top, height_px=height, within=within
                )
            )
        own: dict[int, ListPlace] = {}
        for scroller, n in facts.inside:
            own[n] = replace(own.get(n, ListPlace()), scroller=first + scroller)
        for n, size, at in facts.stated:
            own[n] = replace(own.get(n, ListPlace()), set_size=size, set_at=at)
        for n in facts.foot:
            own[n] = replace(own.get(n, ListPlace()), in_foot=True)
        # The elements of a frame have refs in their own order.
        indexes = sorted(indexes_of(set(own)))
        places |= {index + 1: own[n] for index, n in zip(indexes, sorted(own), strict=True)}
    return PageLists(tuple(scrollers), places)
