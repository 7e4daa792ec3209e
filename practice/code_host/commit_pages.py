"""Pages of the code host for commits: the list, and one commit with its diff."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from practice.code_host import words
from practice.code_host.code import DiffLine
from practice.code_host.code_pages import RepositoryContext, head
from practice.code_host.model import Commit, FileChange
from practice.code_host.view import chooser, day, moment, person, properties
from practice.markup import Markup, el, join

PAGE_SIZE = 20


def commits(context: RepositoryContext, number: int, author: str) -> Markup | None:
    """Return one page of the list; None if there is no such page."""
    known = [commit for commit in context.repository.commits if author in ("", commit.author)]
    pages = max(1, -(-len(known) // PAGE_SIZE))
    if not 1 <= number <= pages:
        return None
    shown = known[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    days = [
        el("section", el("h2", f"Commits on {on}"), el("ul", *[_commit_row(context, commit) for commit in group]))
        for on, group in groupby(shown, key=lambda commit: day(commit.committed_at))
    ]
    tools = el(
        "div", chooser(context.view, "Branch", _branch_options(context), "main"), _authors(context, author), cls="tools"
    )
    return join(
        head(context, "Commits"),
        el("h1", f"{context.view.t('Commits')} on main", cls="page-title"),
        tools,
        _other_branches(context),
        el("div", *days, cls="commit-list"),
        _pager(context, number, pages, author),
    )


def _branch_options(context: RepositoryContext) -> list[tuple[str, str]]:
    return [("main", f"{context.url}/commits/main"), ("release-2.x", f"{context.url}/tree/release-2.x")]


def _authors(context: RepositoryContext, author: str) -> Markup:
    url = f"{context.url}/commits/main"
    logins = sorted({commit.author for commit in context.repository.commits})
    options = [("Everybody", url), *((words.PEOPLE[login], f"{url}?author={login}") for login in logins)]
    return chooser(context.view, "Author filter", options, words.PEOPLE.get(author, "Everybody"))


def _commit_row(context: RepositoryContext, commit: Commit) -> Markup:
    number = commit.pull_request
    title = el(
        "div",
        el("a", commit.title, href=context.commit_url(commit), cls="strong"),
        join(" (", context.pull_link(number), ")") if number else None,
        cls="title",
    )
    by = el("div", person(commit.author), " committed ", moment(commit.committed_at), cls="dim")
    return el("li", el("div", *context.view.drift.ordered((title, by)), cls="grow"), context.sha_link(commit))


def _other_branches(context: RepositoryContext) -> Markup | None:
    """Under ``lookalike``: return commits of another branch, whose ids begin like those of main."""
    if not context.view.drift.has("lookalike"):
        return None
    rows = [
        el("li", el("span", twin_sha(commit), cls="sha"), el("span", commit.title, cls="grow"), person(commit.author))
        for commit in context.repository.commits[:3]
    ]
    return el("section", el("h2", "Recently pushed to release-2.x, not on main"), el("ul", *rows), cls="notice")


def twin_sha(commit: Commit) -> str:
    """Return another id that begins alike; no commit has it."""
    return commit.sha[:8] + commit.sha[:7:-1]


def _pager(context: RepositoryContext, number: int, pages: int, author: str) -> Markup:
    more = f"&author={author}" if author else ""

    def step(label: str, to: int, rel: str) -> Markup:
        if not 1 <= to <= pages:
            return el("span", context.view.t(label), cls="off", aria_disabled="true")
        return el("a", context.view.t(label), href=f"{context.url}/commits/main?page={to}{more}", rel=rel)

    steps = context.view.drift.ordered((step("Newer", number - 1, "prev"), step("Older", number + 1, "next")))
    return el("nav", *steps, cls="pager", aria_label="Pages")


def commit_page(context: RepositoryContext, commit: Commit) -> Markup:
    view, number = context.view, commit.pull_request
    rows: list[tuple[str, str]] = [
        ("Commit", el("code", commit.sha)),
        ("Author", person(commit.author)),
        ("Committed", moment(commit.committed_at)),
        ("Branch", "main"),
        ("Pull request", context.pull_link(number) if number else el("span", view.t("No pull request"), cls="dim")),
    ]
    top = el(
        "article",
        el("h1", commit.title),
        _body(context, commit.body) if commit.body else None,
        properties(view, rows),
        cls="box commit",
    )
    diff = changes_of(commit)
    side = el("aside", _similar(context, commit), _twin(context, commit), cls="side")
    return join(head(context, "Commits"), el("div", el("div", top, diff), side, cls="with-side"))


def changes_of(commit: Commit) -> Markup:
    files = [_change(change) for change in commit.changes]
    counted = f"{len(files)} file changed" if len(files) == 1 else f"{len(files)} files changed"
    return el("section", el("h2", counted), *files, cls="diffs")


def _body(context: RepositoryContext, body: str) -> Markup:
    """Return a message in which a number of a pull request is a link."""
    before, sign, after = body.partition("#")
    number = after.split(",")[0]
    if not sign:
        return el("p", body, cls="message")
    return el("p", before, context.pull_link(int(number)), after.removeprefix(number), cls="message")


def _similar(context: RepositoryContext, commit: Commit) -> Markup:
    all_commits = context.repository.commits
    others = [all_commits[(len(all_commits) - commit.index + step) % len(all_commits)] for step in (4, 9, 17)]
    items = [
        el(
            "li",
            el("a", other.title, href=context.commit_url(other)),
            el("span", f"{words.PEOPLE[other.author]} · {day(other.committed_at)}", cls="dim"),
            el("span", f"Came with #{other.pull_request}", cls="dim") if other.pull_request else None,
        )
        for other in others
    ]
    return el("section", el("h2", "Similar commits"), el("ul", *items))


def _twin(context: RepositoryContext, commit: Commit) -> Markup | None:
    """Under ``lookalike``: return another record's values under the same labels."""
    if not context.view.drift.has("lookalike"):
        return None
    other = context.repository.commits[
        (len(context.repository.commits) - commit.index + 5) % len(context.repository.commits)
    ]
    rows: list[tuple[str, str]] = [
        ("Commit", el("code", twin_sha(commit))),
        ("Author", person(other.author)),
        ("Committed", moment(other.committed_at)),
        ("Pull request", f"#{twin_number(commit.pull_request or 10)}"),
    ]
    return el("section", el("h2", "Cherry-picked to release-2.x"), properties(context.view, rows))


