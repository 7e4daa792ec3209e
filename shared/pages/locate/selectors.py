"""Selectors: texts that name an element of a page.

    role=button[name="Save"]                     by role and accessible name, or by role alone: role=link
    label=Country                                a form field by its label
    text=Save                                    by its whole text
    #save, [data-testid="save"]                  any other text is CSS
    li.option:has-text("Aetna")                  CSS with the element's whole text

Before it, joined by `` >> ``, may stand what tells it from others of its kind:

    row=["Ann Lee", "Acme"] >> role=link         in the row, or item of a list, that has these cells
    header="Assignee" >> role=link               beside this label, or under this header of a column
    region="Attachments" >> role=link            in the part of the page of this name
    after="Resolves" >> role=link                the first one after the only element with this text

Quoted texts are JSON strings, so that a value with quotes in it cannot become another selector.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from shared.text.normal import quoted, tidy

BaseKind = Literal["role", "label", "text", "css"]
JOINT = " >> "
_STRING = r'"(?:[^"\\]|\\.)*"'
_ROLE = re.compile(rf"role=(?P<role>[a-z]+)(?:\[name=(?P<name>{_STRING})\])?")
_HAS_TEXT = re.compile(rf"(?P<css>.*):has-text\((?P<text>{_STRING})\)", re.DOTALL)
_SCOPE = re.compile(rf"(?P<kind>header|region|after)=(?P<text>{_STRING}) >> ")
_LISTED_CSS = re.compile(rf"#(?:[\w-]|\\.)+|\[data-(?:testid|test-id|test|cy|qa)={_STRING}\]")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
MAX_CHARS = 4000


@dataclass(frozen=True)
class Selector:
    """``value``: the role, the label, the text or the CSS. ``name``: the accessible name, or the whole text of what CSS
    finds; None: any."""

    kind: BaseKind
    value: str
    name: str | None = None
    row: tuple[str, ...] = ()
    header: str = ""
    region: str = ""
    after: str = ""


def parse_selector(text: str) -> Selector:
    """Return the selector. Raises ValueError, with the part that is wrong."""
    if len(text) > MAX_CHARS:
        raise ValueError(f"a selector has at most {MAX_CHARS} characters")
    rest, scopes = text.strip(), {}
    while (found := _scope(rest)) is not None:
        key, value, rest = found
        if key in scopes:
            raise ValueError(f"{key}= is there twice: {text}")
        scopes[key] = value
    if not rest:
        raise ValueError(f"the selector names no element: {text!r}")
    return replace(_base(rest), **scopes)


def _scope(text: str) -> tuple[str, Any, str] | None:
    if text.startswith("row="):
        try:
            cells, end = json.JSONDecoder().raw_decode(text, len("row="))
        except ValueError as exc:
            raise ValueError(f"row= is followed by a JSON list of texts: {text}") from exc
        listed = cast("list[object]", cells) if isinstance(cells, list) else []
        if not listed or not all(isinstance(one, str) for one in listed) or not text[end:].startswith(JOINT):
            raise ValueError(f'row= is written as row=["one", "two"] >> role=link: {text}')
        return "row", tuple(map(str, listed)), text[end + len(JOINT) :]
    found = _SCOPE.match(text)
    return None if found is None else (found["kind"], _unquoted(found["text"]), text[found.end() :])


def _base(text: str) -> Selector:
    if text.startswith("role="):
        found = _ROLE.fullmatch(text)
        if found is None:
            raise ValueError(f'a role is written as role=button[name="Save"]: {text}')
        return Selector("role", found["role"], None if found["name"] is None else _unquoted(found["name"]))
    if text.startswith("label="):
        return Selector("label", tidy(text.removeprefix("label=")))
    if text.startswith("text="):
        return Selector("text", tidy(text.removeprefix("text=")))
    found = _HAS_TEXT.fullmatch(text)
    return Selector("css", text) if found is None else Selector("css", found["css"], _unquoted(found["text"]))


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError as exc:
        raise ValueError(f"{text} is not a JSON string") from exc


def write_selector(selector: Selector) -> str:
    """Return the text of a selector; the inverse of `parse_selector`."""
    parts = [f"row={_quoted(list(selector.row))}"] if selector.row else []
    parts += [f"{key}={_quoted(text)}" for key in ("header", "region", "after") if (text := getattr(selector, key))]
    name = "" if selector.name is None else _quoted(selector.name)
    base = {
        "role": f"role={selector.value}" + (f"[name={name}]" if name else ""),
        "label": f"label={selector.value}",
        "text": f"text={selector.value}",
        "css": selector.value + (f":has-text({name})" if name else ""),
    }[selector.kind]
    return JOINT.join([*parts, base])


def selector_in_words(text: str) -> str:
    """Return what a selector names, for people: ``link 'T-7' in 'Page Index'``. Raises ValueError."""
    selector = parse_selector(text)
    named = "" if selector.name is None else f" {quoted(selector.name)}"
    base = {
        "role": f"{selector.value}{named}" if named else f"a {selector.value}",
        "label": f"the field {quoted(selector.value)}",
        "text": f"the text {quoted(selector.value)}",
        "css": f"{selector.value}{named}",
    }[selector.kind]
    scopes = [f"in the row of {', '.join(map(quoted, selector.row))}"] if selector.row else []
    scopes += [f"beside {quoted(selector.header)}"] if selector.header else []
    scopes += [f"in {quoted(selector.region)}"] if selector.region else []
    scopes += [f"after {quoted(selector.after)}"] if selector.after else []
    return " ".join([base, *scopes])


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- templates


def is_listed_css(text: str) -> bool:
    """Return whether a selector is one id or test id alone, which a stored page has of each element that it lists."""
    return _LISTED_CSS.fullmatch(text) is not None


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return the text with the value of each ``{identifier}`` that has one; others are left."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), template)


def fill_selector(selector: Selector, values: Mapping[str, str]) -> Selector:
    """Return a selector whose texts are templates with the values of variables in it."""
    return Selector(
        kind=selector.kind,
        value=fill_template(selector.value, values),
        name=None if selector.name is None else fill_template(selector.name, values),
        row=tuple(fill_template(cell, values) for cell in selector.row),
        header=fill_template(selector.header, values),
        region=fill_template(selector.region, values),
        after=fill_template(selector.after, values),
    )


def placeholders_of(text: str) -> frozenset[str]:
    """Return the identifiers of a template."""
    return frozenset(_PLACEHOLDER.findall(text))
