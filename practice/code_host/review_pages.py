"""Pages of the code host for pull requests: conversation, checks, diff."""

from __future__ import annotations

from practice.code_host.code_pages import RepositoryContext, head
from practice.code_host.commit_pages import changes_of, twin_number
from practice.code_host.model import Check, CheckState, Commit, PullRequest, Review
from practice.code_host.view import day, lazy, login_link, moment, properties, state_icon, tabs, took
from practice.markup import Markup, el, join

_WORDS: dict[CheckState, str] = {
    "failed": "failing",
    "pending": "pending",
    "skipped": "skipped",
    "passed": "successful",
}
_DID = {
    "approved": "approved these changes",
    "requested": "was asked for a review",
    "dismissed": "approved earlier; the review was dismissed after a new push",
    "commented": "left a comment",
}


def pull_requests(context: RepositoryContext, number: int) -> Markup | None:
    """Return one page of the list; None if there is no such page."""
    known = tuple(reversed(context.repository.pull_requests))
    pages = -(-len(known) // 25)
    if not 1 <= number <= pages:
        return None
    rows = [
        el(
            "li",
            el("span", context.view.t("Merged"), cls="badge small"),
            el("a", pull.title, href=f"{context.url}/pull/{pull.number}", cls="grow strong"),
            el("span", f"#{pull.number} · {pull.creator} · {day(pull.merged_at)}", cls="dim"),
        )
        for pull in known[(number - 1) * 25 : number * 25]
    ]
    links = [
        el("a", str(page), href=f"{context.url}/pulls?page={page}", aria_current="page" if page == number else None)
        for page in range(1, pages + 1)
    ]
    listed = el("ul", *rows, cls="rows box")
    title = el("h1", context.view.t("Pull requests"), cls="page-title")
    return join(head(context, "Pull requests"), title, listed, el("nav", *links, cls="pager", aria_label="Pages"))


def pull_request(context: RepositoryContext, pull: PullRequest) -> Markup:
    by = el(
        "p",
        login_link(pull.creator),
        " opened this from ",
        el("code", pull.branch),
        "; it was merged into ",
        el("code", "main"),
        " on ",
        moment(pull.merged_at),
        cls="dim",
    )
    words_ = [el("p", text) for text in pull.paragraphs]
    opened = el("article", by, *words_, _ticket_line(context, pull), cls="box words")
    talk = [_review_line(review) for review in pull.reviews]
    merged = el("li", login_link(pull.merged_by), el("span", "merged this into main"), cls="event")
    timeline = el("ol", *talk, merged, cls="timeline", aria_label=context.view.t("Conversation"))
    return _page(context, pull, "Conversation", join(opened, timeline, _summary(context, pull)))


def checks_page(context: RepositoryContext, pull: PullRequest) -> Markup:
    """Return the page of checks; its script loads the list."""
    body = el("section", el("h2", context.view.t("Checks")), lazy(f"{context.url}/fragment/checks/{pull.number}"))
    return _page(context, pull, "Checks", body)


def diff_page(context: RepositoryContext, pull: PullRequest) -> Markup:
    diffs = [changes_of(commit) for commit in _commits(context, pull)]
    return _page(context, pull, "Files changed", join(*diffs))


def checks_fragment(context: RepositoryContext, pull: PullRequest) -> Markup:
    rows = [_check_row(context, check) for check in context.view.drift.ordered(pull.checks)]
    return el("ul", *rows, cls="checks box")


def _check_row(context: RepositoryContext, check: Check) -> Markup:
    parts = [
        state_icon(check.state, check.named),
        el("span", check.name, cls="grow strong"),
        el("span", took(check), cls="dim"),
        el("a", context.view.t("Details"), href=f"{context.view.origins.ci}/jobs/{check.job}"),
    ]
    return el("li", *parts)


def _page(context: RepositoryContext, pull: PullRequest, tab: str, body: Markup) -> Markup:
    url = f"{context.url}/pull/{pull.number}"
    items = [("Conversation", url), ("Checks", f"{url}/checks"), ("Files changed", f"{url}/files")]
    number = el("span", f" #{pull.number}", cls="dim")
    top = el(
        "div",
        el("h1", pull.title, number),
        el("p", el("span", context.view.t("Merged"), cls="badge"), cls="state"),
        tabs(context.view, "Pull request", items, tab),
        cls="pull-head",
    )
    side = el("aside", _facts(context, pull), _reviewers(context, pull), _related(context, pull), cls="side")
    return join(head(context, "Pull requests"), top, el("div", el("div", body), side, cls="with-side"))


def _facts(context: RepositoryContext, pull: PullRequest) -> Markup:
    rows: list[tuple[str, str]] = [
        ("Pull request", f"#{pull.number}"),
        ("State", context.view.t("Merged")),
        ("Opened by", login_link(pull.creator)),
        ("Merged by", login_link(pull.merged_by)),
        ("Commits", join(*[context.sha_link(commit) for commit in _commits(context, pull)])),
    ]
    return el("section", el("h2", "Facts"), properties(context.view, rows))


def _commits(context: RepositoryContext, pull: PullRequest) -> list[Commit]:
    return [commit for commit in reversed(context.repository.commits) if commit.pull_request == pull.number]


def _reviewers(context: RepositoryContext, pull: PullRequest) -> Markup:
    rows = [
        el("li", login_link(review.login), el("span", _STATES[review.state], cls="dim"))
        for review in context.view.drift.ordered(pull.reviews)
    ]
    return el("section", el("h2", context.view.t("Reviewers")), el("ul", *rows, cls="reviewers"))


_STATES = {"approved": "Approved", "requested": "Requested", "dismissed": "Dismissed", "commented": "Commented"}


def _review_line(review: Review) -> Markup:
    return el("li", login_link(review.login), el("span", _DID[review.state]), cls="event")


def _ticket_line(context: RepositoryContext, pull: PullRequest) -> Markup | None:
    if pull.ticket is None:
        return None
    return el("p", "Resolves ", el("a", pull.ticket, href=f"{context.view.origins.tracker}/browse/{pull.ticket}"), ".")


def _summary(context: RepositoryContext, pull: PullRequest) -> Markup:
    """Return counts in words, or only the number of checks: then the icons must be read."""
    counts = [f"{pull.count(state)} {word}" for state, word in _WORDS.items() if pull.count(state)]
    text = f"{', '.join(counts)} checks" if pull.counts_in_words else f"{len(pull.checks)} checks have reported"
    link = el("a", "Show all checks", href=f"{context.url}/pull/{pull.number}/checks")
    return el(
        "section", el("h2", context.view.t("Checks")), el("p", el("span", text, cls="grow"), link), cls="box summary"
    )


def _related(context: RepositoryContext, pull: PullRequest) -> Markup:
    known = context.repository.pull_requests
    here = known.index(pull)
    others = [other for other in (known[here - 1], known[here - 7]) if other.number != pull.number]
    items = [
        el(
            "li",
            el("a", other.title, href=f"{context.url}/pull/{other.number}"),
            el("span", f"#{other.number} · {other.creator} · merged by {other.merged_by}", cls="dim"),
        )
        for other in others
    ]
    return el("section", el("h2", "Related pull requests"), el("ul", *items), _twin(context, pull, others))


def _twin(context: RepositoryContext, pull: PullRequest, others: list[PullRequest]) -> Markup | None:
    """Under ``lookalike``: return another record's values under the same labels; its number begins alike."""
    if not context.view.drift.has("lookalike"):
        return None
    other = others[0]
    rows: list[tuple[str, str]] = [
        ("Pull request", f"#{twin_number(pull.number)}"),
        ("Opened by", login_link(other.creator)),
        ("Merged by", login_link(other.merged_by)),
    ]
    return el("div", el("h3", "On release-2.x"), properties(context.view, rows))
