"""The protocol of a product, an output that is made of a complete run, such as a table or the report; and isolation,
so that an error in one product costs no other product and not the seal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from services.evidence.facts import RunFacts
from shared.errors import ExhibitError
from shared.evidence_view.sample_facts import SampleFacts

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OutputFile:
    """A file for the run's folder. ``name``: its path there. ``path``: where it is now, in the product's own folder."""

    name: str
    path: Path


OpenFile = Callable[[str], bytes | None]
"""Reads a file of a sample by its name (``01_ticket.png``); None without it."""


class Product(Protocol):
    """Calls come one at a time, from a thread that may block: `add` for each sample in row order, then `finish`.
    ``open_file`` is valid only during `add`."""

    @property
    def makes(self) -> str:
        """The names of its files, for messages."""
        ...

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None: ...

    def finish(self) -> Iterable[OutputFile]: ...

    def close(self) -> None:
        """Free all resources, also after an error. Idempotent."""
        ...


MakeProduct = Callable[[RunFacts, Path], Product]
"""Makes a product with an empty folder of its own, which is removed afterwards. Data that grows with the number of
samples goes to that folder, not into memory."""


class NotMadeError(Exception):
    """Raised by a product that could not make a file; the message says which and why. Earlier files are complete."""


def not_made_message(what: str, where: str, exc: Exception) -> str:
    """Return the message for a product that failed. ``where``: "" or `` at sample ...``."""
    return f"{what} could not be made{where}: {type(exc).__name__}: {str(exc)[:300]}"


class IsolatedProduct:
    """A product that may fail. Errors of storage are raised, because they are retried.

    Any other error is logged and stored in ``failure``, for people, and the product is not called again.
    """

    def __init__(self, product: Product) -> None:
        self._product = product
        self.makes = product.makes
        self.failure = ""

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        if self.failure:
            return
        try:
            self._product.add(sample, open_file)
        except (OSError, ExhibitError):
            raise
        except Exception as exc:  # noqa: BLE001  an error at one sample must not prevent the seal of the run
            self._fail(exc, f" at sample {sample.sample_id}")

    def finish(self) -> list[OutputFile]:
        if self.failure:
            return []
        files: list[OutputFile] = []
        try:
            for file in self._product.finish():
                files.append(file)
        except NotMadeError as exc:
            self._fail(exc, "")
        except (OSError, ExhibitError):
            raise
        except Exception as exc:  # noqa: BLE001  as above
            self._fail(exc, "")
            return []
        return files

    def close(self) -> None:
        self._product.close()

    def _fail(self, exc: Exception, where: str) -> None:
        if isinstance(exc, NotMadeError):
            log.error("%s was not made: the result of the run tells why", self.makes)
            self.failure = str(exc)
            return
        self.failure = not_made_message(self.makes, where, exc)
        log.error("%s was not made: the result of the run tells why", self.makes, exc_info=exc)
