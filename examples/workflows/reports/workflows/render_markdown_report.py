"""Render findings and their summary as a Markdown report."""


def run(title: str, findings: list[dict[str, str]], summary: dict) -> str:
    """Write the report as text.

    Args:
        title: The heading of the report.
        findings: As read_findings returns them.
        summary: As summarize_findings returns it.

    Returns:
        The report in Markdown. What comes from the findings cannot break its tables.
    """

    def cell(text: str) -> str:
        words = " ".join(text.split())
        for sign in "\\|`*_<>[]":
            words = words.replace(sign, f"\\{sign}")
        return words

    failing = ", ".join(cell(control) for control in summary["failing_controls"]) or "none"
    lines = [
        f"# {cell(title)}",
        "",
        f"{summary['open']} of {summary['total']} findings are open.",
        f"Controls with an open finding of high severity: {failing}.",
        "",
        "| severity | open |",
        "|---|---:|",
        *(f"| {severity} | {count} |" for severity, count in summary["by_severity"].items()),
        "",
        "| id | control | severity | status | title |",
        "|---|---|---|---|---|",
    ]
    for one in findings:
        columns = ("id", "control", "severity", "status", "title")
        lines.append(f"| {' | '.join(cell(one[column]) for column in columns)} |")
    return "\n".join(lines) + "\n"
