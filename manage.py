#!/usr/bin/env python3
"""The one entry: `python3 manage.py up` runs the server, `python3 manage.py test` runs every check.

Needs Python 3.11 and nothing else: where the packages are missing, or are not those of the requirements file, it makes
`.venv` beside this file and goes on in there. In an environment that has exactly the pinned packages it just goes on.
Up to the call of `run` this is standard library only, in a syntax that an old Python can still read.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STAMP = VENV / "tripeaks.json"  # what is installed: {"python": [3, 11], "requirements": {file name: sha256}}
UNFINISHED = VENV / "tripeaks.unfinished"  # there while something is being installed; left by a run that was killed
MINIMUM = (3, 11)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def digest(requirements: Path) -> str:
    return hashlib.sha256(requirements.read_bytes()).hexdigest()


def pins(requirements: Path) -> dict[str, str]:
    """Name -> version of the pinned packages, those for some systems only left out."""
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+) *\\?$", requirements.read_text(), re.MULTILINE))


def has_packages(requirements: Path) -> bool:
    """Whether this interpreter has exactly the pinned versions."""
    for name, version in pins(requirements).items():
        try:
            if importlib.metadata.version(name) != version:
                return False
        except importlib.metadata.PackageNotFoundError:
            return False
    return True


def read_stamp() -> dict[str, str]:
    """File name -> sha256 of the requirements that `.venv` was made from; empty when it must be made (again)."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        stamp = json.loads(STAMP.read_text())
        if VENV_PYTHON.exists() and not UNFINISHED.exists():
            return dict(stamp["requirements"])
    return {}


def stamp_python() -> list[int] | None:
    """Major and minor version of the Python that `.venv` was made with; None when it is not known."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return list(json.loads(STAMP.read_text())["python"])
    return None


def is_installed(requirements: Path) -> bool:
    """Whether `.venv` has these packages; requirements-dev.txt includes requirements.txt."""
    stamp = read_stamp()
    files = {requirements, ROOT / "requirements-dev.txt"}
    return any(stamp.get(file.name) == digest(file) for file in files)


def inside_venv() -> bool:
    return Path(sys.prefix).resolve() == VENV.resolve()


def needed_requirements(arguments: list[str]) -> Path:
    """The requirements file that a command needs."""
    command = arguments[0] if arguments else ""
    if command == "test":
        return ROOT / "requirements-dev.txt"
    own_servers = bool(os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"))
    if has_packages(ROOT / "requirements-production.txt") and (own_servers or command != "up"):
        return ROOT / "requirements-production.txt"  # an image without the embedded servers
    return ROOT / "requirements.txt"


def ensure_packages(arguments: list[str]) -> None:
    """Return when this interpreter has the packages; else make `.venv` when needed and go on in it (exec)."""
    if inside_venv() and stamp_python() not in (None, list(sys.version_info[:2])):
        UNFINISHED.touch()  # the system's Python was upgraded under it: make it again, from outside
        base: str = getattr(sys, "_base_executable", sys.executable)
        os.execv(base, [base, str(Path(__file__).resolve()), *sys.argv[1:]])
    requirements = needed_requirements(arguments)
    if inside_venv():
        if is_installed(requirements) or (not UNFINISHED.exists() and has_packages(requirements)):
            return
    elif has_packages(requirements):
        return
    if not is_installed(requirements):
        make_venv(requirements)
    if not inside_venv():
        os.execv(VENV_PYTHON, [str(VENV_PYTHON), str(Path(__file__).resolve()), *sys.argv[1:]])
    importlib.invalidate_caches()


def make_venv(requirements: Path) -> None:
    """Make `.venv`, or bring it to the state of the requirements file. Two runs at once: the second waits."""
    try:
        import fcntl
    except ImportError:
        sys.exit("This system cannot run the server itself. On Windows use WSL 2.")
    try:
        VENV.mkdir(exist_ok=True)
        lock = (VENV / "tripeaks.lock").open("a")
    except OSError as error:
        sys.exit(
            f"The virtual environment {VENV} cannot be written ({error.strerror}).\nMake one somewhere else: "
            f"python3 -m venv DIR && DIR/bin/pip install -r {requirements}\nand run this with DIR/bin/python."
        )
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another run is installing the packages; waiting for it …")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if is_installed(requirements):
            return
        broken = UNFINISHED.exists() or not VENV_PYTHON.exists()
        if broken and not inside_venv():
            clear_venv(keep=Path(lock.name))
        UNFINISHED.touch()
        if not VENV_PYTHON.exists():
            create_venv()
        install(requirements)
        stamp = {"python": sys.version_info[:2], "requirements": {requirements.name: digest(requirements)}}
        STAMP.write_text(json.dumps(stamp))
        UNFINISHED.unlink()


def clear_venv(keep: Path) -> None:
    for path in VENV.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != keep.name:
            path.unlink()


def has_ensurepip() -> bool:
    """Debian's python3 without python3-venv has `venv`, but not what it puts pip in with."""
    return importlib.util.find_spec("venv") is not None and importlib.util.find_spec("ensurepip") is not None


