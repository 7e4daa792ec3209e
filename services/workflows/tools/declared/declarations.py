"""Declarations of tools, as people write them in YAML or in code. For faults beyond types see `declaration_faults`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, TypeAdapter

ArgumentType = Literal["string", "integer", "number", "boolean", "array", "object", "any"]
HttpMethod = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
SecretName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class DeclarationPart(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ToolParameter(DeclarationPart):
    """An argument of a tool. It is required unless it has a default or ``required: false``."""

    type: ArgumentType = "string"
    description: str = ""
    required: bool | None = None
    default: JsonValue = None
    enum: list[JsonValue] | None = None
    format: Literal["url"] | None = None
    """``url``: an http or https address of a host that the tool may reach."""
    pattern: str | None = None
    """A regular expression that the whole text must match."""
    may_be_option: bool = False
    """Of a program: the value may begin with ``-``, and then be read as an option."""

    @property
    def is_required(self) -> bool:
        return self.default is None if self.required is None else self.required


class ToolLimits(DeclarationPart):
    timeout_s: float = Field(default=30.0, gt=0, le=600)
    output_bytes: int = Field(default=400_000, gt=0, le=50_000_000)
    """Of what comes back: standard output, or the body of an answer. More than that is an error."""
    concurrent: int = Field(default=4, ge=1, le=64)
    """Calls at a time; others wait."""


class Recipe(DeclarationPart):
    """A named way to call a tool. ``presets``: arguments it gives; ``parameters``: those that remain (None: all that it
    uses)."""

    description: str = ""
    presets: dict[str, JsonValue] = {}
    parameters: list[str] | None = None


class ToolDeclaration(DeclarationPart):
    """What the kinds have in common. ``hosts``: as in :mod:`shared.hosts`; ``private_hosts``: those of them whose names
    may stand for private addresses. An address in ``hosts`` that is private itself is meant."""

    name: str
    description: str = Field(min_length=1)
    hosts: list[str] = []
    private_hosts: list[str] = []
    limits: ToolLimits = ToolLimits()


# --- programs


def _as_group(written: Any) -> Any:
    return [written] if isinstance(written, str) else written


ArgumentGroup = Annotated[list[str], Field(min_length=1), BeforeValidator(_as_group)]
"""Arguments of a program that stand or fall together: they are left out when one of them has no value."""
Command = Annotated[list[ArgumentGroup], Field(min_length=1)]


class CliRecipe(Recipe):
    command: Command | None = None


class CliDeclaration(ToolDeclaration):
    """A program. ``env``: its variables besides PATH; ``secrets``: variables that hold secrets, by the secrets' names.

    ``stdin``: what it reads from its standard input; ``output``: what becomes of its standard output.
    """

    kind: Literal["cli"] = "cli"
    command: Command
    stdin: str = ""
    env: dict[VariableName, str] = {}
    secrets: dict[VariableName, SecretName] = {}
    parameters: dict[str, ToolParameter] = {}
    recipes: dict[str, CliRecipe] = {}
    output: Literal["text", "json", "lines", "bytes"] = "text"


# --- HTTP


class HttpRequest(DeclarationPart):
    """A request with placeholders. ``path`` is added to the base; without a base it is ``{name}`` of an address."""

    method: HttpMethod = "GET"
    path: str | None = None
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    body: JsonValue = None
    """Sent as JSON; None: no body."""


class HttpRecipe(Recipe):
    """``method``, ``path`` and ``body`` replace those of the tool; ``query`` and ``headers`` are added to them."""

    method: HttpMethod | None = None
    path: str | None = None
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    body: JsonValue = None


class HttpDeclaration(ToolDeclaration, HttpRequest):
    """An HTTP server. ``hosts`` empty: that of ``base_url``."""

    kind: Literal["http"] = "http"
    base_url: str = ""
    parameters: dict[str, ToolParameter] = {}
    recipes: dict[str, HttpRecipe] = {}
    output: Literal["json", "text", "bytes", "response"] = "json"
    max_redirects: int = Field(default=5, ge=0, le=20)


# --- MCP servers and the browser


class McpDeclaration(ToolDeclaration):
    """An MCP server: a program that speaks over its standard input and output, or an address. Its tools are the
    recipes; ``tools``: those that may be used (None: all)."""

    kind: Literal["mcp"] = "mcp"
    command: list[str] | None = Field(default=None, min_length=1)
    env: dict[VariableName, str] = {}
    secrets: dict[VariableName, SecretName] = {}
    url: str | None = None
    headers: dict[str, str] = {}
    tools: list[str] | None = None
    start_timeout_s: float = Field(default=30.0, gt=0, le=600)


class BrowserDeclaration(ToolDeclaration):
    """The browser pool. What a session that is leased for a workflow may do; one that was given has its own terms."""

    kind: Literal["browser"] = "browser"
    name: str = "browser"
    description: str = "A browser: opens pages, acts on them, reads and captures them."
    secrets: list[SecretName] = []
    auth_profile: str | None = None
    limits: ToolLimits = ToolLimits(timeout_s=150, concurrent=16)
    wait_for_session_s: float = Field(default=60.0, gt=0, le=600)


AnyDeclaration = CliDeclaration | HttpDeclaration | McpDeclaration | BrowserDeclaration
declaration_adapter: TypeAdapter[AnyDeclaration] = TypeAdapter(Annotated[AnyDeclaration, Field(discriminator="kind")])

Parameters = Mapping[str, ToolParameter]
Groups = Sequence[Sequence[str]]
