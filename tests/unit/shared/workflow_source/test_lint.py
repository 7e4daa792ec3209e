"""The rules for the source of a workflow."""

from __future__ import annotations

from shared.workflow_source.findings import RULES
from shared.workflow_source.lint import lint
from tests.cases import cases

GOOD = '''"""Fetch JSON from an address."""
import json


async def run(address: str, timeout_s: int = 30) -> dict[str, object]:
    """Fetch JSON from an address.

    Args:
        address: where it is
        timeout_s: how long to wait

    Returns:
        The object.

    Raises:
        RuntimeError: it is no JSON
    """
    text = tools.curl.get(url=address, timeout_s=timeout_s)
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise RuntimeError(f"{address} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise RuntimeError(f"{address} is no object")
    return found
'''


def codes(source: str, name: str = "") -> list[str]:
    return [one.code for one in lint(source, name)]


def handled(handler: str) -> list[str]:
    """Return the findings about a handler alone."""
    body = f"    try:\n        a = 1\n    {handler}\n"
    hidden = ("bare_except", "swallowed_error", "lost_cause")
    return [code for code in codes(f"def run():\n{body}") if code in hidden]


def test_a_good_workflow_has_no_findings():
    assert lint(GOOD, "fetch_json") == ()


@cases(
    ("handler", "expected"),
    [
        ("except: raise", ["bare_except"]),
        ("except: return {}", ["bare_except", "swallowed_error"]),
        ("except ValueError: pass", ["swallowed_error"]),
        ("except ValueError: ...", ["swallowed_error"]),
        ("except Exception: return None", ["swallowed_error"]),
        ("except (OSError, Exception): a = []", ["swallowed_error"]),
        ("except KeyError: return None", []),
        ("except Exception as error: return str(error)", []),
        ("except Exception: print('failed'); raise", []),
        ("except ValueError: raise RuntimeError('x')", ["lost_cause"]),
        ("except ValueError as error: raise RuntimeError('x') from error", []),
        ("except ValueError: raise RuntimeError('x') from None", []),
        ("except ValueError as error: raise error", []),
    ],
)
def test_errors_that_hide_what_failed(handler: str, expected: list[str]):
    assert handled(handler) == expected


def test_an_inner_function_of_a_handler_raises_nothing_of_it():
    inner = "except ValueError as error:\n        def again():\n            raise OSError()\n        return again"
    assert handled(inner) == []


def test_hints_and_docstrings():
    assert codes("def run(address, *, size=1):\n    a = b = c = d = 1\n    return g(a)\n" + "    x = 1\n" * 5) == [
        "missing_hint",
        "missing_hint",
        "missing_return_hint",
        "missing_docstring",
    ]
    partly = 'def run(address: str) -> int:\n    """Count.\n\n    Returns:\n        it\n    """\n    raise ValueError\n'
    assert codes(partly + "    x = 1\n" * 5) == ["missing_section", "missing_section"]
    assert "section Args" in lint(partly)[0].message or "section Args" in lint(partly)[1].message


def test_short_words_are_told_in_full():
    told = [
        one.message
        for one in lint("def run(repo_url: str, q: int, id: str, incl_x: bool): ...")
        if "short" in one.message
    ]
    assert told == ["repo_url: repo is short for repository", "incl_x: incl is short for include"]
    assert codes("def run(q: int): ...").count("cryptic_name") == 1
    assert "cryptic_name" not in codes("def run(id: int, record_id: str): ...")


@cases(
    "body",
    [
        "return tools.fetch(url=url)",
        "return await tools.curl.get(url=url)",
        "page = tools.fetch(url=url)\n    return page",
    ],
)
def test_a_wrapper_of_one_tool_is_advised_against(body: str):
    assert "thin_wrapper" in codes(f"async def run(url):\n    {body}")


def test_few_statements_are_advised_against():
    assert "few_statements" in codes("def run(number: int) -> int:\n    return number + 1")
    assert "few_statements" not in codes("def run():\n" + "    a = 1\n" * 5)
    assert "few_statements" not in codes("def run(): return part()\ndef part(): return 1")


def test_errors_only_refuse_and_every_finding_says_what_to_do():
    assert {code for code, rule in RULES.items() if rule.severity == "error"} == {
        *("invalid_name", "reserved_name", "name_taken", "too_long", "syntax", "no_run", "positional_only"),
        *("bare_except", "swallowed_error", "lost_cause", "not_current", "invalid_file", "invalid_sample"),
    }
    assert all(rule.remedy.endswith(".") for rule in RULES.values())


def test_the_name_is_checked_with_the_source():
    assert codes(GOOD, "list") == ["reserved_name"]
    assert codes("def run(:", "2x") == ["invalid_name", "syntax"]
