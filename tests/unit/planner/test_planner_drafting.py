"""From a sentence to a task: the requirements on a draft before it is shown."""

from __future__ import annotations

from services.planner.model_tasks.drafting import (
    MAX_REQUEST_CHARS,
    Draft,
    drafting_instructions,
    drafting_request,
    drafting_tool,
    parse_draft,
    request_problem,
)
from shared.contracts.discovery import Problem
from shared.task.spec import TaskSpec, check_spec
from tests.cases import cases

SPEC = {
    "task_id": "member_profiles",
    "goal": "Read the profile.",
    "start_url": "https://host.example/people/{username}",
    "input_schema": {"username": "string"},
    "output_schema": {"name": "string", "company": "string | null"},
}
LIST = {
    "task_id": "members",
    "phase": "discovery",
    "goal": "List all members.",
    "start_url": "https://host.example/orgs/{org}/people",
    "input_schema": {"org": "string"},
    "output_schema": {"username": "string"},
    "pagination": True,
}


def told(**arguments):
    return {"spec": SPEC, "explanation": "Reads each profile.", **arguments}


def places(arguments) -> list[str]:
    draft, problems = parse_draft(arguments)
    assert draft is None
    return [problem.where for problem in problems]


def test_a_draft_is_a_spec_that_validates_as_it_will_be_written():
    draft, problems = parse_draft(told(samples=[{"username": "ann"}], open_questions=["Which of them?"]))
    assert problems == ()
    assert isinstance(draft, Draft)
    assert draft.samples == ({"username": "ann"},)
    assert draft.open_questions == ("Which of them?",)
    again, none = check_spec(draft.spec)
    assert isinstance(again, TaskSpec)
    assert (again.task_id, again.max_steps, none) == ("member_profiles", 25, ())
    assert "max_steps" not in draft.spec


def test_what_is_found_by_one_task_is_worked_on_by_the_other():
    draft, _ = parse_draft(told(discovery=LIST, discovery_row={"org": "acme"}))
    assert isinstance(draft, Draft)
    assert draft.discovery is not None
    assert (draft.discovery["phase"], draft.discovery_row) == ("discovery", {"org": "acme"})
    assert places(told(discovery={**LIST, "output_schema": {"id": "string"}})) == ["discovery.output_schema"]
    other = {**SPEC, "task_id": "other"}
    assert places(told(discovery=other)) == ["discovery.phase", "discovery.output_schema"]
    assert places(told(discovery={**LIST, "task_id": SPEC["task_id"]})) == ["discovery.task_id"]


def test_a_list_alone_is_a_task():
    draft, _ = parse_draft(told(spec=LIST, discovery_row={"org": "acme"}))
    assert isinstance(draft, Draft)
    assert (draft.spec["phase"], draft.discovery) == ("discovery", None)


def test_every_problem_of_a_draft_is_told_at_once():
    wrong = {**SPEC, "task_id": "No Good", "max_steps": 0, "output_schema": {"due": "day"}}
    assert {"spec.task_id", "spec.max_steps"} < set(places(told(spec=wrong)))


@cases("key", ["secrets", "auth_profile", "integration"])
def test_what_gives_more_rights_is_never_drafted(key):
    value = {"secrets": ["password"], "auth_profile": "my_login", "integration": {"url": "https://a.example/"}}[key]
    assert places(told(spec={**SPEC, key: value}))[0] == f"spec.{key}"
    assert key not in drafting_instructions()


@cases("arguments", [None, [], "x", {}, {"spec": "x"}, {"spec": SPEC, "samples": ["x"]}])
def test_an_answer_that_makes_no_sense_is_no_draft(arguments):
    assert places(arguments)


def test_a_task_must_say_where_it_begins():
    assert places(told(spec={**SPEC, "start_url": "{where}"})) == ["spec.start_url"]
    any_url = {**SPEC, "start_url": "{url}", "input_schema": {"url": "string"}, "allowed_hosts": ["host.example"]}
    assert parse_draft(told(spec=any_url))[1] == ()
    assert places(told(spec={**any_url, "allowed_hosts": []})) == ["spec.start_url"]


def test_the_model_is_told_what_was_wrong_with_its_last_draft():
    again = drafting_request("Get all members of acme", (Problem(where="spec.task_id", message="bad"),), {"spec": {}})
    assert "- spec.task_id: bad" in again
    assert '{"spec": {}}' in again
    assert "not valid" not in drafting_request("Get all members of acme")


def test_a_request_must_say_something():
    assert "say in a sentence" in request_problem("tickets please")
    assert str(MAX_REQUEST_CHARS) in request_problem("many words " * 1000)
    assert request_problem("Go to https://host.example and get all members") == ""


def test_what_the_tool_asks_for():
    assert drafting_tool()["input_schema"]["required"] == ["spec", "explanation"]


@cases("host", ["localhost", "127.0.0.1:8080", "169.254.169.254", "10.1.2.3", "wiki", "*.corp.internal", "[::1]"])
def test_an_address_inside_of_a_network_must_stand_in_the_request(host):
    arguments = told(spec={**SPEC, "allowed_hosts": ["host.example", host]})
    draft, problems = parse_draft(arguments, "Go to https://host.example and get all names")
    assert (draft, [problem.where for problem in problems]) == (None, ["spec.allowed_hosts"])
    bare = host.split(":8080")[0]
    assert parse_draft(arguments, f"Go to https://{bare}/ and get all names")[1] == ()
