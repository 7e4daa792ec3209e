"""The code host's pages of code: repositories, commits, files, blame, search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from practice.code_host import words
from practice.code_host.code import BlamedLine, DiffLine
from practice.code_host.model import Commit, FileChange, Repository, World
from practice.code_host.view import View, chooser, day, lazy, moment, person, properties, tabs
from practice.markup import Markup, el, join

PAGE_SIZE = 20


@dataclass(frozen=True)
class Place:
    """A repository as somebody looks at it."""

    view: View
    repository: Repository

    @property
    def url(self) -> str:
        return f"/{words.ORG}/{self.repository.name}"

    def commit_url(self, commit: Commit) -> str:
        return f"{self.url}/commit/{commit.sha}"

    def sha_link(self, commit: Commit) -> Markup:
        return el("a", commit.sha[:7], href=self.commit_url(commit), cls="sha")

    def pull_link(self, number: int) -> Markup:
        return el("a", f"#{number}", href=f"{self.url}/pull/{number}", cls="pull-number")


def nav(view: View, query: str = "") -> Markup:
    links = [("Repositories", "/"), ("Search code", "/search")]
    box = el("input", type="search", name="q", id="q", value=query, placeholder="A line of code", autocomplete="off")
    form = el(
        "form",
        el("label", view.t("Search code"), for_="q", cls="hidden"),
        box,
        el("button", "Search", type="submit"),
        action="/search",
        role="search",
    )
    items = [el("a", view.t(name), href=href) for name, href in view.drift.ordered(links)]
    brand = el("a", el("span", cls="mark", aria_hidden="true"), "Harbourline Code", href="/", cls="brand")
    return el("header", brand, el("nav", *items, aria_label="Main"), form, cls="top")


def footer(world: World) -> Markup:
    """Links to commits that nobody asked about: a careless reader takes them for results."""
    latest = [(repository, repository.commits[3]) for repository in world.repositories]
    links = [
        el("a", f"{repository.name} {commit.sha[:7]}", href=f"/{words.ORG}/{repository.name}/commit/{commit.sha}")
        for repository, commit in latest
    ]
    return el("footer", el("span", "Latest releases"), *links, el("a", "Status", href="/status"), cls="foot")


def head(place: Place, current: str) -> Markup:
    items = [
        ("Code", place.url),
        ("Commits", f"{place.url}/commits/main"),
        ("Pull requests", f"{place.url}/pulls"),
    ]
    path = el(
        "p",
        el("a", words.ORG, href="/"),
        el("span", "/", cls="slash", aria_hidden="true"),
        el("a", place.repository.name, href=place.url, cls="strong"),
        cls="path",
    )
    return el("div", path, tabs(place.view, "Repository", items, current), cls="repo-head")


def repositories(view: View, world: World) -> Markup:
    cards = [
        el(
            "li",
            el("h2", el("a", repository.name, href=f"/{words.ORG}/{repository.name}")),
            el("p", repository.about),
            el(
                "p",
                f"{len(repository.commits)} commits · last one {day(repository.commits[0].committed_at)}",
                cls="dim",
            ),
        )
        for repository in view.drift.ordered(world.repositories)
    ]
    return el("div", el("h1", "Repositories"), el("ul", *cards, cls="cards"), cls="narrow")


def home(place: Place) -> Markup:
    newest = place.repository.commits[0]
    strip = el(
        "div",
        person(newest.author),
        el("a", newest.title, href=place.commit_url(newest), cls="grow"),
        place.sha_link(newest),
        el("span", day(newest.committed_at), cls="dim"),
        cls="strip",
    )
    about = el("section", el("h2", "About"), el("p", place.repository.about), cls="about")
    body = el("div", el("div", _branches(place, ""), strip, _tree(place), cls="box"), about, cls="with-side")
    return join(head(place, "Code"), el("h1", place.repository.name, cls="hidden"), body)


def _branches(place: Place, suffix: str) -> Markup:
    options = [("main", f"{place.url}{suffix}"), ("release-2.x", f"{place.url}/tree/release-2.x")]
    return el("div", chooser(place.view, "Branch", options, "main"), cls="tools")


def _tree(place: Place) -> Markup:
    """Folders and files; beside each file the commit that touched it last."""
    rows: list[Markup] = []
    for folder, paths in groupby(sorted(place.repository.files), key=lambda path: path.rpartition("/")[0]):
        rows.append(el("tr", el("th", folder, colspan=3, scope="rowgroup"), cls="folder"))
        rows += [_file_row(place, path) for path in paths]
    heads = [el("th", place.view.t(name), scope="col") for name in place.view.drift.ordered(_TREE_COLUMNS)]
    return el("table", el("thead", el("tr", *heads), cls="hidden"), el("tbody", *rows), cls="tree")


_TREE_COLUMNS = ("File", "Last commit", "Last modified")


def _file_row(place: Place, path: str) -> Markup:
    last = place.repository.commit_at(max(line.commit for line in place.repository.files[path]))
    cells = [
        el("td", el("a", path.rpartition("/")[2], href=f"{place.url}/blob/main/{path}")),
        el("td", el("a", last.title, href=place.commit_url(last), cls="dim")),
        el("td", day(last.committed_at), cls="dim"),
    ]
    return el("tr", *place.view.drift.ordered(cells))


# --- commits


def commits(place: Place, number: int, author: str) -> Markup | None:
    """One page of the list; None where there is no such page."""
    known = [commit for commit in place.repository.commits if author in ("", commit.author)]
    pages = max(1, -(-len(known) // PAGE_SIZE))
    if not 1 <= number <= pages:
        return None
    shown = known[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    days = [
        el("section", el("h2", f"Commits on {on}"), el("ul", *[_commit_row(place, commit) for commit in group]))
        for on, group in groupby(shown, key=lambda commit: day(commit.committed_at))
    ]
    tools = el(
        "div", chooser(place.view, "Branch", _branch_options(place), "main"), _authors(place, author), cls="tools"
    )
    return join(
        head(place, "Commits"),
        el("h1", f"{place.view.t('Commits')} on main", cls="page-title"),
        tools,
        _other_branches(place),
        el("div", *days, cls="commit-list"),
        _pager(place, number, pages, author),
    )


def _branch_options(place: Place) -> list[tuple[str, str]]:
    return [("main", f"{place.url}/commits/main"), ("release-2.x", f"{place.url}/tree/release-2.x")]


def _authors(place: Place, author: str) -> Markup:
    url = f"{place.url}/commits/main"
    logins = sorted({commit.author for commit in place.repository.commits})
    options = [("Everybody", url), *((words.PEOPLE[login], f"{url}?author={login}") for login in logins)]
    return chooser(place.view, "Author filter", options, words.PEOPLE.get(author, "Everybody"))


def _commit_row(place: Place, commit: Commit) -> Markup:
    number = commit.pull_request
    title = el(
        "div",
        el("a", commit.title, href=place.commit_url(commit), cls="strong"),
        join(" (", place.pull_link(number), ")") if number else None,
        cls="title",
    )
    by = el("div", person(commit.author), " committed ", moment(commit.committed_at), cls="dim")
    return el("li", el("div", *place.view.drift.ordered((title, by)), cls="grow"), place.sha_link(commit))


def _other_branches(place: Place) -> Markup | None:
    """Under ``lookalike``: commits of another branch, whose ids begin like those of main."""
    if not place.view.drift.has("lookalike"):
        return None
    rows = [
        el("li", el("span", twin_sha(commit), cls="sha"), el("span", commit.title, cls="grow"), person(commit.author))
        for commit in place.repository.commits[:3]
    ]
    return el("section", el("h2", "Recently pushed to release-2.x, not on main"), el("ul", *rows), cls="notice")


def twin_sha(commit: Commit) -> str:
    """Another id that begins alike; no commit has it."""
    return commit.sha[:8] + commit.sha[:7:-1]


def _pager(place: Place, number: int, pages: int, author: str) -> Markup:
    more = f"&author={author}" if author else ""

    def step(label: str, to: int, rel: str) -> Markup:
        if not 1 <= to <= pages:
            return el("span", place.view.t(label), cls="off", aria_disabled="true")
        return el("a", place.view.t(label), href=f"{place.url}/commits/main?page={to}{more}", rel=rel)

    steps = place.view.drift.ordered((step("Newer", number - 1, "prev"), step("Older", number + 1, "next")))
    return el("nav", *steps, cls="pager", aria_label="Pages")


def commit_page(place: Place, commit: Commit) -> Markup:
    view, number = place.view, commit.pull_request
    rows: list[tuple[str, str]] = [
        ("Commit", el("code", commit.sha)),
        ("Author", person(commit.author)),
        ("Committed", moment(commit.committed_at)),
        ("Branch", "main"),
        ("Pull request", place.pull_link(number) if number else el("span", view.t("No pull request"), cls="dim")),
    ]
    top = el(
        "article",
        el("h1", commit.title),
        _body(place, commit.body) if commit.body else None,
        properties(view, rows),
        cls="box commit",
    )
    diff = changes_of(commit)
    side = el("aside", _similar(place, commit), _twin(place, commit), cls="side")
    return join(head(place, "Commits"), el("div", el("div", top, diff), side, cls="with-side"))


def changes_of(commit: Commit) -> Markup:
    files = [_change(change) for change in commit.changes]
    counted = f"{len(files)} file changed" if len(files) == 1 else f"{len(files)} files changed"
    return el("section", el("h2", counted), *files, cls="diffs")


def _body(place: Place, body: str) -> Markup:
    """A message; a number in it is a link, as such sites make it."""
    before, sign, after = body.partition("#")
    number = after.split(",")[0]
    if not sign:
        return el("p", body, cls="message")
    return el("p", before, place.pull_link(int(number)), after.removeprefix(number), cls="message")


def _similar(place: Place, commit: Commit) -> Markup:
    all_commits = place.repository.commits
    others = [all_commits[(len(all_commits) - commit.index + step) % len(all_commits)] for step in (4, 9, 17)]
    items = [
        el(
            "li",
            el("a", other.title, href=place.commit_url(other)),
            el("span", f"{words.PEOPLE[other.author]} · {day(other.committed_at)}", cls="dim"),
            el("span", f"Came with #{other.pull_request}", cls="dim") if other.pull_request else None,
        )
        for other in others
    ]
    return el("section", el("h2", "Similar commits"), el("ul", *items))


def _twin(place: Place, commit: Commit) -> Markup | None:
    """Under ``lookalike``: another record's values under the same labels."""
    if not place.view.drift.has("lookalike"):
        return None
    other = place.repository.commits[(len(place.repository.commits) - commit.index + 5) % len(place.repository.commits)]
    rows: list[tuple[str, str]] = [
        ("Commit", el("code", twin_sha(commit))),
        ("Author", person(other.author)),
        ("Committed", moment(other.committed_at)),
        ("Pull request", f"#{twin_number(commit.pull_request or 10)}"),
    ]
    return el("section", el("h2", "Cherry-picked to release-2.x"), properties(place.view, rows))


