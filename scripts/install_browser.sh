#!/bin/sh
# A browser for a machine that has none: Playwright's own headless shell where it can be downloaded,
# else Debian's when we may install it, else a word on what to do.
set -u
cd "$(dirname "$0")/.."

echo "No browser found; downloading Playwright's headless shell ..."
if .venv/bin/python -m playwright install chromium-headless-shell >.venv/browser.log 2>&1 &&
    .venv/bin/python scripts/find_browser.py --quiet; then
    exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "That is not to be had here; installing Debian's chromium-headless-shell ..."
    # With the library that Playwright's node needs, and small systems lack.
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        chromium-headless-shell libatomic1; } >>.venv/browser.log 2>&1
    .venv/bin/python scripts/find_browser.py --quiet && exit 0
fi

cat >&2 <<'TEXT'
Exhibit found no browser and could not install one (details: .venv/browser.log). Do one of:
  .venv/bin/python -m playwright install --with-deps chromium-headless-shell
  apt-get install chromium-headless-shell libatomic1        (Debian, as root)
  export EXHIBIT_CHROMIUM=/path/to/chrome        (any Chromium 120 or newer)
TEXT
exit 1
