"""What a task may spend on calls of models, in US dollars and in tokens, and when that is used up."""

from __future__ import annotations

from dataclasses import dataclass

from shared.contracts.base import Usage, total_tokens
from shared.task.spec import BudgetSpec


@dataclass(frozen=True)
class UsageLimit:
    """What calls of models may use; None: no limit."""

    usd: float | None
    tokens: int | None

    @property
    def is_unlimited(self) -> bool:
        return self.usd is None and self.tokens is None

    def exceeded_by(self, usage: Usage) -> str:
        """Return what is used up, as a sentence; empty: the budget is not used up."""
        if self.usd is not None and usage.cost_usd >= self.usd:
            return f"${usage.cost_usd:.4f} of ${self.usd:g} are spent"
        tokens = total_tokens(usage)
        if self.tokens is not None and tokens >= self.tokens:
            return f"{tokens} of {self.tokens} tokens are used"
        return ""


def sample_budget(budget: BudgetSpec) -> UsageLimit:
    """Return what one attempt at a sample may use."""
    return UsageLimit(budget.sample_usd, budget.sample_tokens)


def run_budget(budget: BudgetSpec) -> UsageLimit:
    """Return what all samples of a run together may use, and what one build session may."""
    return UsageLimit(budget.run_usd, budget.run_tokens)
