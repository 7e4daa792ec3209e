"""Mutants of what flows are learned by and go by: extraction, compiling, finding elements, healing; and of `run`."""

from __future__ import annotations

from benchmarks.mutants.mutant import Module, Mutant

_EXTRACTION = (
    "unit/shared/extraction/test_extraction.py",
    "unit/shared/extraction/test_extraction_moved.py",
    "unit/shared/extraction",
)
_COMPILING = (
    "unit/shared/flows/test_compiling.py",
    "unit/shared/flows/test_templates.py",
    "unit/shared/flows/test_alignment.py",
)
_ELEMENTS = ("unit/shared/flows/test_elements.py", "unit/shared/flows/test_healing.py")
_HEALING = ("unit/shared/flows/test_heal_proposals.py", "unit/shared/flows/test_chosen_elements.py")

EXTRACTION = (
    Module(
        "shared/extraction/agreement.py",
        _EXTRACTION,
        (
            Mutant(
                "if len(values) == 1 and None not in values:",
                "if len(values) >= 1 and None not in values:",
                "kinds of pages that say different values give none",
            ),
            Mutant(
                "elif text is None or page.is_constant(rule, text, constants) or",
                "elif text is None or",
                "a text of every page is no value",
            ),
        ),
    ),
    Module(
        "shared/extraction/certainty.py",
        _EXTRACTION,
        (
            Mutant(
                "lambda claims: len(claims.found) > 1,",
                "lambda claims: len(claims.found) > 2,",
                "rules that differ give no value",
            ),
            Mutant(
                "return other_shape or value_key(field.form, value) is None",
                "return value_key(field.form, value) is None",
                "a value of another shape than every example is unsure",
            ),
            Mutant(
                "and not all(one.proven for one in told)",
                "and False",
                "what a label alone tells counts only on the page of the record",
            ),
            Mutant(
                "(may_be_absent(claims.field.form) and _is_emptiness_told(claims))",
                "_is_emptiness_told(claims)",
                "a field that may not be absent is not read as none",
            ),
            Mutant(
                'certainty="healed" if claims.nothing else "certain"',
                'certainty="healed" if claims.empty else "certain"',
                "a value that some rules have lost is told as healed",
            ),
            Mutant(
                "return places < set(field.homes) and not any(",
                "return places > set(field.homes) and not any(",
                "a value of which a place of the examples is gone is unsure",
            ),
            Mutant(
                "return is_of_another_label(",
                "return not is_of_another_label(",
                "a value that another label has now is unsure",
            ),
        ),
    ),
    Module(
        "shared/extraction/absence.py",
        _EXTRACTION,
        (
            Mutant(
                "if typed and any(value_key(rule.form, text) is not None for text in texts):",
                "if typed and all(value_key(rule.form, text) is not None for text in texts):",
                "a page that shows another date does not leave it out",
            ),
            Mutant(
                "if not any(is_within(one.place, rule.container) for one in page.elements):",
                "if not page.elements:",
                "where the part of the page is gone, nothing says that there is no value",
            ),
        ),
    ),
    Module(
        "shared/extraction/values.py",
        _EXTRACTION,
        (
            Mutant(
                "return (before + after).isascii() and before.isalnum() and after.isalnum()",
                "return (before + after).isascii() and before.isalpha() and after.isalpha()",
                "`1001` does not stand in `10012`",
            ),
        ),
    ),
    Module(
        "shared/extraction/lists.py",
        ("unit/shared/extraction/test_extraction_lists.py",),
        (
            Mutant(
                'if len({fold(one.value or "") for one in sure}) > 1:',
                'if len({fold(one.value or "") for one in sure}) > 2:',
                "ways that are sure of different values agree on no row",
            ),
            Mutant(
                "if any(len(rows) != len(found[0]) for rows in found):",
                "if any(len(rows) < len(found[0]) for rows in found):",
                "ways that give another number of rows do not agree",
            ),
        ),
    ),
)

