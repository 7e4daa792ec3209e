"""Pages of the code host for files: source, blame, search."""

from __future__ import annotations

from collections.abc import Sequence

from practice.code_host import words
from practice.code_host.code import BlamedLine
from practice.code_host.code_pages import RepositoryContext, head
from practice.code_host.model import World
from practice.code_host.view import View, day, lazy, tabs
from practice.markup import Markup, el, join


def file_page(context: RepositoryContext, path: str, tab: str) -> Markup:
    lines = context.repository.files[path]
    items = [("Code", f"{context.url}/blob/main/{path}"), ("Blame", f"{context.url}/blame/main/{path}")]
    size = f"{len(lines)} lines · {sum(len(line.text) + 1 for line in lines)} bytes"
    bar = el("div", tabs(context.view, "File", items, tab), el("span", size, cls="dim"), cls="file-head")
    body = lazy(f"{context.url}/fragment/blame/{path}") if tab == "Blame" else _source(lines)
    others = [
        el(
            "li",
            el("a", other, href=f"{context.url}/blob/main/{other}", aria_current="page" if other == path else None),
        )
        for other in sorted(context.repository.files)
    ]
    side = el("nav", el("h2", "Files"), el("ul", *others), aria_label="Files", cls="files")
    page = el(
        "div", side, el("div", el("h1", path, cls="file-path"), el("div", bar, body, cls="box")), cls="with-files"
    )
    return join(head(context, "Code"), page)


def _source(lines: Sequence[BlamedLine]) -> Markup:
    rows = [
        el("tr", el("td", str(number), cls="number"), el("td", line.text, cls="line"), id=f"L{number}")
        for number, line in enumerate(lines, 1)
    ]
    heads = el("thead", el("tr", el("th", "Line", scope="col"), el("th", "Code", scope="col")), cls="hidden")
    return el("table", heads, el("tbody", *rows), cls="code")


def blame_fragment(context: RepositoryContext, path: str) -> Markup:
    """Return every line with the commit that changed it last."""
    view = context.view
    names = ("Last commit", "Author", "Last modified", "Line", "Code")
    heads = [el("th", view.t(name), scope="col") for name in view.drift.ordered(names)]
    rows: list[Markup] = []
    before = -1
    for number, line in enumerate(context.repository.files[path], 1):
        rows.append(_blame_row(context, number, line, again=line.commit == before))
        before = line.commit
    return el("table", el("thead", el("tr", *heads)), el("tbody", *rows), cls="code blame")


def _blame_row(context: RepositoryContext, number: int, line: BlamedLine, *, again: bool) -> Markup:
    commit = context.repository.commit_at(line.commit)
    cells = [
        el("td", el("a", commit.title, href=context.commit_url(commit)), cls="what"),
        el("td", words.PEOPLE[commit.author], cls="who"),
        el("td", el("time", day(commit.committed_at), datetime=commit.committed_at.isoformat()), cls="when"),
        el("td", str(number), cls="number"),
        el("td", line.text, cls="line"),
    ]
    return el("tr", *context.view.drift.ordered(cells), cls="again" if again else "first")


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
    total = f"{len(found)} lines found" if len(found) != 1 else "1 line found"
    nothing = (
        "Type a line of code above to find where it stands." if not query.strip() else "No line of code holds this."
    )
    result = join(el("p", total, cls="dim"), el("ol", *items, cls="found")) if found else el("p", nothing, cls="empty")
    return el("div", el("h1", view.t("Search code")), result, cls="narrow")
