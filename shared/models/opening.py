"""Opens a client of one of the models that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from shared.errors import PermanentError
from shared.models.client import MAX_RETRIES, TIMEOUT_S, ModelClient
from shared.models.prices import Price, parse_prices
from shared.settings import Settings

ModelKind = Literal["main", "fast", "fallback", "vision"]


def open_model(
    settings: Settings,
    kind: ModelKind,
    *,
    max_output_tokens: int,
    max_retries: int = MAX_RETRIES,
    timeout_s: float = TIMEOUT_S,
) -> ModelClient:
    """Return a client of the model of this kind; the caller closes it.

    Raises PermanentError (``invalid_settings``) where the settings' prices cannot be read.
    """
    key = settings.anthropic_api_key
    return ModelClient(
        api_key=key.get_secret_value() if key is not None else "",
        base_url=settings.anthropic_base_url,
        model=model_name(settings, kind),
        max_output_tokens=max_output_tokens,
        own_prices=own_prices(settings.prices),
        max_retries=max_retries,
        timeout_s=timeout_s,
    )


def model_name(settings: Settings, kind: ModelKind) -> str:
    """Return the model's name as its API knows it; empty where the settings name none."""
    names = {
        "main": settings.model,
        "fast": settings.fast_model,
        "fallback": settings.fallback_model,
        "vision": settings.vision_model,
    }
    return names[kind] or ""


def own_prices(setting: str | None) -> dict[str, Price]:
    """Return the prices in ``EXHIBIT_PRICES``: JSON, or the path of a file with it.

    Raises PermanentError where they cannot be read: a cost that is silently wrong is worse than none.
    """
    if not setting or not setting.strip():
        return {}
    try:
        inline = setting.lstrip().startswith("{")
        return parse_prices(setting if inline else Path(setting.strip()).read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise PermanentError(f"EXHIBIT_PRICES: {exc}", code="invalid_settings") from exc
