"""Which button a step of the route presses: the one home of what makes a press irreversible by its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.task.route import FetchFile, Follow, PressButton, Search, ShowTab, Step, irreversible_steps, words
from shared.task.row_values import fill_known
from shared.text.normal import label_form
from shared.text.record_words import find_mention


@dataclass(frozen=True)
class RoutePresses:
    """The buttons that a route presses for one row.

    ``words``: what each is called, with the values of the row, by its step counted from 0. ``once``: steps that are
    irreversible.
    """

    words: Mapping[int, tuple[str, ...]]
    once: tuple[int, ...]

    def labels(self, at: int) -> frozenset[str]:
        """Return the words of a step in the form in which labels are compared."""
        return frozenset(map(label_form, self.words.get(at, ())))

    def is_of_another(self, at: int, text: str) -> bool:
        """Return whether the text is the label of another step's button."""
        return any(label_form(text) in self.labels(other) for other in self.words if other != at)

    def says(self, at: int, text: str) -> bool:
        """Return whether the text holds the words of the step's button and is not the label of another step."""
        found = any(find_mention(text, word) is not None for word in self.words.get(at, ()))
        return found and not self.is_of_another(at, text)

    def may_press(self, at: int, role: str, name: str) -> bool:
        """Return whether an element of this role and name may be the step's button.

        It is one with exactly its label, or what holds its words and is no link.
        """
        return label_form(name) in self.labels(at) or (role != "link" and self.says(at, name))

    def pressed_once(self, role: str, name: str) -> int | None:
        """Return the irreversible step whose button the element may be, counted from 0."""
        return next((at for at in self.once if self.may_press(at, role, name)), None)


def presses_of(route: Sequence[Step], row: Mapping[str, str]) -> RoutePresses:
    """Return the buttons that the route presses. ``row``: values by the names that templates use."""
    pressed = {at: tuple(_filled(words(step.press), row)) for at, step in enumerate(route)
               if isinstance(step, PressButton)}  # fmt: skip
    return RoutePresses(pressed, irreversible_steps(route))


def named_presses(route: Sequence[Step], may_press: Iterable[str], row: Mapping[str, str]) -> tuple[str, ...]:
    """Return what the task calls what it presses: buttons, links, tabs, files, fields whose form is sent by Enter."""
    said = (word for step in route for word in _pressed_by(step))
    return tuple(dict.fromkeys(_filled((*said, *may_press), row)))


def _pressed_by(step: Step) -> tuple[str, ...]:
    match step:
        case PressButton():
            return (*words(step.press), *((step.confirm,) if step.confirm is not None else ()))
        case Follow():
            return words(step.follow)
        case ShowTab():
            return words(step.tab)
        case Search():
            return (*words(step.search.press), *words(step.search.into))
        case FetchFile():
            return (*words(step.press), step.download)
        case _:
            return ()


def _filled(said: Iterable[str], row: Mapping[str, str]) -> Iterable[str]:
    return (filled for word in said if (filled := fill_known(word, row)))
