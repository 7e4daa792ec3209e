"""The data in the text of report.html."""

from __future__ import annotations

import re


def block(page: str, name: str) -> str:
    """The text of one of the page's data blocks."""
    found = re.search(rf'<script type="text/plain" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found is not None, name
    return found[1]
