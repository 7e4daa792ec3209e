"""What is wrong with a declaration whose types are right: names, placeholders, presets, hosts. All faults at once."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from services.workflows.tools.declared.call_forms import http_request_of, used_names, value_fault
from services.workflows.tools.declared.declarations import (
    AnyDeclaration,
    BrowserDeclaration,
    CliDeclaration,
    HttpDeclaration,
    McpDeclaration,
    Parameters,
    Recipe,
    ToolDeclaration,
    ToolParameter,
)
from services.workflows.tools.declared.templates import (
    Placeholder,
    TemplateError,
    parse_template,
    placeholders,
    whole_placeholder,
)
from shared.hosts import EVERY_HOST, Origin, is_spec_rule, parse_origin

RESERVED_TOOLS = frozenset({"list"})
_SECRET_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class DeclarationFault:
    """``key``: the path of keys to what is wrong."""

    key: tuple[str | int, ...]
    message: str


Faults = Iterator[DeclarationFault]


def declaration_faults(declaration: AnyDeclaration) -> list[DeclarationFault]:
    """Return everything that is wrong."""
    return [*_common(declaration), *_of_kind(declaration)]


def _of_kind(declaration: AnyDeclaration) -> Faults:
    if isinstance(declaration, CliDeclaration):
        return _cli(declaration)
    if isinstance(declaration, HttpDeclaration):
        return _http(declaration)
    return _mcp(declaration) if isinstance(declaration, McpDeclaration) else _browser(declaration)


def _common(declaration: ToolDeclaration) -> Faults:
    name = declaration.name
    if not is_public_name(name) or name in RESERVED_TOOLS:
        yield DeclarationFault(("name",), f"{name!r} cannot be the name of a tool; it must be a Python name of its own")
    for key in ("hosts", "private_hosts"):
        rules: list[str] = getattr(declaration, key)
        for at, rule in enumerate(rules):
            if rule != EVERY_HOST and not is_spec_rule(rule):
                yield DeclarationFault((key, at), f"{rule!r} names no host; write host, host:port, *.domain or *")
            elif key == "private_hosts" and rule == EVERY_HOST:
                yield DeclarationFault((key, at), "private addresses must be named one by one")


def is_public_name(name: str) -> bool:
    """Whether workflow code can write it after a dot."""
    return name.isidentifier() and name.isascii() and not name.startswith("_") and not keyword.iskeyword(name)


# --- parameters and recipes


def _parameters(parameters: Parameters) -> Faults:
    for name, one in parameters.items():
        key = ("parameters", name)
        if not is_public_name(name) or name == "secret":
            yield DeclarationFault(key, f"{name!r} cannot be the name of an argument")
        if one.required and one.default is not None:
            yield DeclarationFault((*key, "required"), "it has a default, so it is never missing")
        yield from _pattern(key, one)
        if one.enum is not None and not one.enum:
            yield DeclarationFault((*key, "enum"), "no value is allowed")
        if one.format == "url" and one.type != "string":
            yield DeclarationFault((*key, "format"), "an address is of type string")
        if one.default is not None:
            yield from _value((*key, "default"), one, one.default)


def _pattern(key: tuple[str, ...], one: ToolParameter) -> Faults:
    try:
        re.compile(one.pattern or "")
    except re.error as exc:
        yield DeclarationFault((*key, "pattern"), f"{one.pattern!r} is no regular expression: {exc}")


def _value(key: tuple[str, ...], parameter: ToolParameter, value: Any) -> Faults:
    try:
        wrong = value_fault(parameter, value)
    except re.error:
        return  # reported where the pattern is
    if wrong is not None:
        yield DeclarationFault(key, f"it must {wrong[1]}")


def _recipes(declaration: CliDeclaration | HttpDeclaration, recipes: Mapping[str, Recipe]) -> Faults:
    parameters = declaration.parameters
    for name, recipe in recipes.items():
        key = ("recipes", name)
        if not is_public_name(name):
            yield DeclarationFault(key, f"{name!r} cannot be the name of a recipe")
        for preset, value in recipe.presets.items():
            if preset not in parameters:
                yield DeclarationFault((*key, "presets", preset), f"there is no parameter {preset!r}")
            elif value is not None:
                yield from _value((*key, "presets", preset), parameters[preset], value)
        for at, remaining in enumerate(recipe.parameters or ()):
            if remaining not in parameters:
                yield DeclarationFault((*key, "parameters", at), f"there is no parameter {remaining!r}")
            elif remaining in recipe.presets:
                yield DeclarationFault((*key, "parameters", at), f"{remaining!r} is a preset, so it cannot be given")
        yield from _never_given(declaration, recipe, key)


def _never_given(declaration: CliDeclaration | HttpDeclaration, recipe: Recipe, key: tuple[str, ...]) -> Faults:
    if recipe.parameters is None:
        return
    try:
        used = used_names(declaration, recipe)
    except TemplateError:
        return  # reported where the template is
    for name in used:
        one = declaration.parameters.get(name)
        if one is not None and one.is_required and name not in recipe.presets and name not in recipe.parameters:
            yield DeclarationFault(
                (*key, "parameters"), f"{name!r} is needed, and neither preset nor left to the caller"
            )


# --- templates


def _template(key: tuple[str | int, ...], template: Any, parameters: Parameters, *, secrets: bool) -> Faults:
    try:
        found = list(placeholders(template))
    except TemplateError as exc:
        yield DeclarationFault(key, str(exc))
        return
    for one in found:
        if one.secret and not secrets:
            yield DeclarationFault(key, f"the secret {one.name!r} would be shown here")
        elif one.secret and not _SECRET_NAME.fullmatch(one.name):
            yield DeclarationFault(key, f"{one.name!r} cannot be the name of a secret")
        elif not one.secret and one.name not in parameters:
            yield DeclarationFault(key, f"there is no parameter {one.name!r}")


def _cli(declaration: CliDeclaration) -> Faults:
    yield from _parameters(declaration.parameters)
    yield from _recipes(declaration, declaration.recipes)
    commands: list[tuple[tuple[str | int, ...], list[list[str]]]] = [(("command",), declaration.command)]
    for name, recipe in declaration.recipes.items():
        if recipe.command is not None:
            commands.append((("recipes", name, "command"), recipe.command))
    for key, command in commands:
        for at, group in enumerate(command):
            yield from _template((*key, at), group, declaration.parameters, secrets=False)
        if len(command[0]) != 1 or _has_placeholder(command[0][0]):
            yield DeclarationFault((*key, 0), "the program itself must be a text without placeholders")
    yield from _template(("stdin",), declaration.stdin, declaration.parameters, secrets=True)
    for name in declaration.env.keys() & declaration.secrets.keys():
        yield DeclarationFault(("secrets", name), "env has this variable already")
    yield from _url_hosts(declaration.parameters, declaration)


def _has_placeholder(text: str) -> bool:
    try:
        return any(isinstance(part, Placeholder) for part in parse_template(text))
    except TemplateError:
        return False  # reported where the template is


def _url_hosts(parameters: Parameters, declaration: ToolDeclaration) -> Faults:
    urls = [name for name, one in parameters.items() if one.format == "url"]
    if urls and not declaration.hosts:
        yield DeclarationFault(("hosts",), f"{urls[0]!r} is an address, and no host is named that it may be of")


def _http(declaration: HttpDeclaration) -> Faults:
    parameters = declaration.parameters
    yield from _parameters(parameters)
    yield from _recipes(declaration, declaration.recipes)
    yield from _base(declaration)
    shapes: list[tuple[tuple[str | int, ...], Recipe | None]] = [((), None)]
    shapes += [(("recipes", name), recipe) for name, recipe in declaration.recipes.items()]
    for key, recipe in shapes:
        own: Any = declaration if recipe is None else recipe
        yield from _template((*key, "path"), own.path or "", parameters, secrets=False)
        for part in ("query", "headers"):
            members: dict[str, str] = getattr(own, part)
            for name, template in members.items():
                yield from _template((*key, part, name), template, parameters, secrets=True)
        yield from _template((*key, "body"), own.body, parameters, secrets=True)
        path = http_request_of(declaration, recipe).path
        if path is not None or recipe is not None or not declaration.recipes:
            yield from _path((*key, "path"), path or "", declaration)


def _base(declaration: HttpDeclaration) -> Faults:
    base = declaration.base_url
    if base:
        origin = parse_origin(base)
        if not isinstance(origin, Origin):
            yield DeclarationFault(("base_url",), origin)
        elif origin.scheme not in ("http", "https") or "?" in base or "#" in base:
            yield DeclarationFault(("base_url",), "it must be an http or https address without ? and #")
    elif not declaration.hosts:
        yield DeclarationFault(("hosts",), "without base_url the hosts must be named that the tool may reach")


def _path(key: tuple[str | int, ...], path: str, declaration: HttpDeclaration) -> Faults:
    if declaration.base_url:
        if path and not path.startswith("/"):
            yield DeclarationFault(key, "it must begin with /")
        return
    try:
        name = whole_placeholder(path)
    except TemplateError:
        return  # reported already
    parameter = declaration.parameters.get(name or "")
    if parameter is None or parameter.format != "url":
        yield DeclarationFault(key, "without base_url it must be {name} of a parameter with format: url")


def _mcp(declaration: McpDeclaration) -> Faults:
    if (declaration.command is None) == (declaration.url is None):
        yield DeclarationFault(("command",), "either command or url must be given")
    for name in declaration.env.keys() & declaration.secrets.keys():
        yield DeclarationFault(("secrets", name), "env has this variable already")
    for name, template in declaration.headers.items():
        yield from _template(("headers", name), template, {}, secrets=True)
    if declaration.url is not None:
        origin = parse_origin(declaration.url)
        if not isinstance(origin, Origin) or origin.scheme not in ("http", "https"):
            yield DeclarationFault(("url",), "it must be an http or https address")
        if declaration.env or declaration.secrets:
            yield DeclarationFault(("env",), "only a server that is a program has variables; use headers")
    elif declaration.headers:
        yield DeclarationFault(("headers",), "only a server with an address has headers; use env and secrets")


def _browser(declaration: BrowserDeclaration) -> Faults:
    for at, rule in enumerate(declaration.hosts):
        if rule == EVERY_HOST:
            yield DeclarationFault(("hosts", at), "a browser that works alone may not open every host")


def fault_words(faults: Iterable[DeclarationFault]) -> str:
    """Return the faults as one text, one a line."""
    return "\n".join(f"{'.'.join(map(str, one.key)) or 'file'}: {one.message}" for one in faults)
