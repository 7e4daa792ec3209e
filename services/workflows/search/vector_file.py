"""Vectors of workflows in a DuckDB file, by the hash of their content. One process at a time holds the file."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb
import numpy as np

from services.workflows.search.vectors import Vector
from shared.file_lock import open_locked

logger = logging.getLogger(__name__)
_TABLES = """
CREATE TABLE IF NOT EXISTS model (name VARCHAR);
CREATE TABLE IF NOT EXISTS vectors (key VARCHAR PRIMARY KEY, vector BLOB)
"""


class VectorFile:
    """Vectors of one model. They can be made again at any time, so that whatever is wrong with the file empties it.

    Where the file is held by another process or cannot be written, nothing is stored: ``is_stored`` is False.
    """

    def __init__(self, path: Path | None, model: str, dimensions: int) -> None:
        """Open the file, which is created if it does not exist. ``path`` None: nothing is stored."""
        self._dimensions = dimensions
        self._lock: int | None = None
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._rows: list[tuple[str, bytes]] = []
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = open_locked(path.with_name(f"{path.name}.lock"), create=True)
            self._connection, self._rows = _open(path, model)
        except BlockingIOError:
            logger.info("%s is in use by another process: vectors are kept in memory", path)
        except (OSError, duckdb.Error) as error:
            logger.warning("%s cannot be used, vectors are kept in memory: %s", path, error)
            self.close()

    @property
    def is_stored(self) -> bool:
        return self._connection is not None

    def take_loaded(self) -> dict[str, Vector]:
        """Return all vectors that were stored, by key. They are handed out once."""
        rows, self._rows = self._rows, []
        size = self._dimensions * np.dtype(np.float32).itemsize
        return {key: np.frombuffer(vector, dtype=np.float32) for key, vector in rows if len(vector) == size}

    def add(self, vectors: Mapping[str, Vector]) -> None:
        self._change(
            "INSERT OR REPLACE INTO vectors SELECT unnest(?::VARCHAR[]), unnest(?::BLOB[])",
            [list(vectors), [vector.astype(np.float32).tobytes() for vector in vectors.values()]],
        )

    def remove(self, keys: Iterable[str]) -> None:
        self._change("DELETE FROM vectors WHERE key IN (SELECT unnest(?::VARCHAR[]))", [list(keys)])

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _change(self, statement: str, values: Sequence[Sequence[object]]) -> None:
        if self._connection is None or not values[0]:
            return
        try:
            self._connection.execute(statement, values)
        except duckdb.Error as error:
            logger.warning("vectors cannot be stored any more and are kept in memory: %s", error)
            self.close()


_Opened = tuple[duckdb.DuckDBPyConnection, list[tuple[str, bytes]]]


def _open(path: Path, model: str) -> _Opened:
    """Open and read the file; the lock is held, so that an error means that the file is damaged."""
    try:
        return _connect(path, model)
    except duckdb.Error as error:
        logger.warning("%s is damaged and is made anew: %s", path, error)
        for damaged in (path, path.with_name(f"{path.name}.wal")):
            damaged.unlink(missing_ok=True)
        return _connect(path, model)


def _connect(path: Path, model: str) -> _Opened:
    """Open the file, with its tables and without the vectors of other models, and read it."""
    connection = duckdb.connect(path, config={"threads": 1})
    try:
        connection.execute(_TABLES)
        if connection.execute("SELECT name FROM model").fetchall() != [(model,)]:
            connection.execute("BEGIN; DELETE FROM model; DELETE FROM vectors")
            connection.execute("INSERT INTO model VALUES (?)", [model])
            connection.execute("COMMIT")
        return connection, connection.execute("SELECT key, vector FROM vectors").fetchall()
    except BaseException:
        connection.close()
        raise
