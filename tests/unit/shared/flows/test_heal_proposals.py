"""What a flow's files are changed to: only what every sample has found, and never so that one weak way is left."""

from __future__ import annotations

from shared.contracts.workflows.heals import Heal, HealWay
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import AfterText, AtPlace, ExtractionRule, UnderHeader, Whole
from shared.flows.changed.records import rule_key
from shared.flows.files import ElementFacts, FieldsFile, FlowFiles
from shared.flows.healing.proposals import HealProposal, propose_heal
from tests.typed import there

BLAME = 'role=link[name="Blame"]'


def rule(where: UnderHeader | AfterText | AtPlace) -> ExtractionRule:
    return ExtractionRule(where=where, attribute="name", part=Whole())


LABEL = rule(UnderHeader(header="Assignee", role="definition"))
NEAR = rule(AfterText(text="Assignee", steps=1, role="definition"))
PLACE = rule(AtPlace(path="dl>dd", nth=2, of=5))
RULES = FieldRules(rules=(LABEL, NEAR, PLACE), labels=("assignee",), homes=(0, 0, 0), beside=("number", "assignee"))
FILES = FlowFiles(
    locators={BLAME: ElementFacts(role="link", selectors=("nav > a:nth-of-type(2)", "text=Blame"))},
    fields=FieldsFile(fields={"assignee": RULES}),
)


def way(one: ExtractionRule | str) -> HealWay:
    return HealWay(key=one if isinstance(one, str) else rule_key(one), text=str(one)[:20])


def field(lost: list[ExtractionRule], matched: list[ExtractionRule]) -> Heal:
    found = tuple(map(way, matched))
    return Heal(kind="field", subject="assignee", rung="agreeing", lost=tuple(map(way, lost)), matched=found,
                observation_sha256="abc")  # fmt: skip


def element(lost: list[str], matched: list[str], now: str = "") -> Heal:
    return Heal(kind="element", subject=BLAME, rung="moved", moved=tuple(map(way, lost)),
                matched=tuple(map(way, matched)), fingerprint_now=now)  # fmt: skip


def proposed(*heals: list[Heal]) -> HealProposal | None:
    return propose_heal(FILES, {str(at): found for at, found in enumerate(heals)})


def test_rules_that_all_samples_have_lost_are_dropped():
    found = there(proposed([field([PLACE], [LABEL, NEAR])], [field([PLACE], [LABEL, NEAR])]))
    healed = found.files.fields.fields["assignee"]
    assert (healed.rules, healed.homes, healed.beside) == ((LABEL, NEAR), (0, 0), ())
    (change,) = found.changes
    assert (change.subject, change.samples, change.evidence) == ("assignee", ("0", "1"), ("abc",))
    assert any(line.startswith("-") and "dl>dd" in line for line in found.diff.splitlines())


def test_what_one_sample_has_found_otherwise_is_kept():
    assert proposed([field([PLACE], [LABEL, NEAR])]) is None
    assert proposed([field([PLACE], [LABEL, NEAR])], []) is None
    assert proposed([field([PLACE], [LABEL, NEAR])], [field([NEAR], [LABEL, PLACE])]) is None


def test_a_field_keeps_a_rule_that_tells_what_it_is():
    assert proposed(*([field([LABEL], [NEAR, PLACE])] for _ in range(3))) is None


def test_selectors_that_lead_elsewhere_are_dropped_and_the_fingerprint_is_learned():
    lost = element(["nav > a:nth-of-type(2)"], [BLAME, "text=Blame"], "f-now")
    found = there(proposed([lost], [lost]))
    facts = found.files.locators[BLAME]
    assert (facts.selectors, facts.fingerprints) == (("text=Blame",), ("f-now",))


def test_an_element_is_never_left_with_one_way_where_its_own_selector_is_gone():
    gone = element([BLAME, "nav > a:nth-of-type(2)"], ["text=Blame"])
    assert proposed([gone], [gone]) is None


def planned(*found: str, now: str = "") -> Heal:
    """Return the heal of an element that a planner has chosen."""
    return Heal(kind="element", subject=BLAME, rung="planner", lost=(way(BLAME), way("text=Blame")),
                found=tuple(map(way, found)), fingerprint_now=now)  # fmt: skip


def test_what_led_every_sample_to_the_element_that_a_planner_chose_is_added_first():
    found = there(
        proposed([planned("text=Annotate", "#annotate", now="f-now")], [planned("text=Annotate", now="f-now")])
    )
    facts = found.files.locators[BLAME]
    assert facts.selectors == ("text=Annotate", "nav > a:nth-of-type(2)")
    assert facts.fingerprints == ("f-now",)


def test_a_choice_that_holds_for_one_sample_only_is_not_added():
    assert proposed([planned("text=Annotate")], [planned("#annotate")]) is None


def test_of_two_samples_that_have_lost_different_ways_nothing_follows():
    assert proposed([field([PLACE], [LABEL])], [field([NEAR], [LABEL])]) is None