COMPILING = (
    Module(
        "shared/flows/compiling/compiler.py",
        _COMPILING,
        (
            Mutant("if draft else MIN_SAMPLES)", "if draft else 1)", "one sample does not tell what varies"),
            Mutant(
                "problems=(*plan.problems, *secrets),",
                "problems=plan.problems,",
                "a flow with a value of a sample in its source is not published",
            ),
            Mutant(
                '"address", "count") and number not in marked:',
                '"address", "count") and number in marked:',
                "a step of the route that no sample has taken is told",
            ),
            Mutant(
                "elif len(values) == 1 and not draft and",
                "elif len(values) == 1 and draft and",
                "a flow does not accept values of which nothing is known",
            ),
        ),
    ),
    Module(
        "shared/flows/compiling/conditions.py",
        _COMPILING,
        (
            Mutant(
                "            if not selector:\n",
                "            if selector:\n",
                "a step that only some samples took has a condition, or the flow stays a draft",
            ),
        ),
    ),
    Module(
        "shared/flows/compiling/templates.py",
        _COMPILING,
        (
            Mutant("MIN_CHARS = 2\n", "MIN_CHARS = 1\n", "one character that is the same everywhere is no variable"),
            Mutant(
                "if value.isdigit() else",
                "if value.isalpha() else",
                "a number in a host or a port is no record's",
            ),
            Mutant(
                'after = r"(?!\\w)" if value[-1:].isalnum()',
                'after = r"(?!\\w)" if not value[-1:].isalnum()',
                "a value within another word is none",
            ),
        ),
    ),
    Module(
        "shared/flows/compiling/alignment.py",
        _COMPILING,
        (
            Mutant(
                "if any((by.kind, by.value) in first and by.matches == 1 for",
                "if any((by.kind, by.value) in first for",
                "two elements are one step only by what is theirs alone",
            ),
            Mutant(
                "if one.target.role != other.target.role and not",
                "if one.target.role == other.target.role and not",
                "a click on a link is not the same step as one on a button",
            ),
        ),
    ),
    Module(
        "shared/flows/compiling/sample_choice.py",
        ("unit/shared/flows/test_sample_choice.py",),
        (
            Mutant('"value": 2', '"value": 1', "two samples with one value do not tell a field"),
            Mutant('"absent": 1', '"absent": 0', "a sample that lacks a field is taken too"),
            Mutant("max(MIN_SAMPLES, len(samples) - 1)", "len(samples)", "one sample is left to check the flow with"),
        ),
    ),
    Module(
        "shared/flows/checking/recorded_answers.py",
        ("unit/shared/flows/test_recorded_answers.py",),
        (
            Mutant(
                "return None if step.answer.error is None else step.answer",
                "return None",
                "what is pressed once must be found in a sample as the flow would find it",
            ),
            Mutant(
                "step = next_step(step.turn, result)",
                "return None",
                "a step of a sample that had another effect than the flow expects is a problem",
            ),
        ),
    ),
    Module(
        "shared/flows/checking/losses.py",
        ("unit/shared/flows/test_losses.py",),
        (
            Mutant(
                "if is_recorded and name not in left_to_model:",
                "if is_recorded:",
                "what a model read and is left to a model is not lost",
            ),
            Mutant(
                '(value.state != "value" or _is_same_text(read[at][name], value.shown))',
                "True",
                "rules that read another value than was recorded speak for nothing",
            ),
        ),
    ),
    Module(
        "shared/flows/learning/example_checks.py",
        ("unit/shared/flows/test_learning.py",),
        (
            Mutant(
                "if 2 * one.taught < one.tested:",
                "if one.taught < 0:",
                "a field of which the other rows teach too little is not learned",
            ),
        ),
    ),
    Module(
        "shared/flows/lacking.py",
        ("unit/shared/flows/test_lacking.py",),
        (
            Mutant(
                "return not any(label in rules.labels for",
                "return True or any(label in rules.labels for",
                "an optional field whose label is on the page stops the flow",
            ),
            Mutant(
                "as_recorded = bool(others) and",
                "as_recorded = not others or",
                "a page of which nothing is as recorded is not done without its fields",
            ),
        ),
    ),
    Module(
        "shared/flows/compiling/field_places.py",
        (*_COMPILING, "unit/shared/flows/test_compiled_addresses.py"),
        (
            Mutant(
                "if len(shown) < MIN_EXAMPLES:",
                "if not shown:",
                "one sample that shows a field does not tell where it stands",
            ),
            Mutant(
                "any(not is_absent(rules.form, text) for text in says)",
                "False",
                "one sample does not tell a field whose place shows something where there is none",
            ),
            Mutant(
                "    if any(fold(text) in fold(cell) for",
                "    if not any(fold(text) in fold(cell) for",
                "an address that was opened because of the row tells nothing of the page",
            ),
        ),
    ),
)

ELEMENTS = (
    Module(
        "shared/pages/locate/by_selector.py",
        _ELEMENTS,
        (
            Mutant(
                "if len(led) + by_fingerprint < LEAST_AGREEING or",
                "if len(led) + by_fingerprint < 1 or",
                "one way alone heals no element",
            ),
            Mutant(
                "    if elsewhere and not contradicted:\n",
                "    if len(elsewhere) > 9 and not contradicted:\n",
                "an element is not pressed where what else is known of it leads elsewhere",
            ),
            Mutant(
                "if other_role and not _may_lead_as(element.role, facts):",
                "if False:",
                "a link that has become a button is not the element",
            ),
            Mutant(
                "    if facts is None or len({one.ref for one in led.values()}) != 1:\n",
                "    if facts is None or not led:\n",
                "ways that lead to different elements heal none",
            ),
        ),
    ),
)

