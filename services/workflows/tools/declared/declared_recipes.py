"""The call forms of programs and HTTP servers: which arguments each recipe uses, presets and leaves to the caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from services.workflows.tools.declared.call_forms import CallForm
from services.workflows.tools.declared.declarations import (
    CliDeclaration,
    CliRecipe,
    Groups,
    HttpDeclaration,
    HttpRecipe,
    HttpRequest,
    Recipe,
)
from services.workflows.tools.declared.templates import placeholders


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
