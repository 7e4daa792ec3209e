"""The process that queries run in: one database in memory with views over the files it was given, and nothing else.

It is apart from evidence because a query is not ours: one that takes all memory, or finds a bug in the database, ends
this process and no other. It has no environment, reads the files that the views need and writes below one folder; the
operating system bounds its memory and the size of what it writes. Run as ``python -I -m`` with frames on its standard
input and output that hold JSON.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

import duckdb

from services.evidence.sql.catalogue import RUNS
from services.evidence.sql.error_replies import characters, hints_for, refusal_from
from services.evidence.sql.query_guard import Refusal, refusal_of, views_named
from services.evidence.sql.statements import (
    COUNTED,
    DESCRIBED,
    FORGOTTEN,
    answer_of,
    answer_to,
    from_lines,
    name,
    text,
)
from shared.child_process.child import die_with_parent, limit_resources, read_frame, take_stdout, write_frame

ASIDE = "EXPLAIN "
INTERRUPTED_EVERY_S = 0.1


class Cell:
    """Opened once, then locked: from then on neither we nor a query can open anything else."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._folder = Path(given["folder"])
        self._db = duckdb.connect(":memory:", config={"threads": given["threads"]})
        for statement in (*_careful(given), *_bucket(given.get("bucket")), *_runs(given), *_shut(given)):
            self._db.execute(statement)
        for statement in given["views"]:
            self._db.execute(statement)
        self._db.execute("CREATE SCHEMA aside")
        self._db.execute("SET lock_configuration = true")

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer as a file, or why there is none."""
        query, views = str(asked["query"]), list[str]()
        try:
            tree = self._tree(query)
            views = views_named(tree)
            return self._answered(json.dumps({"error": False, "statements": [tree]}), asked)
        except _RefusedError as exc:
            refusal = exc.refusal
        except duckdb.Error as exc:
            refusal = self._pointed_at(query, refusal_from(str(exc)))
        return {
            "code": refusal.code,
            "message": refusal.message,
            "position": characters(query, refusal.position),
            "hints": hints_for(refusal, views),
        }

    def _tree(self, query: str) -> dict[str, Any]:
        """What DuckDB's parser makes of the query, once it is found to be one SELECT that keeps within bounds."""
        tree = json.loads(self._one("SELECT json_serialize_sql($query)", {"query": query}))
        if tree["error"]:
            raise _RefusedError(self._not_a_select(query, tree))
        if len(tree["statements"]) != 1:
            several = Refusal("several_statements", "one query at a time is answered")
            raise _RefusedError(several if tree["statements"] else Refusal("syntax", "there is no query"))
        if refusal := refusal_of(tree["statements"][0]):
            raise _RefusedError(refusal)
        return tree["statements"][0]

    def _not_a_select(self, query: str, tree: dict[str, Any]) -> Refusal:
        if tree["error_type"] == "parser":
            position = tree.get("position")
            return Refusal("syntax", tree["error_message"], int(position) if position is not None else None)
        kinds = [statement.type.name for statement in self._db.extract_statements(query)]
        if kinds == ["CREATE", "SELECT"]:
            return Refusal("not_read_only", "a PIVOT must name its columns: ON field IN ('owner', 'status')")
        what = " and ".join(kinds) if kinds else "this"
        return Refusal("not_read_only", f"only a SELECT is answered (or DESCRIBE, SUMMARIZE, SHOW TABLES), not {what}")

    def _answered(self, tree: str, asked: dict[str, Any]) -> dict[str, Any]:
        """What is carried out is what was checked: the query written anew from its tree."""
        query = self._one("SELECT json_deserialize_sql($tree::JSON)", {"tree": tree})
        most, format_ = int(asked["max_rows"]), str(asked["format"])
        target = self._folder / f"answer-{asked['number']}.{format_}"
        started = time.perf_counter()
        over = threading.Event()
        watch = threading.Thread(target=self._interrupt, args=[over, float(asked["timeout_s"])], daemon=True)
        watch.start()
        try:
            self._db.execute(answer_of(query, most))
            columns = self._db.execute(DESCRIBED).fetchall()
            rows = int(self._one(COUNTED, {}))
            elapsed_ms = (time.perf_counter() - started) * 1000
            self._db.execute(answer_to(columns, most, format_, str(target)))
        finally:
            over.set()
            watch.join()
            self._db.execute(FORGOTTEN)
        return {
            "columns": columns,
            "rows": min(rows, most),
            "cut": rows > most,
            "path": str(target),
            "elapsed_ms": round(elapsed_ms, 3),
        }

    def _interrupt(self, over: threading.Event, after_s: float) -> None:
        """Again and again: one that comes between two statements is forgotten when the next one begins."""
        while not over.wait(after_s):
            self._db.interrupt()
            after_s = INTERRUPTED_EVERY_S

    def _pointed_at(self, query: str, refusal: Refusal) -> Refusal:
        """The place in the query as it was written; what was carried out was written anew."""
        try:
            self._db.execute(ASIDE + query)
        except duckdb.Error as exc:
            again = refusal_from(str(exc))
            if again.position is not None:
                return Refusal(again.code, again.message, again.position - len(ASIDE))
        return Refusal(refusal.code, refusal.message)

    def _one(self, statement: str, parameters: dict[str, Any]) -> Any:
        row = self._db.execute(statement, parameters).fetchone()
        assert row is not None
        return row[0]


class _RefusedError(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def _careful(given: dict[str, Any]) -> list[str]:
    return [
        f"SET memory_limit = {text(given['memory'])}",
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


def _bucket(bucket: dict[str, str] | None) -> list[str]:
    """Reading from an S3 server: the extension from its wheel, and the key for this bucket alone."""
    if bucket is None:
        return []
    said = ", ".join(f"{key} {text(value)}" for key, value in bucket["secret"].items())  # type: ignore[union-attr]
    return [
        f"LOAD {text(bucket['extension'])}",
        "SET enable_http_metadata_cache = true",
        f"CREATE SECRET evidence (TYPE s3, {said})",
    ]


def _runs(given: dict[str, Any]) -> list[str]:
    lines = Path(given["runs"])
    longest = max(map(len, lines.read_bytes().splitlines()), default=0)
    return [f"CREATE TABLE {name(RUNS.name)} AS {from_lines(RUNS, str(lines), longest + 1)}"]


def _shut(given: dict[str, Any]) -> list[str]:
    paths = ", ".join(text(path) for path in given["files"])
    return [
        f"SET allowed_paths = [{paths}]",
        f"SET allowed_directories = [{text(str(given['folder']))}]",
        "SET enable_external_access = false",
    ]


def _bounded(given: dict[str, Any]) -> None:
    """By the operating system: memory, the size of a file, and an end with the process that started this one."""
    limit_resources(memory_bytes=given["most_memory_bytes"], file_bytes=given["most_bytes"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()


def main() -> None:
    replies = take_stdout()
    given = _next_message()
    if given is None:
        return
    _bounded(given)
    try:
        cell = Cell(given)
    except (duckdb.Error, OSError) as exc:
        _say(replies, {"failed": str(exc)[:1000]})
        return
    _say(replies, {"open": True})
    while (asked := _next_message()) is not None:
        _say(replies, cell.answer(asked))


def _next_message() -> dict[str, Any] | None:
    """None where the process that asks is gone."""
    frame = read_frame(sys.stdin.buffer)
    return None if frame is None else json.loads(frame)


def _say(replies: BinaryIO, message: dict[str, Any]) -> None:
    write_frame(replies, json.dumps(message).encode())
    replies.flush()


if __name__ == "__main__":
    main()
