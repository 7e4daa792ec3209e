#!/bin/sh
# A virtual environment with exactly the locked dependencies. Nothing outside the checkout is touched.
set -eu
cd "$(dirname "$0")/.."

python=
for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null 2>&1 &&
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "Exhibit needs Python 3.11 or newer; set PYTHON to one, for instance PYTHON=/opt/python3.12/bin/python3." >&2
    exit 1
fi

echo "Setting up .venv with $("$python" --version); the first time this takes a few minutes ..."
# One that works is brought up to date and never cleared: somebody may be running from it.
if ! .venv/bin/python -m pip --version >/dev/null 2>&1 && ! "$python" -m venv --clear .venv; then
    echo "This Python cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv." >&2
    exit 1
fi
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
touch .venv/ready
echo "Ready: .venv/bin/exhibit --help"
