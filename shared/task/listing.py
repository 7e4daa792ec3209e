"""Which list of a page a discovery task means, in words of the page. Never a selector."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from shared.task.route import Words


class ListChoice(BaseModel):
    """Settles what a page leaves open: which list, which of its columns, which link of a row."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    under: Words | None = Field(
        default=None, description="The heading, region or caption that the list stands under; only this list counts."
    )
    columns: dict[str, Words] = Field(
        default={}, description='Output fields to the headers of their columns: {"number": "#"}.'
    )
    link: Words | None = Field(
        default=None,
        description="Which link of an item is its own: the header of the link's column, its name, or a segment of the "
        'path of its address, such as "issues".',
    )
