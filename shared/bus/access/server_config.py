"""The configuration of a server for separate processes: deploy/nats.conf, and the users that it includes."""

from __future__ import annotations

import json
from collections.abc import Mapping

from shared.bus.access.rights import Rights
from shared.streams import MAX_PAYLOAD_MB

USERS_CONF = "users.conf"
SERVER_CONF = f"""\
# The bus: streams on disk, and room for what is known of a large run in one answer.
# `exhibit bus-config` writes this file and {USERS_CONF} with the users and their rights; nobody else is let in.
server_name: exhibit-bus
listen: 0.0.0.0:4222
http: 127.0.0.1:8222
max_payload: {MAX_PAYLOAD_MB}MB
jetstream {{
  store_dir: /data
}}
include "{USERS_CONF}"

# Across machines, with EXHIBIT_NATS_URL=tls://... and EXHIBIT_NATS_CA=ca.pem for every process:
# tls {{
#   cert_file: "/etc/nats/server.pem"
#   key_file: "/etc/nats/server.key"
# }}
"""
_HEAD = "# Written by `exhibit bus-config`. The rights follow from the code: write it again after an update.\n"
ANSWER_WITHIN = "24h"
"""An operator may take long to answer a planner."""


def users_config(users: Mapping[str, tuple[str, Rights]]) -> str:
    """Return the users by name, each with its public key and its rights. It holds no secret."""
    blocks = ",\n".join(_user(name, key, rights) for name, (key, rights) in users.items())
    return f"{_HEAD}authorization {{\nusers: [\n{blocks}\n]\n}}\n"


def _user(name: str, key: str, rights: Rights) -> str:
    permissions: dict[str, object] = {
        "publish": {"allow": rights.publish, "deny": rights.denied},
        "subscribe": {"allow": rights.subscribe},
    }
    if rights.replies:
        permissions["allow_responses"] = {"max": 1, "expires": ANSWER_WITHIN}
    written = json.dumps({"nkey": key, "permissions": permissions}, indent=2)
    return f"# {name}\n{written}"
