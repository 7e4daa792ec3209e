"""Keeps a fault of ours in one product from holding up the others, and the run: it is said, never hidden."""

from __future__ import annotations

import logging

from services.evidence.facts.sample_facts import SampleFacts
from services.evidence.outputs.products import Made, OpenFile, Product
from shared.errors import ExhibitError

log = logging.getLogger(__name__)


class NotMadeError(Exception):
    """Of a product that knows what of it is not made, and why, and says it. What it gave before is whole."""


def not_made(what: str, where: str, exc: Exception) -> str:
    """In words, for whoever misses it. ``where``: "" or `` at sample ...``."""
    return f"{what} could not be made{where}: {type(exc).__name__}: {str(exc)[:300]}"


class Watched:
    """A product that may fail. What cannot be written now passes through: it is tried again.

    ``failure`` says, once something else went wrong, what is not made and why; nothing more is then asked of it.
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
        except Exception as exc:  # noqa: BLE001  a report that trips over one sample must not cost the seal of them all
            self._failed(exc, f" at sample {sample.sample_id}")

    def finish(self) -> list[Made]:
        if self.failure:
            return []
        whole: list[Made] = []
        try:
            for made in self._product.finish():
                whole.append(made)
        except NotMadeError as exc:
            self._failed(exc, "")
        except (OSError, ExhibitError):
            raise
        except Exception as exc:  # noqa: BLE001  as above
            self._failed(exc, "")
            return []
        return whole

    def close(self) -> None:
        self._product.close()

    def _failed(self, exc: Exception, where: str) -> None:
        if isinstance(exc, NotMadeError):
            log.error("%s", exc)
            self.failure = str(exc)
            return
        self.failure = not_made(self.makes, where, exc)
        log.error("%s", self.failure, exc_info=exc)
