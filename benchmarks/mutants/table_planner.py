"""Mutants of what a planner decides: when a sample is done, what a page shows, when it ends, what is pressed once."""

from __future__ import annotations

from benchmarks.mutants.mutant import Module, Mutant

_GATES = (
    "unit/planner/test_planner_gates.py",
    "handlers/planner/test_planner_lies.py",
)
_LISTS = ("unit/planner/test_planner_counts.py", "unit/planner/test_planner_paging.py")
_LIST_PROOF = ("handlers/planner/test_planner_list_proof.py", "unit/planner/test_planner_listing.py")
_FIELDS = ("unit/planner/test_planner_fields.py", "unit/planner/test_planner_unlabelled.py")
_RECORDS = ("unit/planner/test_planner_identity.py", "unit/planner/test_planner_other_records.py")
_PROGRESS = ("unit/planner/test_planner_progress.py", "unit/planner/test_planner_gates.py")
_PRESSES = ("unit/planner/test_planner_route.py", "handlers/planner/test_planner_turns.py")

JUDGE = (
    Module(
        "services/planner/judge/list_proof.py",
        ("unit/planner/test_planner_list_proof.py", *_LIST_PROOF),
        (
            Mutant(
                "if one.total < found and one.firm and",
                "if one.total < found and",
                "a number that may be another one's casts no doubt on a whole list",
            ),
            Mutant(
                "if one.firm or one.total > found",
                "if one.total > found",
                "the manifest says how many items the page counts, also where fewer are counted than were found",
            ),
            Mutant(
                "if one.total > found and not",
                "if one.total > found + 1 and not",
                "a list that lacks one item of what its page counts is not complete",
            ),
            Mutant("ROUGHLY = 0.9", "ROUGHLY = 0.5", "half of `about 100` is not the list"),
            Mutant(
                "one.total == found and one.last in",
                "one.total == found or one.last in",
                "the last page of a count that disagrees proves no list",
            ),
            Mutant(
                "all(one.page == one.pages for one in pages)",
                "all(one.page <= one.pages for one in pages)",
                "page 2 of 5 is not the end of a list",
            ),
            Mutant("if page.left_out:", "if page.left_out < 0:", "a page that was not read whole proves no list"),
            Mutant(
                "if left and (row.current is None or higher):",
                "if left and higher and row.current is None:",
                "page numbers that lead on are a way on",
            ),
            Mutant("    if found == 0:\n", "    if found < 0:\n", "an empty list is proven by what its page says"),
            Mutant(
                "if words:\n        yield",
                "if not words:\n        yield",
                "a page that still loads proves no list",
            ),
        ),
    ),
    Module(
        "services/planner/judge/listed_items.py",
        ("unit/planner/test_planner_listing.py", "handlers/planner/test_planner_list_proof.py"),
        (
            Mutant("if not common:", "if not bound:", "the values of one item stand in one row"),
            Mutant(
                "expected is not None and found < expected:",
                "expected is not None and found < expected - 1:",
                "fewer items than the task expects are not done",
            ),
            Mutant(
                'return "@" in urlsplit(url).netloc',
                'return "@" in urlsplit(url).path',
                "an address with a password is no evidence",
            ),
            Mutant(
                "len(view.state.listed) + len(new) < view.spec.limit",
                "len(view.state.listed) + len(new) <= view.spec.limit",
                "no more items are taken than the task's limit",
            ),
        ),
    ),
    Module(
        "services/planner/judge/gates.py",
        (*_GATES, "unit/planner/test_planner_judgment.py"),
        (
            Mutant(
                'final = first.reason in ("identity_mismatch", "login_required")',
                'final = first.reason in ("login_required",)',
                "another record fails and keeps no values",
            ),
            Mutant(
                "if own and state.refusals(Done) == 0 and",
                "if own and state.refusals(Done) <= 1 and",
                "a report is sent back once",
            ),
            Mutant(
                'if problem.reason != "api_differs"]',
                'if problem.reason == "api_differs"]',
                "what an API says is told to no second reader",
            ),
            Mutant(
                "return bool(checked.notes) or (",
                "return bool(checked.notes) and (",
                "a sample with notes or a doubtful judgment is for a person",
            ),
            Mutant(
                'finished.reason == "still_loading" and not irreversible_steps(view)',
                'finished.reason == "still_loading"',
                "a sample that may have pressed what cannot be taken back is not begun anew",
            ),
            Mutant("page.http_status == 401:", "page.http_status == 403:", "HTTP 403 pauses no login for all samples"),
            Mutant(
                "flagged=ending.flagged or lacks_stored_source(ending.notes)",
                "flagged=ending.flagged",
                "a value whose page could not be stored is for a person",
            ),
            Mutant(
                "if doubts and view.state.refusals(Fail) == 0",
                "if doubts and view.state.refusals(Fail) > 0",
                "a model that calls a shown record absent is told so once",
            ),
            Mutant(
                'if doubt.reason != "missing_artifacts"), None)',
                'if doubt.reason == "missing_artifacts"), None)',
                "a record that the page shows is never `not found`",
            ),
        ),
    ),
    Module(
        "services/planner/judge/field_values.py",
        (*_GATES, "unit/planner/test_planner_values.py"),
        (
            Mutant(
                "    if not view.state.proven:\n",
                "    if view.page is None:\n",
                "what was read before the record was proven is no partial result",
            ),
            Mutant(
                'if value.state == "not_present" and not nullable(field.type):',
                'if value.state == "not_present" and nullable(field.type):',
                "a field that may not be absent is not done without a value",
            ),
            Mutant(
                'if view.state.on_other_record and value.origin == "page":',
                'if view.state.on_other_record and value.origin == "vision":',
                "a value that was saved while another record was shown is in doubt",
            ),
            Mutant(
                "entry.picture_answer and entry.picture_is_sure and entry.proven",
                "entry.picture_answer and entry.proven",
                "an unsure reading of a picture confirms no value",
            ),
            Mutant(
                'before.state == "value" and before.value == raw',
                'before.state == "value"',
                "a value that is reported anew replaces the one that was saved",
            ),
        ),
    ),
    Module(
        "services/planner/judge/reported_values.py",
        _GATES,
        (
            Mutant(
                'if base_type(field.type) == "enum":',
                'if base_type(field.type) == "boolean":',
                "`have not passed` does not show `passed`",
            ),
            Mutant(
                "return all(_contains_whole(word, fold(text)) for word in words)",
                "return any(_contains_whole(word, fold(text)) for word in words)",
                "a list is shown only where all of its items are",
            ),
            Mutant(
                '(related_refs(spec, identity, page), "belongs to another record"),',
                '(frozenset[int](), "belongs to another record"),',
                "the value of a related record is not this record's",
            ),
            Mutant(
                'rest = rest.replace(words, "\\x00", 1)',
                'rest = rest.replace(words, "\\x00")',
                "an item that the page shows twice is not reported once",
            ),
            Mutant("return cut_chars > 0 and", "return cut_chars >= 0 and", "only a text that was cut may go on"),
            Mutant(
                'before = r"(?<![a-z0-9])" if words[:1].isascii()',
                'before = r"(?<![a-z0-9])" if not words[:1].isascii()',
                "`Joann` does not show `Ann`",
            ),
            Mutant(
                "if not others:\n        return []",
                "if others:\n        return []",
                "a reviewer is told of other values beside the label",
            ),
        ),
    ),
    Module(
        "services/planner/judge/record_checks.py",
        (*_GATES, "unit/planner/test_planner_judgment.py"),
        (
            Mutant(
                "if view.spec.identity and not view.state.proven:",
                "if not view.spec.identity and not view.state.proven:",
                "nothing is done of a record that no page has proven",
            ),
            Mutant(
                "if name in view.spec.required_fields]",
                "if name not in view.spec.required_fields]",
                "a required field without a value is missing",
            ),
            Mutant(
                'kind == wanted_kind and wanted_label in ("", label)',
                'kind == wanted_kind or wanted_label in ("", label)',
                "a required artifact is of its kind and has its label",
            ),
            Mutant("DOUBTFUL_BELOW = 0.6", "DOUBTFUL_BELOW = 0.06", "an unsure judgment is for a person"),
            Mutant(
                "for entry in view.state.history if entry.proven for filed in entry.filed}",
                "for entry in view.state.history for filed in entry.filed}",
                "a judgment refers to evidence of the proven record only",
            ),
        ),
    ),
    Module(
        "services/planner/judge/login_page.py",
        ("unit/planner/test_planner_login_page.py",),
        (
            Mutant(
                "return facts.is_bare and facts.came_instead\n",
                "return facts.is_bare or facts.came_instead\n",
                "another record with a form beside it is no login page",
            ),
            Mutant(
                "return facts.lacks or facts.came_instead or (",
                "return facts.lacks and facts.came_instead or (",
                "a login page that came instead of the record yields no values",
            ),
            Mutant(
                "if _host(asked) != _host(came):",
                "if _host(asked) == _host(came):",
                "a page of another host is another page",
            ),
        ),
    ),
)

