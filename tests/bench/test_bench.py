"""The bench runs from end to end; what it prints is for people to judge, not for a test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]


def test_a_short_run_measures_every_load_and_writes_its_figures(tmp_path):
    figures = tmp_path / "figures.json"
    command = [sys.executable, "bench/run.py", "--seconds", "0.5", "--playouts", "1"]
    command += ["--matches", "200", "--json", str(figures)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    assert "SubmitAction" in done.stdout
    assert {"xisk", "yoxii"} == set(json.loads(figures.read_text())["engines"])
