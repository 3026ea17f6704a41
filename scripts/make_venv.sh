#!/bin/sh
# Makes a virtual environment with the first Python on PATH that is new enough, or with $PYTHON.
# Usage: scripts/make_venv.sh FOLDER
set -eu

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

if [ -n "${PYTHON:-}" ]; then
    if ! new_enough "$PYTHON"; then
        echo "PYTHON=$PYTHON is not a Python of version 3.11 or newer. Name another one, or none." >&2
        exit 1
    fi
else
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if new_enough "$candidate"; then
            PYTHON=$candidate
            break
        fi
    done
fi
if [ -z "${PYTHON:-}" ]; then
    echo "The referee needs Python 3.11 or newer, and none is on PATH." >&2
    echo "Install one, or name it: make PYTHON=/path/to/python3.12 ..." >&2
    exit 1
fi
if ! "$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    echo "$PYTHON can't make virtual environments: it lacks venv or ensurepip." >&2
    echo "On Debian and Ubuntu: apt install python3-venv" >&2
    exit 1
fi
exec "$PYTHON" -m venv "$1"
