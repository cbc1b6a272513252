"""`manage.py test`: every check. pytest runs beside the others, but speaks last, so that its summary closes the output."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What the page's scripts are held to; on the command line, since tsconfig.json would be one more file.
_TSC_OPTIONS = (
    *("--noEmit", "--allowJs", "--checkJs", "--strict", "--skipLibCheck"),
    *("--target", "es2022", "--module", "es2022", "--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable"),
)


def merge_static(into: Path, root: Path = ROOT) -> list[str]:
    """Lay the apps' static files out as browsers see them, below one root, so that imports between apps resolve.

    Returns the ES modules and their type declarations, relative to `into`.
    """
    for app in ("games", "leaderboards"):
        if (root / app / "static").exists():
            shutil.copytree(root / app / "static", into, dirs_exist_ok=True)
    scripts = (path for path in into.rglob("*") if path.name.endswith((".js", ".d.ts")))
    return sorted(str(path.relative_to(into)) for path in scripts)


def find_tsc(root: Path = ROOT) -> list[str] | None:
    """The TypeScript compiler: in node_modules, or installed for the whole system; None without Node."""
    node = shutil.which("node")
    local = root / "node_modules" / "typescript" / "bin" / "tsc"
    if node and local.exists():
        return [node, str(local)]
    installed = shutil.which("tsc")
    return [installed] if installed and node else None


def _program(name: str) -> list[str]:
    beside = Path(sys.executable).with_name(name)
    return [str(beside) if beside.exists() else name]


def _static_checks(merged: Path) -> list[tuple[str, list[str] | None, Path]]:
    """(name, command, directory) in the order they run; no command where the program is missing."""
    checks: list[tuple[str, list[str] | None, Path]] = [
        ("ruff check", [*_program("ruff"), "check", "."], ROOT),
        ("ruff format", [*_program("ruff"), "format", "--check", "."], ROOT),
        ("mypy", [*_program("mypy")], ROOT),
        ("lint-imports", [*_program("lint-imports")], ROOT),
    ]
    scripts = merge_static(merged)
    if scripts:
        tsc = find_tsc()
        checks.append(("tsc (page scripts)", [*tsc, *_TSC_OPTIONS, *scripts] if tsc else None, merged))
    return checks


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _environment() -> dict[str, str]:
    settings = {"DJANGO_SETTINGS_MODULE": "tripeaks_site.settings"}
    return {"PYTEST_XDIST_AUTO_NUM_WORKERS": "4", **os.environ, **settings}


def run_checks(arguments: list[str]) -> int:
    """Run all checks, or, given arguments, pytest alone with them. The exit code: 0 only when everything passed."""
    pytest = [sys.executable, "-m", "pytest"]
    if arguments:
        return subprocess.run([*pytest, *arguments], cwd=ROOT, env=_environment(), check=False).returncode
    # Most tests wait for servers, browsers and clocks (with two at a time two cores stood idle for half of the run): four
    # at a time, a file's own tests in one process and in order.
    pytest += ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
    pytest += ["--color=yes"] if sys.stdout.isatty() else []
    with subprocess.Popen(
        pytest, cwd=ROOT, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as tests:
        # They run already, but are not heard before the other checks have spoken: the pipe holds what they say.
        failed = _failed_checks()
        if failed:
            _say(f"\nFAILED before the tests: {', '.join(failed)}. The tests follow.")
        assert tests.stdout is not None
        while told := os.read(tests.stdout.fileno(), 65536):
            sys.stdout.buffer.write(told)
            sys.stdout.flush()
    return tests.returncode or (1 if failed else 0)


def _failed_checks() -> list[str]:
    """Run the static checks; the names of those that failed."""
    failed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tripeaks-static-") as merged:
        for name, command, place in _static_checks(Path(merged)):
            started = time.monotonic()
            if command is None:
                # Where CI says that everything must run, a missing tool is a failure.
                must = os.environ.get("CI", "").lower() == "true"
                _say(f"{'FAILED' if must else 'SKIPPED'}  {name}: Node and TypeScript are not installed")
                failed += [name] if must else []
                continue
            passed = subprocess.run(command, cwd=place, env=_environment(), check=False).returncode == 0
            took = time.monotonic() - started
            _say(f"{'passed' if passed else 'FAILED'}  {name} ({took:.1f} s)")
            failed += [] if passed else [name]
    return failed
