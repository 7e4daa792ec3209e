"""Who answers: a model where a key is set, else the local reader. The model's SDK takes a second to load."""

from __future__ import annotations

from services.vision.deps import Reader
from services.vision.readers.local import LocalReader
from shared.settings import Settings


def reader_for(settings: Settings) -> Reader:
    if settings.anthropic_api_key is None:
        return LocalReader()
    from services.vision.readers.anthropic import AnthropicReader

    return AnthropicReader(settings)
