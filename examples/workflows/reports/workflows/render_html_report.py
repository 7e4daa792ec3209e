"""Render findings and their summary as an HTML page that needs nothing else."""

import html

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left}"
    ".high{background:#fdd}.medium{background:#fed}"
)


def run(title: str, findings: list[dict[str, str]], summary: dict) -> str:
    """Write the report as a page.

    Args:
        title: The heading of the report.
        findings: As read_findings returns them.
        summary: As summarize_findings returns it.

    Returns:
        The page. What comes from the findings is text in it and never markup.
    """
    columns = ("id", "control", "severity", "status", "title")
    rows = []
    for one in findings:
        mark = one["severity"] if one["status"] == "open" else "closed"
        cells = "".join(f"<td>{html.escape(one[column])}</td>" for column in columns)
        rows.append(f'<tr class="{html.escape(mark)}">{cells}</tr>')
    heading = "".join(f"<th>{column}</th>" for column in columns)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style><h1>{html.escape(title)}</h1>"
        f"<p>{summary['open']} of {summary['total']} findings are open.</p>"
        f"<table><thead><tr>{heading}</tr></thead><tbody>{''.join(rows)}</tbody></table></html>\n"
    )
