"""The task that the command line works on at small sites: the owner of each record. Some ask to sign in first."""

from __future__ import annotations

import json
from typing import Any

from tests.end_to_end.conftest import Cli

SIGN_IN_FORM = """<h1>Sign in</h1><form method="post" action="/login"><label>User <input name="user"></label>
<label>Password <input name="password" type="password"></label><button>Sign in</button></form>"""


def owner_spec(task_id: str, records_url: str, **keys: str) -> dict[str, Any]:
    """Return the task. A record's address ends with its number."""
    return {
        "task_id": task_id,
        "goal": "the owner of each record",
        "start_url": f"{records_url}/{{number}}",
        "input_schema": {"number": "string"},
        "sample_id": "{number}",
        "output_schema": {"number": "string", "owner": "string"},
        "required_fields": ["owner"],
        "identity": {"number": "{number}"},
        **keys,
    }


def write_owner_task(cli: Cli, task_id: str, records_url: str, numbers: list[str], **keys: str) -> None:
    """Write spec.json and in.csv into the folder of the command line."""
    spec = owner_spec(task_id, records_url, **keys)
    (cli.folder / "spec.json").write_text(json.dumps(spec))
    (cli.folder / "in.csv").write_text("\n".join(["number", *numbers, ""]))


def run_owner_task(cli: Cli) -> None:
    """Run the task, whose samples are all done."""
    ran = cli.run("run", str(cli.folder / "spec.json"), "--input", str(cli.folder / "in.csv"))
    assert ran.returncode == 0, ran.stdout + ran.stderr


def sign_in_steps(password: str = "right") -> str:
    """Return the steps of `exhibit login`, one a line. A wrong password is not waited for as long."""
    actions = [
        {"action": "type", "target": "css=[name=user]", "text": "ann"},
        {"action": "type", "target": "css=[name=password]", "text": password},
        {"action": "click", "target": "css=button"},
        {"action": "wait", "target": "Welcome", "timeout_s": 3 if password == "wrong" else 30},
    ]
    return "\n".join(map(json.dumps, actions)) + "\n"
