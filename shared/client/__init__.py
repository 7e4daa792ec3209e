"""A small typed client: submit a run, watch it, get its result, query its evidence.

    async with connect("nats://127.0.0.1:4222") as client:
        accepted = await client.submit(spec=spec, rows=[{"ticket_number": "TCK-1", "url": "..."}])
        finished = await client.result(accepted.run_id)
        print(finished.table)

Any NATS client can do without it and publish the same JSON (`examples/submit_run.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shared.client.run_client import LOAD_BOUND_S, Client, connect, load_run, run_exists

__all__ = ["LOAD_BOUND_S", "Client", "connect", "load_run", "run_exists"]


def __getattr__(name: str) -> Any:
    """Load the client of NATS only when it is asked for: most modules of this package do without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from shared.client import run_client

    return getattr(run_client, name)
