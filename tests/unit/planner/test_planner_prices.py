"""The cost of model calls."""

from __future__ import annotations

import pytest

from shared.contracts.base import Usage
from shared.errors import PermanentError
from shared.models.prices import Price, cost_usd, own_prices, parse_prices, price_of
from tests.cases import cases


def test_a_call_costs_what_its_tokens_cost():
    usage = Usage(
        input_tokens=1_000_000, output_tokens=100_000, cache_read_tokens=1_000_000, cache_write_tokens=1_000_000
    )
    assert cost_usd("claude-sonnet-5", usage) == pytest.approx(2.0 + 1.0 + 0.2 + 2.5)
    assert cost_usd("claude-haiku-4-5-20251001", Usage(input_tokens=1_000_000)) == pytest.approx(1.0)


def test_a_long_prompt_costs_more_where_the_model_says_so():
    assert cost_usd("claude-haiku-5-5", Usage(input_tokens=100_000)) == pytest.approx(0.01)
    assert cost_usd("claude-haiku-5-5", Usage(input_tokens=60_000, cache_read_tokens=60_000)) == pytest.approx(0.033)


def test_no_price_is_made_up():
    assert price_of("some-local-model") is None
    assert cost_usd("some-local-model", Usage(input_tokens=5)) is None


OWN = '{"local-model": {"input": 1, "output": 2}, "claude-haiku-5-5": {"input": 3, "output": 4, "cache_read": 0}}'


def test_own_prices_go_before_the_known_ones_whatever_the_length_of_the_prompt():
    own = parse_prices(OWN)
    million = Usage(input_tokens=1_000_000, cache_write_tokens=1_000_000, cache_read_tokens=1_000_000)
    assert cost_usd("local-model", million, own) == pytest.approx(3.0)
    assert cost_usd("claude-haiku-5-5", million, own) == pytest.approx(6.0)
    assert cost_usd("claude-sonnet-5", million, own) == cost_usd("claude-sonnet-5", million)


def test_prices_come_from_the_setting_or_from_a_file(tmp_path):
    written = tmp_path / "prices.json"
    written.write_text(OWN, encoding="utf-8")
    assert own_prices(OWN) == own_prices(str(written)) == parse_prices(OWN)
    assert own_prices(None) == own_prices(" ") == {}
    assert own_prices(OWN)["local-model"] == Price(1.0, 2.0, 1.0, 1.0)


@cases(
    ("written", "told"),
    [
        ("{", "not JSON"),
        ('{"m": 3}', "m: input and output are needed"),
        ('{"m": {"input": 1}}', "m: input and output are needed"),
        ('{"m": {"input": 1, "output": 2, "thinking": 3}}', "m: input and output are needed"),
        ('{"m": {"input": "1", "output": 2}}', "m: input must be dollars"),
        ('{"m": {"input": -1, "output": 2}}', "m: input must be dollars"),
        ("/there/is/no/such/file", "No such file"),
    ],
)
def test_prices_that_cannot_be_read_are_told_and_not_passed_over(written, told):
    with pytest.raises(PermanentError) as caught:
        own_prices(written)
    assert caught.value.code == "invalid_settings"
    assert told in str(caught.value)
