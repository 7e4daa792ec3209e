"""The secrets that the sessions of this pool have in use."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from playwright.async_api import BrowserContext

from shared.secrets.redaction import forms
from shared.secrets.store import SecretStore, Vault

_vaults: WeakKeyDictionary[BrowserContext, Vault] = WeakKeyDictionary()


async def open_vault(context: BrowserContext, store: SecretStore, names: tuple[str, ...]) -> Vault:
    """Open and return the vault of the session on this context."""
    vault = Vault(store, names)
    await vault.open()
    _vaults[context] = vault
    return vault


def hidden_in(context: BrowserContext) -> tuple[str, ...]:
    """Return what no picture of this context may show, in all its forms."""
    vault = _vaults.get(context)
    return tuple(sorted({form for one in vault.hidden for form in forms(one)})) if vault is not None else ()
