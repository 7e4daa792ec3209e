"""Take a screenshot labelled "search" of the search results. Open the profile of the one person who
is meant, take a screenshot labelled "profile", and report name, profile URL, school, current
company and the tenure there, all as the section "At a glance" shows them.
"""

import asyncio
from urllib.parse import quote

from exhibit.flow import (
    by_role,
    click,
    in_region,
    open_page,
    prove_record,
    read,
    run_flow,
    screenshot,
    section,
)


@section
async def open_search(name: str, company: str) -> None:
    await open_page(
        f"http://127.0.0.1:8461/search?name={quote(name, safe='')}&company={quote(company, safe='')}",
    )
    await screenshot("search")
    await click(in_region(by_role("link", name), "Search results"))


@section
async def read_profile(name: str) -> dict[str, object]:
    await prove_record(name=name)
    await screenshot("profile")
    return await read("name", "profile_url", "school", "current_company", "tenure")


async def run(name: str, company: str) -> dict[str, object]:
    """Work on one sample.

    Args:
        name: the column of this name
        company: the column of this name

    Returns:
        name, profile_url, school, current_company, tenure

    Raises:
        FlowStopped: the page is not what it was, or does not say for certain what is asked
    """
    found: dict[str, object] = {}
    await open_search(name, company)
    found |= await read_profile(name)
    return found


async def main() -> None:
    """Run it with the values of data/variables.json."""
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())