HEALING = (
    Module(
        "shared/flows/healing/proposals.py",
        _HEALING,
        (
            Mutant("\nLEAST_SAMPLES = 2", "\nLEAST_SAMPLES = 1", "what one sample alone has seen changes no flow"),
            Mutant(
                "or not all(own.values()):",
                "or not any(own.values()):",
                "a way is dropped only where every sample has lost it",
            ),
            Mutant(
                "if all(key in one for one in lost) and key not in ever]",
                "if any(key in one for one in lost) and key not in ever]",
                "a way is dropped only where every heal has lost it",
            ),
            Mutant(
                "for one in lost) and key not in ever]",
                "for one in lost)]",
                "a way that some sample still found is kept",
                equal="no heal tells a way both as lost and as one that led to the element",
            ),
            Mutant(
                "if len(left) == len(rules.rules) or not any(",
                "if len(left) == len(rules.rules) or any(",
                "what is left still tells the value by its label or name",
            ),
            Mutant(
                "return replace(facts, selectors=ordered, fingerprints=known) if changed and not alone else None",
                "return replace(facts, selectors=ordered, fingerprints=known) if changed else None",
                "so many ways are left that they find the element together",
            ),
        ),
    ),
    Module(
        "shared/flows/healing/chosen.py",
        _HEALING,
        (
            Mutant(
                "and (call.irreversible or call.if_shown)",
                "and call.if_shown",
                "no planner chooses what is pressed once",
            ),
            Mutant(
                "    if len(refs) != 1 or not named:\n",
                "    if len(refs) != 1:\n",
                "a chosen element is not found by its place alone",
            ),
            Mutant(
                "if element.role == chosen.role else None",
                "if element.role else None",
                "a chosen element has the role that was chosen",
            ),
            Mutant(
                'if " " in wanted else None',
                "if wanted else None",
                "a word within another text is no postcondition",
            ),
            Mutant(
                'return "" if alike or pressed else',
                'return "" if alike or recorded else',
                "an element of another role is not chosen",
            ),
        ),
    ),
    Module(
        "shared/flows/healing/publishing.py",
        ("handlers/workflows/test_heals_published.py",),
        (
            Mutant(
                "    if validation.problems:\n",
                "    if len(validation.problems) > 99:\n",
                "a heal that recorded samples do not confirm is not published",
            ),
            Mutant(
                "    if shown.workflow.hash != used:\n",
                "    if not shown.workflow.hash:\n",
                "of several workers one publishes",
            ),
        ),
    ),
    Module(
        "services/workflows/run_flows/use_progress.py",
        ("unit/workflows/test_flow_uses.py",),
        (
            Mutant(
                "for one in reversed(runs) if one.since >= published_at",
                "for one in reversed(runs)",
                "a version that is published again is chosen again",
            ),
            Mutant("in reversed(runs) if", "in runs if", "the last run of a version counts"),
        ),
    ),
    Module(
        "services/workflows/run_flows/heal_progress.py",
        ("unit/workflows/test_healing_progress.py",),
        (
            Mutant(
                "or not all(one.heals for one in record.samples):",
                "or not any(one.heals for one in record.samples):",
                "a flow is healed only where the last samples all found the change",
            ),
            Mutant(
                'record.state == "healing" and is_lost',
                'record.state == "healing" and not is_lost',
                "one worker heals at a time",
            ),
            Mutant(
                'state = "refused" if tries >= MAX_REFUSED',
                'state = "refused" if tries > MAX_REFUSED',
                "a change that cannot be healed is tried a few times only",
            ),
        ),
    ),
)

RUN = (
    Module(
        "services/console/commands/run/run.py",
        ("unit/console/test_run_location.py", "unit/console/test_reconciling.py"),
        (
            Mutant(
                "reconciling.fold_keys,",
                "False,",
                "`--fold-keys` reaches the comparison",
            ),
            Mutant(
                "reconcile, key, fold_keys, read_as(register_sheet,",
                "reconcile, key, False, read_as(register_sheet,",
                "`--fold-keys` is read from the command line",
            ),
            Mutant(
                "all_done = finished.population_complete and all(",
                "all_done = all(",
                "an incomplete list does not exit with 0",
            ),
            Mutant(
                'all(outcome.status == "done" for outcome in finished.outcomes)',
                'all(outcome.status != "failed" for outcome in finished.outcomes)',
                "a sample that is not done does not exit with 0",
            ),
        ),
    ),
)
