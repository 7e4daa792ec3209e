"""A workflow's source, read by its syntax tree: description and parameters. Nothing of it is executed."""

from __future__ import annotations

import ast
import inspect
import keyword
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from shared.contracts.workflows.sources import Parameter, SourceFinding
from shared.workflow_source.findings import finding
from shared.workflow_source.syntax_trees import parse_source

RESERVED_NAMES = frozenset({"list", "search", "get", "invoke", "create", "delete"})
MAX_SOURCE_CHARS = 200_000
MAX_NAME_CHARS = 100
MAX_DESCRIPTION_CHARS = 2000
MAX_PARAMETER_CHARS = 20_000
"""Of all parameters, with their types and defaults: a library lists them with every workflow."""
MAX_TREE_DEPTH = 200
"""Deeper nesting would exhaust the stack of whoever walks the tree."""
Run = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A workflow as read. ``description``: first paragraph of the module's docstring, else of ``run``'s; of a long one
    the beginning."""

    description: str
    parameters: tuple[Parameter, ...]
    takes_more: bool
    """``run`` has ``**keywords``."""
    is_async: bool
    tree: ast.Module
    run: Run


def name_findings(name: str) -> Iterator[SourceFinding]:
    """Yield why a workflow cannot have this name."""
    if len(name) > MAX_NAME_CHARS:
        text = f"the name has {len(name)} characters, at most {MAX_NAME_CHARS}"
        yield finding("invalid_name", text)
    elif not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        yield finding("invalid_name", f"{name!r} cannot be the name of a workflow")
    elif unicodedata.normalize("NFKC", name) != name:
        # Python, too, takes such names for the normal form; as files they would be two.
        yield finding("invalid_name", f"{name!r} is not in Unicode's normal form NFKC")
    elif name in RESERVED_NAMES:
        yield finding("reserved_name", f"{name!r} is reserved")


def read_module(source: str) -> tuple[Module | None, tuple[SourceFinding, ...]]:
    """Return the module, or why it is no workflow."""
    tree, problem = _parse(source)
    if tree is None:
        return None, (problem,) if problem is not None else ()
    run = next((node for node in reversed(tree.body) if isinstance(node, Run) and node.name == "run"), None)
    if run is None:
        return None, (finding("no_run", "there is no top-level function `run`"),)
    if run.args.posonlyargs:
        names = ", ".join(one.arg for one in run.args.posonlyargs)
        return None, (finding("positional_only", f"{names} can only be passed by position", run.lineno),)
    parameters = tuple(_parameters(run.args))
    size = sum(len(one.name) + len(one.type) + len(one.default or "") for one in parameters)
    if size > MAX_PARAMETER_CHARS:
        text = f"the parameters of `run` have {size} characters, at most {MAX_PARAMETER_CHARS}"
        return None, (finding("too_long", text, run.lineno),)
    return Module(
        _first_paragraph(ast.get_docstring(tree) or ast.get_docstring(run) or "")[:MAX_DESCRIPTION_CHARS],
        parameters,
        run.args.kwarg is not None,
        isinstance(run, ast.AsyncFunctionDef),
        tree,
        run,
    ), ()


def _parse(source: str) -> tuple[ast.Module | None, SourceFinding | None]:
    if len(source) > MAX_SOURCE_CHARS:
        return None, finding("too_long", f"the source has {len(source)} characters, at most {MAX_SOURCE_CHARS}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = parse_source(source)
    except SyntaxError as exc:
        return None, finding("syntax", exc.msg, exc.lineno or 0)
    except (ValueError, RecursionError, MemoryError) as exc:
        return None, finding("syntax", str(exc) or "it is nested too deeply")
    if _is_too_deep(tree):
        return None, finding("syntax", f"it is nested more than {MAX_TREE_DEPTH} levels deep")
    return tree, None


def _is_too_deep(tree: ast.AST) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(MAX_TREE_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    missing: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults))
    for one, default in zip(arguments.args, [*missing, *arguments.defaults], strict=True):
        yield _parameter(one, default)
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(one, default)


def _parameter(one: ast.arg, default: ast.expr | None) -> Parameter:
    return Parameter(
        name=one.arg,
        type=ast.unparse(one.annotation) if one.annotation is not None else "",
        required=default is None,
        default=ast.unparse(default) if default is not None else None,
    )


def _first_paragraph(docstring: str) -> str:
    return " ".join(inspect.cleandoc(docstring).partition("\n\n")[0].split())
