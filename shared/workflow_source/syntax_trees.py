"""Python source to syntax trees and code, by one thread at a time.

CPython 3.11 and 3.12 count the depth of such a conversion for all threads together. Where the thread changes in the
middle of one, as for a finalizer that the garbage collector runs, both end in ``SystemError: AST constructor recursion
depth mismatch``.
"""

from __future__ import annotations

import ast
import threading
from types import CodeType
from typing import Literal

_converting = threading.RLock()  # a finalizer may parse too, in the same thread


def parse_source(source: str, filename: str = "<unknown>") -> ast.Module:
    """Raises SyntaxError, ValueError, RecursionError or MemoryError."""
    with _converting:
        return ast.parse(source, filename)


def compile_tree(
    tree: ast.Module | ast.Expression, filename: str, mode: Literal["exec", "eval"] = "exec", *, flags: int = 0
) -> CodeType:
    """Raises SyntaxError, ValueError, RecursionError or MemoryError."""
    with _converting:
        return compile(tree, filename, mode, flags=flags, dont_inherit=True)
