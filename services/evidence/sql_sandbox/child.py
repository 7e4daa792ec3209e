"""The child process that runs queries: one in-memory database with views over the files it was given.

It is a sandbox because queries are not trusted. A query that takes all memory, or crashes the database, ends this
process and no other. It has no environment variables, reads the files of its views and writes below one folder. The
operating system limits its memory and the size of its files. It runs as ``python -I -m`` with frames of JSON on its
standard input and output.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import duckdb

from services.evidence.sql.catalogue import RUNS
from services.evidence.sql.query_guard import find_views, hints_for, parse_error, refusal_of, to_characters
from services.evidence.sql.query_types import QueryRefusal
from services.evidence.sql.statements import (
    ANSWER_SCHEMA,
    COUNT_ANSWER,
    DESCRIBE_ANSWER,
    DROP_ANSWER,
    copy_answer,
    create_answer,
    quote_name,
    quote_text,
    select_from_lines,
)
from shared.child_process.child import die_with_parent, limit_resources, read_frame, take_stdout, write_frame

EXPLAIN = "EXPLAIN "
INTERRUPT_EVERY_S = 0.1
NICENESS = 10
"""Queries take what runs at work leave of the processors: queries one after the other hold up no run."""


class SqlSandbox:
    """The database. Its configuration is locked once it is open: nothing can open another file afterwards."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._folder = Path(given["folder"])
        self._db = duckdb.connect(":memory:", config={"threads": given["threads"]})
        for statement in (
            *_base_settings(given),
            *_bucket_settings(given.get("bucket")),
            *_load_runs(given),
            *_lockdown(given),
        ):
            self._db.execute(statement)
        for statement in given["views"]:
            self._db.execute(statement)
        self._db.execute(f"CREATE SCHEMA {ANSWER_SCHEMA}")
        self._db.execute("SET lock_configuration = true")

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer as a file, or why there is none."""
        query, views = str(message["query"]), list[str]()
        try:
            tree = self._checked_tree(query)
            views = find_views(tree)
            return self._run(json.dumps({"error": False, "statements": [tree]}), message)
        except _RefusedError as exc:
            refusal = exc.refusal
        except duckdb.Error as exc:
            refusal = self._with_position(query, parse_error(str(exc)))
        return {
            "code": refusal.code,
            "message": refusal.message,
            "position": to_characters(query, refusal.position),
            "hints": hints_for(refusal, views),
        }

    def _checked_tree(self, query: str) -> dict[str, Any]:
        """Return DuckDB's syntax tree of the query; raise _RefusedError unless it is one allowed SELECT."""
        tree = json.loads(self._scalar("SELECT json_serialize_sql($query)", {"query": query}))
        if tree["error"]:
            raise _RefusedError(self._not_a_select(query, tree))
        if len(tree["statements"]) != 1:
            several = QueryRefusal("several_statements", "one query at a time is answered")
            raise _RefusedError(several if tree["statements"] else QueryRefusal("syntax", "there is no query"))
        if refusal := refusal_of(tree["statements"][0]):
            raise _RefusedError(refusal)
        return tree["statements"][0]

    def _not_a_select(self, query: str, tree: dict[str, Any]) -> QueryRefusal:
        if tree["error_type"] == "parser":
            position = tree.get("position")
            return QueryRefusal("syntax", tree["error_message"], int(position) if position is not None else None)
        kinds = [statement.type.name for statement in self._db.extract_statements(query)]
        if kinds == ["CREATE", "SELECT"]:
            return QueryRefusal("not_read_only", "a PIVOT must name its columns: ON field IN ('owner', 'status')")
        what = " and ".join(kinds) if kinds else "this"
        return QueryRefusal(
            "not_read_only", f"only a SELECT is answered (or DESCRIBE, SUMMARIZE, SHOW TABLES), not {what}"
        )

    def _run(self, tree: str, message: dict[str, Any]) -> dict[str, Any]:
        """Run the query that DuckDB writes from the checked tree, so that nothing unchecked runs."""
        query = self._scalar("SELECT json_deserialize_sql($tree::JSON)", {"tree": tree})
        max_rows, format_ = int(message["max_rows"]), str(message["format"])
        target = self._folder / f"answer-{message['number']}.{format_}"
        started = time.perf_counter()
        finished = threading.Event()
        watch = threading.Thread(
            target=self._interrupt_after, args=[finished, float(message["timeout_s"])], daemon=True
        )
        watch.start()
        try:
            self._db.execute(create_answer(query, max_rows))
            columns = self._db.execute(DESCRIBE_ANSWER).fetchall()
            rows = int(self._scalar(COUNT_ANSWER, {}))
            elapsed_ms = (time.perf_counter() - started) * 1000
            self._db.execute(copy_answer(columns, max_rows, format_, str(target)))
        finally:
            finished.set()
            watch.join()
            self._db.execute(DROP_ANSWER)
        return {
            "columns": columns,
            "rows": min(rows, max_rows),
            "cut": rows > max_rows,
            "path": str(target),
            "elapsed_ms": round(elapsed_ms, 3),
        }

    def _interrupt_after(self, finished: threading.Event, after_s: float) -> None:
        """Interrupt the query repeatedly: an interrupt between two statements has no effect on the next one."""
        while not finished.wait(after_s):
            self._db.interrupt()
            after_s = INTERRUPT_EVERY_S

    def _with_position(self, query: str, refusal: QueryRefusal) -> QueryRefusal:
        """Return the refusal with the position in the query as the user wrote it. What ran was written by DuckDB."""
        try:
            self._db.execute(EXPLAIN + query)
        except duckdb.Error as exc:
            explained = parse_error(str(exc))
            if explained.position is not None:
                return replace(explained, position=explained.position - len(EXPLAIN))
        return replace(refusal, position=None)

    def _scalar(self, statement: str, parameters: dict[str, Any]) -> Any:
        row = self._db.execute(statement, parameters).fetchone()
        assert row is not None
        return row[0]


