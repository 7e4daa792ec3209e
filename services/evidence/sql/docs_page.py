"""The page docs/sql.md: the views of the catalogue, and example queries, which are also tested and measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from services.evidence.sql.catalogue import VIEWS, SqlView

# --- the examples


@dataclass(frozen=True)
class ExampleQuery:
    """``asks``: the question in the words of an auditor."""

    name: str
    asks: str
    sql: str


EXAMPLES = (
    ExampleQuery(
        "unassigned",
        "Which tickets are assigned to nobody? (The page says so itself; what could not be found is another state.)",
        """SELECT sample_id, shown, url
FROM fields
WHERE field = 'assignee' AND state = 'not_present'
ORDER BY sample_id""",
    ),
    ExampleQuery(
        "merged_with_failures",
        "What was merged although checks had failed, and where does it say so?",
        """SELECT f.sample_id, f.value_json AS merged_with_failures, f.read_by, a.filename AS screenshot
FROM fields f
LEFT JOIN artifacts a ON a.run_id = f.run_id AND a.sample_id = f.sample_id
     AND a.latest AND a.sha256 = f.screenshot_sha256
WHERE f.field = 'merged_with_failures' AND f.value_boolean
ORDER BY ALL""",
    ),
    ExampleQuery(
        "doubtful",
        "Which values did a model read or work out, or come from a page whose structure could not be trusted?",
        """SELECT sample_id, field, value, origin, read_by, confidence, page_confidence
FROM fields
WHERE state = 'value'
  AND (origin <> 'page' OR read_by NOT IN ('rules', 'operator') OR confidence < 0.8 OR page_confidence < 0.6)
ORDER BY coalesce(confidence, page_confidence), sample_id, field""",
    ),
    ExampleQuery(
        "not_done",
        "Which samples are not done, and why?",
        """SELECT sample_id, status, reason, fault, message
FROM samples
WHERE status IS DISTINCT FROM 'done'
ORDER BY status, reason, sample_id""",
    ),
    ExampleQuery(
        "population",
        "Does the population add up: found = done + review + failed + not looked at?",
        """SELECT run_id, samples, done, partial_success + needs_review AS review, failed,
       auth_required AS excepted, not_ended,
       samples = done + partial_success + needs_review + failed + auth_required + not_ended AS adds_up,
       population_complete, sealed
FROM runs
ORDER BY run_id""",
    ),
    ExampleQuery(
        "mismatches",
        "Where was a page shown that is of another record than the one asked for?",
        """SELECT sample_id, attempt, step, url, page_title, refused
FROM steps
WHERE proof = 'mismatch'
ORDER BY sample_id, attempt, step""",
    ),
    ExampleQuery(
        "not_200",
        "Which pages were answered with another status than 200?",
        """SELECT http_status, sample_id, attempt, step, url_after
FROM steps
WHERE http_status <> 200
ORDER BY http_status, sample_id, attempt, step""",
    ),
    ExampleQuery(
        "cost",
        "What did which model cost, and for what?",
        """SELECT model, purpose, sum(llm_calls) AS calls,
       sum(input_tokens + cache_read_tokens + cache_write_tokens) AS tokens_in,
       sum(output_tokens) AS tokens_out, sum(cost_usd) AS cost_usd
FROM usage
GROUP BY model, purpose
ORDER BY cost_usd DESC, model, purpose""",
    ),
    ExampleQuery(
        "time",
        "How long do steps take, and what do they wait for?",
        """SELECT action, count(*) AS steps, round(median(total_ms), 1) AS median_ms,
       round(quantile_cont(total_ms, 0.95), 1) AS slow_ms, round(sum(browser_ms) / 1000, 1) AS browser_s,
       round(sum(decide_ms) / 1000, 1) AS deciding_s
FROM steps
GROUP BY action
ORDER BY sum(total_ms) DESC, action""",
    ),
    ExampleQuery(
        "same_bytes",
        "Which captured files are the very same bytes as another one, of another sample above all?",
        """WITH twice AS (SELECT sha256 FROM artifacts WHERE latest GROUP BY sha256 HAVING count(*) > 1)
SELECT sha256, count(*) AS files, count(DISTINCT sample_id) AS samples, any_value(kind) AS kind,
       min(sample_id || '/' || filename) AS first
