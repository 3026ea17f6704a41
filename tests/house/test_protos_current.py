"""The generated code in the repository is what the protos give."""

from __future__ import annotations

import subprocess
import sys

from tests.house.source import REPO


def test_generating_again_changes_nothing():
    command = [sys.executable, str(REPO / "scripts/generate_protos.py"), "--check"]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