PAGE = (
    Module(
        "shared/pages/read/fields.py",
        (*_FIELDS, *_RECORDS),
        (
            Mutant(
                "if len({fold(one.shown) for one in candidates}) == 1 and",
                "if len({fold(one.shown) for one in candidates}) >= 1 and",
                "of two different values under one label none is taken",
            ),
            Mutant(
                "return len({repr(one) for one in meant}) == 1",
                "return len({repr(one) for one in meant}) <= 2",
                "two texts are one value only if they mean the same",
            ),
            Mutant(
                "own = Places(page.elements, known, past | others | site, row_key)",
                "own = Places(page.elements, known, past | site, row_key)",
                "the fields of a related record are not this record's",
            ),
            Mutant(
                "or (empty and nullable(field.type)):",
                "or empty:",
                "an empty text is `not present` only where the task allows it",
            ),
            Mutant(
                "if all(candidate.doubtful for candidate in candidates):",
                "if not candidates:",
                "a doubtful text is no value by itself",
            ),
            Mutant(
                "own_rows if name in spec.identity else own_rows - pairs",
                "own_rows",
                "a pair of a label and the record's id chooses no value of another field",
            ),
        ),
    ),
    Module(
        "shared/pages/read/doubts.py",
        (*_FIELDS, "unit/planner/test_planner_explaining.py"),
        (
            Mutant(
                'return "rival" if found is None else found.code',
                'return "rival"',
                "what nearly matched is told with the row that left it out",
            ),
            Mutant(
                "if candidate.element.ref in past:",
                "if candidate.element.ref in past and candidate.part is not None:",
                "what stands in a list of changes is told as the past",
            ),
            Mutant(
                "return not wanted and not is_input(candidate.element) and is_change(candidate.shown)",
                "return not is_input(candidate.element) and is_change(candidate.shown)",
                "a pattern may ask for what looks like a change",
            ),
        ),
    ),
    Module(
        "shared/pages/identity/identity.py",
        _RECORDS,
        (
            Mutant(
                "and not is_same_id(reading.candidate.shown, value):",
                "and not find_mention(reading.candidate.shown, value):",
                "a label that shows another id as well proves no record",
            ),
            Mutant(
                "if says_not_found(page, tuple(spec.not_found_texts)) is None:",
                "if says_not_found(page, tuple(spec.not_found_texts)) != '':",
                "a page that says `not found` shows no record by repeating its id",
            ),
            Mutant(
                "if labelled or (named.heading is not None and named.heading.is_main):",
                "if labelled or named.heading is not None:",
                "a heading of lower rank may be that of a related record",
            ),
            Mutant(
                'return Proof("unproven") if vague or named.disagrees else',
                'return Proof("unproven") if vague else',
                "a page that names another record proves nothing by a mention",
            ),
            Mutant(
                "any(find_mention(text, value) for text in lone) and not records_named(name, value, spec, page, heads)"
                ".disagrees",
                "any(find_mention(text, value) for text in lone)",
                "a mention proves no record where the page names another one",
            ),
            Mutant(
                'if proof.state == "proven" and rows:',
                'if proof.state != "proven" and rows:',
                "where a row of a list shows the record, values of other rows are not its",
            ),
            Mutant(
                '("mismatch", "unproven", "proven").index',
                '("unproven", "mismatch", "proven").index',
                "one identity field of another record is a mismatch",
            ),
            Mutant(
                "return element.row is None and element.header is None and",
                "return element.row is None and",
                "an id under another label, such as `Duplicate of`, is not the record's own",
            ),
        ),
    ),
    Module(
        "shared/pages/identity/other_records.py",
        _RECORDS,
        (
            Mutant(
                "return self.has_alike or any(",
                "return any(",
                "another number of as many digits in the title or a heading casts doubt on a mention",
            ),
            Mutant(
                "if own is None and len({fold(shown) for shown, _ in named}) > 1:",
                "if own is None and len({fold(shown) for shown, _ in named}) > 2:",
                "headings that name several records name none as the page's own",
            ),
        ),
    ),
    Module(
        "shared/pages/identity/related_parts.py",
        _RECORDS,
        (
            Mutant(
                "if (head.level or 2) > highest\n",
                "if (head.level or 2) > highest + 1\n",
                "what stands under the heading of a related record is that record's",
            ),
            Mutant(
                "if e.header is not None and not is_header(e)}) > 1",
                "if e.header is not None and not is_header(e)}) > 3",
                "a row of a list of related records is theirs",
            ),
        ),
    ),
    Module(
        "shared/pages/identity/scope.py",
        (*_FIELDS, "unit/planner/test_planner_route.py"),
        (Mutant("if len(rows) != 1:", "if not rows:", "a part of the page that is there twice is none"),),
    ),
    Module(
        "shared/pages/read/label_places.py",
        _FIELDS,
        (
            Mutant(
                'return not _NEXT_LABEL.search(f" {text}") and not any(',
                'return not _NEXT_LABEL.search(f" {text}") or not any(',
                "a text with a second label in it is no value of the first",
            ),
            Mutant(
                "in self._known and not is_input(element):\n            return True",
                "in self._known and is_input(element):\n            return True",
                "the label of the next field is no value",
            ),
            Mutant(
                "label_form(label) not in labels or len(value) >",
                "label_form(label) in labels or len(value) >",
                "`Label: value` is read under its own label",
            ),
        ),
    ),
    Module(
        "shared/pages/read/cells.py",
        _FIELDS,
        (
            Mutant(
                "if len(named) >= LEAST_NAMED and not lists_records:",
                "if len(named) >= LEAST_NAMED:",
                "a table of records names no rows by its first cells",
            ),
            Mutant(
                "element.role not in NO_TEXT and not element.unwritten]",
                "not element.unwritten]",
                "a button beside an empty value is no value",
            ),
        ),
    ),
    Module(
        "shared/pages/read/candidates.py",
        (*_FIELDS, "unit/planner/test_planner_changes.py"),
        (
            Mutant(
                'current = [part for part in element.parts if part.kind != "old"]',
                'current = [part for part in element.parts if part.kind != "badge"]',
                "a struck-out text is no value",
            ),
            Mutant(
                "if len(texts) < 2 or any(SEPARATORS & set(text) for text in texts):",
                "if len(texts) < 2:",
                "items that hold a separator are not joined to another list",
            ),
        ),
    ),
    Module(
        "shared/pages/read/changes.py",
        ("unit/planner/test_planner_changes.py", *_FIELDS, *_GATES),
        (
            Mutant(
                "if level and own <= level:",
                "if level and own < level:",
                "the section behind a history is no part of it",
            ),
            Mutant(
                "return told is not None or _ARROW.search(text) is not None",
                "return told is not None",
                "`open → closed` is a change, and no value",
            ),
            Mutant(
                "headers & _OLD_COLUMNS and headers & _NEW_COLUMNS)",
                "headers & _OLD_COLUMNS or headers & _NEW_COLUMNS)",
                "a column `New` alone makes no row one of changes",
            ),
        ),
    ),
    Module(
        "shared/pages/read/dates.py",
        ("unit/planner/test_planner_dates.py",),
        (Mutant("if len(orders) != 1:\n", "if not orders:\n", "dates of two orders settle none"),),
    ),
    Module(
        "shared/pages/lists/paging.py",
        _LISTS,
        (
            Mutant(
                'ended = "disabled" in element.states',
                "ended = False",
                "a control that is disabled leads nowhere",
            ),
            Mutant(
                "if len(more) == 1 else None",
                "if more else None",
                "of two controls that may open one item, none is taken for the next page",
            ),
            Mutant(
                "and same_address(url) != same_address(page.url)",
                "and url != page.url",
                "a link to the same page leads on to nothing",
            ),
            Mutant(
                "    if _is_beside(element):\n        return None\n",
                "    if _is_beside(element):\n        return 2\n",
                "a `next` in the page's frame turns no list",
            ),
        ),
    ),
    Module(
        "shared/pages/lists/page_numbers.py",
        _LISTS,
        (
            Mutant(
                "days = len(numbers) >= LEAST_DAYS and",
                "days = len(numbers) > MOST_DAYS and",
                "the days of a calendar are no page numbers",
            ),
            Mutant(
                "if b - a == 2 and not _has_ellipsis(run, a, page)]",
                "if b - a == 2]",
                "a number that an ellipsis stands for is not this page's",
            ),
        ),
    ),
    Module(
        "shared/pages/lists/counts.py",
        _LISTS,
        (
            Mutant(
                "if found is None or _PER_PAGE.search(text):",
                "if found is None:",
                "entries for each page are no count of the list",
            ),
            Mutant(
                "if element.area in _NOT_HERE or element.in_dialog",
                "if element.in_dialog",
                "a number in the navigation is no count of the list",
            ),
            Mutant(
                "return closed or leading > MOST_LEADING or",
                "return leading > MOST_LEADING or",
                "numbers in a sentence are no count",
            ),
        ),
    ),
    Module(
        "shared/pages/lists/lists.py",
        ("unit/planner/test_planner_listing.py", *_LIST_PROOF, *_RECORDS),
        (
            Mutant(
                "return element.area in NOISE or element.in_dialog",
                "return element.in_dialog",
                "links of the navigation are no items of a list",
            ),
            Mutant(
                "if len(starts) < 2 or not take_turns:",
                "if len(starts) < 2:",
                "links are of several kinds only where they take turns",
            ),
        ),
    ),
)

