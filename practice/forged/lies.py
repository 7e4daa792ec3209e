"""The lies of the site, and which sample meets which: a pure function of a seed.

A lie is a page that contradicts itself, the request, or what the site shows elsewhere. A page that lies without any
contradiction could not be told by anybody, so there is none in these lists.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal, get_args

CaseLie = Literal[
    "misled_link",
    "near_number",
    "other_project",
    "quoted_number",
    "echoed_number",
    "nested_record",
    "swapped_rows",
    "swapped_labels",
    "swapped_dates",
    "double_label_before",
    "double_label_beside",
    "double_label_after",
    "spoken_label",
    "spoken_value",
    "decoy_none",
    "decoy_transparent",
    "decoy_clipped",
    "decoy_tiny",
    "decoy_colourless",
    "decoy_pale",
    "decoy_away",
    "painted_over",
    "late_fetch",
    "late_slow_fetch",
    "late_timer",
    "late_chain",
]
"""What the page of a case does:

``misled_link``: the link in the results of a search leads to a case with a similar number.
``near_number``: it is the page of a case with a similar number and the same title. ``other_project``: that of the
same number in the other project. ``quoted_number``: that of another case, which names the asked number in its title and
text. ``echoed_number``: heading and title repeat the asked number, the properties are another's. ``nested_record``:
another case, in which the asked one stands as a related one, with labels of its own.

``swapped_rows``: two rows of the properties have changed places. ``swapped_labels``, ``swapped_dates``: two labels
have, and their values have not.
``double_label_*``: there is a second row with the label and another value, before all, beside the right one, or last.
``spoken_label``, ``spoken_value``: the name for screen readers is that of another row, or another value.

``decoy_*``: the cell has another text that cannot be seen: not displayed, transparent, cut off, of no size, of no
colour, of the colour of the page, or outside of it. ``painted_over``: another text lies over the value.

``late_*``: another value is shown first, until a request is answered, soon or late, a timer has run, or one after
the other.
"""
OrderLie = Literal[
    "other_account",
    "other_amount",
    "other_start",
    "changed_when_stored",
    "not_stored",
    "earlier_number",
    "stored_then_500",
    "asked_again",
    "shown_late",
]
"""What the site does with an order:

``other_account``: the page of success is that of an earlier order. ``other_amount``, ``other_start``: it shows another
value than was sent. ``changed_when_stored``: another amount is stored; the page of success shows what was sent, that of
the order what is stored. ``not_stored``: nothing is stored. ``earlier_number``: the number is that of an earlier order.
``stored_then_500``: the order is stored, and the answer is an error. ``asked_again``: the order is stored, and the
review comes again. ``shown_late``: the page of success shows an earlier order first, then its own.
"""
Dialog = Literal["", "confirm", "keep", "withdraw"]
"""What lies over a page: a question of the browser before the form is sent; a dialog of the page that can be closed,
beside buttons that do something; one in which the button that seems to refuse withdraws the order, or the case."""
CASE_LIES: tuple[CaseLie, ...] = get_args(CaseLie)
ORDER_LIES: tuple[OrderLie, ...] = get_args(OrderLie)
ONE_IN = 10
"""Samples of which one meets a dialog, of each kind."""


def dealt(keys: Sequence[str], lies: Sequence[str], seed: int) -> dict[str, str]:
    """Return the lie of each key; empty: none. Each lie is there once, if there are as many keys."""
    order = list(keys)
    random.Random(f"lies {seed}").shuffle(order)
    return {**dict.fromkeys(keys, ""), **dict(zip(order, lies, strict=False))}


def dialogs(keys: Sequence[str], kinds: Sequence[Dialog], seed: int) -> dict[str, Dialog]:
    """Return which keys meet a dialog: of each kind one in ten, and at least one."""
    order = list(keys)
    random.Random(f"dialogs {seed}").shuffle(order)
    each = max(1, len(order) // ONE_IN)
    return {key: kinds[at // each] for at, key in enumerate(order[: each * len(kinds)])}