def twin_number(number: int) -> int:
    """A number that looks like this one and is another: 1001 beside 100."""
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


# --- files


def file_page(place: Place, path: str, tab: str) -> Markup:
    lines = place.repository.files[path]
    items = [("Code", f"{place.url}/blob/main/{path}"), ("Blame", f"{place.url}/blame/main/{path}")]
    size = f"{len(lines)} lines · {sum(len(line.text) + 1 for line in lines)} bytes"
    bar = el("div", tabs(place.view, "File", items, tab), el("span", size, cls="dim"), cls="file-head")
    body = lazy(f"{place.url}/fragment/blame/{path}") if tab == "Blame" else _source(lines)
    others = [
        el("li", el("a", other, href=f"{place.url}/blob/main/{other}", aria_current="page" if other == path else None))
        for other in sorted(place.repository.files)
    ]
    side = el("nav", el("h2", "Files"), el("ul", *others), aria_label="Files", cls="files")
    page = el(
        "div", side, el("div", el("h1", path, cls="file-path"), el("div", bar, body, cls="box")), cls="with-files"
    )
    return join(head(place, "Code"), page)


def _source(lines: Sequence[BlamedLine]) -> Markup:
    rows = [
        el("tr", el("td", str(number), cls="number"), el("td", line.text, cls="line"), id=f"L{number}")
        for number, line in enumerate(lines, 1)
    ]
    heads = el("thead", el("tr", el("th", "Line", scope="col"), el("th", "Code", scope="col")), cls="hidden")
    return el("table", heads, el("tbody", *rows), cls="code")


