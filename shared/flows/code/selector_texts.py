"""Selectors made of values: whatever stands in a value, it stays a value. Imports the standard library only.

`shared.pages.locate.selectors` says what they mean.
"""

from __future__ import annotations

import json
import re

_CSS_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]')


def by_role(role: str, name: str = "") -> str:
    """Return the selector of the element with this role and accessible name."""
    return f"role={role}[name={_quoted(name)}]" if name else f"role={role}"


def by_label(label: str) -> str:
    """Return the selector of a form field with this label."""
    return f"label={label}"


def by_text(text: str) -> str:
    """Return the selector of the element whose whole text this is."""
    return f"text={text}"


def by_test_id(test_id: str) -> str:
    """Return the selector of the element with this ``data-testid``."""
    return f'[data-testid="{_CSS_SPECIAL.sub(_css_escape, test_id)}"]'


def with_text(css: str, text: str) -> str:
    """Return the selector of what CSS finds and whose whole text this is."""
    return f"{css}:has-text({_quoted(text)})"


def in_row(selector: str, *cells: str) -> str:
    """Return the selector of the one in the row, or item of a list, that has these cells."""
    return f"row={_quoted(list(cells))} >> {selector}"


def beside(selector: str, label: str) -> str:
    """Return the selector of the one beside this label, or under this header of a column."""
    return f"header={_quoted(label)} >> {selector}"


def in_region(selector: str, name: str) -> str:
    """Return the selector of the one in the part of the page of this name."""
    return f"region={_quoted(name)} >> {selector}"


def after(selector: str, text: str) -> str:
    """Return the selector of the first one after the only element with this text."""
    return f"after={_quoted(text)} >> {selector}"


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _css_escape(found: re.Match[str]) -> str:
    text = found[0]
    return f"\\{text}" if text in '"\\' else f"\\{ord(text):x} "
