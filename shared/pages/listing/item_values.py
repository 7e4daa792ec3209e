"""The values of one item of a list: each from its own column, its own link or the address of that. None is taken from
another column, and two that could be meant are none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from shared.contracts.browser_pool import Element, PageObserved
from shared.field_types import base_type, nullable
from shared.pages.elements import is_heading, is_input
from shared.pages.lists.lists import ListedRecord, RepeatedRecords, column_of, is_address, last_segment, same_address
from shared.pages.read.candidates import texts_in
from shared.pages.read.fields import labels_of
from shared.task.output_field import OutputField
from shared.task.route import words
from shared.task.spec import TaskSpec
from shared.task.typed_values import find_shown_problem, is_not_present, typed_value
from shared.text.date_numbers import readable_orders
from shared.text.normal import Normal, fold, label_form, quoted
from shared.text.record_words import find_mention
from shared.text.written_dates import Order

_HASH = re.compile(r"(?:^|_)(?:sha|hash)$", re.I)
_HEX = re.compile(r"[0-9a-f]{7,128}", re.I)
_TITLE = frozenset({"name", "title", "subject", "summary", "headline", "full_name", "display_name"})
_IN_ADDRESS = re.compile(r"(?:^|_)(?:sha|hash|id|key|number|login|user_?name|handle|slug|code|account)$", re.I)


@dataclass(frozen=True)
class ItemReader:
    """Reads the items of one candidate list."""

    spec: TaskSpec
    page: PageObserved
    candidate: RepeatedRecords
    order: Order = None
    """What the page settles about its dates, where that counts."""

    def columns_for(self, name: str) -> frozenset[str]:
        """Return the columns of the candidate that hold the field: those the task names, else those of its labels."""
        chosen = self.spec.list_.columns.get(name)
        wanted = (
            labels_of(name, self.spec.output_schema[name])
            if chosen is None
            else frozenset(label_form(text) for text in words(chosen))
        )
        return wanted & frozenset(self.candidate.columns)

    def is_bound(self, name: str) -> bool:
        """Return whether a column holds the field."""
        return bool(self.columns_for(name))

    def bound(self) -> frozenset[str]:
        """Return the columns of all fields."""
        return frozenset(column for name in self.spec.output_schema for column in self.columns_for(name))

    def titles(self) -> frozenset[str]:
        """Return the columns of the title that is asked; those of all texts where no field is called a title."""
        texts = [n for n, f in self.spec.output_schema.items() if base_type(f.type) == "string" and not is_address(n)]
        titles = [name for name in texts if name.lower() in _TITLE]
        return frozenset(column for name in titles or texts for column in self.columns_for(name))

    def needs_own_link(self) -> bool:
        """Return whether the own link of an item matters to a field."""
        return any(self._uses_link(name) for name in self.spec.output_schema)

    def _uses_link(self, name: str) -> bool:
        if is_address(name):
            return any(self._labelled_link(name, record) is None for record in self.candidate.records)
        return not self.is_bound(name) and self._may_be_in_address(name)

    def _may_be_in_address(self, name: str) -> bool:
        """Return whether the address of each item may end with the field: by its name, or by its pattern."""
        field = self.spec.output_schema[name]
        if not field.pattern:
            return _IN_ADDRESS.search(name) is not None
        ends = [[last_segment(e.url) for e in record.parts if e.url is not None] for record in self.candidate.records]
        return all(any(_value(field, end) is not None for end in each) for each in ends)

    def values_in_address(self, record: ListedRecord) -> frozenset[str]:
        """Return the values of the record that its address may hold."""
        schema, headless = self.spec.output_schema, not self.candidate.columns
        names = [n for n, f in schema.items() if not is_address(n) and (self.is_bound(n) or (headless and f.pattern))]
        shown = [self._shown(name, record, None) for name in names]
        return frozenset(form for text in shown if text for form in (text, text.lstrip("#@")))

    def title_doubt(self) -> str:
        """Return why the title of an item is open; empty if it is not."""
        if self.candidate.columns:
            return ""
        for name, field in self.spec.output_schema.items():
            if not self._is_title(name):
                continue
            for head in (record.head for record in self.candidate.records):
                texts = _titles(head)
                if len(texts) > 1 and _one_of(texts, field) is None:
                    shown = ", ".join(quoted(text, 30) for text in texts[:3])
                    return f"the link of an item has several texts ({shown}); say by a pattern which of them is {name}"
        return ""

    def order_doubt(self) -> str:
        """Return which date refutes the order that the task says for its field; empty if none does."""
        for name, field in self.spec.output_schema.items():
            if field.date_order is None:
                continue
            for record in self.candidate.records:
                shown = self._shown(name, record, None) or ""
                orders = readable_orders(shown)
                if orders and field.date_order not in orders:
                    return f"{name}: {quoted(shown)} is not written in the order {field.date_order} of `date_order`"
        return ""

    def _is_title(self, name: str) -> bool:
        """Return whether the field is the text of an item's link: it is called a title, or is the only text asked."""
        schema = self.spec.output_schema
        texts = [n for n, f in schema.items() if not is_address(n) and base_type(f.type) == "string"]
        return name.lower() in _TITLE or (texts == [name] and not _IN_ADDRESS.search(name))

    def item(self, record: ListedRecord, own: Element | None) -> dict[str, Any]:
        """Return the item, with None for what it does not show in the type and pattern of the field."""
        found: dict[str, Any] = {}
        for name, field in self.spec.output_schema.items():
            if is_address(name):
                link = self._labelled_link(name, record) or own
                found[name] = urljoin(self.page.url, link.url) if link is not None and link.url is not None else None
            else:
                found[name] = _value(field, self._shown(name, record, own), self.order)
        return found

    def texts(self, record: ListedRecord, own: Element | None) -> dict[str, str]:
        """Return the item as it is shown; of an address all of it. What it does not show is left out."""
        found = {name: self._shown(name, record, own) for name in self.spec.output_schema if not is_address(name)}
        if any(map(is_address, self.spec.output_schema)):
            found |= {name: value for name, value in self.item(record, own).items() if is_address(name)}
        return {name: text for name, text in found.items() if text}

    def says_none(self, name: str, record: ListedRecord) -> bool:
        """Return whether the record has no value of a field that may be absent: its cell is empty, or says so."""
        field, columns = self.spec.output_schema[name], self.columns_for(name)
        texts = [text for e in record.parts if column_of(e) in columns for text in _texts(e)]
        return bool(texts) and nullable(field.type) and all(not one or is_not_present(one, field) for one in texts)

    def _labelled_link(self, name: str, record: ListedRecord) -> Element | None:
        """Return the one link whose column or name is a label of the field."""
        field = self.spec.output_schema[name]
        labels = labels_of(name, field)
        labels |= {label.removesuffix(" url").removesuffix(" link") for label in labels}
        chosen = self.spec.list_.columns.get(name)
        labels = labels if chosen is None else frozenset(label_form(text) for text in words(chosen))
        links = [e for e in record.parts if e.url is not None and labels & {label_form(e.name), column_of(e)}]
        return links[0] if len({same_address(e.url) for e in links}) == 1 else None

    def _shown(self, name: str, record: ListedRecord, own: Element | None) -> str | None:
        field = self.spec.output_schema[name]
        columns = self.columns_for(name)
        if columns:
            return _one_of([text for e in record.parts if column_of(e) in columns for text in _texts(e)], field)
        if name in self.spec.list_.columns:
            return None
        labels = labels_of(name, field)
        inline = [e for e in record.parts if label_form(e.name.partition(":")[0]) in labels and ": " in e.name]
        if inline:
            return _one_of([e.name.partition(":")[2].strip() for e in inline], field)
        named = [e for e in record.parts if label_form(e.header or "") in labels and e.role != "rowheader"]
        beside = [text for e in named for text in _texts(e)]
        if beside:
            return _one_of(beside, field)
        if self.candidate.columns:
            return self._in_address(name, record, own)
        return self._unlabelled(name, record, own)

    def _unlabelled(self, name: str, record: ListedRecord, own: Element | None) -> str | None:
        """Lists without headers: a title is the link's text, an id is in its address, a date has the form of one, and
        what has a pattern is the one text that fits."""
        field = self.spec.output_schema[name]
        if self._is_title(name):
            return _one_of(_titles(own or record.head), field)
        shown = [text for e in record.parts if not is_input(e) and not is_heading(e) for text in _texts(e)]
        if base_type(field.type) not in ("string", "array") or field.pattern:
            fitting = {fold(text): text for text in shown if text and _value(field, text) is not None}
            if len(fitting) == 1:
                return next(iter(fitting.values()))
            if fitting or base_type(field.type) != "string":
                return None
        return self._in_address(name, record, own)

    def _in_address(self, name: str, record: ListedRecord, own: Element | None) -> str | None:
        """Return the id at the end of the item's address, written as a text of the item writes it."""
        if own is None or own.url is None:
            return None
        last = last_segment(own.url)
        if not (self.spec.output_schema[name].pattern or _IN_ADDRESS.search(name)):
            return None
        if _HASH.search(name) and not _HEX.fullmatch(last):
            return None
        said = [e.name for e in record.parts if last and fold(e.name).lstrip("@#") == fold(last)]
        return find_mention(said[0], last) if said else last or None


def _texts(element: Element) -> list[str]:
    """Return the texts of an element that may be a value: without its badges and what is struck out."""
    return [one.shown for one in texts_in(element)]


def _titles(head: Element) -> list[str]:
    """Return the texts of a link that may be a title: the one in the strongest print, where there is one."""
    strongest = [part.text for part in head.parts if part.kind == "" and not part.minor]
    return strongest if len(strongest) == 1 else _texts(head)


def _one_of(texts: Sequence[str], field: OutputField) -> str | None:
    """Return the one text of a column that the field can hold; None if there are several different ones."""
    different = {fold(text): text for text in texts}
    if len(different) > 1:
        different = {form: text for form, text in different.items() if text and _value(field, text) is not None}
    return next(iter(different.values())) if len(different) == 1 else None


def _value(field: OutputField, shown: str | None, order: Order = None) -> Any:
    if not shown or is_not_present(shown, field) or find_shown_problem(field, shown):
        return None
    normal = typed_value(field, shown, order=order)
    return normal.value if isinstance(normal, Normal) else None
