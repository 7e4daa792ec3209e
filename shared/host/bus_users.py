"""The users of a bus for separate processes: one for each service, one for clients, one for reviewers, one for
operators."""

from __future__ import annotations

from shared.bus.access.credentials import inbox_of
from shared.bus.access.keys import public_key
from shared.bus.access.rights import BusUser, Rights, follows_events, rights_of
from shared.client.bus_use import CLIENT, CLIENT_USE, OPERATOR, OPERATOR_USE, REVIEWER, REVIEWER_USE
from shared.host.service_names import NAMES
from shared.host.services import service_user


def bus_users() -> tuple[BusUser, ...]:
    """Return all users, those of services first."""
    people = {CLIENT: CLIENT_USE, REVIEWER: REVIEWER_USE, OPERATOR: OPERATOR_USE}
    return (*(service_user(name) for name in NAMES), *(BusUser(name=name, use=use) for name, use in people.items()))


def rights_by_name(seeds: dict[str, str]) -> dict[str, tuple[str, Rights]]:
    """Return the public key and the rights of each user; ``seeds`` has the seed of each."""
    users = bus_users()
    durables = [user.name for user in users if user.actor is not None and follows_events(user.actor)]
    keys = {user.name: public_key(seeds[user.name]) for user in users}
    return {user.name: (keys[user.name], rights_of(user, inbox_of(keys[user.name]), durables)) for user in users}
