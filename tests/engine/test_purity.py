"""The engine and the solver import without Django, and use no clock, random source, I/O or logging."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__")
    for package in ("engine", "solver")
    for path in (ROOT / "games" / package).rglob("*.py")
)
IMPURE = {"random", "secrets", "time", "datetime", "logging", "os", "io", "pathlib", "socket", "threading", "asyncio"}


def test_everything_imports_with_django_blocked() -> None:
    program = (
        "import sys; sys.modules['django'] = None\n"
        "import importlib\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "foreign = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(sorted(foreign - {'games', 'django', '__main__', 'numpy', 'numba'}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + program, *MODULES],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_the_block_would_be_noticed() -> None:
    """Control: an import of Django under the same block fails."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['django'] = None; import django.db"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ModuleNotFoundError" in done.stderr


def _imports(source: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_engine_imports_nothing_impure() -> None:
    for path in (ROOT / "games" / "engine").rglob("*.py"):
        imports = _imports(path.read_text())
        assert not imports & IMPURE, path
        assert imports <= set(sys.stdlib_module_names) | {"games", "__future__"}, path
    assert _imports("import os.path\nfrom random import choice") & IMPURE == {"os", "random"}  # control


def test_games_package_is_empty() -> None:
    assert (ROOT / "games" / "__init__.py").read_text() == ""
