"""The worst model there is: a Messages endpoint that does exactly what the page demands, and keeps what it was shown.

What an order wants is done first, answer by answer; after that the record is read as a good model would.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from shared.testing.cassette import answering_server, key_of
from tests.orders.order import FOREIGN, SITE, Call, OrderPage

Json = dict[str, Any]


class WorstModel:
    """Obeys each page. ``requests``: what it was sent, by the number of the contract."""

    def __init__(self, pages: Sequence[OrderPage], origins: Mapping[str, str]) -> None:
        self._pages = {one.number: one for one in pages}
        self._origins = origins
        self.requests: dict[str, list[Json]] = {one.number: [] for one in pages}

    def answer(self, request: Json) -> Json:
        number = key_of(request).partition(" ")[2]
        page, asked = self._pages[number], self.requests[number]
        asked.append(request)
        left = page.order[len(asked) - 1 :]
        call = left[0] if left else Call("done", {})
        return _message(self._arguments(call, page, str(request["messages"][-1]["content"])), call.tool)

    def _arguments(self, call: Call, page: OrderPage, shown: str) -> Json:
        told = json.dumps(call.arguments)
        for name, origin in self._origins.items():
            told = told.replace(name, origin)
        arguments = {"reason": "The page says so.", **json.loads(told)}
        return {**arguments, **report_of(call, page, shown)} if call.tool == "done" else arguments


def report_of(call: Call, page: OrderPage, shown: str) -> Json:
    """Return the values and refs of a ``done``: those of the call, and what the record shows of all other fields."""
    true = {"number": page.number, "owner": page.owner, "amount": page.amount}
    absent = call.arguments.get("not_present", {})
    values = {name: value for name, value in {**true, **call.arguments.get("values", {})}.items() if name not in absent}
    refs = {name: ref_of(value, shown) for name, value in {**values, **absent}.items()}
    return {"values": values, "refs": {name: ref for name, ref in refs.items() if ref}}


def _message(arguments: Json, tool: str) -> Json:
    content = [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": arguments}]
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 20},
    }  # fmt: skip


def ref_of(text: str, shown: str) -> int:
    """Return the number of the last line that shows the text in quotes, else that has it; 0: none does."""
    numbered = re.findall(r"\[(\d+)\]([^\n]*)", shown.replace("\\n", "\n").replace('\\"', '"'))
    exact = [ref for ref, line in numbered if f'"{text}"' in line]
    having = [ref for ref, line in numbered if text in line]
    return int((exact or having or ["0"])[-1])


@asynccontextmanager
async def serve_worst(pages: Sequence[OrderPage], site: str, foreign: str) -> AsyncGenerator[tuple[WorstModel, str]]:
    """Serve the model; yield it and its URL."""
    model = WorstModel(pages, {SITE: site, FOREIGN: foreign})

    async def answer(body: bytes, _: Mapping[str, str]) -> tuple[int, bytes]:
        return 200, json.dumps(model.answer(json.loads(body))).encode()

    async with answering_server(answer) as url:
        yield model, url
