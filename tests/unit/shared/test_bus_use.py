"""What services declare to do on the bus is what their code does: declared and used names are the same."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from shared import streams, subjects
from shared.bus.access.use import BusUse
from shared.client.bus_use import CLIENT_USE, OPERATOR_USE
from shared.host.service_names import NAMES
from shared.host.services import service_user
from shared.streams import Bucket, Stream
from shared.subjects import Ask, Stored
from tests.cases import cases
from tests.typed import there

ROOT = Path(__file__).parents[3]
DECLARED = {"shared.subjects": subjects, "shared.streams": streams}
MECHANISM = ("shared.bus", "shared.host", "shared.testing")
"""They take any subject: who calls them names it."""
STREAMS = {"SAMPLES", "DELIVERIES"}
"""They are named by the queues in them."""
GATED = {"LEASE", "WATCH_SAMPLE", "FOLLOW_SAMPLE", "STEER_SAMPLE"}
"""The services open and close them, which is no ask."""


@dataclass
class Source:
    """A module: which names it imports from where, and which names each of its definitions mentions."""

    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    mentions: dict[str, set[str]] = field(default_factory=dict)


def path_of(module: str) -> Path | None:
    base = ROOT / module.replace(".", "/")
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.exists()), None)


@cache
def source(module: str) -> Source:
    path, found = path_of(module), Source()
    assert path is not None
    for node in ast.walk(tree := ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(("shared", "services")):
            found.imports |= {one.asname or one.name: (node.module, one.name) for one in node.names}
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom | ast.Import):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                node.decorator_list = []  # what an actor answers and handles is in its table
            mentioned = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            for name in names_of(node):
                found.mentions[name] = found.mentions.get(name, set()) | mentioned
    return found


def names_of(node: ast.stmt) -> list[str]:
    """The names that a statement defines; "" for one that defines none."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id for one in targets if isinstance(one, ast.Name)] or [""]


@cache
def used_by(service: str) -> set[str]:
    """The subjects and streams that the code of a service mentions, and what it calls of `shared` mentions.

    Not those of the table of its actor.
    """
    modules = sorted((ROOT / "services" / service).rglob("*.py"))
    start = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in modules]
    todo = [(module, name) for module in start for name in source(module).mentions if name != "BUS_USE"]
    seen, used = set[tuple[str, str]](), set[str]()
    while todo:
        module, name = todo.pop()
        if (module, name) in seen or module.startswith(MECHANISM) or path_of(module) is None:
            continue
        seen.add((module, name))
        here = source(module)
        if name in here.imports and name not in here.mentions:  # it is passed on
            todo.append(here.imports[name])
        for mentioned in here.mentions.get(name, set()):
            if mentioned in here.imports:
                home, original = here.imports[mentioned]
                if home in DECLARED:
                    used.add(original)
                else:
                    todo.append((home, original))
            elif mentioned in here.mentions:
                todo.append((module, mentioned))
    return {name for name in used if isinstance(thing(name), Ask | Stored | Bucket | Stream)}


def thing(name: str) -> Any:
    return getattr(subjects, name, None) or getattr(streams, name, None)


def name_of(wanted: Any) -> str:
    return next(name for home in DECLARED.values() for name, one in vars(home).items() if one is wanted)


def declared(use: BusUse) -> set[str]:
    parts = [getattr(use, one.name) for one in fields(BusUse)]
    return {name_of(one) for part in parts if isinstance(part, tuple) for one in part}


def declared_by(service: str) -> set[str]:
    return declared(service_user(service).use)


def in_table_of(service: str) -> set[str]:
    actor = there(service_user(service).actor)
    routes = actor.stored.values()
    table = [*actor.asks.values(), *routes]
    return {name_of(route.subject) for route in table} | {name_of(one.emits) for one in routes if one.emits is not None}


@cases("service", NAMES)
def test_a_service_declares_what_its_code_uses(service: str):
    said, used = declared_by(service), used_by(service)
    assert used - said - in_table_of(service) - STREAMS == set()
    assert said - used - STREAMS == set()


def test_an_operator_may_do_what_the_commands_do():
    only_on_an_own_bus, by_consumers = {"WEBHOOKS", "SAMPLES", "DEAD_LETTER_STREAM", "DELIVERIES"}, {"EVENTS_STREAM"}
    assert declared(OPERATOR_USE) == used_by("console") - only_on_an_own_bus - by_consumers
    assert declared(CLIENT_USE) < declared(OPERATOR_USE)


@cases("service", NAMES)
def test_what_a_service_asks_of_itself_is_declared_too(service: str):
    asked = {name for name in used_by(service) if isinstance(thing(name), Ask)}
    assert asked - (GATED & in_table_of(service)) - declared_by(service) == set()
