"""Settings and observations for tests with generated pages."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.snapshot import compose
from shared.contracts.browser_pool import PageObserved

TIMES = "PROPERTY_TIMES"
"""The variable that multiplies the number of examples."""


def examples(count: int) -> settings:
    return settings(
        max_examples=count * int(os.environ.get(TIMES, "1")),
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        # One session serves all examples: each sets the whole page anew.
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )


async def observed(session: PageSession, snapshot_id: str, max_tokens: int = 100_000) -> PageObserved:
    return compose(await session.observe(snapshot_id, max_tokens=max_tokens), snapshot_id)
