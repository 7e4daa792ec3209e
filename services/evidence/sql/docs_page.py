"""The page docs/sql.md: the views of the catalogue, and example queries, which are also tested and measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from services.evidence.sql.catalogue import VIEWS
from services.evidence.sql.view_types import SqlView

# --- the examples


@dataclass(frozen=True)
class ExampleQuery:
    """A query. ``asks``: the auditor's question that it answers."""

    name: str
    asks: str
    sql: str


EXAMPLES = (
    ExampleQuery(
        "unassigned",
        "Which tickets have no assignee? (The page says so itself; a field that could not be found has another state.)",
        """SELECT sample_id, shown, url
FROM fields
WHERE field = 'assignee' AND state = 'not_present'
ORDER BY sample_id""",
    ),
    ExampleQuery(
        "merged_with_failures",
        "What was merged although checks had failed, and which screenshot shows it?",
        """SELECT f.sample_id, f.value_json AS merged_with_failures, f.read_by, a.filename AS screenshot
FROM fields f
LEFT JOIN artifacts a ON a.run_id = f.run_id AND a.sample_id = f.sample_id
     AND a.latest AND a.sha256 = f.screenshot_sha256
WHERE f.field = 'merged_with_failures' AND f.value_boolean
ORDER BY ALL""",
    ),
    ExampleQuery(
        "doubtful",
        "Which values were read or derived by a model, or come from a page with an untrusted structure?",
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
        "Does the population add up: found = done + review + failed + excepted + not ended?",
        """SELECT run_id, samples, done, partial_success + needs_review AS review, failed,
       auth_required AS excepted, not_ended,
       samples = done + partial_success + needs_review + failed + auth_required + not_ended AS adds_up,
       population_complete, sealed
FROM runs
ORDER BY run_id""",
    ),
    ExampleQuery(
        "mismatches",
        "Where did a page show another record than the requested one?",
        """SELECT sample_id, attempt, step, url, page_title, refused
FROM steps
WHERE proof = 'mismatch'
ORDER BY sample_id, attempt, step""",
    ),
    ExampleQuery(
        "not_200",
        "Which pages had another HTTP status than 200?",
        """SELECT http_status, sample_id, attempt, step, url_after
FROM steps
WHERE http_status <> 200
ORDER BY http_status, sample_id, attempt, step""",
    ),
    ExampleQuery(
        "cost",
        "What did each model cost, and for which purpose?",
        """SELECT model, purpose, sum(llm_calls) AS calls,
       sum(input_tokens + cache_read_tokens + cache_write_tokens) AS tokens_in,
       sum(output_tokens) AS tokens_out, sum(cost_usd) AS cost_usd
FROM usage
GROUP BY model, purpose
ORDER BY cost_usd DESC, model, purpose""",
    ),
    ExampleQuery(
        "time",
        "How long do the steps of each action take, in the browser and deciding?",
        """SELECT action, count(*) AS steps, round(median(total_ms), 1) AS median_ms,
       round(quantile_cont(total_ms, 0.95), 1) AS slow_ms, round(sum(browser_ms) / 1000, 1) AS browser_s,
       round(sum(decide_ms) / 1000, 1) AS deciding_s
FROM steps
GROUP BY action
ORDER BY sum(total_ms) DESC, action""",
    ),
    ExampleQuery(
        "same_bytes",
        "Which captured files have the same bytes as another one, in particular one of another sample?",
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
        "Who or what decided, how often, and how often was the answer rejected?",
        """SELECT decided_by, count(*) AS steps, count(DISTINCT sample_id) AS samples,
       count(*) FILTER (WHERE refused) AS refused, count(*) FILTER (WHERE NOT ok) AS not_carried_out
FROM steps
GROUP BY decided_by
ORDER BY steps DESC, decided_by""",
    ),
    ExampleQuery(
        "unproven",
        "Which values have no stored page that shows them?",
        """SELECT sample_id, field, value, origin, url
FROM fields
WHERE state = 'value' AND page_sha256 IS NULL
ORDER BY sample_id, field""",
    ),
    ExampleQuery(
        "judgments",
        "Which judgments have less than 90 % confidence, and what is their reasoning?",
        """SELECT sample_id, answer, confidence, reasoning, array_to_string(evidence, ', ') AS evidence, decided_by
FROM judgments
WHERE confidence < 0.9
ORDER BY confidence, sample_id""",
    ),
    ExampleQuery(
        "items",
        "What do the rows of a field say, each on a line of its own? (The PIVOT names the columns of your task.)",
        """SELECT *
FROM (PIVOT (SELECT sample_id, item, column_name, value FROM items WHERE field = 'lines')
      ON column_name IN ('sku', 'amount') USING first(value))
ORDER BY sample_id, item""",
    ),
    ExampleQuery(
        "columns",
        "What does each sample say, with a column for each field? (The PIVOT names the fields of your task.)",
        """SELECT *
FROM (PIVOT (SELECT sample_id, status, field, value FROM fields)
      ON field IN ('assignee', 'due_date') USING first(value))
ORDER BY sample_id""",
    ),
    ExampleQuery(
        "overruled",
        "Which values did people correct or reject, who, and on what grounds?",
        """SELECT r.sample_id, r.field, f.value AS read, r.reviewed_value, r.decision, r.reason, r.decided_by
FROM reviews r
LEFT JOIN fields f USING (run_id, sample_id, field)
WHERE r.counts AND r.decision IN ('correct', 'reject')
ORDER BY r.sample_id, r.field""",
    ),
    ExampleQuery(
        "signed",
        "Who has signed which run, when, and with which key?",
        """SELECT run_id, round, signed_by, role, key, signed_at, signed_off_at
FROM sign_offs
WHERE counts
ORDER BY run_id, number""",
    ),
    ExampleQuery(
        "changed_since",
        "What do done samples of one run say otherwise than those of another, by key and field? "
        "(`exhibit sql RUN_A RUN_B`; A is the one whose id is first. What one run lacks has NULLs on its side, and "
        "need not be gone: `exhibit compare` knows more, docs/comparing.md.)",
        """WITH told AS (
  SELECT f.run_id, s.key, f.field, f.state, coalesce(f.reviewed_value, f.value) AS value,
         coalesce(f.reviewed_value, f.value_number::VARCHAR, f.value_at::VARCHAR, f.value) AS compared
  FROM fields f
  JOIN samples s USING (run_id, sample_id)
  WHERE f.status = 'done'
)
SELECT key, field, a.state AS state_a, a.value AS value_a, b.state AS state_b, b.value AS value_b
FROM (FROM told WHERE run_id = (SELECT min(run_id) FROM runs)) a
FULL JOIN (FROM told WHERE run_id = (SELECT max(run_id) FROM runs)) b USING (key, field)
WHERE a.state IS DISTINCT FROM b.state OR a.compared IS DISTINCT FROM b.compared
ORDER BY key, field""",
    ),
)
EXAMPLES_BY_NAME = {example.name: example for example in EXAMPLES}


