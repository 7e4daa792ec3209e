"""Compare reports with the known controls of a page. Pure.

A control is found if one of its elements is reported: by identity, not by similar words. A second report of one control
is as wrong as a report of something that is no control.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.observe_truth import Control

# ARIA's widgets. Options are parts of a widget, not separate controls.
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
    """The position of an element of the control ``key``: x, y, width, height in the main document."""

    key: str
    tag: str
    rect: Rect


@dataclass(frozen=True)
class Reported:
    """An element reported as a control. ``key`` is its known control, or None."""

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
    """Correct reports of controls that are not usable now, or optional."""

    @property
    def right_reports(self) -> int:
        """The number of controls of any kind that are reported correctly."""
        return len(self.right) + self.noted

    @property
    def recall(self) -> float:
        return len(self.right) / self.needed if self.needed else 1.0

    @property
    def precision(self) -> float:
        total = len(self.right) + len(self.wrong)
        return len(self.right) / total if total else 1.0


class PositionIndex:
    """An index of marks by position, to find the control of an element."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        self._at: dict[tuple[int, int], list[Mark]] = {}
        for mark in marks:
            self._at.setdefault((round(mark.rect[0]), round(mark.rect[1])), []).append(mark)

    def key(self, tag: str, rect: Rect) -> str | None:
        """Return the control whose element has this tag and this box; None for none or several."""
        x, y = round(rect[0]), round(rect[1])
        near = [
            mark.key
            for dx in (-2, -1, 0, 1, 2)
            for dy in (-2, -1, 0, 1, 2)
            for mark in self._at.get((x + dx, y + dy), ())
            if mark.tag == tag and _same(mark.rect, rect)
        ]
        return near[0] if len(set(near)) == 1 else None


def _same(first: Rect, second: Rect) -> bool:
    return all(abs(a - b) <= NEAR_PX for a, b in zip(first, second, strict=True))


def score(reported: Iterable[Reported], controls: Sequence[Control]) -> Score:
    """Score reports: each is right, wrong, or (where the truth is open) neither."""
    known = {control.key: control for control in controls}
    result = Score(sum(not control.note for control in controls))
    for report in reported:
        control = known.get(report.key or "")
        if control is None:
            result.wrong.append(report.what)
        elif control.note:
            if _allowed(control, report):
                result.noted += 1
            else:
                result.wrong.append(f"{report.what} (is {control.note}, not said)")
        elif control.key in result.right:
            result.wrong.append(f"{report.what} (twice)")
        elif report.covered:
            result.wrong.append(f"{report.what} (is not covered)")
        else:
            result.right.add(control.key)
    result.missed = [control.name for control in controls if not control.note and control.key not in result.right]
    return result


def _allowed(control: Control, report: Reported) -> bool:
    """Return whether the report gives the reason why the control is not usable now."""
    return {"covered": report.covered, "disabled": report.disabled, "optional": True}[control.note]


def score_names(names: Iterable[str], controls: Sequence[Control]) -> Score:
    """Score a peer that reports names only; counts names, to its advantage."""
    reported = Counter(names)
    open_ = Counter(control.name for control in controls if control.note)
    result = Score(sum(not control.note for control in controls))
    for control in controls:
        if not control.note:
            if reported[control.name] > 0:
                reported[control.name] -= 1
                result.right.add(control.key)
            else:
                result.missed.append(control.name)
    result.wrong = list((reported - open_).elements())
    # The peer reports disabled controls, but not covered ones.
    result.noted = sum(control.note in ("disabled", "optional") and reported[control.name] > 0 for control in controls)
    return result


def texts_found(wanted: Sequence[str], texts: Iterable[str]) -> list[str]:
    """Return the texts of ``wanted`` that are not reported as whole words, as often as they are on the page."""
    lines = [" ".join(text.split()) for text in texts]
    whole_lines, everything = Counter(lines), "\n".join(lines)
    words = Counter(re.findall(r"\w+|[^\w\s]", everything))
    missing: list[str] = []
    for text, times in Counter(wanted).items():
        seen = words[text] if re.fullmatch(r"\w+|[^\w\s]", text) else whole_lines[text]
        if seen < times:  # may be part of a longer text
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
    """Parse the nodes of Playwright's ``aria_snapshot()``, either mode."""
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
    """Return the page texts of an aria snapshot, without its marks and roles."""
    bare = (re.sub(r"^\s*- '?(/\w+|[a-z]+)", "", _MARKS.sub("", line)) for line in snapshot.splitlines())
    return [line.strip(" :\"'") for line in bare]