LIMITS = (
    Module(
        "services/planner/budget.py",
        ("handlers/planner/test_planner_turns.py", "handlers/planner/test_planner_lessons.py"),
        (
            Mutant(
                "add_usage(spent or Usage(), usage)",
                "add_usage(Usage(), usage)",
                "what a run has spent is the sum over all calls",
            ),
            Mutant(
                "if driver.asks_model else",
                "if not driver.asks_model else",
                "no model is asked once the run's budget is used up",
            ),
        ),
    ),
    Module(
        "shared/task/usage_limit.py",
        ("unit/shared/test_usage_limit.py",),
        (
            Mutant(
                "usage.cost_usd >= self.usd:", "usage.cost_usd > self.usd:", "a budget is used up when it is reached"
            ),
            Mutant("tokens >= self.tokens:", "tokens > self.tokens:", "a limit of tokens ends at its number"),
            Mutant(
                "return self.usd is None and self.tokens is None",
                "return self.usd is None or self.tokens is None",
                "a budget of one kind alone is a budget",
            ),
        ),
    ),
    Module(
        "services/planner/state/limits.py",
        _PROGRESS,
        (
            Mutant(
                "if state.failures >= MAX_FAILURES:", "if state.failures > MAX_FAILURES:", "five failures end a sample"
            ),
            Mutant(
                "if state.progress.stalled >= STOP_AT:",
                "if state.progress.stalled > STOP_AT:",
                "ten steps that bring nothing end a sample",
            ),
            Mutant(
                "if state.steps >= allowed_steps(view):",
                "if state.steps > allowed_steps(view):",
                "a sample has as many steps as its task allows",
            ),
            Mutant(
                "return view.state.steps + 1 >= allowed_steps(view)",
                "return view.state.steps >= allowed_steps(view)",
                "the last step ends a sample",
            ),
        ),
    ),
    Module(
        "services/planner/irreversible.py",
        (*_PRESSES, "handlers/planner/test_planner_flow_presses.py"),
        (
            Mutant(
                "if earlier is not None and earlier.attempt != pressed.attempt:",
                "if earlier is not None and earlier.attempt > pressed.attempt:",
                "what an earlier attempt may have pressed is not prepared again",
            ),
            Mutant(
                "if holder.attempt == pressed.attempt else unknown_outcome(holder)",
                "if holder.step == pressed.step else unknown_outcome(holder)",
                "what another attempt has claimed is not pressed",
            ),
        ),
    ),
    Module(
        "services/planner/state/irreversible_steps.py",
        ("unit/planner/test_planner_unnamed_presses.py", *_PRESSES),
        (
            Mutant(
                "any(entry.may_have_fired and _may_be(view, entry, at)",
                "any(entry.ok and _may_be(view, entry, at)",
                "a press of which it is not known what came is not made again",
            ),
            Mutant(
                "if mark is not None and decided_by in WITHOUT_MODEL and",
                "if mark is not None and",
                "a model's own mark makes no press a harmless one",
            ),
            Mutant(
                "is None, decision.then))",
                "is not None, decision.then))",
                "an irreversible press is the first call of its answer",
            ),
            Mutant(
                "return None if refused else claim_of(view, at + 1)",
                "return None if not refused else claim_of(view, at + 1)",
                "an irreversible press is claimed before it is made",
            ),
            Mutant(
                "if isinstance(_target(action), ByCss):",
                "if isinstance(_target(action), ByText):",
                "beside a button that is pressed once nothing is pressed by a CSS selector",
            ),
        ),
    ),
    Module(
        "services/planner/reperform/verdicts.py",
        ("unit/planner/test_planner_reperform.py",),
        (
            Mutant(
                'if any(page.proof == "mismatch" for page in pages):',
                'if pages and all(page.proof == "mismatch" for page in pages):',
                "one stored page of another record is enough against a sample",
            ),
            Mutant(
                'return "differs" if observed is not None and observed.outcome == "differs" else "same"',
                'return "same"',
                "a stored observation that shows another value is told",
            ),
        ),
    ),
)
