"""What a task may spend on calls of models."""

from __future__ import annotations

from shared.contracts.base import Usage
from shared.task.usage_limit import UsageLimit


def test_a_budget_is_used_up_when_its_number_is_reached():
    assert UsageLimit(0.5, None).exceeded_by(Usage(cost_usd=0.5)) == "$0.5000 of $0.5 are spent"
    assert UsageLimit(0.5, None).exceeded_by(Usage(cost_usd=0.4999, input_tokens=9)) == ""
    assert UsageLimit(None, 10).exceeded_by(Usage(input_tokens=7, output_tokens=3)) == "10 of 10 tokens are used"
    assert UsageLimit(None, 10).exceeded_by(Usage(input_tokens=9, cost_usd=99.0)) == ""
    limits = [UsageLimit(*one).is_unlimited for one in ((None, None), (0.5, None), (None, 10), (0.5, 10))]
    assert limits == [True, False, False, False]
