from __future__ import annotations

import sys

import pytest

from services.console.commands.login import has_display
from shared.host.connections import ManualSessionTerms
from shared.hosts import EVERY_HOST, Origin, fits_any


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always one")
@pytest.mark.parametrize(
    ("environment", "there_is"),
    [({}, False), ({"DISPLAY": ""}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "wayland-0"}, True)],
)
def test_whether_a_window_can_be_opened(environment: dict[str, str], there_is: bool) -> None:
    assert has_display(environment) is there_is


def test_who_types_an_address_may_open_it_private_or_not_and_what_he_names_besides() -> None:
    lease = ManualSessionTerms("http://me:pw@127.0.0.1:8000/x", allow=("*.idp.example",)).lease()
    assert lease.allowed_hosts == lease.private_hosts == ("127.0.0.1:8000", "*.idp.example")


def test_who_sees_the_window_goes_where_he_likes_but_to_no_private_address_he_has_not_named() -> None:
    lease = ManualSessionTerms("https://desk.example/", allow=(EVERY_HOST,)).lease()
    elsewhere = Origin("https", "idp.example", 443)
    assert fits_any(elsewhere, lease.allowed_hosts)
    assert not fits_any(elsewhere, lease.private_hosts)
