"""A site of records that holds pages back until the test lets them go: whatever waits for one is caught in the act."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect
from tests.waiting import until

STARTED_S = 240.0
"""Within which a busy machine starts services and a browser, and has them work on a sample."""


class HeldSite(SmallSite):
    """``/records/NUMBER`` has the owner of a record. A number in ``held`` is answered after `let_go`, and one in
    ``missing`` with 404."""

    def __init__(self, held: Iterable[str] = (), missing: Iterable[str] = ()) -> None:
        super().__init__(Records)
        self.held, self.missing = set(held), set(missing)
        self.asked: list[str] = []
        self._may_go = threading.Event()

    def let_go(self) -> None:
        self._may_go.set()

    def wait_until_asked(self, *numbers: str) -> None:
        until(lambda: set(numbers) <= set(self.asked), f"{numbers} are asked for", STARTED_S)

    def wait_for_release(self) -> None:
        self._may_go.wait()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_go()
        super().__exit__(kind, error, trace)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a browser that is gone."""


class Records(Answers):
    def do_GET(self) -> None:
        site, number = expect(self.server, HeldSite), self.path.rpartition("/")[2]
        if not self.path.startswith("/records/") or number in site.missing:
            return self.answer("<title>Not found</title><h1>Record not found</h1>", status=404)
        site.asked.append(number)
        if number in site.held:
            site.wait_for_release()
        record = f"<h1>{number}</h1><dl><dt>Number</dt><dd>{number}</dd><dt>Owner</dt><dd>Ann {number}</dd></dl>"
        return self.answer(f"<!doctype html><title>{number}</title>{record}")


def run_with_result(evidence: Path, number: str) -> Path:
    """Return the folder of the run that has a result of the sample, once there is one."""
    found = until(lambda: list(evidence.glob(f"run_*/{number}/result.json")), f"a result of {number}", STARTED_S)
    return found[0].parents[1]


def owners_in(run: Path) -> dict[str, str]:
    """Return the owner of each sample that is done."""
    found = [json.loads(path.read_bytes()) for path in run.glob("*/result.json")]
    return {one["sample_id"]: one["extracted"]["owner"] for one in found if one["status"] == "done"}