def create_venv() -> None:
    say(f"Making a virtual environment in {VENV} (once) …")
    if not has_ensurepip() and importlib.util.find_spec("pip") is None:
        sys.exit(
            "This Python has neither venv with ensurepip nor pip. On Debian and Ubuntu: apt install python3-venv; "
            "on Fedora: dnf install python3-pip. Then run the same command again."
        )
    import venv

    try:
        venv.EnvBuilder(with_pip=has_ensurepip(), symlinks=True).create(VENV)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"The virtual environment cannot be made: {error}")


def install(requirements: Path) -> None:
    """Install the pinned, hashed packages with progress; compile them, also where bytecode is switched off."""
    total = len(re.findall(r"^[A-Za-z0-9._-]+==", requirements.read_text(), re.MULTILINE))
    say(f"Installing up to {total} packages from {requirements.name} (about a minute) …")
    in_venv = (VENV / "lib").is_dir() and any((VENV / "lib").glob("python*/site-packages/pip"))
    pip = [str(VENV_PYTHON), "-m", "pip"] if in_venv else [sys.executable, "-m", "pip", "--python", str(VENV_PYTHON)]
    command = [*pip, "install", "--require-hashes", "--no-compile", "--progress-bar", "off", "-r", str(requirements)]
    if in_venv and UNFINISHED.exists() and inside_venv():
        command.append("--force-reinstall")
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0"}
    lines: list[str] = []
    done = 0
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if line.startswith(("Collecting ", "Requirement already satisfied: ")):
                done += 1
                if done % 10 == 0:
                    say(f"  {done} of {total} fetched")
            elif line.startswith("Installing collected packages"):
                say("  putting them in place")
    if process.returncode != 0:
        sys.exit(
            "".join(lines[-25:]) + "\nThe packages cannot be installed; pip's words are above. It needs to reach a "
            "package index (or a mirror named in pip's configuration). Run the same command again to try once more."
        )
    say("  compiling")
    subprocess.run([str(VENV_PYTHON), "-m", "compileall", "-q", "-j", "0", str(VENV / "lib")], check=False)
    say("The packages are installed.")


def take_data_option(arguments: list[str]) -> list[str]:
    """`--data DIR`, understood by every command, becomes TRIPEAKS_DATA; the other arguments are returned."""
    rest: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument == "--data" or argument.startswith("--data="):
            value = argument[len("--data=") :] if "=" in argument else next(remaining, "")
            if not value:
                sys.exit("--data needs a directory.")
            os.environ["TRIPEAKS_DATA"] = str(Path(value).expanduser().absolute())
        else:
            rest.append(argument)
    return rest


def run(arguments: list[str]) -> int:
    """Run one command in an interpreter that has the packages."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tripeaks_site.settings")
    command = arguments[0] if arguments else "help"
    if command == "test":
        from tripeaks_site.quality import run_checks

        return run_checks(arguments[1:])
    arguments = take_data_option(arguments)
    from tripeaks_site.faults import tell_faults

    tell_faults(f"manage.py {command}")
    if command == "up":
        from tripeaks_site.up import main as up

        return up(arguments[1:])  # before Django: the settings need the servers that it starts
    gc.disable()  # a seventh of the start; on again when Django is set up (TripeaksSiteConfig.ready)
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(["manage.py", *arguments])
    except OperationalError:
        from django.conf import settings

        if settings.DATABASE_URL:
            raise
        say(
            f"No server is running over {settings.DATA_DIR}. Start one with `python3 manage.py up` (the same --data), "
            "or set DATABASE_URL to a PostgreSQL of your own."
        )
        return 1
    return 0


def main() -> int:
    if sys.version_info < MINIMUM:
        found = ".".join(str(part) for part in sys.version_info[:3])
        sys.exit(f"Python 3.11 or newer is needed; this is {found}.")
    ensure_packages(sys.argv[1:])
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