# --- the page

HEAD = """# The evidence in SQL

<!-- Written by scripts/write_docs.py from services/evidence/sql: change it there. -->

    exhibit sql "select status, reason, count(*) from samples group by all"
    exhibit sql run_2026-03-01_101500 "from fields where state = 'not_found'" --format csv --out missing.csv
    exhibit sql - < question.sql

The SQL dialect is that of [DuckDB](https://duckdb.org/docs/stable/sql/introduction). Without a run id the query covers
all runs; every view has `run_id` and `task_id`. `--format` is `table` (200 rows on a screen), `csv`, `json` or
`parquet` (with `--out`). `--max-rows` raises the row limit; the answer says if rows were left out. In CSV, a text that
a spreadsheet would read as a formula gets a leading apostrophe; JSON and parquet have the values unchanged. The request
on the bus is `exhibit.v1.ask.evidence.sql.ask` (`AskSql` in shared/contracts/evidence.py); in Python, use `Client.sql`.

**Source of the rows.** A complete run has the rows in `tables/*.parquet`. These files are made from its JSON files when
the run is closed, sealed with them, and read directly from the folder or bucket. An incomplete run, or a run of an
older version without tables, has no such files: its JSON files are read at the time of the query. That takes longer
for larger runs, and the answer states its time. `runs.read_from` shows which source was used.

**Types.** Times are `TIMESTAMP WITH TIME ZONE`, shown in UTC. Money is exact (`DECIMAL`). A missing value is NULL,
never an empty text. `JSON` is used only if the type of a value differs from row to row: `params->>'$.url'`.

**Limits of a query.** It can read only these views: no other file or address, and it writes nothing. It is one
statement: a SELECT (or WITH, FROM, VALUES, DESCRIBE, SUMMARIZE, SHOW TABLES). It has 768 MB of memory and 30 s, or as
long as `--timeout` says (120 s at most). docs/adr/0011-a-query-runs-in-a-cell.md describes the sandbox.
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
    yield "The names of fields (`assignee`) are those of your task. Each query is tested on the evidence of a run."
    for number, example in enumerate(EXAMPLES, start=1):
        yield ""
        yield f"**{number}. {example.asks}**"
        yield ""
        yield "```sql"
        yield example.sql
        yield "```"
