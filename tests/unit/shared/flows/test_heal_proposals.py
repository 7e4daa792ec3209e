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
    return propose_heal("", FILES, {str(at): found for at, found in enumerate(heals)})


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


# --- popups

SOURCE = '''"""Read a ticket."""

from exhibit.flow import click, is_shown, open_page, read, section


@section
async def ticket(url: str) -> dict[str, object]:
    await open_page(url)
    if await is_shown("role=link"):
        await click(
            "role=link",
        )
    elif url:
        await click("#other")
    return await read(
        "assignee",
    )


async def run(url: str) -> dict[str, object]:
    return await ticket(url)
'''


def popup(line: int, name: str = "Reject all", role: str = "button") -> Heal:
    return Heal(kind="popup", subject="role=link", rung="popup", role=role, name_now=name, line=line)


def healed_source(*heals: list[Heal], source: str = SOURCE, files: FlowFiles = FILES) -> str:
    found = propose_heal(source, files, {str(at): one for at, one in enumerate(heals)})
    return source if found is None else found.source


def test_a_popup_that_samples_have_met_is_closed_by_the_flow_from_then_on():
    met = propose_heal(SOURCE, FILES, {"a": [popup(12)], "b": [], "c": [popup(12), popup(14)]})
    found = there(met)
    added = '        await try_click(by_role("button", "Reject all"))\n'
    imports = "by_role, click, is_shown, open_page, read, section, try_click"
    expected = SOURCE.replace("click, is_shown, open_page, read, section", imports)
    call = '        await click(\n            "role=link"'
    assert found.source == expected.replace(call, added + call)
    ((key, facts),) = [one for one in found.files.locators.items() if one[0] not in FILES.locators]
    assert (key, facts) == ('role=button[name="Reject all"]', ElementFacts(role="button", over_page=True))
    (change,) = found.changes
    assert (change.kind, change.subject, change.samples) == ("popup", "Reject all", ("a", "c"))
    assert "+" + added.rstrip() in found.diff.splitlines()
    assert healed_source([popup(13)], [popup(13)], source=found.source, files=found.files) == found.source


def test_each_line_of_a_statement_is_its_own_place():
    for line in (15, 16, 17):
        lines = healed_source([popup(line)], [popup(line)]).splitlines()
        at = lines.index('    await try_click(by_role("button", "Reject all"))')
        assert lines[at + 1] == "    return await read("
    guarded = healed_source([popup(9)], [popup(9)]).splitlines()
    assert guarded[guarded.index('    await try_click(by_role("button", "Reject all"))') + 1].startswith("    if await")


def test_no_line_is_written_where_it_would_do_more_or_cannot_stand():
    once = [popup(12)]
    assert healed_source(once) == SOURCE
    assert healed_source(once, [popup(8)]) == SOURCE
    for unwritten in (popup(13), popup(0), popup(99), popup(12, name=""), popup(7)):
        assert healed_source([unwritten], [unwritten]) == SOURCE
    acted_on = FlowFiles(locators={'role=button[name="Close"]': ElementFacts(role="button")})
    assert healed_source([popup(12, "close")], [popup(12, "close")], files=acted_on) == SOURCE
    aliased = SOURCE.replace("import click,", "import click as click,")
    assert healed_source(once, once, source=aliased) == aliased
