"""The key `integration` of a spec: all that is wrong with it is told at once."""

from __future__ import annotations

from typing import Any

from shared.task.integration import filled_url, missing_in
from shared.task.spec import check_spec
from tests.cases import cases

SPEC: dict[str, Any] = {
    "task_id": "t",
    "goal": "Read it.",
    "start_url": "https://a.example/{id}",
    "output_schema": {"id": "string", "x": "decimal | null"},
    "identity": {"id": "{id}"},
    "secrets": ["TOKEN"],
}
GOOD: dict[str, Any] = {
    "url": "https://a.example/api/{id}",
    "headers": {"Authorization": {"secret": "TOKEN", "prefix": "Bearer "}, "X-Client": "audit"},
    "fields": {"id": "/id", "x": "/a~1b/0"},
}


def places(integration: object, **more: Any) -> list[str]:
    spec, problems = check_spec({**SPEC, **more, "integration": integration})
    assert (spec is None) == bool(problems)
    return sorted(problem.where.removeprefix("spec.integration").removeprefix(".") for problem in problems)


def test_a_good_one_has_no_problem():
    assert places(GOOD) == []


@cases(
    ("changed", "place"),
    [
        ({"url": "https://{id}.example/x"}, "url"),
        ({"url": "https://a.example{id}/x"}, "url"),
        ({"url": "{url}"}, "url"),
        ({"url": "/api/{id}"}, "url"),
        ({"url": "ftp://a.example/{id}"}, "url"),
        ({"url": "https://me:pw@a.example/{id}"}, "url"),
        ({"url": "https://a.example/{id}#top"}, "url"),
        ({"url": "https://b.example/{id}"}, "url"),
        ({"url": "http://a.example/{id}"}, "url"),
        ({"headers": {"Authorization": "Bearer abc"}}, "headers.Authorization"),
        ({"headers": {"cookie": "a=b"}}, "headers.cookie"),
        ({"headers": {"Host": "b.example"}}, "headers.Host"),
        ({"headers": {"X Y": "a"}}, "headers.X Y"),
        ({"headers": {"X": "a\r\nHost: b"}}, "headers.X"),
        ({"headers": {"X": {"secret": "TOKEN", "prefix": "\n"}}}, "headers.X"),
        ({"headers": {"X": {"secret": "OTHER"}}}, "headers.X"),
        ({"fields": {"id": "/id", "y": "/y"}}, "fields.y"),
        ({"fields": {"id": "/id", "x": "x"}}, "fields.x"),
        ({"fields": {"id": "/id", "x": "/~2"}}, "fields.x"),
        ({"fields": {"x": "/x"}}, "fields"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"method": "POST"}, "method"),
    ],
)
def test_each_mistake_is_told_at_its_place(changed: dict[str, Any], place: str):
    assert set(places({**GOOD, **changed})) == {place}


def test_all_mistakes_are_told_at_once_also_beside_those_of_single_values():
    wrong = {
        "url": "http://b.example/{id}#x",
        "headers": {"Authorization": "abc", "X": {"secret": "OTHER"}},
        "fields": {"y": "y"},
        "timeout_s": -1,
        "more": True,
    }
    told = places(wrong, max_steps=0)
    expected = ["fields", "fields.y", "fields.y", "headers.Authorization", "headers.X", "more", "spec.max_steps"]
    assert told == sorted([*expected, "timeout_s", "url", "url", "url"])


def test_a_task_without_identity_or_of_a_list_has_no_integration():
    assert places({**GOOD, "fields": {"x": "/x"}}, identity={}) == [""]
    assert "" in places(GOOD, phase="discovery")


def test_the_host_is_one_that_the_task_may_open():
    other = {**GOOD, "url": "https://api.b.example:8443/{id}"}
    assert places(other) == ["url"]
    assert places(other, allowed_hosts=["a.example"]) == ["url"]
    assert places(other, allowed_hosts=["*.b.example"]) == []
    assert places(GOOD, start_url="{url}") == ["url"]


def test_a_secret_goes_over_https_or_to_a_private_address_that_is_written():
    clear = {**GOOD, "url": "http://10.0.0.8/{id}"}
    assert places(clear, allowed_hosts=["10.0.0.8"]) == []
    assert places({**clear, "headers": {}, "url": "http://a.example/{id}"}) == []


def test_a_row_fills_no_more_than_a_part_of_the_path():
    assert filled_url("https://a.example/t/{id}?q={q}", {"id": "../x?y#z", "q": "a b&c"}) == (
        "https://a.example/t/..%2Fx%3Fy%23z?q=a%20b%26c"
    )
    assert filled_url("https://a.example/{id}/x", {"id": ".."}) == "https://a.example/%2E%2E/x"
    assert missing_in("https://a.example/{id}/{no}", {"id": "7", "no": " "}) == ("no",)
