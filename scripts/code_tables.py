"""Generate docs/codes.md and the tables of codes in other pages from the rows in shared/contracts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shared.contracts.codes import REASONS, ReasonFacts
from shared.contracts.error_codes import (
    ACTION_CODES,
    ERRORS,
    RESTORE_REFUSALS,
    SEAL_PROBLEMS,
    SQL_REFUSALS,
    is_transient,
)
from shared.contracts.explained import KEY_WORDS, NEAR_WORDS
from shared.statuses import GROUPS, STATUSES, STYLES, Status, population_order

HEAD = """# Codes

<!-- Written by scripts/write_docs.py from shared/contracts/codes.py, shared/contracts/error_codes.py,
shared/contracts/explained.py and shared/statuses.py: change it there. -->

Every code that results, messages and `--json` hold. A code keeps its meaning; new ones may be added, so programs should
accept codes that they do not know.
"""
REASONS_HEAD = """## Why a sample is not done

`reason` of a result, with its `status` and `fault` (where the cause is: the `record`, the `site`, or `us`). With
"or partial_success": fields of the proven record had been read when the limit was reached. `exhibit run --resume` works
again on every sample that is not done, except `sample_unreadable`. An error that is not retried ends a sample as
`failed`, with the error's code as its reason (see [Errors](#errors)).
"""
ACTIONS_HEAD = """## What an action came to

`code` of an action's result. Not fired: it is certain that nothing was pressed, so an irreversible button may
still be pressed.
"""
ERRORS_HEAD = """## Errors

`code` of a question that failed, and of a message that was given up. Retried: the same call may work later.
"""
REFUSALS_HEAD = """## Refusals

`code` of a query that is refused (`exhibit sql`), and of a stored page that cannot be opened (`exhibit reperform`).
"""
FIELDS_HEAD = """## Why a field is not certain

`why` of a text that nearly was the value (`near` of a field in result.json), and of a change of the spec that would
settle the field (`settled_by`).
"""
SEAL_HEAD = """## What verify finds

`code` of a problem that `exhibit verify --json` lists.
"""


def page() -> str:
    """Return the page docs/codes.md."""
    parts = (
        HEAD,
        "## Statuses\n",
        statuses(),
        REASONS_HEAD,
        _table(("reason", "status", "fault", "meaning", "when", "what to do"), _reasons()),
        ACTIONS_HEAD,
        _table(("code", "meaning", "fired"), _actions()),
        ERRORS_HEAD,
        _table(("code", "meaning", "retried"), _errors()),
        REFUSALS_HEAD,
        _table(("code of a query", "meaning"), ((f"`{code}`", words) for code, words in SQL_REFUSALS.items())),
        _table(("code of a page", "meaning"), ((f"`{code}`", words) for code, words in RESTORE_REFUSALS.items())),
        FIELDS_HEAD,
        _table(("code of a text", "meaning"), ((f"`{code}`", words) for code, words in NEAR_WORDS.items())),
        _table(("code of a key", "meaning"), ((f"`{code}`", words) for code, words in KEY_WORDS.items())),
        SEAL_HEAD,
        _table(("code", "meaning"), ((f"`{code}`", words) for code, words in SEAL_PROBLEMS.items())),
    )
    return "\n".join(parts)


def statuses() -> str:
    """Return the table of statuses, with how each counts in a population."""
    rows = (
        (f"`{status}`", f"samples that {STYLES[status].meaning}", GROUPS[STYLES[status].group].words)
        for status in sorted(STATUSES, key=population_order)
    )
    return _table(("status", "meaning", "counts as"), rows)


def reasons_by_status() -> str:
    """Return the table of the reasons of each status."""
    by_status: dict[Status, list[str]] = {
        status: [f"`{reason}`" for reason, facts in REASONS.items() if status in _possible(facts)]
        for status in sorted(STATUSES, key=population_order)
    }
    return _table(
        ("status", "counts as", "reasons"),
        (
            (f"`{status}`", GROUPS[STYLES[status].group].words, ", ".join(reasons) or "none")
            for status, reasons in by_status.items()
        ),
    )


def sample_ends() -> str:
    """Return the table of when a sample ends with which status and reason."""
    rows = ((f"{_status(facts)}: {reason}", facts.when, facts.fault) for reason, facts in REASONS.items())
    error = ("failed: the code of an error", "the error is not retried, such as `model_key_missing`", "us")
    return _table(("status: reason", "when", "fault"), (("done", "all gates agree", ""), *rows, error))


def _reasons() -> Iterator[tuple[str, ...]]:
    for reason, facts in REASONS.items():
        yield f"`{reason}`", _status(facts), facts.fault, facts.words, facts.when, facts.advice


def _actions() -> Iterator[tuple[str, ...]]:
    for code, facts in ACTION_CODES.items():
        yield f"`{code}`", facts.words, "maybe" if facts.fired else "no"


def _errors() -> Iterator[tuple[str, ...]]:
    for code, words in ERRORS.items():
        yield f"`{code}`", words, "a few times" if code == "internal" else "yes" if is_transient(code) else "no"


def _possible(facts: ReasonFacts) -> tuple[str, ...]:
    return (facts.status, "partial_success") if facts.partial else (facts.status,)


def _status(facts: ReasonFacts) -> str:
    return " or ".join(_possible(facts))


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table with a final line break."""
    return "\n".join(_lines(tuple(heads), rows)) + "\n"


def _lines(heads: tuple[str, ...], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |".replace("|  |", "| |")
