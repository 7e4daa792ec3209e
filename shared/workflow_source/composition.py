"""A workflow that only invokes other ones: which it invokes, and why a source is no such composition."""

from __future__ import annotations

import ast
from collections.abc import Collection

from shared.workflow_source.syntax_trees import parse_source

LEAST_PARTS = 2
NAMESPACE = "workflows"
OTHER_NAMESPACES = ("tools", "artifacts", "deps")
_CALLS = ("invoke", "search", "list", "get", "create", "delete")
"""What the namespace has beside the names of workflows."""


def invoked_workflows(tree: ast.Module) -> tuple[str, ...]:
    """Return the names of the workflows that are invoked, each once, in the order of the source. A name that is
    computed is the empty text."""
    found = _Invoked()
    found.visit(tree)
    return tuple(dict.fromkeys(found.names))


def composition_problems(source: str, known: Collection[str]) -> tuple[str, ...]:
    """Return why a source does more, or less, than to invoke these workflows.

    A source that cannot be parsed has none here: the library refuses it with the line.
    """
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    names = invoked_workflows(tree)
    used = sorted({one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id in OTHER_NAMESPACES})
    strange = [name for name in names if name and name not in known]
    parts = len([name for name in names if name in known])
    return (
        *(f"it uses {name}: a composition only calls workflows of the list" for name in used),
        *(f"{name[:80]!r} was not among the workflows" for name in strange),
        *(("the name of a workflow that it calls is computed: write workflows.NAME(...)",) if "" in names else ()),
        *((f"it calls {parts} of the workflows: a composition calls {LEAST_PARTS} at least",) * (parts < LEAST_PARTS)),
    )


class _Invoked(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names: list[str] = []

    def visit_Call(self, node: ast.Call) -> None:
        if not (isinstance(node.func, ast.Attribute) and _is_namespace(node.func.value) and node.func.attr == "invoke"):
            self.generic_visit(node)
            return
        first = node.args[0] if node.args else None
        written = first.value if isinstance(first, ast.Constant) else None
        self.names.append(written.partition("@")[0] if isinstance(written, str) else "")
        for one in (*node.args, *node.keywords):
            self.visit(one)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if _is_namespace(node.value):
            self.names.append("" if node.attr in _CALLS else node.attr)
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id == NAMESPACE:
            self.names.append("")


def _is_namespace(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == NAMESPACE
