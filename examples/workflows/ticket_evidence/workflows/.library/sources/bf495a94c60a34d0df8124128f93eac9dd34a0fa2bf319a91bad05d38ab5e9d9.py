"""Open a ticket of the tracker in the browser and read its number, assignee and due date."""

LABELS = {"ticket_number": "Ticket number", "assignee": "Assignee", "due_date": "Due date"}


def run(ticket_url: str) -> dict:
    """Read the properties of one ticket, as its page shows them.

    Args:
        ticket_url: The address of the ticket.

    Returns:
        A dictionary with ticket_number, assignee and due_date.

    Raises:
        RuntimeError: The page answers with an error.
        LookupError: A property is missing, or stands there more than once.
    """
    opened = tools.browser.goto(url=ticket_url)
    if opened["http_status"] != 200:
        raise RuntimeError(f"{ticket_url} answers with HTTP {opened['http_status']}")
    workflows.invoke("close_cookie_banner")
    page = tools.browser.observe(keywords=list(LABELS.values()))
    found = {}
    for field, label in LABELS.items():
        values = [one["name"] for one in page["elements"] if one["role"] == "definition" and one.get("header") == label]
        if len(values) != 1:
            raise LookupError(f"{ticket_url} shows {len(values)} values beside {label!r}")
        found[field] = values[0]
    return found
