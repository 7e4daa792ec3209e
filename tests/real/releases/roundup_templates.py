"""Roundup's issue page in other forms: the same fields of the same issues, by other templates.

Each change writes the two files that make the page anew, from those of the "classic" template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ITEM, PAGE = "issue.item.html", "page.html"
FORM = re.compile(r'<table class="form">.*?</table>', re.S)
FIELDS: Mapping[str, str] = {
    "Title": "structure python:context.title.field(size=60)",
    "Priority": "structure context/priority/menu",
    "Status": "structure context/status/menu",
    "Superseder": "structure python:context.superseder.field(showid=1, size=20)",
    "Nosy List": "structure context/nosy/field",
    "Assigned To": "structure context/assignedto/menu",
    "Keywords": "structure context/keyword/field",
}
"""Labels of the page and what shows their values, in its order."""
PAIRS = (("Title",), ("Priority", "Status"), ("Superseder", "Nosy List"), ("Assigned To", "Keywords"))
"""Labels that share a row."""
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Template:
    """The two files of an issue page. ``item``: the issue; ``page``: what is around it."""

    item: str
    page: str

    @classmethod
    def of(cls, html: Path) -> Template:
        return cls((html / ITEM).read_text(encoding="utf-8"), (html / PAGE).read_text(encoding="utf-8"))

    def write(self, html: Path) -> None:
        (html / ITEM).write_text(self.item, encoding="utf-8")
        (html / PAGE).write_text(self.page, encoding="utf-8")

    def with_form(self, form: str) -> Template:
        """Replace the table that shows the issue."""
        return Template(replaced(FORM, form, self.item), self.page)


Change = Callable[[Template], Template]


def replaced(pattern: re.Pattern[str], text: str, source: str) -> str:
    """Replace what is there exactly once or, if several times, the first. Raises ValueError where it is not."""
    result, count = pattern.subn(lambda _: text, source, count=1)
    if not count:
        raise ValueError(f"the template has no {pattern.pattern!r}: is it another release of Roundup?")
    return result


def _swapped(old: str, new: str, source: str) -> str:
    return replaced(re.compile(re.escape(old)), new, source)


def _cell(label: str, names: Mapping[str, str]) -> str:
    return f'<th>{names.get(label, label)}</th>\n <td tal:content="{FIELDS[label]}"></td>'


def _table(rows: Rows, names: Mapping[str, str] | None = None, more: str = "") -> str:
    lines = "\n".join(f"<tr>{''.join(_cell(label, names or {}) for label in row)}</tr>" for row in rows)
    return f'<table class="form">\n{more}{lines}\n</table>'


def reorder_rows(template: Template) -> Template:
    return template.with_form(_table([PAIRS[0], *PAIRS[:0:-1]]))


def swap_columns(template: Template) -> Template:
    return template.with_form(_table([row[::-1] for row in PAIRS]))


def insert_row(template: Template) -> Template:
    more = '<tr><th>Created By</th><td tal:content="context/creator"></td><th>Visibility</th><td>public</td></tr>\n'
    return template.with_form(_table(PAIRS, more=more))


def one_a_row(template: Template) -> Template:
    return template.with_form(_table([(label,) for label in FIELDS]))


def move_box(template: Template) -> Template:
    """Show messages and history above the issue."""
    form = FORM.search(template.item)
    assert form is not None
    without = replaced(FORM, "", template.item)
    history = '<tal:block tal:condition="context/id" tal:replace="structure context/history" />'
    return Template(_swapped(history, f"{history}\n{form[0]}", without), template.page)


def rename_names(template: Template) -> Template:
    """Rename classes and ids, and make the heading one of another level."""
    item = _swapped('<table class="form">', '<table class="record-sheet">', template.item)
    page = _swapped('<div id="body-title">', '<div id="page-name" class="x1">', template.page)
    page = _swapped("<h2><span metal", "<h1><span metal", page)
    return Template(item, _swapped("</span></h2>", "</span></h1>", page))


def define_list(template: Template) -> Template:
    lines = (f'<dt>{label}</dt>\n<dd tal:content="{shown}"></dd>' for label, shown in FIELDS.items())
    return template.with_form("<dl>\n" + "\n".join(lines) + "\n</dl>")


def label_above(template: Template) -> Template:
    """Show each label above its value, as cards do."""
    lines = (
        f'<div class="card"><div class="label">{label}</div>\n<div class="value" tal:content="{shown}"></div></div>'
        for label, shown in FIELDS.items()
    )
    return template.with_form('<div class="cards">\n' + "\n".join(lines) + "\n</div>")


def rename_labels(template: Template) -> Template:
    return template.with_form(_table(PAIRS, {"Assigned To": "Assignee", "Status": "State"}))


def cover_page(template: Template) -> Template:
    """Lay a dialog over the page."""
    dialog = """<div role="dialog" aria-label="News" id="news" style="position: fixed; inset: 0; z-index: 99;
 background: white"><p>The tracker has a new look.</p>
 <button type="button" onclick="document.getElementById('news').remove()">Close</button></div>
<header>"""
    return Template(template.item, _swapped("<header>", dialog, template.page))


def _issue_before() -> str:
    lines = "\n".join(
        f'<tr><th>{label}</th><td tal:content="structure python:db.issue.getItem(number).{name}.plain()"></td></tr>'
        for label, name in (
            ("Title", "title"),
            ("Priority", "priority"),
            ("Status", "status"),
            ("Assigned To", "assignedto"),
            ("Keywords", "keyword"),
        )
    )
    return f"""<tal:block tal:define="number python:str(int(context.id) - 1 or 60)">
<table class="form related">\n<caption>Issue before this one</caption>\n{lines}\n</table></tal:block>\n"""


def show_another_above(template: Template) -> Template:
    """Show the issue before it, with the same labels, in a box above the form."""
    form = '<form method="POST" name="itemSynopsis"'
    return Template(_swapped(form, _issue_before() + form, template.item), template.page)


def show_another_in_form(template: Template) -> Template:
    """Show the issue before it in a like table, right above: nothing but its caption tells them apart."""
    form = FORM.search(template.item)
    assert form is not None
    return template.with_form(_issue_before() + form[0])


RENAMED = "two labels renamed"
"""The change after which a person would not call it the same page: values stand beside other words."""
CHANGES: Mapping[str, Change] = {
    "rows in another order": reorder_rows,
    "columns in another order": swap_columns,
    "a row inserted": insert_row,
    "one field a row": one_a_row,
    "a box moved above": move_box,
    "classes and ids renamed": rename_names,
    "a definition list": define_list,
    "labels above values": label_above,
    RENAMED: rename_labels,
    "a dialog over the page": cover_page,
    "another issue shown above": show_another_above,
    "another issue in a like table": show_another_in_form,
}
