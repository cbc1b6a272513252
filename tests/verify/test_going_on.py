"""`manage.py verify` goes on where a run was stopped, and believes only what that run has really looked at."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from games.management import work
from games.management.work import kept_results, release_digest
from games.models import Attempt, Move
from leaderboards.management.commands.verify import results_of
from leaderboards.models import ScoreBucket
from tests.moderation.playing import WON, play, somebody
from tests.processes import database_url, run_manage
from tests.verify.test_verify import history, verified

LIE = ("attempt x", "score", "as an earlier run found")


class Stopping(io.StringIO):
    """Ctrl-C when the rows are done and the dailies are told."""

    def write(self, text: str) -> int:
        if " dailies" in text:
            raise KeyboardInterrupt
        return super().write(text)


def stopped(progress: Path) -> None:
    with pytest.raises(SystemExit) as end:
        call_command("verify", f"--progress={progress}", stdout=Stopping(), stderr=io.StringIO())
    assert end.value.code == 130


def next_id(number: int) -> None:
    """The id of the next attempt. (A rollback takes no number of a sequence back.)"""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('games_attempt_id_seq', %s, false)", (number,))


def first_history() -> None:
    """Six attempts, of the first ids."""
    next_id(1)
    history()


def play_at(number: int) -> Attempt:
    """One more attempt, with this id."""
    next_id(number)
    attempt = play(somebody(f"at {number}"), WON[:5])
    assert attempt.pk == number
    return attempt


@pytest.mark.django_db(transaction=True)
def test_a_run_that_was_stopped_goes_on_in_several_processes(tmp_path: Path) -> None:
    first_history()
    play_at(60_001)
    progress = tmp_path / "verify.jsonl"
    with kept_results(progress, results_of()) as kept:
        kept.keep("attempts 0-20000", [6, [LIE]])
    with progress.open("a") as file:
        file.write('["attempts 20000-40000", [0,')  # as a kill in the middle of a write would leave it
    environment = {"DATABASE_URL": database_url(str(connection.settings_dict["NAME"]))}
    done = run_manage("verify", "--jobs=2", f"--progress={progress}", env=environment, check=False)
    assert done.returncode == 1, done.stderr
    assert "7 attempts, 6 of them by an earlier run; " in done.stdout
    assert ": ".join(LIE) in done.stdout
    assert "\n1 difference." in done.stdout
    assert not progress.exists()
    assert (verified(tmp_path)[0], ScoreBucket.objects.exists(), Move.objects.exists()) == (0, True, True)


@pytest.mark.django_db
def test_only_parts_that_were_full_when_they_were_looked_at_are_believed(tmp_path: Path) -> None:
    progress = tmp_path / "verify.jsonl"
    first_history()
    play_at(30_000)
    stopped(progress)
    wrong = play_at(35_000)  # in the part that the stopped run has seen up to 30,000
    Attempt.objects.filter(pk=wrong.pk).update(score=1)
    play_at(60_001)
    code, said = verified(tmp_path)
    assert "9 attempts, 6 of them by an earlier run; " in said
    assert (code, f"attempt {wrong.public_id}: score: " in said) == (1, True), said


@pytest.mark.django_db
@pytest.mark.parametrize("other", ["release", "schema", "database"])
def test_results_of_another_release_or_database_are_dropped_with_a_word(tmp_path: Path, other: str) -> None:
    first_history()
    play_at(60_001)
    progress = tmp_path / "verify.jsonl"
    with kept_results(progress, {**results_of(), other: "another"}) as kept:
        kept.keep("attempts 0-20000", [6, [LIE]])
    code, said = verified(tmp_path)
    assert said.splitlines()[0] == f"What {progress} keeps is of another {other}: begun anew."
    assert (code, "earlier run" in said) == (0, False), said


@pytest.mark.django_db
def test_a_file_that_does_not_say_what_it_is_of_is_dropped(tmp_path: Path) -> None:
    first_history()
    play_at(60_001)
    (tmp_path / "verify.jsonl").write_text('["attempts 0", [6, []]]\n["attempts 0-20000", [6, []]]\n')
    code, said = verified(tmp_path)
    assert (code, "earlier run" in said, "begun anew" in said) == (0, False, True), said


@pytest.mark.django_db
def test_a_migration_more_is_another_schema() -> None:
    before = results_of()
    assert results_of() == before
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('games', '9999_more', now())")
    after = results_of()
    assert {name for name in before if before[name] != after[name]} == {"schema"}


def test_a_changed_source_is_another_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_ROOT", tmp_path)
    source = tmp_path / "games" / "engine" / "scoring.py"
    source.parent.mkdir(parents=True)
    source.write_text("RUN = 1\n")
    first = release_digest("games")
    (source.parent / "notes.txt").write_text("no source")
    assert release_digest("games") == first
    source.write_text("RUN = 2\n")
    changed = release_digest("games")
    source.rename(source.with_name("points.py"))
    assert len({first, changed, release_digest("games"), release_digest("leaderboards")}) == 4


def test_beginning_anew_leaves_nothing_to_a_later_run(tmp_path: Path) -> None:
    of: dict[str, Any] = {"release": "this"}
    for anew, found in ((False, {}), (True, {"a": 1}), (False, {})):
        with kept_results(tmp_path / "kept", of) as kept:
            assert (kept.results, kept.dropped) == (found, [])
            kept.keep("a", 1)
            if anew:
                kept.begin_anew()
