"""A plugin of pytest: where a property does not hold, the first example is enough, and no smaller one is searched."""

from __future__ import annotations

from hypothesis import Phase, settings

# The profile that tests/conftest.py loads.
settings.register_profile(
    "ci", parent=settings.get_profile("ci"), phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.target)
)
