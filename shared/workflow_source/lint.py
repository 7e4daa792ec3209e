"""Rules for the source of a workflow: errors that hide what failed, missing documentation, names, and whether it is
worth keeping."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from shared.contracts.workflows.sources import SourceFinding
from shared.workflow_source.findings import finding
from shared.workflow_source.module import Module, name_findings, read_module

FEWEST_STATEMENTS = 5
_BROAD = frozenset({"Exception", "BaseException"})
_FULL_WORDS = {
    "addr": "address",
    "cb": "callback",
    "cfg": "configuration",
    "cnt": "count",
    "contrib": "contributors",
    "desc": "description",
    "fn": "function",
    "idx": "index",
    "incl": "include",
    "msg": "message",
    "num": "number",
    "obj": "object",
    "param": "parameter",
    "pwd": "password",
    "repo": "repository",
    "req": "request",
    "res": "result",
    "resp": "response",
    "tmp": "temporary",
    "usr": "user",
    "val": "value",
}
_COORDINATES = frozenset("xyz")
_SECTION = {name: re.compile(rf"^\s*{name}:\s*$", re.MULTILINE) for name in ("Args", "Returns", "Raises")}


def lint(source: str, name: str = "") -> tuple[SourceFinding, ...]:
    """Return all findings, by line. ``name``: checked too, if it is given."""
    module, problems = read_module(source)
    found = [*(name_findings(name) if name else ()), *problems]
    if module is not None:
        found += [*_hidden_errors(module.tree), *_documentation(module), *_names(module), *_worth(module)]
    return tuple(sorted(found, key=lambda one: one.line))


# --- errors that hide what failed


def _hidden_errors(tree: ast.Module) -> Iterator[SourceFinding]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        if node.type is None:
            yield finding("bare_except", "`except:` catches everything, the interrupt of the user too", node.lineno)
        if _swallows(node):
            yield finding("swallowed_error", "nobody learns that this failed", node.lineno)
        for raised in _raises(node.body):
            if raised.exc is not None and raised.cause is None and not _is_name(raised.exc, node.name):
                yield finding("lost_cause", "the error that is raised does not name its cause", raised.lineno)


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Return whether the handler does nothing, or catches everything and only gives a constant instead."""
    if all(isinstance(one, ast.Pass | ast.Continue) or _is_constant_statement(one) for one in handler.body):
        return True
    return _is_broad(handler.type) and all(_gives_constant(one) for one in handler.body)


def _is_broad(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(kind, ast.Name) and kind.id in _BROAD for kind in kinds)


def _gives_constant(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Pass | ast.Continue | ast.Break) or _is_constant_statement(statement):
        return True
    if isinstance(statement, ast.Return | ast.Assign):
        return statement.value is None or _is_constant(statement.value)
    return False


def _is_constant_statement(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_constant(value: ast.expr) -> bool:
    """Return whether the value is written out: nothing of the program is in it."""
    return not any(isinstance(node, ast.Name | ast.Call | ast.Attribute) for node in ast.walk(value))


def _raises(body: list[ast.stmt]) -> Iterator[ast.Raise]:
    """Yield the ``raise`` statements of a handler, without those of inner functions and handlers."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Raise):
            yield node
        elif not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.ExceptHandler
        ):
            pending.extend(ast.iter_child_nodes(node))


def _is_name(raised: ast.expr, name: str | None) -> bool:
    return isinstance(raised, ast.Name) and raised.id == name


# --- documentation and names


def _documentation(module: Module) -> Iterator[SourceFinding]:
    run = module.run
    arguments = [*run.args.args, *run.args.kwonlyargs]
    for one in arguments:
        if one.annotation is None:
            yield finding("missing_hint", f"the parameter {one.arg} has no type", one.lineno)
    if run.returns is None:
        yield finding("missing_return_hint", "the type of what `run` returns is not said", run.lineno)
    text = ast.get_docstring(run)
    if text is None:
        yield finding("missing_docstring", "`run` has no docstring", run.lineno)
        return
    returns = run.returns is not None and not (isinstance(run.returns, ast.Constant) and run.returns.value is None)
    raises = any(isinstance(node, ast.Raise) for node in ast.walk(run))
    for section, is_needed in (("Args", bool(arguments)), ("Returns", returns), ("Raises", raises)):
        if is_needed and _SECTION[section].search(text) is None:
            yield finding("missing_section", f"the docstring of `run` has no section {section}", run.lineno)


def _names(module: Module) -> Iterator[SourceFinding]:
    for one in (*module.run.args.args, *module.run.args.kwonlyargs):
        for part in one.arg.lower().split("_"):
            if part in _FULL_WORDS:
                yield finding("cryptic_name", f"{one.arg}: {part} is short for {_FULL_WORDS[part]}", one.lineno)
        if len(one.arg) == 1 and one.arg.lower() not in _COORDINATES:
            yield finding("cryptic_name", f"{one.arg}: a single letter says nothing", one.lineno)


# --- whether it is worth keeping


def _worth(module: Module) -> Iterator[SourceFinding]:
    body = [one for one in module.run.body if not _is_constant_statement(one)]
    body = [one for one in body if not isinstance(one, ast.Import | ast.ImportFrom)]
    if _is_call_of_tool(body):
        yield finding("thin_wrapper", "`run` only calls one tool", module.run.lineno)
        return
    others = [
        node for node in module.tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    statements = sum(isinstance(node, ast.stmt) for one in body for node in ast.walk(one))
    if statements < FEWEST_STATEMENTS and others == [module.run]:
        yield finding("few_statements", f"statements in `run`: {statements}", module.run.lineno)


def _is_call_of_tool(body: list[ast.stmt]) -> bool:
    """Return whether the body is one call of a tool, and perhaps the return of its result."""
    values = [one.value for one in body if isinstance(one, ast.Return | ast.Expr | ast.Assign)]
    if not values or len(values) != len(body) or len(body) > 2:
        return False
    if len(body) == 2 and not isinstance(values[1], ast.Name):
        return False
    called = values[0].value if isinstance(values[0], ast.Await) else values[0]
    if not isinstance(called, ast.Call):
        return False
    owner: ast.expr = called.func
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return isinstance(owner, ast.Name) and owner.id == "tools"
