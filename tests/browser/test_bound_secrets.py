"""Secrets and logins are for the hosts that this machine's own files name, whatever a lease on the bus names."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from shared.bus.nats_bus import Bus, connect_bus
from shared.contracts.actions import ByCss, Goto, TypeSecret
from shared.contracts.browser.logins import CheckAccess
from shared.contracts.browser_pool import ActOnPage, LeaseSession, SessionLeased
from shared.contracts.results import ActionResult
from shared.errors import PermanentError
from shared.host.services import run_services
from shared.settings import Settings
from shared.subjects import ACT, CHECK_ACCESS, LEASE
from tests.browser.site import Site
from tests.bus_with_users import bus_with_users

FORM = "<input id=p type=password oninput=\"fetch('/typed-at-' + location.hostname)\">"
HOSTS = ("127.0.0.1", "localhost")
BOUND = {"value": "correct horse", "hosts": ["localhost"]}


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def users(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Bus, Bus]]:
    """The connections of a planner and of discovery to a bus with users, and a pool on it with secrets and a login."""
    folder = tmp_path_factory.mktemp("bound")
    state = folder / "state"
    (state / "auth").mkdir(parents=True)
    (state / "secrets.json").touch(mode=0o600)
    (state / "secrets.json").write_text(json.dumps({"pin": BOUND, "loose": "hunter2"}))
    who = {"name": "who", "value": "Ann", "domain": "localhost", "path": "/"}
    (state / "auth" / "desk.json").write_text(json.dumps({"cookies": [who], "origins": []}))
    async with bus_with_users(folder / "bus") as bus:
        settings = Settings(
            nats_url=bus.url, nats_seed=bus.access.seeds, state_dir=state, evidence_dir=folder / "evidence"
        )
        async with (
            run_services(settings, bus.url, ("browser_pool",)),
            connect_bus(bus.url, name="planner", access=bus.access, user="planner") as planner,
            connect_bus(bus.url, name="discovery", access=bus.access, user="discovery") as discovery,
        ):
            yield planner, discovery


@pytest.fixture
def planner(users: tuple[Bus, Bus]) -> Bus:
    return users[0]


def lease_of(*hosts: str, **more: object) -> LeaseSession:
    asked = {"run_id": "run_made_up", "sample_id": "s1", "allowed_hosts": hosts, "private_hosts": hosts, **more}
    return LeaseSession(**asked)


async def act(bus: Bus, session: SessionLeased, action: Goto | TypeSecret) -> ActionResult:
    request = ActOnPage(session_id=session.session_id, instance_id=session.instance_id, action=action)
    return await bus.ask(ACT, request, timeout_s=60)


async def test_a_secret_is_typed_at_its_own_hosts_only_whatever_a_lease_names(planner: Bus, site: Site) -> None:
    site.add("/form", FORM)
    with pytest.raises(PermanentError, match="for localhost only") as refused:
        await planner.ask(LEASE, lease_of("127.0.0.1", secrets=("pin",)), timeout_s=60)
    assert refused.value.code == "policy_denied"
    session = await planner.ask(LEASE, lease_of(*HOSTS, secrets=("pin",)), timeout_s=60)
    assert isinstance(session, SessionLeased)
    typing = TypeSecret(target=ByCss(css="#p"), secret="pin")
    assert (await act(planner, session, Goto(url=f"{site.url}/form"))).ok
    foreign = await act(planner, session, typing)
    assert (foreign.ok, foreign.code) == (False, "policy_denied")
    assert "for localhost only" in foreign.message
    assert (await act(planner, session, Goto(url=f"{site.url}/form".replace("127.0.0.1", "localhost")))).ok
    assert (await act(planner, session, typing)).ok
    assert site.asked_for("/typed-at-localhost").is_set()
    assert not site.asked_for("/typed-at-127.0.0.1").is_set()


async def test_a_secret_that_is_bound_to_no_host_is_leased_to_no_other_user(users: tuple[Bus, Bus]) -> None:
    planner, discovery = users
    checked = await discovery.ask(CHECK_ACCESS, CheckAccess(secrets=("loose", "pin"), hosts=HOSTS), timeout_s=60)
    assert [(one.where, '{"value": "...", "hosts"' in one.message) for one in checked.problems] == [("secrets", True)]
    with pytest.raises(PermanentError, match="bound to no host") as refused:
        await planner.ask(LEASE, lease_of(*HOSTS, secrets=("loose",)), timeout_s=60)
    assert "hunter2" not in str(refused.value) + str(checked)


async def test_a_login_is_used_at_the_hosts_that_it_was_recorded_at(planner: Bus, site: Site) -> None:
    with pytest.raises(PermanentError, match="is for localhost"):
        await planner.ask(LEASE, lease_of("127.0.0.1", auth_profile="desk"), timeout_s=60)
    unnamed = await planner.ask(LEASE, lease_of(auth_profile="desk", private_hosts=HOSTS), timeout_s=60)
    assert isinstance(unnamed, SessionLeased)
    first = await act(planner, unnamed, Goto(url=site.add("/who", "<p>Who")))
    assert (first.ok, first.code) == (False, "policy_denied")
    assert (await act(planner, unnamed, Goto(url=f"{site.url}/who".replace("127.0.0.1", "localhost")))).ok
