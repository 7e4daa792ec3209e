"""Log lines that say which sample they are about, in one format for all services."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_about: ContextVar[str] = ContextVar("about", default="-")

FORMAT = "%(asctime)s %(levelname)-7s %(name)s [%(about)s] %(message)s"


@contextmanager
def log_context(subject: str) -> Generator[None]:
    """Add ``subject``, such as ``run_2026-03-01_101500/TCK-7``, to the log lines of the block."""
    token = _about.set(subject)
    try:
        yield
    finally:
        _about.reset(token)


def configure_logs(level: str) -> None:
    """Write the logs of this process to standard error, from ``level`` up."""

    def add_subject(record: logging.LogRecord) -> bool:
        record.about = _about.get()
        return True

    handler = logging.StreamHandler()
    handler.addFilter(add_subject)
    handler.setFormatter(logging.Formatter(FORMAT))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger("nats").setLevel(logging.ERROR)
