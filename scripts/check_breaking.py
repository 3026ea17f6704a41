"""Compare ``protos/`` with an earlier commit; fail where old clients or stored values would break.

While ``protos/`` has changes that are not committed, the earlier commit is HEAD; otherwise it is
the one before HEAD. Where there is nothing to compare with (the first commit, a shallow clone, no
git), the reason is printed and the check passes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent


def git(*words: str) -> tuple[bool, str]:
    """Run git in the repository: whether it succeeded, and what it said."""
    done = subprocess.run(["git", *words], cwd=REPO, capture_output=True, text=True, check=False)  # noqa: S607 - whichever git is on PATH
    return done.returncode == 0, done.stdout.strip()


def earlier_commit() -> tuple[str, str]:
    """The commit to compare with, or an empty one and the reason why there is none."""
    if shutil.which("git") is None:
        return "", "git is not installed"
    if not (REPO / ".git").is_dir():
        return "", "this is not a git clone of its own"
    changed, status = git("status", "--porcelain", "--", "protos")
    base = "HEAD" if changed and status else "HEAD~1"
    found, commit = git("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}")
    if not found:
        return "", f"{base} is not here: the first commit, or a shallow clone"
    if not git("cat-file", "-e", f"{commit}:protos/buf.yaml")[0]:
        return "", f"{base} has no protos"
    return commit, base


def main() -> int:
    """Compare; the exit code is that of ``buf breaking``."""
    commit, note = earlier_commit()
    if not commit:
        print(f"protos are not compared with an earlier commit: {note}")
        return 0
    buf = Path(sys.executable).parent / "buf"
    against = f".git#ref={commit},subdir=protos"
    done = subprocess.run([buf, "breaking", "protos", "--against", against], cwd=REPO, check=False)
    if done.returncode == 0:
        print(f"protos break nothing since {note} ({commit[:10]})")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
