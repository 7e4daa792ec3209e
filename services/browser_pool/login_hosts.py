"""The hosts of a login state: where it was recorded, what of it is loaded, and which sessions may use it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from shared.hosts import EVERY_HOST, Origin, bracketed, canonical_host, fits_any, parse_origin, share_a_host

ANY_NAME = "any"
"""A name below a domain, to ask whether rules name all of them."""


def hosts_of_state(state: dict[str, Any], allowed: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the rules of the hosts that a state has cookies or storage of, and those that were ``allowed`` by name."""
    cookies = [rule for cookie in state.get("cookies", ()) for rule in _cookie_rules(cookie)]
    origins = [rule for one in state.get("origins", ()) for rule in _origin_rules(one)]
    named = [rule for rule in allowed if rule != EVERY_HOST]
    return tuple(dict.fromkeys([*cookies, *origins, *named]))


def with_hosts(state: dict[str, Any], allowed: Iterable[str]) -> dict[str, Any]:
    """Return the state as it is recorded."""
    return {**state, "hosts": list(hosts_of_state(state, allowed))}


def read_hosts(state: dict[str, Any]) -> tuple[str, ...]:
    """Return the hosts of a recorded state. One that was recorded before there were hosts has those of its contents."""
    hosts: Any = state.get("hosts")
    return tuple(map(str, cast("list[Any]", hosts))) if isinstance(hosts, list) else hosts_of_state(state)


def state_for(state: dict[str, Any], hosts: tuple[str, ...]) -> dict[str, Any]:
    """Return the cookies and the storage of a recorded state that go to ``hosts`` only.

    What names no host that can be read stays: the browser refuses it, and that is told.
    """
    cookies = [cookie for cookie in state.get("cookies", ()) if _goes_only_to(cookie, hosts)]
    origins = [one for one in state.get("origins", ()) if _fits(str(one.get("origin", "")), hosts)]
    return {"cookies": cookies, "origins": origins}


def login_refusal(name: str, hosts: tuple[str, ...], allowed: tuple[str, ...]) -> str:
    """Return why a session that may open ``allowed`` gets no login state of these hosts; empty where it does. Nothing
    allowed: the first address that is opened decides."""
    if not allowed or share_a_host(hosts, allowed):
        return ""
    return (
        f"the login state {name!r} is for {', '.join(hosts) or 'no host'}, and this session may open "
        f"{', '.join(allowed)} only; record one there with `exhibit login`"
    )


def _cookie_rules(cookie: dict[str, Any]) -> list[str]:
    domain = str(cookie.get("domain", ""))
    if not domain:
        origin = parse_origin(str(cookie.get("url", "")))
        return [] if isinstance(origin, str) else [bracketed(origin.host)]
    host = canonical_host(domain.removeprefix("."))
    if host is None:
        return []
    return [host, f"*.{host}"] if domain.startswith(".") else [bracketed(host)]


def _origin_rules(storage: dict[str, Any]) -> list[str]:
    origin = parse_origin(str(storage.get("origin", "")))
    return [] if isinstance(origin, str) else [origin.rule]


def _goes_only_to(cookie: dict[str, Any], hosts: tuple[str, ...]) -> bool:
    """Cookies know no ports, so that a rule with one does not name where they go."""
    if not cookie.get("domain") and "url" in cookie:
        return _fits(str(cookie["url"]), hosts)
    domain = str(cookie.get("domain", ""))
    host = canonical_host(domain.removeprefix("."))
    if host is None:
        return True
    names = [host, f"{ANY_NAME}.{host}"] if domain.startswith(".") else [host]
    return all(fits_any(Origin("https", one, 0), hosts) for one in names)


def _fits(url: str, hosts: tuple[str, ...]) -> bool:
    origin = parse_origin(url)
    return isinstance(origin, str) or fits_any(origin, hosts)
