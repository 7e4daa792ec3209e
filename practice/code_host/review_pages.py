"""The code host's pages of pull requests: conversation, checks, diff."""

from __future__ import annotations

from practice.code_host.code_pages import Place, head
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


def pull_requests(place: Place, number: int) -> Markup | None:
    """One page of the list; None where there is no such page."""
    known = tuple(reversed(place.repository.pull_requests))
    pages = -(-len(known) // 25)
    if not 1 <= number <= pages:
        return None
    rows = [
        el(
            "li",
            el("span", place.view.t("Merged"), cls="badge small"),
            el("a", one.title, href=f"{place.url}/pull/{one.number}", cls="grow strong"),
            el("span", f"#{one.number} · {one.creator} · {day(one.merged_at)}", cls="dim"),
        )
        for one in known[(number - 1) * 25 : number * 25]
    ]
    links = [
        el("a", str(page), href=f"{place.url}/pulls?page={page}", aria_current="page" if page == number else None)
        for page in range(1, pages + 1)
    ]
    listed = el("ul", *rows, cls="rows box")
    title = el("h1", place.view.t("Pull requests"), cls="page-title")
    return join(head(place, "Pull requests"), title, listed, el("nav", *links, cls="pager", aria_label="Pages"))


def pull_request(place: Place, one: PullRequest) -> Markup:
    by = el(
        "p",
        login_link(one.creator),
        " opened this from ",
        el("code", one.branch),
        "; it was merged into ",
        el("code", "main"),
        " on ",
        moment(one.merged_at),
        cls="dim",
    )
    words_ = [el("p", text) for text in one.paragraphs]
    opened = el("article", by, *words_, _ticket_line(place, one), cls="box words")
    talk = [_review_line(review) for review in one.reviews]
    merged = el("li", login_link(one.merged_by), el("span", "merged this into main"), cls="event")
    timeline = el("ol", *talk, merged, cls="timeline", aria_label=place.view.t("Conversation"))
    return _page(place, one, "Conversation", join(opened, timeline, _summary(place, one)))


def checks_page(place: Place, one: PullRequest) -> Markup:
    """The list itself is loaded by the page's script."""
    body = el("section", el("h2", place.view.t("Checks")), lazy(f"{place.url}/fragment/checks/{one.number}"))
    return _page(place, one, "Checks", body)


def diff_page(place: Place, one: PullRequest) -> Markup:
    diffs = [changes_of(commit) for commit in _commits(place, one)]
    return _page(place, one, "Files changed", join(*diffs))


def checks_fragment(place: Place, one: PullRequest) -> Markup:
    rows = [_check_row(place, check) for check in place.view.drift.ordered(one.checks)]
    return el("ul", *rows, cls="checks box")


def _check_row(place: Place, check: Check) -> Markup:
    parts = [
        state_icon(check.state, check.named),
        el("span", check.name, cls="grow strong"),
        el("span", took(check), cls="dim"),
        el("a", place.view.t("Details"), href=f"{place.view.origins.ci}/jobs/{check.job}"),
    ]
    return el("li", *parts)


def _page(place: Place, one: PullRequest, tab: str, body: Markup) -> Markup:
    url = f"{place.url}/pull/{one.number}"
    items = [("Conversation", url), ("Checks", f"{url}/checks"), ("Files changed", f"{url}/files")]
    number = el("span", f" #{one.number}", cls="dim")
    top = el(
        "div",
        el("h1", one.title, number),
        el("p", el("span", place.view.t("Merged"), cls="badge"), cls="state"),
        tabs(place.view, "Pull request", items, tab),
        cls="pull-head",
    )
    side = el("aside", _facts(place, one), _reviewers(place, one), _related(place, one), cls="side")
    return join(head(place, "Pull requests"), top, el("div", el("div", body), side, cls="with-side"))


def _facts(place: Place, one: PullRequest) -> Markup:
    rows: list[tuple[str, str]] = [
        ("Pull request", f"#{one.number}"),
        ("State", place.view.t("Merged")),
        ("Opened by", login_link(one.creator)),
        ("Merged by", login_link(one.merged_by)),
        ("Commits", join(*[place.sha_link(commit) for commit in _commits(place, one)])),
    ]
    return el("section", el("h2", "Facts"), properties(place.view, rows))


def _commits(place: Place, one: PullRequest) -> list[Commit]:
    return [commit for commit in reversed(place.repository.commits) if commit.pull_request == one.number]


def _reviewers(place: Place, one: PullRequest) -> Markup:
    rows = [
        el("li", login_link(review.login), el("span", _STATES[review.state], cls="dim"))
        for review in place.view.drift.ordered(one.reviews)
    ]
    return el("section", el("h2", place.view.t("Reviewers")), el("ul", *rows, cls="reviewers"))


_STATES = {"approved": "Approved", "requested": "Requested", "dismissed": "Dismissed", "commented": "Commented"}


def _review_line(review: Review) -> Markup:
    return el("li", login_link(review.login), el("span", _DID[review.state]), cls="event")


def _ticket_line(place: Place, one: PullRequest) -> Markup | None:
    if one.ticket is None:
        return None
    return el("p", "Resolves ", el("a", one.ticket, href=f"{place.view.origins.tracker}/browse/{one.ticket}"), ".")


def _summary(place: Place, one: PullRequest) -> Markup:
    """Counts in words on some, only a word that there are checks on others: the icons must then be read."""
    counts = [f"{one.count(state)} {word}" for state, word in _WORDS.items() if one.count(state)]
    told = f"{', '.join(counts)} checks" if one.told else f"{len(one.checks)} checks have reported"
    link = el("a", "Show all checks", href=f"{place.url}/pull/{one.number}/checks")
    return el(
        "section", el("h2", place.view.t("Checks")), el("p", el("span", told, cls="grow"), link), cls="box summary"
    )


def _related(place: Place, one: PullRequest) -> Markup:
    known = place.repository.pull_requests
    here = known.index(one)
    others = [other for other in (known[here - 1], known[here - 7]) if other.number != one.number]
    items = [
        el(
            "li",
            el("a", other.title, href=f"{place.url}/pull/{other.number}"),
            el("span", f"#{other.number} · {other.creator} · merged by {other.merged_by}", cls="dim"),
        )
        for other in others
    ]
    return el("section", el("h2", "Related pull requests"), el("ul", *items), _twin(place, one, others))


def _twin(place: Place, one: PullRequest, others: list[PullRequest]) -> Markup | None:
    """Under ``lookalike``: another record's values under the same labels, its number beginning alike."""
    if not place.view.drift.has("lookalike"):
        return None
    other = others[0]
    rows: list[tuple[str, str]] = [
        ("Pull request", f"#{twin_number(one.number)}"),
        ("Opened by", login_link(other.creator)),
        ("Merged by", login_link(other.merged_by)),
    ]
    return el("div", el("h3", "On release-2.x"), properties(place.view, rows))
