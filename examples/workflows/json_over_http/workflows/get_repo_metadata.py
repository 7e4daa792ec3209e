"""Get name, stars, language and description of a GitHub repository."""


def run(owner: str, repository: str, api_url: str = "https://api.github.com") -> dict:
    """Get what GitHub says about one repository.

    Args:
        owner: The user or the organisation that it belongs to.
        repository: Its name.
        api_url: The address of the API, for GitHub Enterprise and for tests.

    Returns:
        A dictionary with name, stars, language (None where GitHub sees none) and description.

    Raises:
        RuntimeError: The repository cannot be fetched, or the answer is not that of a repository.
    """
    url = f"{api_url}/repos/{owner}/{repository}"
    answer = workflows.invoke("fetch_json", url=url)
    try:
        return {
            "name": answer["name"],
            "stars": int(answer["stargazers_count"]),
            "language": answer.get("language"),
            "description": answer.get("description") or "",
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RuntimeError(f"{url} is not the answer for a repository: {error!r}") from error
