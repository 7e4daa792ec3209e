"""The forms in which a tool can be called, and the check of arguments before anything starts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from services.workflows.ports import HostCallError, ToolFacts
from services.workflows.tools.declared.declarations import (
    CliDeclaration,
    CliRecipe,
    Groups,
    HttpDeclaration,
    HttpRecipe,
    HttpRequest,
    Parameters,
    Recipe,
    ToolParameter,
)
from services.workflows.tools.declared.templates import placeholders
from shared.contracts.workflows.invocations import JsonValue

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}
_PYTHON_NAMES = {
    "string": "str",
    "integer": "int",
    "number": "int or float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
}


@dataclass(frozen=True)
class CallForm:
    """One way to call a tool. ``title``: ``curl.get``, or ``curl`` for a plain call. ``presets``: arguments that the
    caller cannot give."""

    title: str
    description: str
    parameters: Parameters
    presets: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    defaults: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Of arguments that the caller cannot give either."""
    takes_more: bool = False
    """Arguments of other names are handed on as they are."""

    def bind(self, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return all arguments, presets and defaults included; those without a value are left out.

        Raises HostCallError: TypeError as Python words it for unknown, missing and mistyped arguments, ValueError for
        a value that the declaration does not allow.
        """
        unknown = next((name for name in arguments if name not in self.parameters), None)
        if unknown is not None and not self.takes_more:
            near = get_close_matches(unknown, self.parameters, 1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise HostCallError("TypeError", f"{self.title}() got an unexpected keyword argument {unknown!r}{hint}")
        missing = [name for name, one in self.parameters.items() if one.is_required and arguments.get(name) is None]
        if missing:
            raise HostCallError("TypeError", f"{self.title}() missing {_listed(missing)}")
        bound = {**self.defaults, **{name: one.default for name, one in self.parameters.items()}}
        for name, value in arguments.items():
            if value is not None:
                if name in self.parameters:
                    self._check(name, value)
                bound[name] = value
        return {name: value for name, value in {**bound, **self.presets}.items() if value is not None}

    def _check(self, name: str, value: JsonValue) -> None:
        wrong = value_fault(self.parameters[name], value)
        if wrong is not None:
            raise HostCallError(wrong[0], f"{self.title}() argument {name!r} must {wrong[1]}")

    @property
    def schema(self) -> dict[str, JsonValue]:
        """Return the JSON Schema of the arguments."""
        required = [name for name, one in self.parameters.items() if one.is_required]
        return {
            "type": "object",
            "properties": {name: _parameter_schema(one) for name, one in self.parameters.items()},
            "required": required,
            "additionalProperties": False,
        }


def value_fault(parameter: ToolParameter, value: JsonValue) -> tuple[str, str] | None:
    """Return the kind of error and what the value must be, or None where it is right."""
    if not _is_of(parameter.type, value):
        return "TypeError", f"be {_PYTHON_NAMES[parameter.type]}, not {type(value).__name__}"
    if parameter.enum is not None and not any(_same(value, one) for one in parameter.enum):
        return "ValueError", f"be {_alternatives(parameter.enum)}, not {_short(value)}"
    if parameter.pattern is not None and isinstance(value, str) and not re.fullmatch(parameter.pattern, value):
        return "ValueError", f"match {parameter.pattern!r}, and {_short(value)} does not"
    return None


def _is_of(kind: str, value: JsonValue) -> bool:
    if kind == "any":
        return True
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _same(one: JsonValue, other: JsonValue) -> bool:
    return type(one) is type(other) and one == other


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _alternatives(values: Sequence[Any]) -> str:
    shown = [repr(one) for one in values]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _listed(names: Sequence[str]) -> str:
    """As Python words it: ``2 required keyword arguments: 'a' and 'b'``."""
    quoted = [repr(name) for name in names]
    if len(quoted) == 1:
        return f"1 required keyword argument: {quoted[0]}"
    comma = "," if len(quoted) > 2 else ""
    listed = f"{', '.join(quoted[:-1])}{comma} and {quoted[-1]}"
    return f"{len(quoted)} required keyword arguments: {listed}"


def _parameter_schema(parameter: ToolParameter) -> dict[str, JsonValue]:
    schema: dict[str, JsonValue] = {} if parameter.type == "any" else {"type": parameter.type}
    known = {
        "description": parameter.description or None,
        "default": parameter.default,
        "enum": parameter.enum,
        "format": {"url": "uri"}.get(parameter.format or ""),
        "pattern": parameter.pattern,
    }
    return schema | {name: value for name, value in known.items() if value is not None}


def unknown_name(kind: str, owner: str, name: str, known: Iterable[str]) -> HostCallError:
    """Return the error for a tool or a recipe that does not exist. It names similar ones, or all of a few."""
    names = sorted(known)
    near = get_close_matches(name, names, 3)
    if near:
        hint = f"; did you mean {_alternatives(near)}?"
    elif names:
        hint = (
            f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names[:20])}{' ...' if len(names) > 20 else ''}"
        )
    else:
        hint = "; there is none"
    return HostCallError("AttributeError", f"{owner} has no {kind} {name!r}{hint}")


def found_form(tool: str, forms: Mapping[str, CallForm], recipe: str) -> CallForm:
    """Return the form of a recipe. Raises HostCallError (AttributeError, or TypeError for the plain call)."""
    if recipe in forms:
        return forms[recipe]
    if not recipe:
        raise HostCallError("TypeError", f"{tool}() cannot be called; its recipes are {', '.join(sorted(forms))}")
    raise unknown_name("recipe", f"the tool {tool!r}", recipe, (name for name in forms if name))


def tool_facts(name: str, kind: str, description: str, forms: Mapping[str, CallForm]) -> ToolFacts:
    """Return a tool as it is listed."""
    return ToolFacts(
        name=name,
        kind=kind,
        description=description,
        recipes={recipe: form.description for recipe, form in forms.items() if recipe},
        schemas={recipe: form.schema for recipe, form in forms.items()},
    )


# --- the forms of programs and HTTP servers: what each recipe uses, presets and leaves to the caller


def command_of(declaration: CliDeclaration, recipe: Recipe | None) -> Groups:
    """Return the command of a recipe, or of the plain call."""
    own = recipe.command if isinstance(recipe, CliRecipe) else None
    return declaration.command if own is None else own


def http_request_of(declaration: HttpDeclaration, recipe: Recipe | None) -> HttpRequest:
    """Return the request of a recipe, or of the plain call."""
    own = recipe if isinstance(recipe, HttpRecipe) else HttpRecipe()
    return HttpRequest(
        method=own.method or declaration.method,
        path=declaration.path if own.path is None else own.path,
        query={**declaration.query, **own.query},
        headers={**declaration.headers, **own.headers},
        body=declaration.body if own.body is None else own.body,
    )


def used_names(declaration: CliDeclaration | HttpDeclaration, recipe: Recipe | None) -> list[str]:
    """Return the arguments that a call uses, in the order of the parameters. Raises TemplateError."""
    if isinstance(declaration, CliDeclaration):
        parts: Iterable[Any] = (*command_of(declaration, recipe), declaration.stdin)
    else:
        request = http_request_of(declaration, recipe)
        parts = (request.path or "", request.query, request.headers, request.body)
    found = {one.name for part in parts for one in placeholders(part) if not one.secret}
    return [name for name in declaration.parameters if name in found]


def recipe_form(declaration: CliDeclaration | HttpDeclaration, name: str, recipe: Recipe | None) -> CallForm:
    """Return the form of a recipe; ``recipe`` None: of the plain call, whose name is empty."""
    used = used_names(declaration, recipe)
    presets = {} if recipe is None else recipe.presets
    left = used if recipe is None or recipe.parameters is None else recipe.parameters
    given = [one for one in left if one not in presets]
    return CallForm(
        title=f"{declaration.name}.{name}" if name else declaration.name,
        description=(recipe.description if recipe is not None else "") or declaration.description,
        parameters={one: declaration.parameters[one] for one in given},
        presets=presets,
        defaults={one: declaration.parameters[one].default for one in used if one not in given},
    )


def call_forms(declaration: CliDeclaration | HttpDeclaration) -> dict[str, CallForm]:
    """Return all forms by the names of the recipes; that of the plain call, where there is one, under the empty name.

    A server that has recipes only has no plain call.
    """
    recipes: Mapping[str, Recipe] = declaration.recipes
    forms = {name: recipe_form(declaration, name, recipe) for name, recipe in recipes.items()}
    has_plain = isinstance(declaration, CliDeclaration) or declaration.path is not None or not recipes
    return {"": recipe_form(declaration, "", None), **forms} if has_plain else forms
