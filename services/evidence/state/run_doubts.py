"""What the samples of a run say about each other: an order of dates that one page refutes is not held on the others.

Nobody who works on one sample can know that. So it is decided when a round is closed, from all its results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from msgspec.structs import replace
from pydantic import TypeAdapter, ValidationError

from shared.contracts.codes import REASONS, Reason
from shared.evidence_format.files.sample import OrderRefuted, ResultFile, StoredCell
from shared.field_types import base_type
from shared.task.output_field import OutputField, WrittenField
from shared.task.typed_values import typed_value
from shared.text.date_names import DateOrder
from shared.text.date_numbers import NUMERIC, form_of, readable_orders
from shared.text.normal import Normal, quoted
from shared.text.written_dates import in_language

REFUTED: Reason = "date_order_refuted"
_FIELD: TypeAdapter[OutputField] = TypeAdapter(WrittenField)


@dataclass(frozen=True)
class DateReading:
    """How one date of a result was read.

    ``orders``: those in which its text is a date. ``used``: the one by which it was read, None where its text and its
    page leave no doubt. ``by_task``: the task says it, not the other dates of the page. ``place``: host and form of the
    date, in which pages agree.
    """

    sample_id: str
    field: str
    shown: str
    place: tuple[str, str]
    orders: frozenset[DateOrder]
    used: DateOrder | None
    by_task: bool


def dated_fields(spec: Mapping[str, Any]) -> dict[str, OutputField]:
    """Return the fields of a task that are dates, and the columns of rows that are, as `lines.shipped`. What cannot be
    read of the task has none."""
    schema: Mapping[str, Any] = spec.get("output_schema") or {}
    found: dict[str, OutputField] = {}
    for name, written in schema.items():
        try:
            field = _FIELD.validate_python(written)
        except ValidationError:
            continue
        parts = {f"{name}.{column}": of for column, of in field.columns.items()}
        every = {name: field, **parts}
        found |= {key: one for key, one in every.items() if base_type(one.type) in ("date", "date-time")}
    return found


def date_readings(sample_id: str, result: ResultFile, fields: Mapping[str, OutputField]) -> Iterator[DateReading]:
    """Yield the readings of a result that tell of an order, or depend on one."""
    for name, field in fields.items():
        kinds: set[tuple[object, ...]] = set()
        for stored in _stored_as(name, result):
            if stored.state != "value" or not stored.shown or stored.origin == "person":
                continue
            orders, used, place = readable_orders(stored.shown), _used_order(field, stored), _place(stored)
            if (orders or used) and (orders, used, place) not in kinds:
                kinds.add((orders, used, place))
                yield DateReading(sample_id, name, stored.shown, place, orders, used, field.date_order is not None)


def _stored_as(name: str, result: ResultFile) -> Iterator[StoredCell]:
    """Yield the field of this name, or the cells of this column."""
    field, _, column = name.partition(".")
    stored = result.fields.get(field)
    if stored is not None and not column:
        yield stored
    for row in (stored.rows or ()) if stored is not None and column else ():
        if column in row.cells:
            yield row.cells[column]


def _used_order(field: OutputField, stored: StoredCell) -> DateOrder | None:
    source = stored.source
    told = field.date_order or (source.date_order if source is not None else None)
    if stored.value is None or told is None:
        return None
    alone = field.model_copy(update={"date_order": None})
    language = source.date_language if source is not None else None
    read = typed_value(
        alone,
        stored.shown,
        title=source.title if source is not None else None,
        order=in_language(language) if language else None,
    )
    return None if isinstance(read, Normal) else cast("DateOrder", told)


def _place(stored: StoredCell) -> tuple[str, str]:
    numbers = NUMERIC.search(stored.shown or "")
    url = stored.source.url if stored.source is not None else ""
    return urlsplit(url).netloc, form_of(numbers) if numbers is not None else ""


def refuted_orders(readings: Sequence[DateReading]) -> dict[str, tuple[OrderRefuted, ...]]:
    """Return by sample which of its dates were read in an order that another sample's page refutes.

    What the task says holds for the whole run. What a page settles by its other dates holds for its host, and two
    pages that settle different orders refute each other.
    """
    by_field: dict[tuple[str, ...], list[DateReading]] = defaultdict(list)
    for one in readings:
        by_field[(one.field,) if one.by_task else (one.field, *one.place)].append(one)
    doubts: dict[str, list[OrderRefuted]] = defaultdict(list)
    for group in by_field.values():
        # Few kinds of witnesses exist, however many readings: the first of each kind is named.
        kinds: dict[tuple[frozenset[DateOrder], DateOrder | None], DateReading] = {}
        for one in group:
            kinds.setdefault((one.orders, one.used), one)
        for one in group:
            witness = next((other for other in kinds.values() if _refutes(other, one)), None)
            if witness is not None and one.used is not None:
                doubts[one.sample_id].append(_doubt(one, one.used, witness))
    return {sample_id: tuple(found) for sample_id, found in doubts.items()}


def _refutes(witness: DateReading, one: DateReading) -> bool:
    if one.used is None:
        return False
    if witness.orders and one.used not in witness.orders:
        return True
    return not witness.by_task and witness.used not in (None, one.used)


def _doubt(one: DateReading, used: DateOrder, witness: DateReading) -> OrderRefuted:
    return OrderRefuted(
        field=one.field,
        shown=one.shown,
        order=used,
        settled_by="task" if one.by_task else "page",
        refuted_by=witness.sample_id,
        shown_there=witness.shown,
    )


def doubted_result(result: ResultFile, refuted: Iterable[OrderRefuted]) -> ResultFile:
    """Return the result of a sample that was done, for a person, with its values as they were read."""
    doubts = tuple(refuted)
    facts = REASONS[REFUTED]
    return replace(
        result,
        status=facts.status,
        reason=REFUTED,
        fault=facts.fault,
        message="; ".join(map(_words, doubts)),
        flagged=True,
        refuted=doubts,
    )


def _words(doubt: OrderRefuted) -> str:
    by = "as the task says" if doubt.settled_by == "task" else "as the other dates of its page are written"
    return (
        f"{doubt.field}: {quoted(doubt.shown)} was read in the order {doubt.order}, {by}, and "
        f"{doubt.refuted_by} of this run shows {quoted(doubt.shown_there)}, which is not written so"
    )
