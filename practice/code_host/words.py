"""Source texts of the repositories. All people and companies are invented."""

from __future__ import annotations

ORG = "harbourline"

PEOPLE = {
    "zlindqvist": "Zoë Lindqvist",
    "lnowak": "Łukasz Nowak",
    "amara-o": "Amara Okafor",
    "jalvarez": "José Álvarez",
    "praman": "Priya Raman",
    "skjaer": "Søren Kjær",
    "fzahrani": "Fatima Al-Zahrani",
    "nmanh": "Nguyễn Minh Anh",
    "siobhan-on": "Siobhán O'Neill",
    "mgoncalves": "Mateus Gonçalves",
    "hkobayashi": "Hana Kobayashi",
    "e-whitfield": "Eleanor Whitfield-Grant",
}
"""Names by login."""

REPOSITORIES = {
    "ledger-core": "Fees, interest and settlement of every account.",
    "pricing-engine": "From a basket to a price that can be explained.",
    "access-gate": "Who may do what, for how long, and what is written down about it.",
}

FILES = {
    "ledger-core": {
        "src/ledger/fees.py": (
            "late_fee|Fee for a payment that came late.|balance|days_late|late_charge",
            "wire_fee|Fee for a transfer abroad.|transfer_sum|hops|wire_charge",
            "closing_fee|Fee for closing an account early.|deposit|months_left|closing_charge",
        ),
        "src/ledger/interest.py": (
            "accrued_interest|Interest that has built up and is not paid.|principal|days_open|accrued",
            "penalty_interest|Interest on what is overdue.|overdue|days_overdue|penalty",
            "bonus_interest|Interest on top for loyal customers.|savings|years_held|bonus",
        ),
        "src/ledger/settlement.py": (
            "net_position|What is owed after offsetting.|gross|trades|net_owed",
            "reserve_needed|What must be held back for open trades.|exposure|open_trades|reserve",
            "may_settle|Whether a batch may go out today.|batch_total|hours_to_cutoff|settled_part",
        ),
        "src/ledger/statements.py": (
            "carried_over|What goes to the next statement.|opening|entries|carried",
            "summary_total|The total at the foot of a statement.|subtotal|pages|statement_total",
            "needs_notice|Whether the customer is told by letter.|change|notices_sent|notice_weight",
        ),
        "src/ledger/limits.py": (
            "daily_limit|What may be spent in one day.|income|cards|daily_room",
            "overdraft_room|How far below zero an account may go.|turnover|quarters|overdraft",
            "over_limit|Whether a payment goes past its limit.|payment|attempts|limit_weight",
        ),
    },
    "pricing-engine": {
        "src/pricing/discounts.py": (
            "volume_discount|Less for those who take more.|list_sum|units|volume_cut",
            "loyalty_discount|Less for those who stay.|renewal_sum|terms|loyalty_cut",
            "may_stack|Whether two discounts go together.|discounted|discounts|stacked",
        ),
        "src/pricing/tax.py": (
            "sales_tax|Tax on what is sold at home.|taxable|lines|tax_due",
            "import_duty|Duty on what comes from abroad.|customs_value|parcels|duty",
            "exempt|Whether a sale is free of tax.|sale_value|certificates|exempt_part",
        ),
        "src/pricing/bundles.py": (
            "bundle_price|The price of things sold together.|parts_sum|parts|bundle_sum",
            "split_price|What each part of a bundle costs by itself.|bundle_value|shares|split_sum",
            "bundle_allowed|Whether these things may be bundled.|margin|conflicts|bundle_margin",
        ),
        "src/pricing/currency.py": (
            "converted|A sum in the customer's currency.|home_sum|rate_age|foreign_sum",
            "spread_cost|What the exchange itself costs.|exchanged|desks|spread",
            "stale_rate|Whether a rate is too old to be used.|rate_drift|minutes_old|staleness",
        ),
        "src/pricing/renewals.py": (
            "renewal_uplift|What a contract goes up by when it is renewed.|contract_value|years_run|uplift",
            "early_refund|What is given back for an early end.|paid_ahead|weeks_unused|refund",
            "auto_renews|Whether a contract goes on by itself.|contract_worth|reminders|renewal_score",
        ),
    },
    "access-gate": {
        "src/gate/sessions.py": (
            "session_budget|How many seconds a session may last.|base_seconds|risk_level|session_seconds",
            "idle_budget|How many seconds of silence end a session.|idle_base|devices|idle_seconds",
            "session_valid|Whether a session still holds.|session_age|renewals|session_weight",
        ),
        "src/gate/lockout.py": (
            "lockout_delay|How long an account is locked after wrong passwords.|first_delay|failures|lock_delay",
            "captcha_weight|How hard the next puzzle is.|suspicion|solved|puzzle_weight",
            "locked_out|Whether the next try is refused.|attempt_rate|recent_failures|lock_score",
        ),
        "src/gate/grants.py": (
            "grant_lifetime|How many hours a grant holds.|asked_hours|approvals|granted_hours",
            "review_interval|How many days until a grant is reviewed.|review_base|owners|review_days",
            "grant_allowed|Whether a grant may be given without a second look.|grant_risk|grants_held|grant_score",
        ),
        "src/gate/tokens.py": (
            "token_lifetime|How many minutes a token holds.|token_base|scopes|token_minutes",
            "refresh_window|How long before its end a token may be renewed.|lifetime_left|refreshes|refresh_minutes",
            "token_revoked|Whether a token has been taken back.|token_age|revocations|revoke_score",
        ),
        "src/gate/audit.py": (
            "retention_days|How many days a log line is kept.|policy_days|regions|kept_days",
            "sampling_share|What share of events is kept in full.|event_rate|tenants|sampled",
            "must_report|Whether an incident goes to the regulator.|records_hit|days_known|report_weight",
        ),
    },
}
"""By repository and path: function | purpose | sum | count | result."""

NEUTRAL_TITLES = (
    "Clean up {file}",
    "Small fixes in {file}",
    "Address review comments on {topic}",
    "Follow up on {topic}",
    "Tidy {topic}",
)
"""Titles without information about the change: judging by them is wrong half of the time."""

COMMENTS = (
    "Agreed with finance; see the handbook.",
    "The count never goes below zero here.",
    "Kept as a Decimal so that nothing is lost.",
    "The caller has checked the sum already.",
    "Same rule as in the yearly report.",
)

BODIES = (
    "Rolled out behind no flag; the old path is gone.",
    "Checked by hand against last month's figures.",
    "No migration is needed.",
    "Talked through in the weekly review.",
)

PARAGRAPHS = (
    "This came up while closing the quarter. The change is small and can be read in one go.",
    "The tests cover the usual cases; the edge cases are in the handbook.",
    "Nothing else calls this, so the change stays local.",
    "Please look at the arithmetic in particular.",
)

CHECKS = (
    "lint", "type-check", "unit-tests (3.11)", "unit-tests (3.12)", "integration", "build-image",
    "dependency-scan", "docs", "coverage",
)  # fmt: skip

TICKET_STATUSES = ("To do", "In progress", "In review", "Done")
PRIORITIES = ("Highest", "High", "Medium", "Low")
TICKET_TITLES = (
    "Wrong amount in {topic}",
    "{Topic} must follow the new policy",
    "Customers ask how {topic} comes about",
    "Auditors want {topic} explained",
    "{Topic} differs between report and account",
)
PROJECT_KEYS = {"ledger-core": "LED", "pricing-engine": "PRI", "access-gate": "GATE"}
