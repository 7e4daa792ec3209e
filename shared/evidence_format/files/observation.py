"""The JSON file that is stored beside a captured page: what was read of it.

A file without a ``version`` was written before there were versions: its shape is that of version 1.
"""

from __future__ import annotations

from shared.contracts.base import Part
from shared.contracts.browser_pool import Element
from shared.contracts.results import CaptureFacts


class StoredObservation(Part, frozen=True, kw_only=True):
    """NAME.observation.json.zst: everything that a program reads of the page, whatever the budget.

    ``headers`` are those of the main document's response, without values that grant access. The file is packed by zstd.
    """

    version: int = 1
    capture: CaptureFacts
    headers: tuple[tuple[str, str], ...]
    elements: tuple[Element, ...]
    lang: str = ""
    """As in :class:`shared.contracts.browser_pool.PageObserved`."""
