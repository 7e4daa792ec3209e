"""Reads the calls of ``exhibit.flow`` from a scratch file, as templates. Its source is never run. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from shared.contracts.workflows.flows import FlowCall, ProveRecord, ReadFields, ReadWithModel
from shared.flows.code import functions
from shared.flows.code.calls import read_call
from shared.flows.compiling.plan import Condition, Item, PlannedCall, PlannedProof, PlannedReading
from shared.flows.files import DropdownMapping
from shared.flows.identifiers import to_identifier
from shared.pages.locate.selectors import parse_selector
from shared.workflow_source.syntax_trees import parse_source

SELECTORS = frozenset(
    {"by_role", "by_label", "by_text", "by_test_id", "with_text", "beside", "after", "in_region", "in_row"}
)
CALLS = frozenset(functions.__all__) - SELECTORS - {
    "FlowStopped", "section", "run_flow", "load_mappings", "load_variables", "option_of"
}  # fmt: skip
QUIET = frozenset({"load_mappings", "load_variables", "main"})
MODULES = ("exhibit.flow", "servers.browser_tools", "asyncio", "urllib.parse", "json", "__future__")
MAX_DEPTH = 20


@dataclass
class ScratchRead:
    """``items``: with their lines, in order. ``parameters``: of ``run``. ``told``: what is no call of a flow."""

    items: list[tuple[Item, int]] = field(default_factory=list[tuple[Item, int]])
    parameters: tuple[str, ...] = ()
    told: list[str] = field(default_factory=list[str])


def read_scratch(source: str, mappings: Mapping[str, DropdownMapping]) -> ScratchRead:
    """Return the calls in the order in which ``run`` makes them. Raises SyntaxError for what is no Python."""
    try:
        module = parse_source(source)
    except (ValueError, RecursionError, MemoryError) as exc:
        raise SyntaxError(str(exc)) from exc
    reader = _Reader(mappings)
    reader.module(module)
    return reader.found


class _NotReadError(Exception):
    """An expression is no template."""


class _Reader:
    def __init__(self, mappings: Mapping[str, DropdownMapping]) -> None:
        self.found = ScratchRead()
        self._mappings = mappings
        self._functions: dict[str, ast.AsyncFunctionDef] = {}
        self._mapping = ""

    def module(self, module: ast.Module) -> None:
        for one in module.body:
            if isinstance(one, ast.AsyncFunctionDef):
                self._functions[one.name] = one
        run = self._functions.get("run")
        if run is None:
            self.found.told.append("there is no `async def run`: nothing of this file is taken over")
            return
        for one in module.body:
            if not self._is_frame(one):
                self._tell(one)
        self.found.parameters = tuple(one.arg for one in (*run.args.args, *run.args.kwonlyargs))
        self._body(run.body, {name: f"{{{name}}}" for name in self.found.parameters}, None, 0)

    def _is_frame(self, node: ast.stmt) -> bool:
        """Return whether a statement of the module is what every flow has."""
        if isinstance(node, ast.ImportFrom):
            return node.module in MODULES
        if isinstance(node, ast.Import):
            return all(one.name in MODULES for one in node.names)
        if isinstance(node, ast.If):  # if __name__ == "__main__"
            return isinstance(node.test, ast.Compare) and ast.unparse(node.test.left) == "__name__"
        is_run = isinstance(node, ast.Expr) and ast.unparse(node.value).startswith("asyncio.run(")
        return is_run or isinstance(node, ast.AsyncFunctionDef) or self._is_text(node)

    def _is_text(self, node: ast.stmt) -> bool:
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

    # --- statements

    def _body(self, body: list[ast.stmt], names: Mapping[str, str], condition: Condition | None, depth: int) -> None:
        for node in body:
            match node:
                case ast.Pass():
                    pass
                case ast.Expr() if self._is_text(node):
                    pass
                case ast.Expr(value=value) | ast.Assign(value=value) | ast.AugAssign(value=value):
                    self._value(value, node, names, condition, depth)
                case ast.AnnAssign(value=value) | ast.Return(value=value):
                    if value is not None:
                        self._value(value, node, names, condition, depth)
                case ast.If(test=ast.Name(id=name), body=inner, orelse=[]) if name in names and condition is None:
                    self._body(inner, names, Condition("variable", names[name].strip("{}")), depth)
                case _:
                    self._tell(node)

    def _value(
        self, node: ast.expr, whole: ast.stmt, names: Mapping[str, str], condition: Condition | None, depth: int
    ) -> None:
        match node:
            case ast.Await(value=ast.Call(func=ast.Name(id=name)) as call) if name in self._functions:
                self._inline(call, name, names, condition, depth)
            case ast.Await(value=ast.Call(func=ast.Name(id=name)) as call) if name in CALLS:
                self._call(call, name, names, condition)
            case ast.Call(func=ast.Name(id=name)) if name in QUIET:
                pass
            case ast.Name() | ast.Dict(keys=[]) | ast.Constant():
                pass
            case ast.Dict(values=values) if all(isinstance(one, ast.Name | ast.Constant) for one in values):
                pass
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                self._value(left, whole, names, condition, depth)
                self._value(right, whole, names, condition, depth)
            case _:
                self._tell(whole)

    def _inline(
        self, call: ast.Call, name: str, names: Mapping[str, str], condition: Condition | None, depth: int
    ) -> None:
        """Read the calls of a function of the file where it is called."""
        function = self._functions[name]
        parameters = [one.arg for one in function.args.args]
        try:
            given = dict(zip(parameters, [self._text(one, names) for one in call.args], strict=False))
            given |= {one.arg: self._text(one.value, names) for one in call.keywords if one.arg is not None}
        except _NotReadError:
            self._tell(call)
            return
        if depth >= MAX_DEPTH:
            self._tell(call)
            return
        self._body(function.body, given, condition, depth + 1)

    def _tell(self, node: ast.AST) -> None:
        line = getattr(node, "lineno", 0)
        text = ast.unparse(node).splitlines()[0][:80]
        self.found.told.append(f"line {line}: `{text}` is no call of a flow, and is not taken over")

    # --- calls

    def _call(self, node: ast.Call, name: str, names: Mapping[str, str], condition: Condition | None) -> None:
        self._mapping = ""
        try:
            given = [self._argument(one, names) for one in node.args]
            named = {one.arg: self._argument(one.value, names) for one in node.keywords if one.arg is not None}
            call = copy_context().run(_recorded_call, getattr(functions, name), given, named)
        except (_NotReadError, TypeError, ValueError):
            self._tell(node)
            return
        self.found.items.append((self._item(call, condition), node.lineno))

    def _item(self, call: FlowCall, condition: Condition | None) -> Item:
        match call:
            case ReadFields():
                return PlannedReading(tuple(call.fields))
            case ReadWithModel():
                return PlannedReading(tuple(call.fields), with_model=True)
            case ProveRecord():
                return PlannedProof(dict(call.expected))
            case _:
                if getattr(call, "selector", ""):
                    parse_selector(getattr(call, "selector", ""))
                return PlannedCall(call, condition, self._mapping)

    # --- texts

    def _argument(self, node: ast.expr, names: Mapping[str, str]) -> object:
        if isinstance(node, ast.Constant) and not isinstance(node.value, str):
            return node.value
        return self._text(node, names)

    def _text(self, node: ast.expr, names: Mapping[str, str]) -> str:
        """Return the template of an expression: ``{name}`` where a variable stands."""
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.JoinedStr(values=parts):
                return "".join(self._part(one, names) for one in parts)
            case ast.Call(func=ast.Name(id="quote"), args=[first, *_]):
                return self._text(first, names)
            case ast.Call(func=ast.Name(id="option_of"), args=[entry, value]):
                self._mapping = self._key(entry)
                return self._text(value, names)
            case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in SELECTORS:
                return str(getattr(functions, name)(*(self._text(one, names) for one in given)))
            case ast.Subscript(value=ast.Name(id="variables"), slice=ast.Constant(value=str() as name)):
                return f"{{{to_identifier(name)}}}"
            case ast.Subscript(value=entry, slice=ast.Constant(value="container")):
                return self._mappings[self._key(entry)].container
            case _:
                raise _NotReadError

    def _part(self, node: ast.expr, names: Mapping[str, str]) -> str:
        if isinstance(node, ast.FormattedValue):
            if node.format_spec is not None or node.conversion != -1:
                raise _NotReadError
            return self._text(node.value, names)
        return self._text(node, names)

    def _key(self, node: ast.expr) -> str:
        match node:
            case ast.Subscript(value=ast.Name(id="mappings"), slice=ast.Constant(value=str() as key)):
                if key in self._mappings:
                    return key
            case _:
                pass
        raise _NotReadError


class _NotedCall(functions.FlowBinding):
    """Takes one call down, and performs nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.call: FlowCall | None = None

    def perform(self, call: str, arguments: dict[str, Any], line: int, section: str) -> Any:
        self.call = read_call(call, arguments)


def _recorded_call(function: Callable[..., Any], given: list[object], named: dict[str, object]) -> FlowCall:
    """Return the call that a function of ``exhibit.flow`` makes. Raises TypeError and ValueError."""
    binding = _NotedCall()
    functions.bind_here(binding)
    for _ in function(*given, **named).__await__():
        pass
    if binding.call is None:
        raise TypeError("it makes no call")
    return binding.call
