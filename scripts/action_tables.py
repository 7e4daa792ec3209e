"""Generate docs/actions.md: the actions of `exhibit drive` and `exhibit login --steps`, from their contract."""

from __future__ import annotations

import inspect
from typing import Any, get_args, get_origin

import msgspec

from shared.contracts.actions import BrowserAction, Target

HEAD = """# Actions

<!-- Written by scripts/write_docs.py from shared/contracts/actions.py and scripts/action_tables.py: change it
there. -->

`exhibit drive URL` and `exhibit login NAME URL --steps FILE` read one action a line, in short or as a JSON object:

    click 12
    type "User name" "Ann Lee"
    scroll down 300
    {"action": "click", "target": "12", "reason": "to open the ticket"}

In short it is the name of the action and the keys of the table in their order, those that must be given first; a
text with spaces stands in double quotes. In JSON the key `action` names it. `exhibit build` reads the same lines
beside its own, and so does `exhibit operate`, where the last key takes the rest of the line, without quotes:
`type 7 Ann Lee`. A target is written in one of three ways:

| target | means |
|---|---|
| `12` | the element with this number on the page that was shown last |
| `Sign in` | the element with this visible text or accessible name; it must be the only one |
| `css=#save` | the element that this CSS selector finds; it must be the only one |

`observe` shows the page again, with new numbers. Results and pages are printed for people; `exhibit
drive --json` prints one JSON object for each line. An action that fails is told with its code
([codes.md](codes.md)), the next line is executed all the same (`login` stops there), and the command ends with exit
code 1.

## Log in by steps

A password is a secret: its value is in `EXHIBIT_SECRET_PORTAL`, in the environment or in `.env`, and is named by
`type_secret` only. Written as `{"value": "...", "hosts": ["portal.example"]}`, it is typed at those hosts only.
`steps.txt`:

```text
type User auditor
type_secret Password portal
click "Sign in"
wait "Sign out" 10
```

    exhibit login portal https://portal.example/login --steps steps.txt

A one-time code is another secret, with the value `{"totp": "BASE32"}`. The login state is recorded only if every
step succeeded and the page does not ask to sign in any more; a task uses it as `"auth_profile": "portal"`.

## Look around by hand

    $ exhibit drive https://tracker.example/tickets
    ok: opened https://tracker.example/tickets
    ...
    [14] [link] "TCK-1001" -> /tickets/TCK-1001
    ...
    click 14
    ok: clicked link "TCK-1001"
        now at https://tracker.example/tickets/TCK-1001 (HTTP 200)
    screenshot ticket
    ok: ...
        saved drive/02_ticket.png

Other hosts than that of URL are opened with `--allow HOST`. Files go to the folder that `--out` names.

## All actions

A key in brackets may be left out; then it has the value that stands there. Every action may have a `reason`, one
sentence.
"""


def page() -> str:
    rows = [f"| `{_tag(kind)}` | {_keys(kind)} | {_meaning(kind)} |" for kind in get_args(BrowserAction)]
    return f"{HEAD}\n| action | keys | effect |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _tag(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


def _keys(kind: type[msgspec.Struct]) -> str:
    return ", ".join(_key(field) for field in msgspec.structs.fields(kind) if field.name != "reason") or "none"


def _key(field: msgspec.structs.FieldInfo) -> str:
    name = f"`{field.name}`"
    choices = get_args(field.type) if get_origin(field.type) is not None and field.type != Target else ()
    words = [str(choice) for choice in choices if isinstance(choice, str)]
    if words:
        name += f" ({' or '.join(words)})"
    return name if field.required else f"[{name} = {_written(field.default)}]"


def _written(value: Any) -> str:
    return f"`{msgspec.json.encode(value).decode()}`"


def _meaning(kind: type[msgspec.Struct]) -> str:
    text = " ".join((inspect.getdoc(kind) or "").split())
    return text.replace("``", "`").replace("|", "\\|")
