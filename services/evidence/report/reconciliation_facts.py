"""The comparison with a register in the report: its counts, and the first records of each verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from shared.evidence_format.files.reconciliation import (
    RECORD_VERDICTS,
    FieldDifference,
    ReconciledRecord,
    ReconciliationHead,
)
from shared.evidence_format.step_words import value_text
from shared.evidence_view.sample_details import lean, shortened

MOST_LISTED = 50
"""Records of a verdict that the page lists. All are in reconciliation.json and in SQL."""
MOST_OF_ONE = 20
"""Samples, rows and fields of one record that the page lists."""
MOST_COLUMNS = 60


def reconciliation_facts(head: ReconciliationHead, records: Iterable[ReconciledRecord]) -> dict[str, Any]:
    """Return the data of the section. Records that are the same on both sides are counted only."""
    listed: list[dict[str, Any]] = []
    given = Counter[str]()
    for record in records:
        if record.verdict != "same":
            given[record.verdict] += 1
            if given[record.verdict] <= MOST_LISTED:
                listed.append(_record(record))
    order = {verdict: place for place, verdict in enumerate(RECORD_VERDICTS)}
    counts = msgspec.to_builtins(head.counts)
    return lean(
        {
            "register": msgspec.to_builtins(msgspec.structs.replace(head.register, reading=None)),
            "key": head.key,
            "key_column": head.key_column,
            "folded": head.keys == "folded",
            "columns": [[one.field, one.column] for one in head.columns],
            "fields_without_column": list(head.fields_without_column),
            "columns_without_field": [shortened(name) for name in head.columns_without_field[:MOST_COLUMNS]],
            "more_columns": max(len(head.columns_without_field) - MOST_COLUMNS, 0),
            "complete": head.population_complete,
            "samples": counts["samples"],
            "rows": counts["rows"],
            "verdicts": [[verdict, meaning, counts[verdict]] for verdict, meaning in RECORD_VERDICTS.items()],
            "listed": sorted(listed, key=lambda one: order.get(one["verdict"], len(order))),
            "left_out": sum(max(number - MOST_LISTED, 0) for number in given.values()),
        }
    )


def _record(record: ReconciledRecord) -> dict[str, Any]:
    return lean(
        {
            "verdict": record.verdict,
            "key": shortened(record.key),
            "key_there": shortened(record.key_there),
            "near": shortened(record.near),
            "samples": record.samples[:MOST_OF_ONE],
            "more_samples": max(len(record.samples) - MOST_OF_ONE, 0),
            "rows": record.rows[:MOST_OF_ONE],
            "more_rows": max(len(record.rows) - MOST_OF_ONE, 0),
            "status": record.status,
            "fields": [_difference(one) for one in record.fields[:MOST_OF_ONE]],
            "more_fields": max(len(record.fields) - MOST_OF_ONE, 0),
        }
    )


def _difference(one: FieldDifference) -> dict[str, Any]:
    return {
        "field": one.field,
        "verdict": one.verdict,
        "here": shortened(value_text(one.here)),
        "there": shortened(one.there),
        "why": shortened(one.why),
    }
