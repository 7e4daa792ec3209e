"""The secrets of one call: their values for the tool, and their removal from everything that goes back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from services.workflows.ports import HostCallError
from shared.contracts.browser_pool import HIDDEN_VALUE
from shared.contracts.workflows.invocations import JsonValue
from shared.errors import PermanentError
from shared.secrets.redaction import redacted_text
from shared.secrets.store import PREFIX, SecretStore, Vault


@dataclass(frozen=True)
class SecretsInUse:
    """``values``: by the secrets' names. ``hidden``: every text that must not go back."""

    values: Mapping[str, str]
    hidden: frozenset[str] = frozenset()

    def masked(self, value: JsonValue) -> JsonValue:
        """Return a JSON value without the secrets, those in keys and numbers included."""
        if not self.hidden:
            return value
        if isinstance(value, str):
            return self.masked_text(value)
        if isinstance(value, Mapping):
            members = cast("Mapping[str, Any]", value).items()
            return {self.masked_text(key): self.masked(member) for key, member in members}
        if isinstance(value, list | tuple):
            return [self.masked(item) for item in cast("Sequence[Any]", value)]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return HIDDEN_VALUE if self.masked_text(json.dumps(value)) == HIDDEN_VALUE else value
        return value

    def masked_text(self, text: str) -> str:
        return redacted_text(text, self.hidden)

    def masked_bytes(self, data: bytes) -> bytes:
        """As `masked_text`, for the secrets in UTF-8. What is compressed or encoded otherwise is not searched."""
        if not self.hidden:
            return data
        as_bytes = {one.encode().decode("latin-1") for one in self.hidden}
        return redacted_text(data.decode("latin-1"), self.hidden | as_bytes).encode("latin-1")


NO_SECRETS = SecretsInUse({})


async def secrets_in_use(store: SecretStore, names: Iterable[str], tool: str) -> SecretsInUse:
    """Return the secrets of these names. Raises HostCallError (LookupError) that names those that are not set."""
    wanted = tuple(dict.fromkeys(names))
    if not wanted:
        return NO_SECRETS
    try:
        missing = store.missing(wanted)
        if missing:
            raise HostCallError("LookupError", _not_set(tool, missing))
        vault = Vault(store, wanted)
        await vault.open()
        values = {name: await vault.reveal(name) or "" for name in wanted}
    except PermanentError as exc:
        raise HostCallError("LookupError", f"{tool}: {exc}") from exc
    return SecretsInUse(values, frozenset(vault.hidden))


def _not_set(tool: str, names: Sequence[str]) -> str:
    named = ", ".join(repr(name) for name in names)
    variables = ", ".join(PREFIX + name.upper() for name in names)
    what = "the secret" if len(names) == 1 else "the secrets"
    are = "is" if len(names) == 1 else "are"
    return f"{tool}: {what} {named} {are} not set: set {variables}, or add to secrets.json in the state folder"
