"""Where a rule's place is on a page, and the text there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from shared.contracts.browser_pool import Element, PageObserved
from shared.extraction.rules import (
    AfterText,
    AtHeading,
    AtPlace,
    AtSelector,
    Attribute,
    BesideOwnWord,
    Between,
    ByName,
    ByTask,
    ExtractionRule,
    InGroup,
    InLabelledRow,
    InRegion,
    PageItself,
    TextRule,
    UnderHeader,
    Where,
    Whole,
)
from shared.extraction.structure import Group, groups_of
from shared.pages.index import PageIndex
from shared.pages.radios import with_chosen_radios
from shared.pages.touching import with_touching_joined
from shared.text.normal import fold, tidy


def _may_name_row(element: Element) -> bool:
    """Return whether the element is in a row of a table, and is not the head of one of its columns."""
    return element.row is not None and element.role != "columnheader"


@dataclass(frozen=True)
class TaskValue:
    """What a page tells of a field by the labels of its task. ``text``: empty where it shows that there is none.
    ``ref``: of the element that shows it, or of the label. ``proven``: the page shows whose record it is of."""

    text: str
    ref: int
    proven: bool = True


NO_TASK_VALUES: Mapping[str, TaskValue] = {}


class ObservedPage(PageIndex):
    """The elements of one observation, indexed. Elements over the page, such as a cookie banner, are left out; with
    ``over`` they are all that there is: a record may be shown in a dialog.

    ``title`` and ``url``: of the page, where they may tell a value. ``task_values``: what it tells of the fields of its
    task. ``address``: its url, where that may tell none."""

    def __init__(
        self,
        elements: Sequence[Element],
        title: str = "",
        url: str = "",
        task_values: Mapping[str, TaskValue] = NO_TASK_VALUES,
        address: str = "",
        *,
        over: bool = False,
    ) -> None:
        self.task_values, self.address, self.over = task_values, url or address, over
        super().__init__([one for one in with_touching_joined(with_chosen_radios(elements)) if one.in_dialog == over])
        self.itself = Element(ref=0, role="page", name=title, url=url or None)

    @classmethod
    def of(
        cls, page: PageObserved, task_values: Mapping[str, TaskValue] = NO_TASK_VALUES, *, over: bool = False
    ) -> ObservedPage:
        """Return the page of an observation, or what lies over it."""
        return cls(page.elements, page.title, page.url, task_values, over=over)

    def find(self, where: Where) -> Element | None:
        """Return the element, or None when there is none or more than one."""
        match where:
            case ByTask():
                value = self.task_values.get(where.field)
                return None if value is None else self.with_ref(value.ref)
            case BesideOwnWord():
                found = only(one for one in self.elements if _has_word(one, where.word))
                return found if found is not None and _is_built_so(found, where) else None
            case UnderHeader():
                return only(one for one in self.headed(where.header) if where.role in ("", one.role))
            case InLabelledRow():
                return only(one for one in self.beside(where) if where.role in ("", one.role))
            case ByName():
                return only(one for one in self.called(where.name) if one.role == where.role)
            case InGroup():
                group = self.find_group(where.form)
                return group[where.nth] if group is not None and where.nth < len(group) else None
            case PageItself():
                return self.itself
            case AfterText():
                return self._after(where)
            case InRegion():
                return _nth(self.in_region(where.region, where.role), where.nth)
            case AtSelector():
                return only(self.selected_by(where.selector))
            case AtHeading():
                return only(self.headings_of(where.level))
            case AtPlace():
                found = self.at_place(where.path)
                return found[where.nth] if len(found) == where.of else None

    def extract(self, rule: ExtractionRule) -> str | None:
        """Return the text that the rule gives, or None."""
        element = self.find(rule.where)
        if isinstance(rule.where, ByTask):
            return None if element is None else tidy(self.task_values[rule.where.field].text) or None
        return None if element is None else self.extract_from(element, rule)

    def extract_from(self, element: Element, rule: ExtractionRule) -> str | None:
        """Return the text that the rule takes of this element, or None."""
        text = None if element.cut_chars else text_of(element, rule.attribute, rule.nth, rule.of)
        return None if text is None else part_of(text, rule.part)

    def is_joined(self, rule: ExtractionRule) -> bool:
        """Return whether the rule gives all of an element that shows several texts, such as a name and a badge."""
        is_whole = rule.attribute == "name" and isinstance(rule.part, Whole) and not isinstance(rule.where, ByTask)
        element = self.find(rule.where) if is_whole else None
        return element is not None and len(element.parts) > 1

    def is_empty_at(self, rule: ExtractionRule) -> bool:
        """Return whether the rule's place is there and shows nothing, whatever role it has then."""
        if isinstance(rule.where, ByTask):
            return self.find(rule.where) is not None and not tidy(self.task_values[rule.where.field].text)
        match rule.where:
            case UnderHeader():
                element = only(self.headed(rule.where.header))
            case InLabelledRow():
                element = only(self.beside(rule.where))
            case _:
                element = self.find(rule.where)
        if isinstance(rule.where, InLabelledRow) and element is None:
            label = only(one for one in self.called(rule.where.label) if _may_name_row(one))
            return label is not None and label.before_blank and rule.where.columns == 1
        if element is None or element.cut_chars or element.url or rule.attribute not in ("name", "value", "part"):
            return False
        return not (text_of(element, "value") if rule.attribute == "value" else tidy(element.name))

    def is_within_itself(self, element: Element) -> bool:
        """Return whether the element is a link to a place on this page: its address is the page's own, with a `#`."""
        url, hash_, _ = (element.url or "").partition("#")
        return bool(hash_) and url == self.address.partition("#")[0]

    def is_constant(self, rule: ExtractionRule, text: str, constants: Collection[str]) -> bool:
        """Return whether a text that the rule found stands in this place on every example page.

        Beside the value's own label it is the value, whatever the examples had there."""
        if isinstance(rule.where, ByTask | UnderHeader):
            return False
        element = self.find(rule.where)
        return element is not None and constant_at(element, text) in constants

    def text_beside(self, rule: ExtractionRule) -> str | None:
        """Return the text in the rule's place when it has another role, such as a word where there mostly is a link."""
        match rule.where:
            case UnderHeader():
                element = only(self.headed(rule.where.header))
            case InLabelledRow():
                element = only(self.beside(rule.where))
            case _:
                return None
        return None if element is None or element.cut_chars or rule.attribute != "name" else tidy(element.name)

    def beside(self, where: InLabelledRow) -> Sequence[Element]:
        """Return what is in the cell that is so many columns after the only cell with the label."""
        label = only(one for one in self.called(where.label) if _may_name_row(one) and one.column is not None)
        if label is None or label.column is None:
            return ()
        inside = self.cell(label.frame, label.row, label.column + where.columns)
        own = [one for one in inside if one.header is not None or one.role == "cell"]
        return own if len(own) == 1 else inside

    def find_group(self, form: str) -> Group | None:
        """Return the only group of this form."""
        found = self._groups.get(form, [])
        return found[0] if len(found) == 1 else None

    def groups_with(self, element: Element) -> list[tuple[str, Group]]:
        """Return the groups with the element whose form no other group has."""
        return [
            (form, found[0])
            for form, found in self._groups.items()
            if len(found) == 1 and any(one is element for one in found[0])
        ]

    def _after(self, where: AfterText) -> Element | None:
        label = only(self.called(where.text))
        if label is None or label.before_blank:  # what follows a blank is no value of this label
            return None
        at = self.order[label.ref] + where.steps
        found = self.elements[at] if at < len(self.elements) else None
        return found if found is not None and found.role == where.role else None

    @cached_property
    def _groups(self) -> dict[str, list[Group]]:
        return groups_of(self.elements)


