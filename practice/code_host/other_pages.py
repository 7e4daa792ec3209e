"""The pages of the CI and of the tracker."""

from __future__ import annotations

from practice.code_host import words
from practice.code_host.model import Check, PullRequest, Repository, Ticket, World
from practice.code_host.view import BRANDS, View, day, lazy, properties, state_icon, took
from practice.markup import Markup, el

_RESULTS = {"passed": "Passed", "failed": "Failed", "pending": "Waiting", "skipped": "Skipped"}


def nav(view: View) -> Markup:
    names = {"ci": ("Pipelines", "Runners"), "tracker": ("Board", "Reports")}[
        view.site if view.site != "code" else "ci"
    ]
    brand = el("a", el("span", cls="mark", aria_hidden="true"), BRANDS[view.site], href="/", cls="brand")
    items = [el("a", name, href=f"/{name.lower()}") for name in view.drift.ordered(names)]
    return el("header", brand, el("nav", *items, aria_label="Main"), cls="top")


def footer(view: View) -> Markup:
    return el(
        "footer", el("a", "Code host", href=f"{view.origins.code}/"), el("a", "Status", href="/status"), cls="foot"
    )


# --- CI


def ci_home(world: World) -> Markup:
    items = [
        el("li", el("strong", repository.name), el("span", f"{len(repository.pull_requests)} pipelines", cls="dim"))
        for repository in world.repositories
    ]
    return el("div", el("h1", "Projects"), el("ul", *items, cls="rows box"), cls="narrow")


def job_page(view: View, repository: Repository, pull_request: PullRequest, check: Check) -> Markup:
    pull = f"{view.origins.code}/{words.ORG}/{repository.name}/pull/{pull_request.number}"
    rows: list[tuple[str, str]] = [
        ("Job", f"{check.job}"),
        ("Result", el("span", _RESULTS[check.state], cls=f"result {_TONES[check.state]}")),
        ("Duration", took(check)),
        ("Pull request", el("a", f"#{pull_request.number}", href=pull)),
        ("Started", day(pull_request.merged_at)),
    ]
    log = el("section", el("h2", "Log"), lazy(f"/fragment/jobs/{check.job}"))
    others = [
        el("li", state_icon(other.state, named=True), el("a", other.name, href=f"/jobs/{other.job}"))
        for other in pull_request.checks
        if other.job != check.job
    ]
    side = el("aside", el("section", el("h2", "Other jobs"), el("ul", *others, cls="jobs")), cls="side")
    path = el("p", f"{repository.name} / pipeline of #{pull_request.number}", cls="path")
    top = el("div", path, el("h1", check.name), properties(view, rows), cls="box job")
    return el("div", el("div", top, log), side, cls="with-side")


_TONES = {"passed": "good", "failed": "bad", "pending": "open", "skipped": "none"}


def log_fragment(repository: Repository, pull_request: PullRequest, check: Check) -> Markup:
    """Return the log of a job; the last lines of a failed one give the reason, unless the log has expired."""
    if check.state == "failed" and not check.error:
        return el("p", "The log of this job is no longer kept.", cls="box gone")
    rows = [
        el(
            "tr",
            el("td", str(number), cls="number"),
            el("td", line, cls="line"),
            cls="bad" if line == check.error else None,
        )
        for number, line in enumerate(log_lines(repository, pull_request, check), 1)
    ]
    heads = el("thead", el("tr", el("th", "Line", scope="col"), el("th", "Output", scope="col")), cls="hidden")
    return el("table", heads, el("tbody", *rows), cls="code log")


def log_lines(repository: Repository, pull_request: PullRequest, check: Check) -> list[str]:
    start = [
        f"Runner quay-{check.job % 7} takes job {check.job}",
        f"Fetching {repository.name} at refs/pull/{pull_request.number}/head",
        "Restoring the cache: 212 files",
        "warning: a newer version of the runner is available",
        f"$ make {check.name.split(' ')[0]}",
    ]
    if check.state == "pending":
        return ["Waiting for a runner"]
    if check.state == "skipped":
        return ["Skipped: nothing that this job looks at has changed"]
    steps = [f"  {step} ok" for step in ("collect", "prepare", "compile", "first half", "second half")]
    if check.state == "passed":
        return [*start, *steps, "Everything passed", "Job succeeded"]
    return [*start, *steps[:4], "", check.error, "", "make: *** [Makefile] Error 1", "Job failed: exit code 1"]


# --- tracker


def board(view: View, world: World) -> Markup:
    tickets = [ticket for repository in world.repositories for ticket in repository.tickets[-8:]]
    names = ("Ticket", "Title", "Status", "Assignee")
    heads = [el("th", view.t(name), scope="col") for name in view.drift.ordered(names)]
    rows = [el("tr", *view.drift.ordered(_board_cells(ticket))) for ticket in tickets]
    table = el("table", el("thead", el("tr", *heads)), el("tbody", *rows), cls="list")
    return el("div", el("h1", "Board"), el("div", table, cls="box"), cls="narrow")


def _board_cells(ticket: Ticket) -> list[Markup]:
    link = el("a", ticket.key, href=f"/browse/{ticket.key}")
    return [el("td", link), el("td", ticket.title), el("td", _status(ticket)), el("td", ticket.assignee)]


def _status(ticket: Ticket) -> Markup:
    return el("span", ticket.status, cls=f"status {ticket.status.lower().replace(' ', '-')}")


def ticket_page(view: View, repository: Repository, ticket: Ticket) -> Markup:
    rows: list[tuple[str, str]] = [
        ("Ticket", ticket.key),
        ("Status", _status(ticket)),
        ("Priority", ticket.priority),
        ("Assignee", ticket.assignee),
        ("Opened", day(ticket.opened)),
        ("Project", repository.name),
    ]
    body = el("article", el("p", ticket.key, cls="path"), el("h1", ticket.title), el("p", ticket.description))
    near = [other for other in repository.tickets if other.key != ticket.key][:3]
    links = [
        el(
            "li",
            el("a", f"{other.key} {other.title}", href=f"/browse/{other.key}"),
            el("span", other.status, cls="dim"),
        )
        for other in near
    ]
    linked = el("section", el("h2", "Linked tickets"), el("ul", *links, cls="linked"))
    side = el("aside", properties(view, rows), _twin(view, ticket, near), cls="side")
    return el("div", el("div", body, linked, cls="box words"), side, cls="with-side")


def _twin(view: View, ticket: Ticket, near: list[Ticket]) -> Markup | None:
    """Under ``lookalike``: return another ticket's values; its key begins alike."""
    if not view.drift.has("lookalike") or not near:
        return None
    rows = [("Ticket", f"{ticket.key}1"), ("Status", near[0].status), ("Assignee", near[0].assignee)]
    return el("section", el("h2", "Seen before this one"), properties(view, rows))


def not_found(view: View, back: str = "/") -> Markup:
    title = el("h1", view.t("Page not found"))
    return el(
        "div",
        title,
        el("p", "The address is wrong, or what was here is gone."),
        el("a", "To the start", href=back, cls="button"),
        cls="empty",
    )