FROM artifacts SEMI JOIN twice USING (sha256)
WHERE latest
GROUP BY sha256
ORDER BY files DESC, sha256
LIMIT 100""",
    ),
    ExampleQuery(
        "who",
        "Who, or what, decided, how often, and how often was it not accepted?",
        """SELECT decided_by, count(*) AS steps, count(DISTINCT sample_id) AS samples,
       count(*) FILTER (WHERE refused) AS refused, count(*) FILTER (WHERE NOT ok) AS not_carried_out
FROM steps
GROUP BY decided_by
ORDER BY steps DESC, decided_by""",
    ),
    ExampleQuery(
        "unproven",
        "For which values is no page kept that shows them?",
        """SELECT sample_id, field, value, origin, url
FROM fields
WHERE state = 'value' AND page_sha256 IS NULL
ORDER BY sample_id, field""",
    ),
    ExampleQuery(
        "judgments",
        "What was judged with less than 90 % confidence, and on which grounds?",
        """SELECT sample_id, answer, confidence, reasoning, array_to_string(evidence, ', ') AS evidence, decided_by
FROM judgments
WHERE confidence < 0.9
ORDER BY confidence, sample_id""",
    ),
)
EXAMPLES_BY_NAME = {example.name: example for example in EXAMPLES}


# --- the page

HEAD = """# The evidence in SQL

<!-- Written by scripts/write_docs.py from services/evidence/sql: change it there. -->

    exhibit sql "select status, reason, count(*) from samples group by all"
    exhibit sql run_2026-03-01_101500 "from fields where state = 'not_found'" --format csv --out missing.csv
    exhibit sql - < question.sql

The SQL is that of [DuckDB](https://duckdb.org/docs/stable/sql/introduction). Without a run all runs are asked; every
view has `run_id` and `task_id`. `--format` is `table` (200 rows on a screen), `csv`, `json` or `parquet` (with
`--out`); `--max-rows` brings more, and where rows were left out that is said. In CSV a text that a spreadsheet
would take for a formula begins with an apostrophe; JSON and parquet have values as they are. On the bus the same is
`exhibit.v1.ask.evidence.sql.ask` (`AskSql` in shared/contracts/evidence.py), and `Client.sql` in Python.

**Where the rows come from.** A run that is complete has them in `tables/*.parquet` beside its JSON files, made of these
when it was closed and sealed with them; they are read where they lie, in the folder or in the bucket. A run that is not
complete has no such tables yet (nor has one of a version before them): its JSON files are read when it is asked about,
which takes longer the larger it is, and the answer says as of when it is. `runs.read_from` tells the two apart.

**Types.** Times are `TIMESTAMP WITH TIME ZONE`, shown in UTC; money is exact (`DECIMAL`); what may be missing is NULL,
never an empty text. `JSON` is used only where a value's type differs from row to row: `params->>'$.url'`.

**What a query may do**: read these views. One statement at a time, a SELECT (or WITH, FROM, VALUES, DESCRIBE,
SUMMARIZE, SHOW TABLES), for at most 30 s unless `--timeout` says otherwise (120 s at most), with 768 MB of memory. It
reads no other file or address, and writes nothing. How that is held is in docs/adr/0011-a-query-runs-in-a-cell.md.
"""


def page() -> str:
    """Return the text of docs/sql.md."""
    return "\n".join([HEAD, *_contents(), *(line for view in VIEWS for line in _view(view)), *_examples()]) + "\n"


def _contents() -> Iterator[str]:
    yield "| view | one row for each |"
    yield "|---|---|"
    for view in VIEWS:
        yield f"| [{view.name}](#{view.name}) | {view.one_row} |"
    yield ""
    yield "And [what an auditor asks](#what-an-auditor-asks)."
    yield ""


def _view(view: SqlView) -> Iterator[str]:
    yield f"## {view.name}"
    yield ""
    yield f"One row for each {view.one_row}.{' ' + view.note if view.note else ''}"
    yield ""
    yield "| column | type | unit | meaning |"
    yield "|---|---|---|---|"
    for column in view.columns:
        yield f"| `{column.name}` | {_cell(column.type)} | {column.unit} | {_cell(column.meaning)} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _examples() -> Iterator[str]:
    yield "## What an auditor asks"
    yield ""
    yield "The names of fields (`assignee`) are those of your task. Each question is tried on the evidence of a run."
    for number, example in enumerate(EXAMPLES, start=1):
        yield ""
        yield f"**{number}. {example.asks}**"
        yield ""
        yield "```sql"
        yield example.sql
        yield "```"
