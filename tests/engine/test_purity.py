"""The engine and the solver import without Django, and use no clock, random source, I/O or logging."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _modules(package: str) -> list[str]:
    paths = (ROOT / "games" / package).rglob("*.py")
    return sorted(str(path.relative_to(ROOT).with_suffix("")).replace("/", ".") for path in paths)


IMPURE = {"random", "secrets", "time", "datetime", "logging", "os", "io", "pathlib", "socket", "threading", "asyncio"}


def _imported(modules: list[str], *options: str) -> set[str]:
    """The foreign packages that come along when these modules are imported with Django blocked."""
    program = (
        "import sys; sys.modules['django'] = None\n"
        "import importlib\n"
        "for name in sys.argv[1:]: importlib.import_module(name.removesuffix('.__init__'))\n"
        "foreign = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(*(foreign - {'games', 'django', '__main__'}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", *options, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + program, *modules],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_the_engine_imports_without_any_package_installed() -> None:
    assert _imported(_modules("engine"), "-S") == set()


def test_the_solver_imports_with_django_blocked() -> None:
    """numba brings packages of its own along; none of the web's are among them."""
    brought = _imported(_modules("solver"))
    assert "numpy" in brought
    assert not brought & {"rest_framework", "channels", "redis", "psycopg", "asgiref", "leaderboards", "tripeaks_site"}


def test_importing_the_package_alone_costs_nothing() -> None:
    assert _imported(["games.solver", "games.solver.answers", "games.solver.reference"], "-S") == set()


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
