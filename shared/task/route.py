"""The route of a task: how a person would go, step by step, in words of the page. Never a selector.

The rules driver follows it exactly; a model is shown it as the suggested way. ``{column}`` in a text is filled from
the sample's row. Where words are asked for, a list gives several ways in which a page may say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

Text = Annotated[str, Field(min_length=1, max_length=300)]
Words = Text | Annotated[list[Text], Field(min_length=1)]
Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9_ -]+$", max_length=80)]


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Follow(Step):
    """The one link or button that is called so. ``optional``: where there is none, this step and what hangs on it, up
    to the next ``open`` or the ``back`` that would come back from there, is left out, and the fields to be read there
    are not present."""

    follow: Words
    optional: bool = False


class Lookup(Step):
    into: Words = Field(description="What the search field is called.")
    text: Text
    press: Words | None = Field(default=None, description="The button to press; none: the Enter key.")
    pick: dict[Text, Text] | None = Field(
        default=None, description='Columns of the one result to open, all of them exact: {"name": "{name}"}.'
    )
    under: Words | None = Field(default=None, description="Only results under this heading count.")
    numbered: bool = Field(default=False, description="Texts of a result begin with a number that is no part of them.")
    link: Words | None = Field(
        default=None,
        description="What opens the result, where it has several links: the name of the link, the header of its "
        "column, or a segment of the path of its address.",
    )


class Search(Step):
    """Types, submits, and opens the one result that matches; none on any page of results is ``not_found``, several
    go to a person."""

    search: Lookup


class Pick(Step):
    """The same for a list that is on the page already."""

    pick: Annotated[dict[Text, Text], Field(min_length=1)]
    under: Words | None = None
    numbered: bool = False
    link: Words | None = None


class ShowTab(Step):
    tab: Words


class Open(Step):
    """An address; a column's value is URL-encoded in it, except for a column called ``url``."""

    open: Text


class GoBack(Step):
    back: Literal[True]


class Choice(Step):
    """For a field that offers a list as one types: what is typed, and what the one option of the list says then."""

    search: Text
    option: Text


class Fill(Step):
    """Label to value, in this order, each with the action that fits the control. ``"Country | Nation"`` names two
    labels; an optional column that is empty leaves its field as it is."""

    fill: Annotated[dict[Text, str | Choice], Field(min_length=1)]


class PressButton(Step):
    """``irreversible``: it is never pressed twice for a sample, and only when all that was filled in has been read
    back. ``confirm``: words of the browser's own question that comes up then, and is agreed to."""

    press: Words
    irreversible: bool = False
    confirm: Text | None = None


class TakePicture(Step):
    screenshot: Label


class FetchFile(Step):
    """``press``: what the link or button is called, where it is not called like the file. ``under``: only what stands
    under this heading or label; there, the one button without a name is the one. ``open``: the address of the file,
    filled as in the step ``open``; nothing is pressed then."""

    download: Label
    press: Words | None = None
    under: Words | None = None
    open: Text | None = None

    @model_validator(mode="after")
    def _one_way(self) -> FetchFile:
        if self.open is not None and (self.press is not None or self.under is not None):
            raise PydanticCustomError("route_step", "a file is fetched by its address, or by what is pressed, not both")
        return self


class FetchAll(Step):
    """Every link in the section under the heading that is called so; ``count`` is the field for how many they were."""

    download_all: Label
    under: Words | None = None
    count: str | None = None


class Count(Step):
    """How many rows, else links, stand under the heading; the number goes into the field ``into``."""

    count: Words
    into: str


class Address(Step):
    """The address of the one link that is called so, or stands under this label, goes into the field ``into``.
    ``optional``: where there is none, the field is not present."""

    address: Words
    into: str
    optional: bool = False


class Headline(Step):
    """The one heading of this level goes into this field."""

    headline: str
    level: Annotated[int, Field(ge=1, le=6)] = 1


