"""For the line of code, read the path of its file and the author and date of the commit that
changed it last, take screenshots of the blame view and of that commit, and judge whether the
change was material.
"""

import asyncio

from exhibit.flow import (
    beside,
    by_role,
    click,
    in_row,
    open_page,
    prove_record,
    read,
    read_with_model,
    run_flow,
    screenshot,
    section,
    type_text,
)


@section
async def search_code(code_string: str, url: str) -> None:
    await open_page(url)
    await type_text(selector=by_role("searchbox", "Search code"), text=code_string)
    await click(by_role("button", "Search"))


@section
async def open_result(code_string: str) -> None:
    await click(in_row(by_role("link"), code_string))


@section
async def follow_blame(code_string: str) -> None:
    await prove_record(code_string=code_string)
    await click(by_role("link", "Blame"))


@section
async def read_blame(code_string: str) -> dict[str, object]:
    await screenshot("blame")
    found = await read("code_string", "file_path", "last_modified_date", "author")
    await click(in_row(beside(by_role("link"), "Last commit"), code_string))
    return found


@section
async def read_commit() -> dict[str, object]:
    await screenshot("commit")
    return await read_with_model("judgment")


async def run(code_string: str, url: str) -> dict[str, object]:
    """Work on one sample.

    Args:
        code_string: the column of this name
        url: the column of this name

    Returns:
        code_string, file_path, last_modified_date, author

    Raises:
        FlowStopped: the page is not what it was, or does not say for certain what is asked
    """
    found: dict[str, object] = {}
    await search_code(code_string, url)
    await open_result(code_string)
    await follow_blame(code_string)
    found |= await read_blame(code_string)
    found |= await read_commit()
    return found


async def main() -> None:
    """Run it with the values of data/variables.json."""
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())
