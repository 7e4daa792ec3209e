"""A language model that always answers with one task."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager

from tests.end_to_end.held_site import STARTED_S
from tests.end_to_end.small_site import Answers, SmallSite


@contextmanager
def task_model(arguments: object, held: threading.Event | None = None) -> Generator[str]:
    """A Messages endpoint that always calls the tool `task` with these arguments. ``held``: not before it is set."""

    class Model(Answers):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            if held is not None:
                assert held.wait(STARTED_S), "nobody has let it answer"
            call = {"type": "tool_use", "id": "toolu_1", "name": "task", "input": arguments}
            body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [call]}
            usage = {"input_tokens": 100, "output_tokens": 20}
            whole = {**body, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}
            self.answer(json.dumps(whole), "application/json")

    with SmallSite(Model) as site:
        yield site.url
