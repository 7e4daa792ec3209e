"""What browser-use observes on the pages of `make bench-observe`, in an interpreter that has it.

    python benchmarks/peer_browser_use.py BROWSER ROUNDS URL...

It is no dependency. Prints one JSON object per page: milliseconds (median), its text for a model, and for each element
its control (``data-truth``) and its name. Nothing of this project is imported here.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time

os.environ |= {
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_LOGGING_LEVEL": "result",
    "BROWSER_USE_CLOUD_SYNC": "false",
}

from browser_use import BrowserProfile, BrowserSession  # type: ignore[import-not-found]


async def main(browser: str, rounds: int, urls: list[str]) -> None:
    profile = BrowserProfile(
        executable_path=browser,
        headless=True,
        chromium_sandbox=os.geteuid() != 0,
        user_data_dir=None,
        enable_default_extensions=False,
        viewport={"width": 1280, "height": 900},
        highlight_elements=False,
    )
    session = BrowserSession(browser_profile=profile)
    await session.start()
    try:
        for url in urls:
            print(json.dumps(await page(session, rounds, url)), flush=True)
    finally:
        await session.kill()


async def page(session: BrowserSession, rounds: int, url: str) -> dict[str, object]:
    await session.navigate_to(url)
    state = await session.get_browser_state_summary(include_screenshot=False)
    spent_ms: list[float] = []
    text = ""
    for _ in range(rounds):
        began_s = time.perf_counter()
        state = await session.get_browser_state_summary(include_screenshot=False)
        text = state.dom_state.llm_representation()
        spent_ms.append((time.perf_counter() - began_s) * 1000)
    nodes = [
        [node.attributes.get("data-truth"), node.tag_name, "disabled" in node.attributes]
        for node in state.dom_state.selector_map.values()
    ]
    return {"ms": statistics.median(spent_ms), "text": text, "nodes": nodes}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
