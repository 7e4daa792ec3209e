"""The prices that settings bring, from the setting itself or from a file."""

from __future__ import annotations

from pathlib import Path

from shared.errors import PermanentError
from shared.models.prices import Price, prices_from


def own_prices(setting: str | None) -> dict[str, Price]:
    """Raises PermanentError, in words, where they cannot be read: a cost that is silently wrong is worse than none."""
    if not setting or not setting.strip():
        return {}
    try:
        inline = setting.lstrip().startswith("{")
        return prices_from(setting if inline else Path(setting.strip()).read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise PermanentError(f"EXHIBIT_PRICES: {exc}", code="invalid_settings") from exc
