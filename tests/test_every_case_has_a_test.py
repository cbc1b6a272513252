"""Each real fault of the cases stands in a named test."""

from __future__ import annotations

import re
from pathlib import Path

DUE = range(1, 29)


def named_cases(root: Path) -> set[int]:
    """The numbers in test names such as `test_C07_…`."""
    pattern = re.compile(r"def test_[Cc](\d\d)_")
    return {int(found) for path in root.rglob("test_*.py") for found in pattern.findall(path.read_text())}


def test_every_case_that_is_due_has_a_test_of_its_name() -> None:
    assert sorted(set(DUE) - named_cases(Path(__file__).parent)) == []


def test_the_search_itself_misses_nothing_and_invents_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("def test_C07_draws() -> None: ...\nasync def test_c12_ties(): ...\n# C99\n")
    assert named_cases(tmp_path) == {7, 12}
