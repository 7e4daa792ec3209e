"""Runs in the environment of `packages.lock`: learns from pages with `autoscraper`, and reads others.

Standard input is JSON: ``learned``: pages with the values wanted of each field; ``read``: pages; ``similar``: all
values that look like those wanted, else those at the same place. Standard output is JSON: what was found on each page.
"""

from __future__ import annotations

import json
import sys

from autoscraper import AutoScraper


def main() -> None:
    asked = json.load(sys.stdin)
    scraper = AutoScraper()
    for page in asked["learned"]:
        scraper.build(html=page["html"], wanted_dict=page["wanted"], update=True)
    print(json.dumps([found_on(scraper, html, similar=asked["similar"]) for html in asked["read"]]))


def found_on(scraper: AutoScraper, html: str, *, similar: bool) -> dict[str, list[str]]:
    if similar:
        return scraper.get_result_similar(html=html, group_by_alias=True, unique=False) or {}
    return scraper.get_result_exact(html=html, group_by_alias=True) or {}


if __name__ == "__main__":
    main()
