"""Recordings of model answers: stored once, replayed only for the same request."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from asyncio import to_thread

from shared.testing.cassette import Cassette, Exchange, Player, playback_server, shown_in

PAGE = 'PAGE STATE\n<untrusted_data>\nURL: http://127.0.0.1:{port}/t/1\n\n[1] "{name}"\n</untrusted_data>\n\nGOAL\nx'


def request(name: str = "Ann", *, sample: str = "T-1", port: int = 4000) -> dict:
    return {
        "model": "m",
        "system": [{"type": "text", "text": f'{{"sample_id": "{sample}"}}'}],
        "messages": [{"role": "user", "content": PAGE.format(port=port, name=name)}],
        "tools": [{"name": "click"}, {"name": "done"}],
    }


def answer(url: str) -> dict:
    return {"content": [{"type": "tool_use", "name": "goto", "input": {"url": url}}]}


def recorded(*names: str) -> Cassette:
    exchanges = [Exchange("decide T-1", shown_in(request(name)), answer("http://127.0.0.1:4000/t/2")) for name in names]
    return Cassette("by hand", ["http://127.0.0.1:4000"], exchanges)


async def post(url: str, body: dict) -> tuple[int, dict]:
    def ask() -> tuple[int, dict]:
        asked = urllib.request.Request(f"{url}/v1/messages", json.dumps(body).encode())
        try:
            with urllib.request.urlopen(asked) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as exc:
            return exc.code, json.load(exc)

    return await to_thread(ask)


async def test_answers_are_played_in_their_order_to_what_they_were_given_for():
    player = Player(recorded("Ann", "Bob"), {"http://127.0.0.1:4000": "http://127.0.0.1:5000"})
    async with playback_server(player) as url:
        status, reply = await post(url, request("Ann", port=5000))
        assert (status, reply) == (200, answer("http://127.0.0.1:5000/t/2"))
        assert player.left("decide") == 1
        assert (await post(url, request("Bob", port=5000)))[0] == 200
        assert player.left("decide") == 0
        status, reply = await post(url, request("Bob", port=5000))
    assert status == 400
    assert "2 answers were recorded, and this is question 3" in reply["error"]["message"]


async def test_where_another_page_is_shown_the_answer_is_withheld_and_the_difference_told():
    player = Player(recorded("Ann"))
    async with playback_server(player) as url:
        status, _ = await post(url, request("Zoe"))
    assert status == 400
    assert '-[1] "Ann"' in player.unexpected[0]
    assert '+[1] "Zoe"' in player.unexpected[0]
    assert player.left("decide") == 1