CHECKED_ROLES = ("checkbox", "switch", "radio", "menuitemcheckbox")


def text_of(element: Element, attribute: Attribute, nth: int = 0, of: int = 0) -> str | None:
    """Return a text of an element, white space collapsed; None where it has none. What a list shows until one of its
    options is chosen is no value.

    ``nth`` (from 0) and ``of``: which of how many, of a `part` or `hint`."""
    text: str | None
    match attribute:
        case "name":
            text = element.name
        case "value":
            text = None if "placeholder" in element.states else element.value
        case "url":
            text = unquote(element.url or "")
        case "title":
            text = element.title
        case "checked":
            text = ("checked" if "checked" in element.states else "off") if element.role in CHECKED_ROLES else None
        case "part":
            text = element.parts[nth].text if len(element.parts) == of else None
        case "hint":
            text = element.hints[nth].title if len(element.hints) == of else None
    return tidy(text) if text else None


def is_drawn(element: Element, attribute: Attribute) -> bool:
    """Return whether a person sees this text of the element on the page: not the name of a picture, an address, a
    tooltip, or the title of the page."""
    is_seen = attribute in ("name", "value", "checked", "part")
    return is_seen and element.role not in ("page", "img") and not (element.unwritten and attribute in ("name", "part"))


def constant_at(element: Element, text: str) -> str:
    """Return a text with the kind of place where it stands, as the constants of pages are written."""
    return f"{element.role} {element.place}: {fold(text)}"


