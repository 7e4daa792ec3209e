"""Selectors made of values: whatever stands in a value, it stays a value. Imports the standard library only.

`shared.pages.locate.selectors` says what they mean.
"""

from __future__ import annotations

import json
import re

_CSS_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]')


def by_role(role: str, name: str = "") -> str:
    """Return the selector of the element with this role and accessible name.

    Args:
        role: an ARIA role, such as ``button`` or ``link``.
        name: the whole name; without it, the only element of the role.

    Example:
        by_role("button", "Save")
    """
    return f"role={role}[name={_quoted(name)}]" if name else f"role={role}"


def by_label(label: str) -> str:
    """Return the selector of a form field.

    Args:
        label: of the field, whole.

    Example:
        by_label("Country")
    """
    return f"label={label}"


def by_text(text: str) -> str:
    """Return the selector of an element by its text.

    Args:
        text: its whole text.

    Example:
        by_text("No results")
    """
    return f"text={text}"


def by_test_id(test_id: str) -> str:
    """Return the selector of the element with this ``data-testid``.

    Args:
        test_id: the value of the attribute.

    Example:
        by_test_id("save")
    """
    return f'[data-testid="{_CSS_SPECIAL.sub(_css_escape, test_id)}"]'


def with_text(css: str, text: str) -> str:
    """Return the selector of what CSS finds and whose whole text this is.

    Args:
        css: a CSS selector.
        text: the whole text.

    Example:
        with_text("li", "Paid")
    """
    return f"{css}:has-text({_quoted(text)})"


def in_row(selector: str, *cells: str) -> str:
    """Return the selector of the one in a row of a table, or in an item of a list.

    Args:
        selector: of the element.
        *cells: texts that cells of the row have, each whole.

    Example:
        in_row(by_role("link", "Open"), "Ann Lee", "Acme")
    """
    return f"row={_quoted(list(cells))} >> {selector}"


def beside(selector: str, label: str) -> str:
    """Return the selector of the one beside a label, or under the header of a column.

    Args:
        selector: of the element.
        label: the whole text of the label or header.

    Example:
        beside("a", "Assignee")
    """
    return f"header={_quoted(label)} >> {selector}"


def in_region(selector: str, name: str) -> str:
    """Return the selector of the one in a part of the page.

    Args:
        selector: of the element.
        name: of the part.

    Example:
        in_region("a", "Files")
    """
    return f"region={_quoted(name)} >> {selector}"


def after(selector: str, text: str) -> str:
    """Return the selector of the first one after an element.

    Args:
        selector: of the element that is meant.
        text: of the element before it, which is the only one with this text.

    Example:
        after("a", "Resolves")
    """
    return f"after={_quoted(text)} >> {selector}"


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _css_escape(found: re.Match[str]) -> str:
    text = found[0]
    return f"\\{text}" if text in '"\\' else f"\\{ord(text):x} "
