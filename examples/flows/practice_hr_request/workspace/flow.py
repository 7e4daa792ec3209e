"""Take a screenshot labelled "empty" of the empty form. Fill in the form with the row's values;
confirm that open work has been handed over; tick the half day if half_day is yes. Take a
screenshot labelled "filled". Go to the review, compare every value with the row, and submit
once. Take a screenshot labelled "result" and report the confirmation number. Open the employee
file, look at each of its tabs, prepare the leave report in the format the row names under
Documents, download it with the label "report", and report the name of the report file and how
many attachments are on file.
"""

import asyncio

from exhibit.flow import (
    by_role,
    click,
    download,
    download_all,
    in_region,
    load_mappings,
    open_page,
    option_of,
    read,
    run_flow,
    screenshot,
    section,
    select_option,
    set_checked,
    set_date,
    type_text,
)


@section
async def fill_in_form(
    employee_id: str,
    employee_name: str,
    request_type: str,
    country: str,
    office: str,
    department: str,
    first_day: str,
    last_day: str,
    half_day: bool,
    cover: str,
    phone: str,
    reason: str,
) -> None:
    mappings = load_mappings()
    await open_page("http://127.0.0.1:8462/requests/new")
    await screenshot("empty")
    await select_option(
        selector=mappings["employee"]["container"],
        label=f"{employee_name} ({employee_id}) {department}, {office}",
        search=employee_id,
    )
    await click(in_region(by_role("radio", request_type), "Type of leave"))
    await select_option(
        selector=mappings["country"]["container"],
        label=option_of(mappings["country"], country),
    )
    await select_option(selector=by_role("combobox", "Office"), label=office)
    await select_option(selector=by_role("combobox", "Department"), label=department)
    await set_date(by_role("textbox", "First day"), first_day)
    await set_date(by_role("textbox", "Last day"), last_day)
    await set_checked(by_role("checkbox", "The last day is a half day"), half_day)
    await type_text(selector=by_role("textbox", "Covered by"), text=cover)
    await type_text(selector=by_role("textbox", "Phone while away"), text=phone)
    await type_text(selector=by_role("textbox", "Reason"), text=reason)
    await set_checked(by_role("checkbox", "Open work has been handed over"))
    await screenshot("filled")
    await click(by_role("button", "Review request"))


@section
async def submit_request() -> None:
    await click(by_role("button", "Submit request"), irreversible=True)


@section
async def read_result() -> dict[str, object]:
    await screenshot("result")
    found = await read("form_submitted", "confirmation_number")
    await click(by_role("link", "Open employee file"))
    return found


@section
async def read_employee_file(report_format: str) -> dict[str, object]:
    mappings = load_mappings()
    await click(by_role("tab", "Pay"))
    await click(by_role("tab", "History"))
    await click(by_role("tab", "Documents"))
    await select_option(
        selector=mappings["report_format"]["container"],
        label=option_of(mappings["report_format"], report_format),
    )
    await click(by_role("button", "Prepare report"))
    await download(by_role("link", "Download report"), "report")
    found = await read("report_file", "attachment_count")
    await download_all(in_region(by_role("link"), "Attachments"), "attachments")
    return found


async def run(
    employee_id: str,
    employee_name: str,
    request_type: str,
    country: str,
    office: str,
    department: str,
    first_day: str,
    last_day: str,
    half_day: bool,
    cover: str,
    phone: str,
    reason: str,
    report_format: str,
) -> dict[str, object]:
    """Work on one sample.

    Args:
        employee_id: the column of this name
        employee_name: the column of this name
        request_type: the column of this name
        country: the column of this name
        office: the column of this name
        department: the column of this name
        first_day: the column of this name
        last_day: the column of this name
        half_day: whether the box is ticked
        cover: the column of this name
        phone: the column of this name
        reason: the column of this name
        report_format: the column of this name

    Returns:
        form_submitted, confirmation_number, report_file, attachment_count

    Raises:
        FlowStopped: the page is not what it was, or does not say for certain what is asked
    """
    found: dict[str, object] = {}
    await fill_in_form(
        employee_id=employee_id,
        employee_name=employee_name,
        request_type=request_type,
        country=country,
        office=office,
        department=department,
        first_day=first_day,
        last_day=last_day,
        half_day=half_day,
        cover=cover,
        phone=phone,
        reason=reason,
    )
    await submit_request()
    found |= await read_result()
    found |= await read_employee_file(report_format)
    return found


async def main() -> None:
    """Run it with the values of data/variables.json."""
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())