def part_of(text: str, part: TextRule) -> str | None:
    """Return the part of a text, trimmed; None where its ends are not there, or not once each."""
    if not isinstance(part, Between):
        return text
    begin, end = 0, len(text)
    if part.before:
        if text.count(part.before) != 1:
            return None
        begin = text.index(part.before) + len(part.before)
    if part.after:
        if text.count(part.after, begin) != 1:
            return None
        end = text.index(part.after, begin)
    return text[begin:end].strip() or None


def beyond(text: str, part: Between) -> tuple[str, str]:
    """Return what stands in a text beyond the two texts around a part that it has, trimmed."""
    begin = text.index(part.before) if part.before else 0
    end = text.index(part.after, begin + len(part.before)) + len(part.after) if part.after else len(text)
    return text[:begin].strip(), text[end:].strip()


_WORD_BEFORE = re.compile(r"(\w+)(?:\W+\w{1,3})?\W*$")
"""With a small word after it, such as "by"."""
_WORD_AFTER = re.compile(r"\W*(\w+)")


def words_beside(text: str, begin: int, end: int) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """Return the words right before and behind a part of a text, each with what stands between them."""
    return _WORD_BEFORE.search(text[:begin]), _WORD_AFTER.match(text[end:])


def words_beside_hint(element: Element, nth: int) -> tuple[str, ...]:
    """Return the words right beside a text of the element that has a title, folded; none where it is not there once."""
    text, inner = tidy(element.name), tidy(element.hints[nth].text) if nth < len(element.hints) else ""
    if not inner or text.count(inner) != 1:
        return ()
    begin = text.index(inner)
    return tuple(fold(one[1]) for one in words_beside(text, begin, begin + len(inner)) if one is not None)


def _has_word(element: Element, word: str) -> bool:
    text = fold(element.name)
    return word in text and word in re.findall(r"\w+", text)


def _is_built_so(element: Element, where: BesideOwnWord) -> bool:
    is_like = (len(element.parts), len(element.hints)) == (where.parts, where.hints)
    is_beside = where.beside is None or where.word in words_beside_hint(element, where.beside)
    return is_like and is_beside and element.place == where.path


def only(found: Iterable[Element]) -> Element | None:
    """Return the only one, or None."""
    listed = list(found)
    return listed[0] if len(listed) == 1 else None


def _nth(found: Sequence[Element], nth: int) -> Element | None:
    return found[nth] if nth < len(found) else None
