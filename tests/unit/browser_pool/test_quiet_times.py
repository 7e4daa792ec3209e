"""How long a page has to be quiet before it is read."""

from __future__ import annotations

import msgspec
import pytest

from services.browser_pool.adapters.observe.engine import DocumentState
from services.browser_pool.adapters.rest import wanted_quiet_ms

_EMPTY = {str: "", int: 0, float: 0.0, bool: False}
STILL = {field.name: _EMPTY[field.type] for field in msgspec.structs.fields(DocumentState) if field.required}


@pytest.mark.parametrize(
    ("scripts", "stirred", "data_asked", "acted", "quiet_ms"),
    [
        (False, False, False, False, 0),
        (False, False, False, True, 25),
        (True, False, False, False, 50),
        (True, True, False, False, 100),
        (True, False, True, False, 100),
        (True, False, False, True, 60),
        (True, True, False, True, 60),  # what the action changed has been seen
        (True, False, True, True, 100),
    ],
)
def test_scripts_and_data_need_quiet_and_a_session_may_have_less_patience(
    scripts: bool, stirred: bool, data_asked: bool, acted: bool, quiet_ms: float
) -> None:
    state = DocumentState(**{**STILL, "scripts": scripts, "stirred": stirred})
    assert wanted_quiet_ms(state, data_asked, acted, 1.0) == quiet_ms
    assert wanted_quiet_ms(state, data_asked, acted, 0.1) == pytest.approx(quiet_ms / 10)
