"""The lines of a source with the kinds of their words, and those of a diff, for pages. Pure."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

WordKind = Literal["", "keyword", "string", "comment", "number"]
LineKind = Literal["", "added", "gone", "place", "file"]


@dataclass(frozen=True)
class SourceWord:
    """A piece of a line. ``kind``: empty for what is of none."""

    text: str
    kind: WordKind = ""


@dataclass(frozen=True)
class DiffLine:
    """A line of a unified diff, with its first character. ``file``: a name; ``place``: where what follows stands."""

    text: str
    kind: LineKind = ""


def source_lines(source: str) -> list[list[SourceWord]]:
    """Return each line of a Python source as its words. Of a source that is none, and after the place at which it is
    none, words have no kind. All words of a line together are its text."""
    lines = source.splitlines()
    marked: list[list[tuple[int, int, WordKind]]] = [[] for _ in lines]
    for kind, (begin_line, begin), (end_line, end) in _marks(source):
        for at in range(begin_line, min(end_line, len(lines)) + 1):
            first = begin if at == begin_line else 0
            last = end if at == end_line else len(lines[at - 1])
            marked[at - 1].append((first, last, kind))
    return [_words(text, marks) for text, marks in zip(lines, marked, strict=True)]


def _marks(source: str) -> Iterator[tuple[WordKind, tuple[int, int], tuple[int, int]]]:
    # Lines as `str.splitlines` has them are those of the tokenizer only where they end with these.
    if any(len(one.splitlines()) > 1 for one in source.replace("\r\n", "\n").split("\n")):
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
            kind = _kind_of(token)
            if kind:
                yield kind, token.start, token.end
    except (tokenize.TokenError, SyntaxError):
        return


def _kind_of(token: tokenize.TokenInfo) -> WordKind:
    name = tokenize.tok_name[token.type]
    if name == "NAME":
        return "keyword" if keyword.iskeyword(token.string) else ""
    if name == "STRING" or name.startswith("FSTRING"):
        return "string"
    return "comment" if name == "COMMENT" else "number" if name == "NUMBER" else ""


def _words(text: str, marks: Sequence[tuple[int, int, WordKind]]) -> list[SourceWord]:
    words: list[SourceWord] = []
    at = 0
    for begin, end, kind in marks:
        if begin < at:  # words do not lie over each other
            continue
        if begin > at:
            words.append(SourceWord(text[at:begin]))
        if end > begin:
            words.append(SourceWord(text[begin:end], kind))
        at = max(at, end)
    if at < len(text):
        words.append(SourceWord(text[at:]))
    return words


def diff_lines(diff: str) -> list[DiffLine]:
    """Return the lines of a unified diff with their kinds."""
    return [DiffLine(line, _kind_of_line(line)) for line in diff.split("\n")] if diff else []


def _kind_of_line(line: str) -> LineKind:
    if line.startswith(("+++ ", "--- ")):
        return "file"
    if line.startswith("@@"):
        return "place"
    return "added" if line.startswith("+") else "gone" if line.startswith("-") else ""
