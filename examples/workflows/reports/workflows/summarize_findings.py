"""Count findings by severity and by control, and list the controls with open findings of high severity."""


def run(findings: list[dict[str, str]]) -> dict:
    """Count the open findings.

    Args:
        findings: As read_findings returns them.

    Returns:
        A dictionary with total, open, by_severity and by_control (open findings only), and failing_controls: sorted,
        those that have an open finding of high severity.
    """
    open_findings = [one for one in findings if one["status"] == "open"]
    by_severity = dict.fromkeys(("high", "medium", "low"), 0)
    by_control: dict[str, int] = {}
    for one in open_findings:
        by_severity[one["severity"]] += 1
        by_control[one["control"]] = by_control.get(one["control"], 0) + 1
    return {
        "total": len(findings),
        "open": len(open_findings),
        "by_severity": by_severity,
        "by_control": dict(sorted(by_control.items())),
        "failing_controls": sorted({one["control"] for one in open_findings if one["severity"] == "high"}),
    }
