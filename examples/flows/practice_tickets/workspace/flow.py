"""Open the ticket, take one screenshot labelled "ticket" of the loaded page, and report its number,
its assignee and its due date.
"""

import asyncio

from exhibit.flow import (
    by_role,
    open_page,
    prove_record,
    read,
    run_flow,
    screenshot,
    section,
    try_click,
)


@section
async def read_ticket(ticket_number: str, url: str) -> dict[str, object]:
    await open_page(url)
    await try_click(by_role("button", "Reject all"))
    await prove_record(ticket_number=ticket_number)
    await screenshot("ticket")
    return await read("ticket_number", "assignee", "due_date")


async def run(ticket_number: str, url: str) -> dict[str, object]:
    """Work on one sample.

    Args:
        ticket_number: the column of this name
        url: the column of this name

    Returns:
        ticket_number, assignee, due_date

    Raises:
        FlowStopped: the page is not what it was, or does not say for certain what is asked
    """
    return await read_ticket(ticket_number, url)


async def main() -> None:
    """Run it with the values of data/variables.json."""
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())
