#!/bin/sh
# A virtual environment with what is locked: the product without its extras, the product with all of them, or all that its
# tests and checks need as well. One that has more than is asked for keeps it, and is brought up to date as a whole.
# Nothing outside the checkout is touched.
#
#   sh scripts/setup.sh [base | product | development]
set -eu
cd "$(dirname "$0")/.."

asked=${1:-development}
case "$asked" in
    base | product | development) ;;
    *) echo "setup.sh [base | product | development]" >&2 && exit 2 ;;
esac
if [ "$asked" = development ] || [ -e .venv/ready ]; then
    lock=requirements-dev.lock marks="base product ready"
elif [ "$asked" = product ] || [ -e .venv/product ]; then
    lock=requirements.lock marks="base product"
else
    lock=requirements-base.lock marks=base
fi

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

# Of what pip tells, the files of a megabyte and more as they come, and what is done with all of them then.
shown() {
    while read -r first second third fourth fifth _; do
        case "$first $second $fourth $fifth" in
            "Downloading "*" MB) ") came "$second" "$third" ;;
            "Using cached "*" MB)") came "$third" "$fourth" ;;
            "Installing collected "*) echo "  unpacking all of them ..." ;;
        esac
    done
}

came() {
    file=${1##*/}
    version=${file#*-}
    echo "  ${file%%-*} ${version%%-*}, ${2#(} MB"
}

# What installs and builds lies in an environment of its own, which is used once and removed.
tools=.venv/tools
trap 'rm -rf "$tools"' EXIT

pip() {
    "$tools/bin/python" -u -m pip --disable-pip-version-check "$@"
}

# What fails says so on standard error and leaves no mark.
install() {
    rm -f .venv/installed
    { pip --python .venv/bin/python install --progress-bar off --no-compile "$@" && touch .venv/installed; } | shown
    [ -e .venv/installed ] && rm .venv/installed
}

works() {
    .venv/bin/python -c 'import os, sys, sysconfig; sys.exit(not os.path.isdir(sysconfig.get_path("purelib")))'
}

no_environments() {
    echo "This Python cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv." >&2
    exit 1
}

echo "1/3 A virtual environment in .venv, by $("$python" --version)"
# One that works is brought up to date and never cleared: somebody may be running from it.
works 2>/dev/null || "$python" -m venv --clear --without-pip .venv || no_environments
.venv/bin/python -m venv --clear "$tools" || no_environments
echo "2/3 $(grep -c '^[a-z].*==' "$lock") locked packages ($lock); the first time they are downloaded, which takes minutes"
install --require-hashes -r "$lock"
echo "3/3 Exhibit itself, from this checkout"
pip install --quiet --require-hashes -r requirements-build.lock
(
    PYTHONPATH=$(cd "$tools"/lib/python*/site-packages && pwd)
    export PYTHONPATH
    pip --python .venv/bin/python install --quiet --no-compile --no-build-isolation --no-deps -e .
)
if [ "$lock" != requirements-dev.lock ]; then
    # An environment of an earlier version has them, and nothing uses them.
    for unused in pip setuptools; do
        ! .venv/bin/python -I -c "import $unused" 2>/dev/null ||
            pip --python .venv/bin/python uninstall --quiet --yes "$unused"
    done
fi
rm -rf "$tools"
if [ "$lock" = requirements-dev.lock ]; then
    # Tests start hundreds of processes. The product alone is compiled as it is used, which takes 80 MB less.
    .venv/bin/python -m compileall -q -j 0 .venv/lib >/dev/null || true
fi
for mark in $marks; do
    touch ".venv/$mark"
done
echo "Ready: .venv/bin/exhibit --help ($(du -sm .venv | cut -f1) MB in .venv)"
