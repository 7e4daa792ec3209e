"""What is embedded of a workflow: its description as it is, and the words of its source."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator

from shared.workflow_source.syntax_trees import parse_source

VERSION = "1"
"""Of these texts: vectors that were made of other texts are useless."""
MAX_WORDS = 400
MAX_CHARS = 4_000
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def name_words(name: str) -> str:
    """Return a name as words: ``get_repoMetadata`` is ``get repo metadata``."""
    return " ".join(_WORD.findall(_HUMP.sub(" ", name))).lower()


def description_text(name: str, description: str) -> str:
    """Return the description, at most MAX_CHARS of it; without one the name, as words."""
    return description.strip()[:MAX_CHARS] or name_words(name)


def code_text(source: str) -> str:
    """Return the words of a source, each once and in order: its strings and names, but no keywords or comments.

    A source that does not parse gives the words of its whole text.
    """
    try:
        pieces = list(_pieces(parse_source(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pieces = [source]
    words: dict[str, None] = {}
    for piece in pieces:
        words |= dict.fromkeys(word for word in name_words(piece).split() if len(word) > 1 and word.isalpha())
        if len(words) >= MAX_WORDS:
            break
    return " ".join(list(words)[:MAX_WORDS])


def content_key(description: str, source: str) -> str:
    """Return the key of the vectors of a workflow: equal for equal contents."""
    return hashlib.sha256(f"{description}|||{source}".encode("utf-8", "surrogatepass")).hexdigest()


def _pieces(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text):
                yield text
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.arg(arg=name) | ast.keyword(arg=str() as name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) if (
                name != "run"
            ):
                yield name
            case _:
                pass