def twin_number(number: int) -> int:
    """Return a similar number of another record: 1001 for 100."""
    return number * 10 + 1


def _change(change: FileChange) -> Markup:
    counts = el(
        "span",
        el("span", f"+{change.count('+')}", cls="plus"),
        " ",
        el("span", f"−{change.count('-')}", cls="minus"),
    )
    rows = [join(_hunk_head(hunk), *[_diff_row(line) for line in hunk]) for hunk in change.hunks]
    heads = el("thead", el("tr", *[el("th", name, scope="col") for name in ("Old", "New", "Code")]), cls="hidden")
    table = el("table", heads, el("tbody", *rows), cls="code diff")
    return el("div", el("div", el("code", change.path), counts, cls="file-head"), table, cls="box file")


def _hunk_head(hunk: Sequence[DiffLine]) -> Markup:
    old = next((line.old for line in hunk if line.old), 0)
    new = next((line.new for line in hunk if line.new), 0)
    return el("tr", el("td", f"@@ -{old} +{new} @@", colspan=3), cls="hunk")


def _diff_row(line: DiffLine) -> Markup:
    kind = {"+": "added", "-": "removed"}.get(line.sign)
    numbers = [el("td", str(number or ""), cls="number") for number in (line.old, line.new)]
    return el("tr", *numbers, el("td", f"{line.sign} {line.text}", cls="line"), cls=kind)
