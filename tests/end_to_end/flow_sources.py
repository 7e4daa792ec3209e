"""Two flows that a person has written, with their files: a ticket that is read, and a leave request that is sent."""

from __future__ import annotations

from collections.abc import Mapping

from shared.client import Client
from shared.client.workflow_calls import create_workflow
from shared.contracts.workflows.library import WorkflowCreated
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import AfterText, Between, ExtractionRule, InRegion, TextRule, UnderHeader, Where, Whole
from shared.flows.files import ElementFacts, FieldsFile, FlowFiles, ValueSchema, write_files

READ_TICKET = '''"""Read the number, the assignee and the due date of a ticket."""

import asyncio

from exhibit.flow import by_role, open_page, prove_record, read, run_flow, screenshot, section, try_click


@section
async def open_ticket(url: str) -> None:
    await open_page(url)
    await try_click(by_role("button", "Reject all"))


@section
async def read_ticket(ticket_number: str) -> dict[str, object]:
    await prove_record(ticket_number=ticket_number)
    await screenshot("ticket")
    return await read("ticket_number", "assignee", "due_date")


async def run(ticket_number: str, url: str) -> dict[str, object]:
    """Open one ticket and read what its properties show.

    Args:
        ticket_number: Its number.
        url: Its address.

    Returns:
        A dict with ticket_number, assignee and due_date.
    """
    await open_ticket(url)
    return await read_ticket(ticket_number)


async def main() -> None:
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())
'''

SEND_REQUEST = '''"""Send a leave request once, and fetch the leave report and the attachments of the employee."""

import asyncio

from exhibit.flow import (
    by_label,
    by_role,
    click,
    download,
    download_all,
    in_region,
    open_page,
    read,
    run_flow,
    screenshot,
    section,
    select_option,
    set_date,
    type,
)

START = "{start}"


@section
async def fill_in(row: dict[str, str]) -> None:
    await open_page(START)
    await screenshot("empty")
    employee = f"{row['employee_name']} ({row['employee_id']}) {row['department']}, {row['office']}"
    await select_option(selector=by_label("Employee"), label=employee, search=row["employee_id"])
    await click(by_role("radio", row["request_type"]))
    for label, value in (("Country", "country"), ("Office", "office"), ("Department", "department")):
        await select_option(selector=by_label(label), label=row[value])
    await set_date(by_label("First day"), row["first_day"])
    await set_date(by_label("Last day"), row["last_day"])
    if row["half_day"] == "yes":
        await click(by_label("The last day is a half day"))
    for label, value in (("Covered by", "cover"), ("Phone while away", "phone"), ("Reason", "reason")):
        await type(selector=by_label(label), text=row[value])
    await click(by_label("Open work has been handed over"))
    await screenshot("filled")


@section
async def send() -> dict[str, object]:
    await click(by_role("button", "Review request"))
    await click(by_role("button", "Submit request"), irreversible=True)
    found = await read("form_submitted", "confirmation_number")
    await screenshot("result")
    return found


@section
async def fetch_files(report_format: str) -> dict[str, object]:
    await click(by_role("link", "Open employee file"))
    await click(by_role("tab", "Documents"))
    await select_option(selector=by_label("Report format"), label=report_format)
    await click(by_role("button", "Prepare report"))
    await download(by_role("link", "Download report"), "report")
    await download_all(in_region(by_role("link"), "Attachments"), "attachments")
    return await read("report_file", "attachment_count")


async def run(
    employee_id: str, employee_name: str, request_type: str, country: str, office: str, department: str,
    first_day: str, last_day: str, half_day: str, cover: str, phone: str, reason: str, report_format: str,
) -> dict[str, object]:
    """Fill in the form, send it once, and fetch the files.

    Returns:
        A dict with form_submitted, confirmation_number, report_file and attachment_count.
    """
    row = dict(
        employee_id=employee_id, employee_name=employee_name, request_type=request_type, country=country,
        office=office, department=department, first_day=first_day, last_day=last_day, half_day=half_day, cover=cover,
        phone=phone, reason=reason,
    )
    await fill_in(row)
    found = await send()
    return {**found, **await fetch_files(report_format)}


async def main() -> None:
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())
'''


async def create_flow(client: Client, name: str, source: str, files: Mapping[str, str]) -> None:
    """Put a flow into the library."""
    created = await create_workflow(client.bus, name, source, files=files)
    assert isinstance(created, WorkflowCreated), created


def field(*rules: ExtractionRule) -> FieldRules:
    return FieldRules(rules=rules)


def rule(where: Where, part: TextRule = Whole()) -> ExtractionRule:  # noqa: B008  it is frozen
    return ExtractionRule(where=where, attribute="name", part=part)


def under(header: str) -> ExtractionRule:
    return rule(UnderHeader(header=header, role="definition"))


def property_(header: str, nth: int) -> FieldRules:
    return field(under(header), rule(InRegion(region="Properties", role="definition", nth=nth)))


TICKET_FILES = write_files(
    FlowFiles(
        fields=FieldsFile(
            fields={
                "ticket_number": property_("Ticket number", 0),
                "assignee": property_("Assignee", 3),
                "due_date": property_("Due date", 4),
            }
        ),
        variables={"ticket_number!": ValueSchema(type="string"), "url!": ValueSchema(type="string")},
        outputs={name: ValueSchema(type="string") for name in ("ticket_number", "assignee", "due_date")},
    )
)

REPORT = Between(before="Report file: ", after="", telling=True)
REQUEST_COLUMNS = (
    *("employee_id", "employee_name", "request_type", "country", "office", "department", "first_day", "last_day"),
    *("half_day", "cover", "phone", "reason", "report_format"),
)
REQUEST_FILES = write_files(
    FlowFiles(
        locators={
            'role=button[name="Submit request"]': ElementFacts(role="button", effects=("navigated",)),
            "label=Country": ElementFacts(role="combobox", effects=("value_set",)),
        },
        fields=FieldsFile(
            fields={
                "form_submitted": field(under("Submitted")),
                "confirmation_number": field(under("Confirmation number")),
                "report_file": field(rule(AfterText(text="Download report", steps=1, role="text"), REPORT)),
                "attachment_count": field(under("Attachments on file")),
            }
        ),
        variables={f"{name}!": ValueSchema(type="string") for name in REQUEST_COLUMNS},
    )
)
