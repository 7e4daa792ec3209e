"""Analyze several GitHub repositories: the stars of all of them, and the languages that they are written in."""


def run(repositories: list[str], api_url: str = "https://api.github.com") -> dict:
    """Get the metadata of each repository and add it up.

    Args:
        repositories: Names as ``owner/repository``.
        api_url: The address of the API, for GitHub Enterprise and for tests.

    Returns:
        A dictionary with total_repos, total_stars, languages (sorted, each once) and repos (the metadata of each).

    Raises:
        ValueError: A name is not ``owner/repository``.
        RuntimeError: The metadata of a repository cannot be had.
    """
    names = [full_name.split("/") for full_name in repositories]
    for full_name, parts in zip(repositories, names, strict=True):
        if len(parts) != 2 or not all(parts):
            raise ValueError(f"{full_name!r} is not owner/repository")
    found = [
        workflows.invoke("get_repo_metadata", owner=owner, repository=name, api_url=api_url) for owner, name in names
    ]
    return {
        "total_repos": len(found),
        "total_stars": sum(one["stars"] for one in found),
        "languages": sorted({one["language"] for one in found if one["language"]}),
        "repos": found,
    }
