"""The client of runs: what is submitted, watched, loaded and asked over the bus."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import hashlib
import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Literal

import msgspec
from nats.aio.msg import Msg

from shared.aio import raise_if_cancelled, wait_for_first
from shared.bus.access.credentials import NO_ACCESS, BusAccess
from shared.bus.decoding import decode_or_skip
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.ports import Asks
from shared.bus.signing.signatures import SIGNATURE, KnownSigners, is_believed
from shared.client.bus_use import CLIENT
from shared.client.run_sessions import RunSessions
from shared.contracts.discovery import (
    AS_IT_IS,
    InputFile,
    ReadAs,
    Register,
    RunAccepted,
    RunMode,
    RunRejected,
    StoreInput,
    SubmitReply,
    SubmitRun,
)
from shared.contracts.evidence import (
    AskSql,
    FindRuns,
    LoadAnswer,
    LoadedSample,
    LoadReply,
    LoadRun,
    RunFinished,
    RunLoaded,
    RunsFound,
    RunUnknown,
    SqlAnswered,
    SqlRefused,
)
from shared.contracts.sessions.events import FollowedEvent, FollowRun, RunFollowed
from shared.errors import DeadlineExceeded, PermanentError, RunRejectedError, TransientError, Unavailable
from shared.subjects import (
    ASK_SQL,
    FIND_RUNS,
    FOLLOW_RUN,
    LOAD_ANSWER,
    LOAD_RUN,
    STORE_INPUT,
    SUBMIT_RUN,
    RunEvent,
    any_of_run,
    ends_of_run,
)
from shared.submission.input_files import split_parts
from shared.submission.request import find_size_problems

__all__ = ["LOAD_BOUND_S", "Client", "connect", "load_run", "run_exists"]

SUBMIT_BOUND_S = 120.0
SUBMIT_AGAIN_S, SUBMIT_PAUSE_S = 5.0, 0.2
"""When a request without a reply is sent again: it counts once."""
MAX_ROWS_BYTES = 500_000
"""Of rows in the request itself, for a default server allows messages of 1 MB; larger inputs travel as a file."""
LOAD_BOUND_S = 60.0
"""Of one page of a run that is loaded."""
SQL_BOUND_S = 610.0
SOON_S, QUIET_S = 0.05, 2.0
"""How soon a watch looks for an event again, and how often while there are none."""
AWAY_S = 0.5
"""How soon a watch asks again where evidence does not answer."""


class Client(RunSessions):
    """Speaks to the services over the bus. Open one with `connect`.

    Args:
        bus: the connection.
        known: whose events `watch` tells; None: all that are in the stream, as evidence may not have taken them.

    Example:
        async with connect("nats://127.0.0.1:4222") as client:
            accepted = await client.submit(spec, rows=[{"ticket_number": "TCK-1", "url": "https://..."}])
            finished = await client.result(accepted.run_id)
    """

    def __init__(self, bus: Bus, known: KnownSigners | None = None) -> None:
        super().__init__(bus)
        self.bus = bus
        self._known = known

    async def submit(
        self,
        spec: dict[str, Any] | None = None,
        *,
        rows: Sequence[dict[str, Any]] | None = None,
        file: tuple[str, bytes] | None = None,
        resume: str | None = None,
        replay: str | None = None,
        replay_samples: Sequence[str] | None = None,
        allow_effects: bool = False,
        discovery: dict[str, Any] | None = None,
        discovery_row: dict[str, str] | None = None,
        planner: str | None = None,
        concurrency: int | None = None,
        mode: RunMode | None = None,
        requested_by: str = "",
        reconcile: tuple[str, bytes] | None = None,
        key: str = "",
        fold_keys: bool = False,
        read_as: ReadAs = AS_IT_IS,
        register_as: ReadAs = AS_IT_IS,
    ) -> RunAccepted:
        """Request a run.

        Args:
            spec: the task spec, as JSON; may be left out with ``resume`` and ``replay``.
            rows: the samples, a dict of the columns for each.
            file: the samples as a table: a name that ends in .csv or .xlsx, and the bytes.
            resume: id of the run to continue.
            replay: id of the run whose steps are repeated.
            replay_samples: of that run, by their ids; all by default.
            allow_effects: also repeat steps that may change the site.
            discovery: spec by which the samples are found, filled from ``discovery_row``. Where ``spec`` itself finds
                samples, the run only lists them.
            discovery_row: the values that ``discovery`` is filled from.
            planner: who decides, such as ``rules`` or ``anthropic``; that of the settings of discovery by default.
            concurrency: the most samples at once.
            mode: whether samples are done by the flow of the task (``flow``), by the planner (``agent``), or by both
                (``auto``, which compiles a flow where there is none).
            requested_by: who asks for it, as the run is to say.
            reconcile: a register that the population is compared with: a name that ends in .csv, .xlsx or .json, and
                the bytes.
            key: the field by which rows of the register are found.
            fold_keys: whether keys that differ only in form are one (:class:`shared.contracts.discovery.Register`).
            read_as: what the file leaves open about how it is read: its sheets, its encoding, its hidden rows.
            register_as: the same of the register.

        Returns:
            The id of the run, and what is noted about the request. The run goes on by itself.

        Raises:
            RunRejectedError: with every problem of the request; nothing was started.
            Unavailable, DeadlineExceeded: no reply came in time. Whether a run has begun is then not known.

        Example:
            accepted = await client.submit(spec, file=("tickets.csv", data), mode="auto")
        """
        if rows is not None and file is None and len(written := msgspec.json.encode(rows)) > MAX_ROWS_BYTES:
            rows, file = None, ("rows.json", written)
        request = SubmitRun(
            spec=spec,
            samples=None if rows is None else tuple(rows),
            input_file=None if file is None else await self.upload(*file, read_as),
            resume_run_id=resume,
            replay_run_id=replay,
            replay_samples=None if replay_samples is None else tuple(replay_samples),
            allow_effects=allow_effects,
            discovery=discovery,
            discovery_row=discovery_row or {},
            planner=planner,
            concurrency=concurrency,
            mode=mode,
            requested_by=requested_by,
            register=None
            if reconcile is None
            else Register(file=await self.upload(*reconcile, register_as), key=key, fold_keys=fold_keys),
            request_id=uuid.uuid4().hex,
        )
        reply = await self._request_run(request)
        if isinstance(reply, RunRejected):
            raise RunRejectedError(reply.problems)
        return reply

    async def _request_run(self, request: SubmitRun) -> SubmitReply:
        """Send the request again while no reply comes: the process that had it may be gone, and the next goes on."""
        until_s, sent = time.monotonic() + SUBMIT_BOUND_S, False
        while True:
            left_s = until_s - time.monotonic()
            try:
                return await self.bus.ask(SUBMIT_RUN, request, timeout_s=min(SUBMIT_AGAIN_S, left_s))
            except (DeadlineExceeded, Unavailable) as exc:
                sent = sent or isinstance(exc, DeadlineExceeded)
                if not sent or left_s <= SUBMIT_AGAIN_S:
                    raise
            await asyncio.sleep(SUBMIT_PAUSE_S)

    async def watch(self, run_id: str) -> AsyncGenerator[RunEvent]:
        """Yield every event of the run in order, from its beginning. The generator never ends by itself.

        The events come from evidence, which reads them in the stream. That there are new ones is heard on the bus, and
        looked for every few seconds besides. While evidence does not answer, the watch waits.

        Args:
            run_id: of the run.

        Returns:
            A generator; close it, as `contextlib.aclosing` does.

        Raises:
            Unavailable: this client was closed (``bus_closed``).

        Example:
            async with aclosing(client.watch(run_id)) as events:
                async for event in events:
                    print(event)
        """
        async with aclosing(self._follow(run_id)) as events:
            async for event in events:
                yield event

    async def _follow(self, run_id: str, *, ends_only: bool = False) -> AsyncGenerator[RunEvent]:
        """As `watch`. ``ends_only``: only the ends of rounds, so that whoever waits for one does not have all events of
        the run read for it."""
        last, pause_s = 0, SOON_S
        async with self._heard(ends_of_run(run_id) if ends_only else any_of_run(run_id)) as heard:
            while True:
                # An event may be heard before it is stored: then it is looked for again, soon.
                pause_s = SOON_S if heard.is_set() else min(2 * pause_s, QUIET_S)
                heard.clear()
                page = await self._events_after(FollowRun(run_id=run_id, after=last, ends_only=ends_only))
                for one in page.events:
                    last, pause_s = one.sequence, SOON_S
                    event: RunEvent | None = decode_or_skip(one.data.encode(), RunEvent)
                    if event is not None and self._is_believed(one):
                        yield event
                if not page.more:
                    await wait_for_first(heard.wait(), timeout_s=pause_s)
                raise_if_cancelled()

    @property
    def connected(self) -> bool:
        """Whether the bus is there now. While it is not, asks wait for it; this client connects again by itself."""
        return bool(self.bus.nc.is_connected)

    @asynccontextmanager
    async def hear(self, run_id: str) -> AsyncGenerator[asyncio.Event]:
        """Yield what is set at each event of a run, for whoever reads its log as it grows.

        Args:
            run_id: of the run.

        Returns:
            A context manager. The event says when to look, and is cleared by whoever looks; what is heard while this
            client is cut off from the bus is missed.

        Example:
            async with client.hear(run_id) as heard:
                await heard.wait()
                page = await client.events(run_id, since=page.next_index)
        """
        async with self._heard(any_of_run(run_id)) as heard:
            yield heard

    @asynccontextmanager
    async def _heard(self, subjects: Sequence[str]) -> AsyncGenerator[asyncio.Event]:
        """Yield what is set at each event on these subjects. It says when to look: what is heard is not believed."""
        heard = asyncio.Event()

        async def on_event(_: Msg) -> None:
            heard.set()

        listening = [await self.bus.nc.subscribe(subject, cb=on_event) for subject in subjects]
        try:
            yield heard
        finally:
            if not self.bus.nc.is_closed:
                for one in listening:
                    await one.unsubscribe()

    async def _events_after(self, request: FollowRun) -> RunFollowed:
        while True:
            try:
                return await self.bus.ask(FOLLOW_RUN, request, timeout_s=LOAD_BOUND_S)
            except TransientError as exc:  # told by evidence too, such as of a bus one of whose servers is gone
                if isinstance(exc, Unavailable) and exc.code == "bus_closed":  # by this client: nobody will answer it
                    raise
                raise_if_cancelled()
                await asyncio.sleep(AWAY_S)

    def _is_believed(self, one: FollowedEvent) -> bool:
        headers = {SIGNATURE: one.signature} if one.signature else {}
        return self._known is None or is_believed(self._known, one.subject, one.data.encode(), headers)

    async def result(self, run_id: str, *, attempt_base: int = 0) -> RunFinished:
        """Wait until the run has finished.

        Args:
            run_id: of the run.
            attempt_base: that of a resumed round, to wait for its end and not for that of a round before.

        Returns:
            How it ended: its outcomes, and where its table and its report are.

        Raises:
            Unavailable: this client was closed (``bus_closed``).

        Example:
            finished = await client.result(accepted.run_id, attempt_base=accepted.attempt_base)
        """
        async with aclosing(self._follow(run_id, ends_only=True)) as events:
            async for event in events:
                if isinstance(event, RunFinished) and event.attempt_base >= attempt_base:
                    return event
        raise AssertionError("a watch never ends")

    async def load(self, run_id: str) -> RunLoaded | RunUnknown:
        """Return what evidence knows of a run, with all its samples.

        Args:
            run_id: of the run.

        Returns:
            The run; RunUnknown where there is none.

        Example:
            loaded = await client.load(run_id)
        """
        return await load_run(self.bus, run_id)

    async def runs(self, task_id: str | None = None, input_sha256: str | None = None) -> RunsFound:
        """Return the latest run of a task and input, and the latest unfinished one.

        Args:
            task_id: of the task; None stands for any.
            input_sha256: of the input; None stands for any.

        Returns:
            Both runs, where there are such.

        Example:
            found = await client.runs(task_id="practice_tickets")
        """
        return await self.bus.ask(FIND_RUNS, FindRuns(task_id=task_id, input_sha256=input_sha256), timeout_s=60.0)

    async def sql(
        self,
        query: str,
        run_ids: Sequence[str] = (),
        *,
        format: Literal["json", "csv", "parquet"] = "json",
        max_rows: int = 10_000,
        timeout_s: float = 30.0,
    ) -> tuple[SqlAnswered, bytes] | SqlRefused:
        """Answer one SELECT over the evidence of runs.

        Args:
            query: the SELECT; docs/sql.md has the views.
            run_ids: of the runs; none stands for all.
            format: of the answer.
            max_rows: the most that are answered.
            timeout_s: the longest that the query may take, in seconds.

        Returns:
            Facts about the answer, and its bytes; SqlRefused where the query is no such thing, or failed.

        Raises:
            PermanentError: ``answer_mismatch``: the bytes that came are not what evidence made.

        Example:
            answer = await client.sql("SELECT status, count(*) FROM samples GROUP BY 1", [run_id])
        """
        request = AskSql(query=query, run_ids=tuple(run_ids), format=format, max_rows=max_rows, timeout_s=timeout_s)
        reply = await self.bus.ask(ASK_SQL, request, timeout_s=SQL_BOUND_S)
        if isinstance(reply, SqlRefused):
            return reply
        return reply, await self._download(reply)

    async def _download(self, answered: SqlAnswered) -> bytes:
        if not answered.blob:
            return answered.text.encode()
        data = bytearray()
        while len(data) < answered.size_bytes:
            request = LoadAnswer(blob=answered.blob, offset=len(data))
            part = await self.bus.ask(LOAD_ANSWER, request, timeout_s=LOAD_BOUND_S)
            if not part.data:
                break
            data += part.data
        if hashlib.sha256(data).hexdigest() != answered.sha256:
            raise PermanentError("the answer is not what evidence made", code="answer_mismatch")
        return bytes(data)

    async def upload(self, name: str, data: bytes, read_as: ReadAs = AS_IT_IS) -> InputFile:
        """Store a file as the input of a run.

        One that is too large is not sent: the request names it all the same, so that it is refused with all its
        problems.

        Args:
            name: of the file; it ends in .csv, .xlsx or .json.
            data: its bytes.
            read_as: what it leaves open about how it is read.

        Returns:
            What a request names it by.

        Example:
            file = await client.upload("tickets.csv", data)
        """
        sha256 = hashlib.sha256(data).hexdigest()
        described = InputFile(name=name, blob="", size_bytes=len(data), sha256=sha256, read_as=read_as)
        if find_size_problems(described):
            return described
        blob, parts = "", split_parts(data)
        for part, piece in enumerate(parts):
            request = StoreInput(data=piece, blob=blob, part=part)
            blob = (await self.bus.ask(STORE_INPUT, request, timeout_s=LOAD_BOUND_S)).blob
        return msgspec.structs.replace(described, blob=blob, parts=len(parts))


@asynccontextmanager
async def connect(
    url: str, access: BusAccess = NO_ACCESS, user: str = CLIENT, known: KnownSigners | None = None
) -> AsyncGenerator[Client]:
    """Connect a client to the bus.

    Args:
        url: of the bus, such as ``nats://127.0.0.1:4222``.
        access: the seed of a NATS user, where the bus is not one that this user of the machine has started.
        user: the name of the user whose seed that is: ``client`` or ``operator``.
        known: whose events are told; see `Client`.

    Returns:
        A context with the client; it is closed at the end of the block.

    Raises:
        Unavailable: no server answers there.

    Example:
        async with connect("nats://127.0.0.1:4222") as client: ...
    """
    async with connect_bus(url, name="client", access=access, user=user) as bus:
        yield Client(bus, known)


async def load_run(asks: Asks, run_id: str) -> LoadReply:
    """Return the run with all its samples; its other facts are those of the first page.

    Args:
        asks: the bus.
        run_id: of the run.

    Returns:
        The run; RunUnknown where there is none.

    Example:
        loaded = await load_run(client.bus, run_id)
    """
    first: LoadReply = await asks.ask(LOAD_RUN, LoadRun(run_id=run_id), timeout_s=LOAD_BOUND_S)
    if isinstance(first, RunUnknown):
        return first
    samples: list[LoadedSample] = list(first.samples)
    while len(samples) < first.total:
        request = LoadRun(run_id=run_id, skip=len(samples))
        page: LoadReply = await asks.ask(LOAD_RUN, request, timeout_s=LOAD_BOUND_S)
        if isinstance(page, RunUnknown):
            return page
        if not page.samples:
            break
        samples += page.samples
    return msgspec.structs.replace(first, samples=tuple(samples))


async def run_exists(asks: Asks, run_id: str) -> bool:
    """Return whether evidence has a run of this id.

    Args:
        asks: the bus.
        run_id: of the run.

    Returns:
        Whether it has.

    Example:
        if await run_exists(client.bus, run_id): ...
    """
    request = LoadRun(run_id=run_id, count_only=True)
    return not isinstance(await asks.ask(LOAD_RUN, request, timeout_s=LOAD_BOUND_S), RunUnknown)
