"""Fetch JSON from a URL and parse the response."""

import json


def run(url: str) -> dict | list:
    """Fetch an address and return the JSON that it answers with.

    Args:
        url: The whole address.

    Returns:
        The object or the list of the answer.

    Raises:
        RuntimeError: The server cannot be reached, refuses, or answers with something else than an object or a list.
    """
    try:
        answer = tools.curl.get(url=url)
    except (ConnectionError, TimeoutError, RuntimeError) as error:
        raise RuntimeError(f"{url} cannot be fetched: {error}") from error
    try:
        value = json.loads(answer)
    except json.JSONDecodeError as error:
        raise RuntimeError(f"{url} did not answer with JSON: {error}") from error
    if not isinstance(value, dict | list):
        raise RuntimeError(f"{url} answered with a single value: {answer[:80]!r}")
    return value