def blame_fragment(place: Place, path: str) -> Markup:
    """Every line with the commit that wrote it last."""
    view = place.view
    names = ("Last commit", "Author", "Last modified", "Line", "Code")
    heads = [el("th", view.t(name), scope="col") for name in view.drift.ordered(names)]
    rows: list[Markup] = []
    before = -1
    for number, line in enumerate(place.repository.files[path], 1):
        rows.append(_blame_row(place, number, line, again=line.commit == before))
        before = line.commit
    return el("table", el("thead", el("tr", *heads)), el("tbody", *rows), cls="code blame")


def _blame_row(place: Place, number: int, line: BlamedLine, *, again: bool) -> Markup:
    commit = place.repository.commit_at(line.commit)
    cells = [
        el("td", el("a", commit.title, href=place.commit_url(commit)), cls="what"),
        el("td", words.PEOPLE[commit.author], cls="who"),
        el("td", el("time", day(commit.committed_at), datetime=commit.committed_at.isoformat()), cls="when"),
        el("td", str(number), cls="number"),
        el("td", line.text, cls="line"),
    ]
    return el("tr", *place.view.drift.ordered(cells), cls="again" if again else "first")


# --- search


def search(view: View, world: World, query: str) -> Markup:
    found = [
        (repository, path, number, line.text)
        for repository in world.repositories
        for path, lines in repository.files.items()
        for number, line in enumerate(lines, 1)
        if query.strip() and query.strip() in line.text
    ]
    items = [
        el(
            "li",
            el("a", f"{repository.name}/{path}", href=f"/{words.ORG}/{repository.name}/blob/main/{path}#L{number}"),
            el("pre", el("span", str(number), cls="number"), " ", text.strip()),
        )
        for repository, path, number, text in found[:50]
    ]
    told = f"{len(found)} lines found" if len(found) != 1 else "1 line found"
    nothing = (
        "Type a line of code above to find where it stands." if not query.strip() else "No line of code holds this."
    )
    result = join(el("p", told, cls="dim"), el("ol", *items, cls="found")) if found else el("p", nothing, cls="empty")
    return el("div", el("h1", view.t("Search code")), result, cls="narrow")
