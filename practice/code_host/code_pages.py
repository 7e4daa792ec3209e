"""Shared parts of the code host's pages, its start page and the front page of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from practice.code_host import words
from practice.code_host.model import Commit, Repository, World
from practice.code_host.view import View, chooser, day, person, tabs
from practice.markup import Markup, el, join


@dataclass(frozen=True)
class RepositoryContext:
    """A repository and the view of the visitor."""

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
    """Return links to commits that were not requested, as distractors."""
    latest = [(repository, repository.commits[3]) for repository in world.repositories]
    links = [
        el("a", f"{repository.name} {commit.sha[:7]}", href=f"/{words.ORG}/{repository.name}/commit/{commit.sha}")
        for repository, commit in latest
    ]
    return el("footer", el("span", "Latest releases"), *links, el("a", "Status", href="/status"), cls="foot")


def head(context: RepositoryContext, current: str) -> Markup:
    items = [
        ("Code", context.url),
        ("Commits", f"{context.url}/commits/main"),
        ("Pull requests", f"{context.url}/pulls"),
    ]
    path = el(
        "p",
        el("a", words.ORG, href="/"),
        el("span", "/", cls="slash", aria_hidden="true"),
        el("a", context.repository.name, href=context.url, cls="strong"),
        cls="path",
    )
    return el("div", path, tabs(context.view, "Repository", items, current), cls="repo-head")


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


def home(context: RepositoryContext) -> Markup:
    newest = context.repository.commits[0]
    strip = el(
        "div",
        person(newest.author),
        el("a", newest.title, href=context.commit_url(newest), cls="grow"),
        context.sha_link(newest),
        el("span", day(newest.committed_at), cls="dim"),
        cls="strip",
    )
    about = el("section", el("h2", "About"), el("p", context.repository.about), cls="about")
    body = el("div", el("div", _branches(context, ""), strip, _tree(context), cls="box"), about, cls="with-side")
    return join(head(context, "Code"), el("h1", context.repository.name, cls="hidden"), body)


def _branches(context: RepositoryContext, suffix: str) -> Markup:
    options = [("main", f"{context.url}{suffix}"), ("release-2.x", f"{context.url}/tree/release-2.x")]
    return el("div", chooser(context.view, "Branch", options, "main"), cls="tools")


def _tree(context: RepositoryContext) -> Markup:
    """Return folders and files, each file with the commit that changed it last."""
    rows: list[Markup] = []
    for folder, paths in groupby(sorted(context.repository.files), key=lambda path: path.rpartition("/")[0]):
        rows.append(el("tr", el("th", folder, colspan=3, scope="rowgroup"), cls="folder"))
        rows += [_file_row(context, path) for path in paths]
    heads = [el("th", context.view.t(name), scope="col") for name in context.view.drift.ordered(_TREE_COLUMNS)]
    return el("table", el("thead", el("tr", *heads), cls="hidden"), el("tbody", *rows), cls="tree")


_TREE_COLUMNS = ("File", "Last commit", "Last modified")


def _file_row(context: RepositoryContext, path: str) -> Markup:
    last = context.repository.commit_at(max(line.commit for line in context.repository.files[path]))
    cells = [
        el("td", el("a", path.rpartition("/")[2], href=f"{context.url}/blob/main/{path}")),
        el("td", el("a", last.title, href=context.commit_url(last), cls="dim")),
        el("td", day(last.committed_at), cls="dim"),
    ]
    return el("tr", *context.view.drift.ordered(cells))