class Read(Step):
    """Fields to be read on this page, and on no other. Fields that no step names are read wherever they are found.
    ``under``: only in the part of the page that is called so; a field's own ``under`` counts before it."""

    read: Annotated[list[str], Field(min_length=1)]
    under: Words | None = None


KINDS: dict[str, type[Step]] = {
    "follow": Follow,
    "search": Search,
    "pick": Pick,
    "tab": ShowTab,
    "open": Open,
    "back": GoBack,
    "fill": Fill,
    "press": PressButton,
    "screenshot": TakePicture,
    "download": FetchFile,
    "download_all": FetchAll,
    "count": Count,
    "address": Address,
    "headline": Headline,
    "read": Read,
}
"""By the key that says what a step is."""
_DETAILS = ("count", "press", "open")
"""They may also be details of another step, so every other key is looked for first."""


def _kind(written: object) -> str | None:
    if isinstance(written, Step):
        return next(name for name, kind in KINDS.items() if type(written) is kind)
    keys: set[object] = set(cast("dict[object, Any]", written)) if isinstance(written, dict) else set()
    first = [name for name in KINDS if name not in _DETAILS]
    return next((name for name in (*first, *_DETAILS) if name in keys), None)


RouteStep = Annotated[
    Annotated[Follow, Tag("follow")]
    | Annotated[Search, Tag("search")]
    | Annotated[Pick, Tag("pick")]
    | Annotated[ShowTab, Tag("tab")]
    | Annotated[Open, Tag("open")]
    | Annotated[GoBack, Tag("back")]
    | Annotated[Fill, Tag("fill")]
    | Annotated[PressButton, Tag("press")]
    | Annotated[TakePicture, Tag("screenshot")]
    | Annotated[FetchFile, Tag("download")]
    | Annotated[FetchAll, Tag("download_all")]
    | Annotated[Count, Tag("count")]
    | Annotated[Address, Tag("address")]
    | Annotated[Headline, Tag("headline")]
    | Annotated[Read, Tag("read")],
    Discriminator(
        _kind,
        custom_error_type="route_step",
        custom_error_message=f"a step of the route has one of the keys {', '.join(KINDS)}",
    ),
]


def words(written: Words | None) -> tuple[str, ...]:
    """One way to say it, or several."""
    if written is None:
        return ()
    return (written,) if isinstance(written, str) else tuple(written)


def fields_of(step: Step) -> tuple[str, ...]:
    """Output fields that this step brings."""
    if isinstance(step, Read):
        return tuple(step.read)
    if isinstance(step, Count | Address):
        return (step.into,)
    if isinstance(step, Headline):
        return (step.headline,)
    return (step.count,) if isinstance(step, FetchAll) and step.count is not None else ()


def headline_fields(route: Sequence[Step]) -> frozenset[str]:
    """Return the output fields that a heading of their page is."""
    return frozenset(step.headline for step in route if isinstance(step, Headline))


def texts_of(step: Step) -> tuple[str, ...]:
    """Everything in the step that may hold ``{column}``."""
    return tuple(_texts(step.model_dump(exclude_none=True)))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        found = cast("dict[str, object]", value)
        return [text for one in (*found, *found.values()) for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in cast("list[object]", value) for text in _texts(one)]
    return []


def step_in_words(step: Step) -> str:
    """The step as a person would say it, in short."""
    written = step.model_dump(exclude_none=True, exclude_defaults=True)
    return ", ".join(f"{key} {value!r}" for key, value in written.items())


def is_way_to_list(step: Step) -> bool:
    """Whether a route may lead over the step to a list of records, before any of them is known."""
    if isinstance(step, Search):
        return step.search.pick is None
    if isinstance(step, PressButton):
        return not step.irreversible
    return isinstance(step, Follow | ShowTab | Open | GoBack | Fill)


def irreversible_steps(route: Sequence[Step]) -> tuple[int, ...]:
    """Return the steps of the route that press what cannot be taken back, counted from 0."""
    return tuple(at for at, step in enumerate(route) if isinstance(step, PressButton) and step.irreversible)
