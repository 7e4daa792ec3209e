"""What TypeScript tells of a joined program is told of the part that it comes from, and nothing is lost."""

from __future__ import annotations

from scripts.check_scripts import find_node, findings, placed, programs

PARTS = {
    "shared/evidence_view/dom.js": "const a = 1;\nconst b = a;\n",
    "services/evidence/report/main.js": "b.c();\nd();\n",
}
PROGRAM = '"use strict";\n' + "\n".join(PARTS.values())


def test_a_line_of_a_program_is_told_by_its_part():
    assert placed(PROGRAM, 3, PARTS) == ("shared/evidence_view/dom.js", 2)
    assert placed(PROGRAM, 6, PARTS) == ("services/evidence/report/main.js", 2)
    assert placed(PROGRAM, 1, PARTS) == ("", 1)


def test_what_two_programs_have_in_common_is_told_once():
    told = "grid.js(3,7): error TS2304: Cannot find name 'x'.\nlive.js(3,7): error TS2304: Cannot find name 'x'.\n"
    texts = {"grid.js": PROGRAM, "live.js": PROGRAM}
    assert findings(told, texts, PARTS) == ["shared/evidence_view/dom.js:2:7: TS2304 Cannot find name 'x'."]


def test_a_name_without_a_type_is_told_of_parts_that_are_typed():
    told = "r.js(2,1): error TS7006: No type.\nr.js(6,1): error TS7006: No type.\nr.js(6,1): error TS2339: No b.\n"
    assert findings(told, {"r.js": PROGRAM}, PARTS) == [
        "services/evidence/report/main.js:2:1: TS2339 No b.",
        "shared/evidence_view/dom.js:1:1: TS7006 No type.",
    ]


def test_what_is_told_of_no_program_is_not_lost():
    assert findings("error TS5083: Cannot read file.\n", {}, {}) == ["error TS5083: Cannot read file."]


def test_all_programs_are_checked_and_node_is_there():
    assert {"grid.js", "stage.js", "live.js", "review.js", "build.js", "times.js", "report.js"} <= programs().keys()
    assert find_node() is not None  # the type checker of Python brings one along
