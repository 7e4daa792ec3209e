"""The places of a page where a label has its value: in the element itself, beside or right below the label.

Each place yields one text, or the texts that compete there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, dropwhile, islice, takewhile

from shared.contracts.browser_pool import Element
from shared.pages.elements import (
    PRESSED_ROLES,
    is_filter,
    is_header,
    is_heading,
    is_icon,
    is_input,
    text_of,
    title_heading,
)
from shared.pages.index import PageIndex
from shared.pages.radios import with_chosen_radios
from shared.pages.read.candidates import (
    Candidate,
    follows_icon,
    follows_on_line,
    is_initials_of,
    joined_run,
    texts_in,
    value_parts,
)
from shared.pages.read.cells import NO_TEXT, cell_texts, headed_cells, rows_named_by_first_cell
from shared.pages.read.changes import is_change, is_change_row
from shared.pages.read.neighbours import (
    LABELLED,
    is_adjacent,
    is_in_box_of,
    is_item_of_its_own,
    is_on_next_line,
    is_past_next_cell,
    may_be_empty,
    places_of_items,
    places_of_labels,
    takes_turns,
)
from shared.pages.touching import touches
from shared.text.normal import fold, label_form, tidy, with_blanks

MAX_VALUE_CHARS = 2000
MAX_LABEL_CHARS = 60
MAX_RUN_ELEMENTS = 12
_SENTENCES = re.compile(r"(?:[?!]|(?<=[^\W\d_A-Z][^\W\d_A-Z][^\W\d_A-Z])\.)\s+[^\W\d_a-z]")
"""The end of a sentence and the beginning of another: prose that happens to begin like a labelled value."""
_NEXT_LABEL = re.compile(r"\s[A-Z][\w-]*(?: [\w-]+){0,2}:\s")
Place = tuple[Candidate, ...]
NO_REFS: frozenset[int] = frozenset()


class Places:
    """The places of one sequence of elements. `known`: the labels of all fields, in comparable form. `left_out`: refs
    of elements that show no value of this record now. `key`: the text that marks its row among many."""

    def __init__(
        self,
        elements: Sequence[Element],
        known: frozenset[str],
        left_out: frozenset[int] = NO_REFS,
        key: str | None = None,
    ) -> None:
        self.elements = elements = with_chosen_radios(elements)
        self._known = known
        self.left_out = left_out
        self._groups = list(headed_cells(elements))
        self._index = PageIndex(elements)
        self._title = title_heading(elements)
        self._label_places = places_of_labels(elements, known)
        self._item_places = places_of_items(elements, known)
        self.named_rows = frozenset(rows_named_by_first_cell(elements, known, key))
        """Rows of tables that name each row in its first cell."""

    def of(self, labels: frozenset[str]) -> list[Place]:
        """Return the places of a label: where the page's structure or a text itself names it, and beside a text that
        is the label. Where structure names it, only a lone text counts as a label."""
        structured = self._current([*self._headed(labels), *self._beside_row_labels(labels)])
        named = [*structured, *self._current(self._in_texts(labels))]
        if not named:
            return self._current(self.adjacent(labels)) or self._current(self._values_like_labels(labels))
        named += self._contradictions(labels, named)
        if not structured:
            named += self._current(
                self._said_under_headings(labels, {one.element.ref for place in named for one in place})
            )
        known = {one.element.ref for place in named for one in place}
        lone = [at for at in self._labels_at(labels) if self._is_lone_text(at)]
        beside = (self._values_after(at) or self._text_below(at) for at in lone)
        # An empty place counts where all else that has the label tells of changes.
        changes_only = all(is_change(one.shown) for place in named for one in place)
        counted = (place for place in self._current(beside) if place[0].shown or changes_only)
        return [*named, *(place for place in counted if place[0].element.ref not in known)]

    def _current(self, places: Iterable[Place]) -> list[Place]:
        """Return the places without the elements that are left out."""
        counted = (tuple(one for one in place if one.element.ref not in self.left_out) for place in places)
        return [place for place in counted if place]

    def _contradictions(self, labels: frozenset[str], named: Sequence[Place]) -> list[Place]:
        """Return texts such as `Label: value Other: value`, of which no value is certain, if they begin otherwise."""
        shown = [fold(one.shown) for place in named for one in place if one.shown]
        found: list[Place] = []
        for element in self.elements:
            if element.ref in self.left_out or is_filter(element) or is_input(element) or element.role in PRESSED_ROLES:
                continue
            value = self._written_behind(element.name, labels)
            if not value or self._is_one_text(value) or self._is_under_other_label(element):
                continue
            if not _SENTENCES.search(value) and not any(fold(value).startswith(one) for one in shown):
                found.append((Candidate(value, element, element.row, doubt="second_label"),))
        return found

    def _said_under_headings(self, labels: frozenset[str], named: set[int]) -> Iterator[Place]:
        """Yield what stands right under a heading that is one of the labels, where no `Label: value` stands there: a
        text elsewhere, such as a description that somebody wrote, may tell of another thing."""
        for at, heading in enumerate(self.elements):
            if not is_heading(heading) or heading.level == 1 or label_form(heading.name) not in labels:
                continue
            below = [one for one in self.elements[at + 1 : at + MAX_RUN_ELEMENTS] if one.frame == heading.frame]
            first = next((one for one in below if one.role not in NO_TEXT and text_of(one)), None)
            if first is None or LABELLED.match(first.name) or _SENTENCES.search(first.name):
                continue
            section = chain([first], takewhile(lambda one: not is_heading(one), below))
            if not any(one.ref in named for one in section):
                yield (Candidate(text_of(first), first, first.row, doubt="under_heading"),)

    def _text_below(self, at: int) -> Place:
        """Return a text below `Label:` that has a colon itself: it may be the value, or the next label with its own."""
        label, below = self.elements[at], self.elements[at + 1] if at + 1 < len(self.elements) else None
        if below is None or below.frame != label.frame or is_heading(below) or not is_adjacent(label, below):
            return ()
        return (Candidate(text_of(below), below, doubt="next_item"),) if is_item_of_its_own(label, below) else ()

    def _is_lone_text(self, at: int) -> bool:
        label = self.elements[at]
        return label.role == "text" and label.row is None and label.header is None

    # --- elements that name their label themselves

    def self_labelled(self, labels: frozenset[str]) -> Iterator[Place]:
        """Yield what cells, definitions, inputs, and texts such as `Label: value` show."""
        yield from self._headed(labels)
        yield from self._in_texts(labels)

    def _headed(self, labels: frozenset[str]) -> Iterator[Place]:
        """Yield what cells, definitions and inputs show."""
        for group in self._headed_groups(labels):
            place = cell_texts(group)
            if place:
                yield place
        for element in self.elements:
            labelled = label_form(element.header or "") not in labels and label_form(element.name) in labels
            if is_input(element) and not is_filter(element) and labelled:
                yield texts_in(element, element.row)

    def _headed_groups(self, labels: frozenset[str]) -> Iterator[list[Element]]:
        """Yield the elements of each cell or definition that has one of the labels.

        In a table that names each row in its first cell ("Attribute", "Value"), the head of a column names none.
        """
        for group in self._groups:
            header = label_form(group[0].header or "")
            if header in labels and (not self._is_in_named_row(group[0]) or header == self._row_name(group[0])):
                yield group

    def _is_in_named_row(self, element: Element) -> bool:
        return element.row is not None and (element.frame, element.row) in self.named_rows

    def _row_name(self, element: Element) -> str:
        return next((label_form(one.name) for one in self._row_of(element) if one.column == 0), "")

    def icons(self, labels: frozenset[str]) -> list[Element]:
        """Return the icons that stand in the place of a value of these labels."""
        headed = [one for group in self._headed_groups(labels) for one in group]
        rows = [self._row_of(self.elements[at]) for at in self._labels_at(labels)]
        beside = [one for row in rows if row and self._is_in_named_row(row[0]) for one in row if one.column == 1]
        counted = (one for one in (*headed, *beside) if is_icon(one) and one.ref not in self.left_out)
        return list({one.ref: one for one in counted}.values())

    def _in_texts(self, labels: frozenset[str]) -> Iterator[Place]:
        """Yield the values of texts such as `Label: value`."""
        for at, element in enumerate(self.elements):
            if is_filter(element) or is_input(element) or element.role in PRESSED_ROLES or element is self._title:
                continue
            inline = () if self._is_under_other_label(element) else self._inline(at, labels)
            if inline:
                yield tuple(replace(one, written=True) for one in inline)

    def _is_under_other_label(self, element: Element) -> bool:
        """Return whether the text is a value of its own: `State: ended?` in the column of notes is not the state."""
        if element.header is not None and not is_header(element):
            return True
        if not element.column:
            return False
        first = [one for one in self._row_of(element) if one.column == 0]
        return len(first) == 1 and 0 < len(first[0].name) <= MAX_LABEL_CHARS and ": " not in first[0].name

    def _inline(self, at: int, labels: frozenset[str]) -> Place:
        """Return the value of `Label: value`; nothing if a second label follows in the same text."""
        element = self.elements[at]
        parts = [part for part in element.parts if part.kind != "old"]
        if not parts:
            value = self._value_behind(element.name, labels)
            return self._continued(Candidate(value, element, element.row), at) if value else ()
        value = self._value_behind(parts[0].text, labels)
        if value:
            return (Candidate(value, element, element.row, part=parts[0]),)
        # A label that stands apart from its value needs no colon.
        if len(parts) > 1 and len(parts[0].text) <= MAX_LABEL_CHARS and label_form(parts[0].text) in labels:
            return tuple(Candidate(part.text, element, element.row, part=part) for part in value_parts(parts[1:]))
        return ()

    def _continued(self, value: Candidate, at: int) -> Place:
        """Return the text with the links and texts that follow on its line.

        A link inside of a sentence is part of it. One that ends the line may be another thing, such as `edit`.
        """
        run = [self.elements[at]]
        for following in self.elements[at + 1 : at + MAX_RUN_ELEMENTS]:
            # A text that directly follows a text stands in a box of its own.
            in_sentence = following.role == "link" or (run[-1].role == "link" and following.tag == run[0].tag)
            if not in_sentence or following.parts or not follows_on_line(run[-1], following):
                break
            run.append(following)
        if len(run) == 1:
            return (value,)
        joined = Candidate(" ".join((value.shown, *(text_of(one) for one in run[1:]))), run[0], value.row, run[-1])
        if run[-1].role == "link":
            return (value, joined)
        return (joined,) if self._is_one_text(joined.shown) else ()

    def _is_one_text(self, text: str) -> bool:
        """Return whether no second label is in the text."""
        return not _NEXT_LABEL.search(f" {text}") and not any(
            f"{other}:" in with_blanks(fold(text)) for other in self._known
        )

    def _value_behind(self, text: str, labels: frozenset[str]) -> str:
        value = self._written_behind(text, labels)
        return value if self._is_one_text(value) and not _SENTENCES.search(value) else ""

    def _written_behind(self, text: str, labels: frozenset[str]) -> str:
        label, colon, value = tidy(text).partition(":")
        if not colon or not value.startswith(" ") or label_form(label) not in labels or len(value) > MAX_VALUE_CHARS:
            return ""
        return value.strip()

    # --- a label, then its value

    def adjacent(self, labels: frozenset[str]) -> Iterator[Place]:
        """Yield what is beside, or right below, a text that is one of the labels."""
        return filter(None, (self._values_after(at) for at in self._labels_at(labels)))

    def _values_like_labels(self, labels: frozenset[str]) -> Iterator[Place]:
        """Yield, for a label before a text that is a label too and stands as one elsewhere, both that text and an empty
        one: a person may be called "Condition", or nothing may stand there."""
        for at in self._labels_at(labels):
            label, text = self.elements[at], self.elements[at + 1] if at + 1 < len(self.elements) else None
            if text is None or text.frame != label.frame or text.role != "text" or text.row is not None:
                continue
            name = label_form(text.name)
            again = sum(label_form(one.name) == name for one in self.elements if one.role not in PRESSED_ROLES)
            if name in self._known - labels and again > 1 and is_adjacent(label, text):
                yield (Candidate("", label), Candidate(text_of(text), text))

    def _beside_row_labels(self, labels: frozenset[str]) -> Iterator[Place]:
        """Yield what the second cell shows in rows of two cells whose first is one of the labels."""
        for at in self._labels_at(labels):
            # What is under a row header is read with the header.
            label = self.elements[at]
            if self._is_row_label(label) and not label.like_next and not self._has_headed_cell(label):
                place = self._second_cell(label) or self._values_after(at)
                if place:
                    yield place

    def _second_cell(self, label: Element) -> Place:
        cell = [one for one in self._row_of(label) if one.column == 1]
        only_icons = any(map(is_icon, cell)) and not any(text_of(one) for one in cell if not is_icon(one))
        return () if only_icons or any(one.look for one in cell) else cell_texts(cell) if cell else ()

    def _has_headed_cell(self, label: Element) -> bool:
        return any(one.header == label.name for one in self._row_of(label))

    def _labels_at(self, labels: frozenset[str]) -> list[int]:
        return [at for at, element in enumerate(self.elements) if self._is_label(element, labels)]

    def _is_row_label(self, label: Element) -> bool:
        columns = {one.column for one in self._row_of(label)} | ({1} if label.before_blank else set[int]())
        return label.column == 0 and columns == {0, 1}

    def _is_label(self, element: Element, labels: frozenset[str]) -> bool:
        if len(element.name) > MAX_LABEL_CHARS or label_form(element.name) not in labels or is_input(element):
            return False
        if element.role in ("columnheader", *(PRESSED_ROLES - {"button"})) or (
            is_heading(element) and element.level == 1
        ):
            return False  # the head of a column, or of the whole page
        row = self._row_of(element)
        if element.role in ("link", "button"):
            return self._is_row_label(element) and element.header is None
        if element.column is None or element.header is None or is_header(element):
            return True
        before = (one for one in row if one.column is not None and one.column < element.column)
        return not is_change_row(row) and not any(re.search(r"[^\W\d_]", text_of(one)) for one in before)

    def _row_of(self, element: Element) -> Sequence[Element]:
        return self._index.row_of(element)

    def _values_after(self, at: int) -> Place:
        label = self.elements[at]
        following = self.elements[at + 1] if at + 1 < len(self.elements) else None
        if following is not None and is_icon(following):  # the icon has no text, but the value is not empty either
            behind = self.elements[at + 2 : at + 3]
            return self._texts_past(
                at, behind if following.look else [one for one in behind if follows_icon(following, one)]
            )
        if following is not None and following.unwritten:  # what is done with the value, before the value itself
            behind = dropwhile(lambda one: one.unwritten, self.elements[at + 1 : at + MAX_RUN_ELEMENTS])
            return self._texts_past(at, list(islice(behind, 1)))
        if label.before_blank and label is not self._title:
            return (Candidate("", label, label.row),)
        beside = self._cells_beside(label)
        if beside:
            return beside
        if following is not None and self._is_beside(at, following):
            found = (*self._whole_text(at + 1), *self._box_around(label, at + 1), *self._named_behind(at + 1))
            # Of two boxes of one kind each may be a label, unless labels and values are known to take turns.
            apart = label.like_next and not is_in_box_of(label, following)
            alike = apart and not takes_turns(self.elements, at, self._known)
            # What stands below its value names nothing of the next box.
            beyond = label.ends_group and not is_input(following)
            doubt = "like_label" if alike else "next_box" if beyond else None
            return found if doubt is None else tuple(replace(one, doubt=doubt) for one in found)
        # A label without a neighbour is an empty value only if the markup declares it a label, or a list of them does.
        empty = may_be_empty(label) or (following is not None and self._is_next_of_list(label, following))
        return (Candidate("", label, label.row), *self._shared_with_next_terms(at)) if empty else ()

    def _is_next_of_list(self, label: Element, element: Element) -> bool:
        """Return whether `Label:` and the text after it are items of one list, of which others are `Label: value`."""
        if not label.name.rstrip().endswith(":"):
            return False
        alike = label.place == element.place in self._item_places
        if not is_item_of_its_own(label, element):
            return alike and element.name.rstrip().endswith(":")
        return alike or (label.like_next and label_form(element.name.partition(":")[0]) in self._known)

    def _shared_with_next_terms(self, at: int) -> Place:
        """Return the definition behind a run of terms: all of them may be labels of it, or only the last one."""
        run = list(takewhile(lambda one: one.tag == "dt", self.elements[at : at + MAX_RUN_ELEMENTS]))
        behind = self.elements[at + len(run) : at + len(run) + 1]
        if len(run) < 2 or not behind or behind[0].header != run[-1].name or behind[0].frame != run[0].frame:
            return ()
        return tuple(replace(one, doubt="shared_label") for one in texts_in(behind[0]) if one.shown)

    def _is_beside(self, at: int, element: Element) -> bool:
        """Return whether the element may be the value of the label: beside or below it, and no label itself.

        A cell of another row is one only in a table of one column: elsewhere it belongs to the label of its row.
        """
        label = self.elements[at]
        if element.frame != label.frame or not is_adjacent(label, element) or self._looks_like_label(label, element):
            return False
        if is_past_next_cell(label, element):
            return False
        if label.row is None or element.row in (None, label.row):
            return True
        sides = (reversed(self.elements[:at]), self.elements[at:])
        table = chain.from_iterable(takewhile(lambda one: one.row is not None, side) for side in sides)
        return len({one.column for one in table}) == 1

    def _whole_text(self, at: int) -> Place:
        """Return the texts of an element, with those that touch its end: parts of a row that is laid out by itself."""
        run = [self.elements[at]]
        for following in self.elements[at + 1 : at + MAX_RUN_ELEMENTS]:
            if run[-1].role != "text" or following.role != "text" or not touches(run[-1], following):
                break
            run.append(following)
        return texts_in(run[0], run[0].row) if len(run) == 1 else (joined_run(run, run[0].row),)

    def _named_behind(self, at: int) -> Place:
        """Return the name behind its first letters, which may be the picture of a person: each may be the value."""
        behind = self.elements[at + 1] if at + 1 < len(self.elements) else None
        return texts_in(behind) if behind is not None and is_initials_of(text_of(self.elements[at]), behind) else ()

    def _box_around(self, label: Element, at: int) -> Place:
        """Return the text behind a badge that begins a value's box: each of the two may be the value."""
        badge, text = self.elements[at], self.elements[at + 1] if at + 1 < len(self.elements) else None
        if text is None or is_input(text) or text.frame != badge.frame or self._looks_like_label(label, text):
            return ()
        inside = bool(text.place) and badge.place.startswith(f"{text.place}>")
        return (
            texts_in(text, text.row) if inside and is_adjacent(badge, text) and not is_on_next_line(badge, text) else ()
        )

    def _cells_beside(self, label: Element) -> Place:
        """Return what the other cells of a row show, if columns name them; each may be the value."""
        if label.column is None or label.header is None or is_header(label):
            return ()
        row = self._row_of(label)
        others = [one for one in row if one.column is not None and one.column > label.column and one.header is not None]
        groups: dict[int | None, list[Element]] = defaultdict(list)
        for one in others:
            groups[one.column].append(one)
        return tuple(candidate for group in groups.values() for candidate in cell_texts(group))

    def _texts_past(self, at: int, following: Sequence[Element]) -> Place:
        """Return the texts after an icon that is beside a label, if there are any."""
        return next((texts_in(one, one.row) for one in following if text_of(one) and self._is_beside(at, one)), ())

    def _looks_like_label(self, label: Element, element: Element) -> bool:
        if is_header(element) or is_heading(element) or element.role in PRESSED_ROLES or is_filter(element):
            return True
        if label.row is None and is_item_of_its_own(label, element):
            named = label_form(element.name.partition(":")[0]) in self._known
            if named or is_on_next_line(label, element):
                return True
        if label_form(element.name) in self._known and not is_input(element):
            return True
        if element.place in self._label_places and label.place not in self._label_places:
            return True
        return label.name.rstrip().endswith(":") and element.name.rstrip().endswith(":")
