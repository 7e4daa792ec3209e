"""Workflow code compiled and run, and pieces of code that share one namespace.

``await X`` is compiled to wait for ``X`` only if it can be awaited, so that a call of the host may be awaited or not.
Line numbers stay those of the source.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from types import CodeType, FunctionType
from typing import Any

from shared.workflow_source.syntax_trees import compile_tree, parse_source

_AWAITABLE = "__awaitable__"
_TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_COROUTINE = 0x80
"""inspect.CO_COROUTINE; the module inspect takes 4 ms to load."""

Await = Callable[[Any], Any]
"""Runs an event loop until an awaitable has its result, and returns that."""


class _Ready:
    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Generator[None, None, Any]:
        return self._value
        yield


def _awaitable(value: Any) -> Any:
    return value if _can_be_awaited(value) else _Ready(value)


def _can_be_awaited(value: Any) -> bool:
    return hasattr(value, "__await__")


class _AwaitWhatCanBe(ast.NodeTransformer):
    def visit_Await(self, node: ast.Await) -> ast.Await:
        self.generic_visit(node)
        name = ast.copy_location(ast.Name(_AWAITABLE, ast.Load()), node.value)
        node.value = ast.copy_location(ast.Call(name, [node.value], []), node.value)
        return node


def file_of(name: str) -> str:
    """Return what tracebacks call the source of a workflow."""
    return f"{name}.py"


def compile_workflow(name: str, source: str) -> CodeType:
    """Raises SyntaxError, ValueError, RecursionError or MemoryError."""
    tree = parse_source(source, file_of(name))
    if "await" in source:
        tree = _AwaitWhatCanBe().visit(tree)
    return compile_tree(tree, file_of(name))


def run_workflow(name: str, code: CodeType, arguments: dict[str, Any], names: dict[str, Any], wait: Await) -> Any:
    """Execute the module in a fresh namespace with ``names``, and return what ``run(**arguments)`` came to."""
    namespace = {"__name__": name, _AWAITABLE: _awaitable, **names}
    exec(code, namespace)  # noqa: S102  to run workflow code is what this is for
    run = namespace.get("run")
    if not callable(run):
        raise NameError(f"{name} has no top-level function run")
    if isinstance(run, FunctionType):
        run.__qualname__ = name  # so that a TypeError about arguments names the workflow
    result = run(**arguments)
    return wait(result) if _can_be_awaited(result) else result


class CodeSession:
    """Pieces of code in one namespace. ``sources``: of each piece, by what tracebacks call it."""

    def __init__(self, names: dict[str, Any], wait: Await) -> None:
        self._names, self._wait = names, wait
        self._number = 0
        self.sources: dict[str, str] = {}
        self._namespace: dict[str, Any] = {}
        self.reset()

    def reset(self) -> None:
        """Forget all names."""
        self.sources.clear()
        self._namespace = {"__name__": "__main__", _AWAITABLE: _awaitable, **self._names}

    def define(self, name: str, value: Any) -> None:
        self._namespace[name] = value

    def run(self, code: str) -> Any:
        """Execute a piece; return the value of its last statement if that is an expression, else None."""
        self._number += 1
        file = f"code {self._number}"
        self.sources[file] = code
        tree = parse_source(code, file)
        if "await" in code:
            tree = _AwaitWhatCanBe().visit(tree)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        codes = [compile_tree(tree, file, flags=_TOP_LEVEL_AWAIT)]
        if isinstance(last, ast.Expr):
            expression = ast.Expression(last.value)
            codes.append(compile_tree(expression, file, "eval", flags=_TOP_LEVEL_AWAIT))
        if any(code.co_flags & _COROUTINE for code in codes):
            return self._wait(self._execute_in_loop(codes))
        return [eval(code, self._namespace) for code in codes][-1]  # noqa: S307  to run code is what this is for

    async def _execute_in_loop(self, codes: list[CodeType]) -> Any:
        result: Any = None
        for code in codes:
            result = eval(code, self._namespace)  # noqa: S307
            if code.co_flags & _COROUTINE:
                result = await result
        return result
