"""Generate Python code and type stubs from ``protos/`` into the two ``_gen`` packages.

protoc writes imports that start at the proto root (``from referee.v1 import ...``), which would
collide with the Python package ``referee`` and put ``xisk`` at top level. So the code goes into
``<package>/_gen`` and each import from a proto root is rewritten to ``<package>._gen.<root>``.

Run it as ``make proto``; ``--check`` changes nothing and exits 1 when the committed code is stale.
"""

from __future__ import annotations

import argparse
import filecmp
import re
import shutil
import sys
import tempfile
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

REPO = Path(__file__).resolve().parent.parent
PROTOS = REPO / "protos"
TARGETS = {
    "referee._gen": REPO / "referee/_gen",
    "referee_client._gen": REPO / "clients/python/referee_client/_gen",
}
# The client package has no use for what only the server stores.
SERVER_ONLY = ("referee/store/",)


def proto_files(package: str) -> list[str]:
    """Protos that ``package`` needs, as paths relative to the proto root."""
    found = sorted(p.relative_to(PROTOS).as_posix() for p in PROTOS.rglob("*.proto"))
    if package.startswith("referee_client"):
        found = [name for name in found if not name.startswith(SERVER_ONLY)]
    return found


def run_protoc(package: str, out: Path) -> None:
    """Generate into ``out`` and rewrite the imports."""
    include = Path(grpc_tools.__file__).parent / "_proto"
    bin_dir = Path(sys.executable).parent
    args = [
        "protoc",
        f"-I{PROTOS}",
        f"-I{include}",
        f"--plugin=protoc-gen-mypy={bin_dir / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={bin_dir / 'protoc-gen-mypy_grpc'}",
        f"--python_out={out}",
        f"--grpc_python_out={out}",
        f"--mypy_out=quiet:{out}",
        f"--mypy_grpc_out=quiet,only_async:{out}",
        *proto_files(package),
    ]
    if protoc.main(args) != 0:
        sys.exit("protoc failed; its message is above")
    drop_empty_services(out)
    rewrite_imports(package, out)


def drop_empty_services(out: Path) -> None:
    """Remove the service modules that protoc writes for protos without a service."""
    for file in out.rglob("*_pb2_grpc.py"):
        if "Stub" not in file.read_text():
            file.unlink()
            file.with_suffix(".pyi").unlink()


def rewrite_imports(package: str, out: Path) -> None:
    """Point imports from a proto root at ``package`` and make every folder a package."""
    roots = "|".join(sorted(p.name for p in PROTOS.iterdir() if p.is_dir()))
    from_import = re.compile(rf"^(\s*)from ({roots})(\.| import )", re.MULTILINE)
    for file in [*out.rglob("*.py"), *out.rglob("*.pyi")]:
        text = file.read_text()
        text = from_import.sub(rf"\1from {package}.\2\3", text)
        file.write_text(text)
    for folder in [out, *(p for p in out.rglob("*") if p.is_dir())]:
        (folder / "__init__.py").write_text("")


def same_tree(left: Path, right: Path) -> bool:
    """True when both folders hold the same files with the same bytes, caches aside."""

    def files(root: Path) -> set[str]:
        return {
            p.relative_to(root).as_posix()
            for p in root.rglob("*.py*")
            if "__pycache__" not in p.parts
        }

    names = files(left)
    return names == files(right) and not any(
        filecmp.cmpfiles(left, right, names, shallow=False)[1:]
    )


def main() -> int:
    """Generate, or with ``--check`` compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when stale")
    check: bool = parser.parse_args().check
    stale = []
    for package, target in TARGETS.items():
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            run_protoc(package, out)
            if check and not (target.exists() and same_tree(out, target)):
                stale.append(target.relative_to(REPO).as_posix())
            elif not check:
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(out, target)
    if stale:
        print(
            f"stale: {', '.join(stale)}. Run `make proto` and commit the result.", file=sys.stderr
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
