"""What the site was asked for last, and whether the page is the answer to that."""

from __future__ import annotations

from typing import Any

from shared.contracts.actions import ByText, Click, Goto, PickOption, Press, Screenshot, TypeText
from shared.contracts.results import ActionResult, Change, TargetFound
from shared.flows.asked import asked_in, with_searched
from shared.flows.live import LiveStep
from tests.cases import cases
from tests.unit.planner.planner_pages import el, page

ID, HOST = "SVC-900", "http://127.0.0.1:8000"
FIELD = ByText(text="Search")


def step(
    action: Any, *, code: Any = "ok", status: int | None = 200, role: str = "button", name: str = "Go"
) -> LiveStep:
    target = TargetFound(role=role, name=name, tag="a", fingerprint="f") if isinstance(action, Click) else None
    change = Change(url_before=HOST, url_after=HOST, http_status=status)
    return LiveStep(action, ActionResult(ok=code == "ok", code=code, message="", change=change, target=target))


TYPED, GO = step(TypeText(target=FIELD, text=ID)), step(Click(target=FIELD))
OPENED = step(Goto(url=f"{HOST}/services/svc-900"), code="http_error", status=404)


def asked(*steps: LiveStep) -> tuple[str, bool] | None:
    found = asked_in((ID, "Ann Lee"), (ID,), steps)
    return None if found is None else (found.by, found.is_sent)


@cases(
    "steps, told",
    [
        ((), None),
        ((step(TypeText(target=FIELD, text="printers")),), None),
        ((TYPED, GO), ("filled", True)),
        ((TYPED, step(Press(keys="Enter")), step(Screenshot(label="x"))), ("filled", True)),
        ((TYPED, step(PickOption(target=FIELD, option="Services")), GO), ("filled", True)),
        ((TYPED, GO, step(Click(target=FIELD), name="Next")), ("filled", False)),
        ((TYPED, GO, step(Click(target=FIELD), status=None, name="Close")), ("filled", True)),
        ((TYPED, GO, step(Click(target=FIELD), name="Close")), ("filled", False)),
        ((TYPED, GO, step(Click(target=FIELD), role="link", name="First")), ("filled", False)),
        ((TYPED, step(Click(target=FIELD), name=f"Open {ID}")), ("filled", False)),
        ((TYPED, GO, step(Click(target=FIELD), role="link", code="http_error", status=404)), ("filled", False)),
        ((TYPED, step(Click(target=FIELD), role="link", code="not_found"), GO), ("filled", True)),
        ((TYPED, GO, step(Goto(url=f"{HOST}/all"))), ("filled", False)),
        ((OPENED,), ("address", True)),
        ((OPENED, step(Click(target=FIELD))), ("address", False)),
        ((OPENED, step(TypeText(target=FIELD, text="printers")), step(Press(keys="Enter"))), ("address", False)),
        ((step(Goto(url=f"{HOST}/services/svc-900"), code="unreachable", status=None),), None),
        ((step(Goto(url=f"{HOST}/find?q=svc-900&sort=name")),), ("query", True)),
        ((step(Goto(url=f"{HOST}/#/services/svc-900")),), ("address", True)),
    ],
)
def test_what_was_asked_for_and_whether_it_was_only_sent_since(steps: tuple[LiveStep, ...], told: Any):
    assert asked(*steps) == told


@cases(
    "steps, url, value, searched",
    [
        ((TYPED, GO), f"{HOST}/find", ID, (ID,)),
        ((TYPED, GO), f"{HOST}/find?q=svc-900", "", (ID,)),
        ((TYPED, GO), f"{HOST}/services/svc-900", "", ()),
        ((TYPED, GO), f"{HOST}/find", "", ()),
        ((TYPED, GO, step(Click(target=FIELD), role="link")), f"{HOST}/find", ID, ()),
        ((step(Goto(url=f"{HOST}/find?q=svc-900")),), f"{HOST}/find?q=svc-900", "", (ID,)),
        ((step(Goto(url=f"{HOST}/search?name=svc-900")),), f"{HOST}/search?name=svc-900", "", (ID,)),
        ((step(Goto(url=f"{HOST}/show?id=svc-900")),), f"{HOST}/show?id=svc-900", "", ()),
        ((OPENED,), f"{HOST}/services/svc-900", ID, ()),
    ],
)
def test_a_page_is_the_answer_while_it_still_shows_what_was_searched_for(
    steps: tuple[LiveStep, ...], url: str, value: str, searched: tuple[str, ...]
):
    seen = page(el("searchbox", "Search", tag="input", value=value), url=url)
    assert with_searched(seen, asked_in((ID,), (ID,), steps)).searched == searched
