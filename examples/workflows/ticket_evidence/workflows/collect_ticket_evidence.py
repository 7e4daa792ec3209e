"""Collect evidence of several tickets: their properties as one table, and a screenshot of each."""

import csv
import io


def run(ticket_urls: list, collection: str) -> dict:
    """Read every ticket, and keep its picture and the table as artifacts.

    Args:
        ticket_urls: The addresses of the tickets.
        collection: What the names of the artifacts begin with.

    Returns:
        A dictionary with tickets, table (the name of the CSV) and failed (address to reason).

    Raises:
        ValueError: There are no tickets.
    """
    if not ticket_urls:
        raise ValueError("there are no tickets to read")
    tickets, failed = [], {}
    for ticket_url in ticket_urls:
        try:
            ticket = workflows.invoke("read_ticket", ticket_url=ticket_url)
        except (RuntimeError, LookupError) as error:
            failed[ticket_url] = str(error)
            continue
        files = tools.browser.screenshot(label=ticket["ticket_number"])["files"]
        picture = next(one for one in files if one["kind"] == "screenshot")
        name = f"{collection}-{ticket['ticket_number']}.png"
        tools.browser.save_file(file=picture["file"], name=name, description=f"The page of {ticket_url}")
        tickets.append({**ticket, "screenshot": name, "sha256": picture["file"]})
    table = io.StringIO()
    writer = csv.DictWriter(table, ["ticket_number", "assignee", "due_date", "screenshot", "sha256"])
    writer.writeheader()
    writer.writerows(tickets)
    artifacts.save(f"{collection}.csv", table.getvalue(), description="Tickets read", media_type="text/csv")
    return {"tickets": tickets, "table": f"{collection}.csv", "failed": failed}
