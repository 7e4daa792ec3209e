"""Pure: what was reported, held against what is known to be on the page.

A control is found when an element that stands for it is reported: identity, never a likeness of words. A second
report of one control is as wrong as a report of something that cannot be pressed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.observe_truth import Control

# ARIA's widgets. Options are choices within one of them, not controls of their own.
PRESSABLE = frozenset(
    {
        *("button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "tab", "switch"),
        *("menuitem", "menuitemcheckbox", "menuitemradio", "slider", "spinbutton", "treeitem"),
    }
)
NEAR_PX = 1.5
_ARIA_LINE = re.compile(r"^\s*- '?(?P<role>[a-z]+)(?: \"(?P<name>(?:[^\"\\]|\\.)*)\")?(?P<rest>.*)$")
_REF = re.compile(r"\[ref=(\w+)\]")
_MARKS = re.compile(r"\[(?:ref|cursor|level|box|checked|disabled|active|expanded|selected|pressed)[^\]]*\]")

Rect = tuple[float, float, float, float]


@dataclass(frozen=True)
class Mark:
    """Where an element that stands for the control ``key`` is: x, y, width, height in the main document."""

    key: str
    tag: str
    rect: Rect


@dataclass(frozen=True)
class Reported:
    """Something that is said to be pressable. ``key``: the control it is, None for none of them."""

    key: str | None
    what: str
    covered: bool = False
    disabled: bool = False


@dataclass
class Score:
    needed: int
    right: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    noted: int = 0
    """Reports of what cannot be pressed now, or is open, that are right too."""

    @property
    def told(self) -> int:
        """Controls of whatever kind that are shown as what they are."""
        return len(self.right) + self.noted

    @property
    def recall(self) -> float:
        return len(self.right) / self.needed if self.needed else 1.0

    @property
    def precision(self) -> float:
        told = len(self.right) + len(self.wrong)
        return len(self.right) / told if told else 1.0


class Places:
    """Marks by their place, to be asked which of them an element with this box and tag is."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        self._at: dict[tuple[int, int], list[Mark]] = {}
        for mark in marks:
            self._at.setdefault((round(mark.rect[0]), round(mark.rect[1])), []).append(mark)

    def key(self, tag: str, rect: Rect) -> str | None:
        """The one control whose element has this tag and this box; None where there is none, or several."""
        x, y = round(rect[0]), round(rect[1])
        near = [
            mark.key
            for dx in (-2, -1, 0, 1, 2)
            for dy in (-2, -1, 0, 1, 2)
            for mark in self._at.get((x + dx, y + dy), ())
            if mark.tag == tag and _same(mark.rect, rect)
        ]
        return near[0] if len(set(near)) == 1 else None


def _same(one: Rect, other: Rect) -> bool:
    return all(abs(a - b) <= NEAR_PX for a, b in zip(one, other, strict=True))


def score(reported: Iterable[Reported], controls: Sequence[Control]) -> Score:
    """Every report is right, wrong, or (where the truth leaves it open) neither."""
    known = {control.key: control for control in controls}
    made = Score(sum(not control.note for control in controls))
    for one in reported:
        control = known.get(one.key or "")
        if control is None:
            made.wrong.append(one.what)
        elif control.note:
            if _allowed(control, one):
                made.noted += 1
            else:
                made.wrong.append(f"{one.what} (is {control.note}, not said)")
        elif control.key in made.right:
            made.wrong.append(f"{one.what} (twice)")
        elif one.covered:
            made.wrong.append(f"{one.what} (is not covered)")
        else:
            made.right.add(control.key)
    made.missed = [control.name for control in controls if not control.note and control.key not in made.right]
    return made


def _allowed(control: Control, one: Reported) -> bool:
    """What cannot be pressed now may be left out, or be shown with the reason."""
    return {"covered": one.covered, "disabled": one.disabled, "optional": True}[control.note]


def score_names(names: Iterable[str], controls: Sequence[Control]) -> Score:
    """For a peer whose answer does not say which element is meant: names counted, to its advantage."""
    told = Counter(names)
    open_ = Counter(control.name for control in controls if control.note)
    made = Score(sum(not control.note for control in controls))
    for control in controls:
        if not control.note:
            if told[control.name] > 0:
                told[control.name] -= 1
                made.right.add(control.key)
            else:
                made.missed.append(control.name)
    made.wrong = list((told - open_).elements())
    # It can say that something is disabled, not that it is covered.
    made.noted = sum(control.note in ("disabled", "optional") and told[control.name] > 0 for control in controls)
    return made


def texts_found(wanted: Sequence[str], told: Iterable[str]) -> list[str]:
    """Those of ``wanted`` that are not told, as whole words, as often as they stand on the page."""
    lines = [" ".join(text.split()) for text in told]
    whole, everything = Counter(lines), "\n".join(lines)
    words = Counter(re.findall(r"\w+|[^\w\s]", everything))
    missing: list[str] = []
    for text, times in Counter(wanted).items():
        seen = words[text] if re.fullmatch(r"\w+|[^\w\s]", text) else whole[text]
        if seen < times:  # part of a longer text
            seen = len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", everything))
        missing += [text] * max(0, times - seen)
    return missing


@dataclass(frozen=True)
class AriaLine:
    role: str
    name: str
    ref: str | None
    pointer: bool
    disabled: bool


def aria_lines(snapshot: str) -> list[AriaLine]:
    """The nodes of Playwright's ``aria_snapshot()``, either mode."""
    lines: list[AriaLine] = []
    for line in snapshot.splitlines():
        if found := _ARIA_LINE.match(line):
            ref = _REF.search(found["rest"])
            lines.append(
                AriaLine(
                    found["role"],
                    (found["name"] or "").replace('\\"', '"'),
                    ref[1] if ref else None,
                    "[cursor=pointer]" in found["rest"],
                    "[disabled]" in found["rest"],
                )
            )
    return lines


def aria_texts(snapshot: str) -> list[str]:
    """What of an aria snapshot is text of the page: its own marks and roles taken off."""
    bare = (re.sub(r"^\s*- '?(/\w+|[a-z]+)", "", _MARKS.sub("", line)) for line in snapshot.splitlines())
    return [line.strip(" :\"'") for line in bare]