class _RefusedError(Exception):
    def __init__(self, refusal: QueryRefusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def _base_settings(given: dict[str, Any]) -> list[str]:
    return [
        f"SET memory_limit = {quote_text(given['memory'])}",
        "SET temp_directory = ''",
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET allow_community_extensions = false",
        "SET allow_persistent_secrets = false",
        "SET python_enable_replacements = false",
        "SET errors_as_json = true",
        "SET parquet_metadata_cache = true",
        "SET TimeZone = 'UTC'",
    ]


def _bucket_settings(bucket: dict[str, str] | None) -> list[str]:
    """Allow reading from an S3 server: load the extension, and create the secret for this bucket alone."""
    if bucket is None:
        return []
    options = ", ".join(f"{key} {quote_text(value)}" for key, value in bucket["secret"].items())  # type: ignore[union-attr]
    return [
        f"LOAD {quote_text(bucket['extension'])}",
        "SET enable_http_metadata_cache = true",
        "SET enable_server_cert_verification = true",
        "SET enable_curl_server_cert_verification = true",
        *([f"SET ca_cert_file = {quote_text(bucket['ca'])}"] if bucket["ca"] else []),
        f"CREATE SECRET evidence (TYPE s3, {options})",
    ]


def _load_runs(given: dict[str, Any]) -> list[str]:
    lines = Path(given["runs"])
    longest = max(map(len, lines.read_bytes().splitlines()), default=0)
    return [f"CREATE TABLE {quote_name(RUNS.name)} AS {select_from_lines(RUNS, str(lines), longest + 1)}"]


def _lockdown(given: dict[str, Any]) -> list[str]:
    paths = ", ".join(quote_text(path) for path in given["files"])
    return [
        f"SET allowed_paths = [{paths}]",
        f"SET allowed_directories = [{quote_text(str(given['folder']))}]",
        "SET enable_external_access = false",
    ]


def _limit_process(given: dict[str, Any]) -> None:
    """Limit memory and file size by the operating system, and end with the parent process."""
    limit_resources(memory_bytes=given["max_address_space_bytes"], file_bytes=given["max_file_bytes"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()


def main() -> None:
    replies = take_stdout()
    given = _next_message()
    if given is None:
        return
    _limit_process(given)
    os.nice(NICENESS)
    try:
        sandbox = SqlSandbox(given)
    except (duckdb.Error, OSError) as exc:
        _send(replies, {"failed": str(exc)[:1000]})
        return
    _send(replies, {"open": True})
    while (message := _next_message()) is not None:
        _send(replies, sandbox.answer(message))


def _next_message() -> dict[str, Any] | None:
    """Return the next message; None after the parent process ended."""
    frame = read_frame(sys.stdin.buffer)
    return None if frame is None else json.loads(frame)


def _send(replies: BinaryIO, message: dict[str, Any]) -> None:
    write_frame(replies, json.dumps(message).encode())
    replies.flush()


if __name__ == "__main__":
    main()
