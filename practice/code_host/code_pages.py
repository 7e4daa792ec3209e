"""What the code host's pages have in common, its start and the front of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from practice.code_host import words
from practice.code_host.model import Commit, Repository, World
from practice.code_host.view import View, chooser, day, person, tabs
from practice.markup import Markup, el, join


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
