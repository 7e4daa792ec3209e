"""Collect the commit, its pull request with author, approvers and whoever merged it, how many
checks passed and failed, what failed if it was merged regardless, and the address of the ticket.
Take a screenshot of every significant page.
"""

import asyncio

from exhibit.flow import (
    after,
    beside,
    by_role,
    click,
    go_back,
    is_shown,
    open_page,
    prove_record,
    read,
    read_with_model,
    run_flow,
    screenshot,
    section,
)


@section
async def read_commit(sha: str, url: str) -> dict[str, object]:
    await open_page(url)
    await prove_record(commit_sha=sha)
    await screenshot("commit")
    found = await read("commit_sha", "pr_number")
    await click(beside(by_role("link"), "Pull request"))
    return found


@section
async def read_pull_request() -> dict[str, object]:
    await screenshot("pull_request")
    found = await read("pr_creator", "merger", "jira_url")
    await click(by_role("link", "Checks"))
    return found


@section
async def capture_checks() -> None:
    await screenshot("checks")
    await go_back()


@section
async def follow_resolves() -> None:
    await click(after(by_role("link"), "Resolves"))


@section
async def capture_ticket() -> None:
    await screenshot("ticket")


@section
async def read_the_rest() -> dict[str, object]:
    return await read_with_model(
        "approvers",
        "checks_passed",
        "checks_failed",
        "merged_with_failures",
        "ci_failure_details",
        "judgment",
    )


async def run(sha: str, url: str) -> dict[str, object]:
    """Work on one sample.

    Args:
        sha: the column of this name
        url: the column of this name

    Returns:
        commit_sha, pr_number, pr_creator, approvers, merger, checks_passed, checks_failed,
        merged_with_failures, ci_failure_details, jira_url

    Raises:
        FlowStopped: the page is not what it was, or does not say for certain what is asked
    """
    found: dict[str, object] = {}
    found |= await read_commit(sha, url)
    found |= await read_pull_request()
    await capture_checks()
    if await is_shown(after(by_role("link"), "Resolves")):
        await follow_resolves()
        await capture_ticket()
    found |= await read_the_rest()
    return found


async def main() -> None:
    """Run it with the values of data/variables.json."""
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())
