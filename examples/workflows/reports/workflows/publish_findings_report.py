"""Make the report of an audit from its findings, in Markdown and in HTML, and keep both as artifacts."""


def run(findings_file: str, period: str, title: str = "Findings of the audit") -> dict:
    """Read, summarize, render and save.

    Args:
        findings_file: The name of the artifact with the findings, for read_findings.
        period: What the report is for, such as ``2026-10``; part of the names of the reports.
        title: The heading; the period is added to it.

    Returns:
        A dictionary with summary, and reports: the names of both artifacts.

    Raises:
        ValueError: The period cannot be part of a file name, or the findings are not valid.
        RuntimeError: There is a report of this period already; reports are never overwritten.
    """
    if not period.replace("-", "").isalnum():
        raise ValueError(f"the period {period!r} has other characters than letters, digits and hyphens")
    reports = [f"findings-{period}.md", f"findings-{period}.html"]
    taken = {one["name"] for one in artifacts.list()} & set(reports)
    if taken:
        raise RuntimeError(f"there is {', '.join(sorted(taken))} already; reports are never overwritten")
    findings = workflows.invoke("read_findings", findings_file=findings_file)
    summary = workflows.invoke("summarize_findings", findings=findings)
    heading = f"{title}, {period}"
    for name, workflow, media_type in zip(
        reports, ("render_markdown_report", "render_html_report"), ("text/markdown", "text/html"), strict=True
    ):
        text = workflows.invoke(workflow, title=heading, findings=findings, summary=summary)
        artifacts.save(name, text, description=f"{heading}, of {findings_file}", media_type=media_type)
    return {"summary": summary, "reports": reports}
