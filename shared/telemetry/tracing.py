"""Spans: one around every handler, carried from service to service in the messages' headers.

A sample has one trace, from the event that names it to the filing of its result, over all services, attempts and
rounds: its id follows from run and sample. Spans have names, codes, counts and times, and no text of a page or an
input. Nothing is traced unless `shared.telemetry.exporting` is told to: then this module costs a check and no more.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from typing import Protocol

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from shared.telemetry.about import about_now
from shared.telemetry.trace_ids import sample_trace_id

SAMPLED = TraceFlags(TraceFlags.SAMPLED)
TRACE_PARENT = "traceparent"
Attribute = str | int | float | bool


class Tracers(Protocol):
    """Gives the tracer of each service of this process."""

    def of(self, service: str) -> trace.Tracer: ...


class _Active:
    tracers: Tracers | None = None


@contextmanager
def trace_with(tracers: Tracers) -> Generator[None]:
    """Trace what happens in this process within the block."""
    before, _Active.tracers = _Active.tracers, tracers
    try:
        yield
    finally:
        _Active.tracers = before


def is_traced() -> bool:
    return _Active.tracers is not None


def trace_headers() -> dict[str, str]:
    """Return the W3C trace context for a message that is sent now; empty where nothing is traced."""
    headers: dict[str, str] = {}
    if trace.get_current_span().get_span_context().is_valid:
        propagate.inject(headers)
    return headers


# --- the trace of a sample


def _root_of(run: str, sample: str) -> SpanContext:
    digits = sample_trace_id(run, sample)
    span_id = sha256(digits.encode()).hexdigest()[:16]
    return SpanContext(int(digits, 16), int(span_id, 16), is_remote=True, trace_flags=SAMPLED)


class ChosenIds(RandomIdGenerator):
    """Random ids, but for the span at the root of a sample's trace."""

    _next: ContextVar[SpanContext | None] = ContextVar("next_ids", default=None)

    def generate_span_id(self) -> int:
        chosen = self._next.get()
        return super().generate_span_id() if chosen is None else chosen.span_id

    def generate_trace_id(self) -> int:
        chosen = self._next.get()
        return super().generate_trace_id() if chosen is None else chosen.trace_id

    @classmethod
    @contextmanager
    def chosen(cls, ids: SpanContext) -> Generator[None]:
        token = cls._next.set(ids)
        try:
            yield
        finally:
            cls._next.reset(token)


# --- spans


class OpenSpan:
    """The span of a block. ``span`` is None where nothing is traced."""

    def __init__(self, span: trace.Span | None) -> None:
        self._span = span

    def set(self, **attributes: Attribute) -> None:
        if self._span is not None:
            self._span.set_attributes({f"exhibit.{name}": value for name, value in attributes.items()})

    def fail(self, code: str) -> None:
        """Say that the work failed. ``code``: of the error; its text may quote a page, and is not taken."""
        if self._span is not None:
            self._span.set_attribute("error.type", code)
            self._span.set_status(Status(StatusCode.ERROR, code))


_NOT_TRACED = OpenSpan(None)


@contextmanager
def received(name: str, headers: Mapping[str, str] | None, **attributes: Attribute) -> Generator[OpenSpan]:
    """Open the span of a handler; its parent is the sender's, from the message's headers.

    Where the work is for a sample, and the sender's trace is another one, the span is in the sample's trace and linked
    to the sender's.
    """
    tracers = _Active.tracers
    if tracers is None and TRACE_PARENT not in (headers or {}):
        yield _NOT_TRACED
        return
    sender = propagate.extract(headers or {}, context=Context())
    if tracers is None:  # the trace goes on behind this process
        with trace.use_span(trace.get_current_span(sender)):
            yield _NOT_TRACED
        return
    parent, links = _parent_of(trace.get_current_span(sender).get_span_context())
    context = trace.set_span_in_context(trace.NonRecordingSpan(parent), Context()) if parent.is_valid else Context()
    with _open(tracers, name, context, SpanKind.SERVER, attributes, links) as span:
        yield span


@contextmanager
def sent_about(run: str, sample: str, name: str, *, begins: bool) -> Generator[None]:
    """Open the span of a message about a sample that is sent by work which is not in the trace of that sample.

    ``begins``: it is the root of the trace, the first that there is to tell of the sample.
    """
    tracers, root = _Active.tracers, _root_of(run, sample) if _Active.tracers else None
    outer = trace.get_current_span().get_span_context()
    if tracers is None or root is None or outer.trace_id == root.trace_id:
        yield
        return
    links = [Link(outer)] if outer.is_valid else []
    attributes: dict[str, Attribute] = {"run": run, "sample": sample}
    if begins:
        with ChosenIds.chosen(root):
            opened = _open(tracers, name, Context(), SpanKind.PRODUCER, attributes, links)
            opened.__enter__()
    else:
        parent = trace.set_span_in_context(trace.NonRecordingSpan(root), Context())
        opened = _open(tracers, name, parent, SpanKind.PRODUCER, attributes, links)
        opened.__enter__()
    try:
        yield
    finally:
        opened.__exit__(None, None, None)


@contextmanager
def worked(name: str, **attributes: Attribute) -> Generator[OpenSpan]:
    """Open a span for the block, in the trace of what goes on now."""
    if _Active.tracers is None:
        yield _NOT_TRACED
        return
    with _open(_Active.tracers, name, None, SpanKind.INTERNAL, attributes, ()) as span:
        yield span


def record_span(name: str, start_ns: int, end_ns: int, failed: str = "", **attributes: Attribute) -> None:
    """Record a span of what has just ended, in the trace of what goes on now. ``failed``: the code, where it did."""
    if _Active.tracers is None:
        return
    tracer = _Active.tracers.of(about_now().service)
    span = tracer.start_span(name, start_time=start_ns, attributes=_named(attributes))
    if failed:
        OpenSpan(span).fail(failed)
    span.end(end_ns)


def _parent_of(sender: SpanContext) -> tuple[SpanContext, Sequence[Link]]:
    about = about_now()
    if not about.run or not about.sample:
        return sender, ()
    root = _root_of(about.run, about.sample)
    if sender.trace_id == root.trace_id:
        return sender, ()
    return root, [Link(sender)] if sender.is_valid else ()


@contextmanager
def _open(
    tracers: Tracers,
    name: str,
    context: Context | None,
    kind: SpanKind,
    attributes: Mapping[str, Attribute],
    links: Sequence[Link],
) -> Generator[OpenSpan]:
    about = about_now()
    known = {"run": about.run, "sample": about.sample, "step": about.step}
    said = {**{key: value for key, value in known.items() if value}, **attributes}
    opening = tracers.of(about.service).start_as_current_span(
        name,
        context=context,
        kind=kind,
        attributes=_named(said),
        links=list(links),
        record_exception=False,  # its text may quote a page
        set_status_on_exception=False,
    )
    with opening as span:
        yield OpenSpan(span)


def _named(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {f"exhibit.{name}": value for name, value in attributes.items()}


def new_provider(**options: object) -> TracerProvider:
    """Return a provider whose root spans of samples have the ids that follow from run and sample."""
    ids: IdGenerator = ChosenIds()
    return TracerProvider(id_generator=ids, **options)  # pyright: ignore[reportArgumentType]
