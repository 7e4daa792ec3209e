"""What users call says its arguments, and shows a call that fits them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from exhibit import Session, open_toolbox
from shared.client import flow_runs, webhooks, workflow_calls, workflow_samples
from shared.client.run_client import Client, connect, load_run, run_exists
from shared.flows.code import functions

Called = Callable[..., Any]
SECTIONS = ("Args", "Attributes", "Returns", "Raises", "Example")


def methods(kind: type) -> Iterator[Called]:
    for one in kind.__mro__[:-1]:
        yield from (value for name, value in vars(one).items() if inspect.isfunction(value) and name[0] != "_")


def public() -> Iterator[Called]:
    for module in (flow_runs, webhooks, workflow_calls, workflow_samples, functions):
        every = (getattr(module, name) for name in module.__all__)
        yield from (one for one in every if inspect.isfunction(one))
    yield from (Client, Session, open_toolbox, connect, load_run, run_exists)
    yield from (*methods(Client), *methods(Session))


def section_of(called: Called, name: str) -> str:
    """A section of the docstring, without its head; empty where there is none."""
    heads = "|".join(SECTIONS)
    found = re.search(rf"^{name}:\n(.*?)(?=^(?:{heads}):|\Z)", inspect.getdoc(called) or "", re.M | re.S)
    return textwrap.dedent(found[1]) if found else ""


def name_of(called: Called) -> str:
    return f"{called.__module__}.{called.__qualname__}"


@pytest.mark.parametrize("called", list(dict.fromkeys(public())), ids=name_of)
def test_every_argument_is_told_and_the_example_can_be_called(called: Called):
    parameters = [one for name, one in inspect.signature(called).parameters.items() if name != "self"]
    told = re.findall(r"^\*{0,2}(\w+): ", section_of(called, "Args"), re.M)
    assert told == [one.name for one in parameters]
    example = ast.parse(section_of(called, "Example"))
    used = {node.attr for node in ast.walk(example) if isinstance(node, ast.Attribute)}
    used |= {node.id for node in ast.walk(example) if isinstance(node, ast.Name)}
    assert {called.__name__, "connect" if called is Client else ""} & used
    for call in (node for node in ast.walk(example) if isinstance(node, ast.Call)):
        if getattr(call.func, "attr", getattr(call.func, "id", "")) == called.__name__:
            own = [None] if inspect.isfunction(called) and "self" in inspect.signature(called).parameters else []
            named = {str(one.arg): None for one in call.keywords}
            inspect.signature(called).bind(*own, *(None for _ in call.args), **named)
