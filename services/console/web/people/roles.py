"""Who looks at the console, and which of its pages and acts are for whom. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class WebRole(StrEnum):
    """``viewer`` reads; ``preparer`` requests, steers and builds; ``reviewer`` and ``approver`` decide and sign what a
    review asks of them."""

    VIEWER = "viewer"
    PREPARER = "preparer"
    REVIEWER = "reviewer"
    APPROVER = "approver"


ALL_ROLES = frozenset(WebRole)
PREPARES = frozenset({WebRole.PREPARER})
DECIDES = frozenset({WebRole.REVIEWER, WebRole.APPROVER})
WORKS = ALL_ROLES - {WebRole.VIEWER}
NEEDS: Mapping[str, frozenset[WebRole]] = {
    **dict.fromkeys(
        (
            "new", "begin_draft", "draft", "begin_build", "change_draft", "ask_control", "control", "answer",
            "ask_several", "several", "live", "live_picture", "live_steer", "live_frames", "drift", "ask_to_approve",
            "approve", "flows", "flow", "flow_diff", "ask_to_roll_back", "roll_back", "builds", "build", "build_order",
            "build_goes_on", "build_events", "build_picture", "build_frames", "build_look", "settings",
            "settings_checks", "specs", "open_address", "spec", "use_spec", "spec_file", "spec_picture", "change_spec",
            "try_spec", "learn_spec", "begin_asking", "asked", "wait_for_asked", "change_asked", "list", "list_file",
            "change_list", "logins", "begin_login", "login", "login_picture", "change_login",
        ),
        PREPARES,
    ),
    **dict.fromkeys(("ask_to_sign", "review_act", "make_key"), DECIDES),
    **dict.fromkeys(("save_view", "remove_view", "tag_run"), WORKS),
}  # fmt: skip
"""The roles of which one is needed, by the name of the route. What is not named is read by every role."""


@dataclass(frozen=True)
class WebPerson:
    """Who looks. ``roles``: those that the proxy has told."""

    name: str
    roles: frozenset[WebRole] = ALL_ROLES

    @property
    def told(self) -> str:
        """The roles, for people."""
        return ", ".join(role for role in WebRole if role in self.roles)


def may(roles: frozenset[WebRole], route: str) -> bool:
    """Return whether somebody with these roles may open the route."""
    return bool(roles & NEEDS.get(route, ALL_ROLES))
