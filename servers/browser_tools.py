"""The functions of `exhibit.flow` under another name: flows that were written elsewhere import them from here."""

from exhibit import flow
from exhibit.flow import *  # noqa: F403  the one list of these names is in shared.flows.code.functions

__all__: list[str] = []
__all__ += flow.__all__
