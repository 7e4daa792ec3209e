"""Read the findings of an audit from a CSV file among the artifacts."""

import csv
import io

COLUMNS = ("id", "control", "severity", "status", "title")
SEVERITIES = ("high", "medium", "low")
STATUSES = ("open", "closed")


def run(findings_file: str) -> list[dict[str, str]]:
    """Read and check the table.

    Args:
        findings_file: The name of the artifact: CSV in UTF-8 with the columns id, control, severity, status and title.

    Returns:
        One dictionary a finding, in the order of the file; severity and status in small letters.

    Raises:
        ValueError: A column is missing, an id stands there twice, or a severity or a status is unknown. The message
            names the line.
    """
    content = artifacts.load(findings_file)
    text = content.decode("utf-8") if isinstance(content, bytes) else content
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise ValueError(f"{findings_file} has no column {', '.join(missing)}")
    findings: dict[str, dict[str, str]] = {}
    for row in reader:
        finding = {column: (row[column] or "").strip() for column in COLUMNS}
        finding["severity"], finding["status"] = finding["severity"].lower(), finding["status"].lower()
        place = f"{findings_file}, line {reader.line_num}"
        if not finding["id"] or finding["id"] in findings:
            raise ValueError(f"{place}: the id {finding['id']!r} is empty or stands there twice")
        if finding["severity"] not in SEVERITIES:
            raise ValueError(f"{place}: the severity {finding['severity']!r} is not {', '.join(SEVERITIES)}")
        if finding["status"] not in STATUSES:
            raise ValueError(f"{place}: the status {finding['status']!r} is not {', '.join(STATUSES)}")
        findings[finding["id"]] = finding
    return list(findings.values())
