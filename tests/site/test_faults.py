"""What ends a command or a thread is logged, redacted and reported as every other fault is, before the process ends."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import psycopg
import pytest

from tests.processes import ROOT, fresh_database, run_manage
from tests.site.test_observing import Service, envelope_items

# PostgreSQL repeats the values of a row that it does not take, in a line of its own.
REFUSING = b"""
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'not that row' USING ERRCODE = 'check_violation', DETAIL = 'Failing row contains (7, mallory, x).';
END $$;
CREATE TRIGGER refuse BEFORE DELETE ON games_attemptclient FOR EACH STATEMENT EXECUTE FUNCTION refuse()
"""
THREAD = """
import sys
sys.argv[1:] = ["shell", "-c", "import threading\\n"
    "def work(): raise ValueError('Key (name)=(mallory) is there')\\n"
    "thread = threading.Thread(target=work, name='rebuild-board-1'); thread.start(); thread.join()"]
import manage
sys.exit(manage.run(sys.argv[1:]))
"""


@pytest.fixture
def reports() -> Iterator[list[bytes]]:
    """What the service that TRIPEAKS_SENTRY_DSN names has taken."""
    Service.taken = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service) as service:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        os.environ["TRIPEAKS_SENTRY_DSN"] = f"http://{'a' * 32}@127.0.0.1:{service.server_port}/1"
        yield Service.taken
        del os.environ["TRIPEAKS_SENTRY_DSN"]
        Service.taken = []
        service.shutdown()


@pytest.fixture
def refusing() -> Iterator[str]:
    """The URL of a database in which `maintenance` breaks at the purge of evidence."""
    with fresh_database() as url:
        with psycopg.connect(url) as connection:
            connection.execute(REFUSING)
        yield url


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_command_that_breaks_is_told_in_the_form_of_the_log_and_reported(
    form: str, refusing: str, reports: list[bytes]
) -> None:
    env = {"DATABASE_URL": refusing, "TRIPEAKS_LOG_FORMAT": form, "TRIPEAKS_LOG_LEVEL": "CRITICAL"}
    done = run_manage("maintenance", env=env, check=False)
    assert done.returncode == 1
    assert "mallory" not in done.stdout + done.stderr
    if form == "json":
        [line] = [json.loads(line) for line in done.stderr.splitlines()]
        assert (line["level"], line["message"]) == ("CRITICAL", "manage.py maintenance was ended by an error.")
        trace = line["exception"]
    else:
        assert " CRITICAL root: manage.py maintenance was ended by an error.\nTraceback" in done.stderr
        trace = done.stderr
    assert "CheckViolation" in trace
    assert "in handle" in trace
    [event] = [item for report in reports for item in envelope_items(report.decode())]
    assert event["exception"]["values"][-1]["type"] == "IntegrityError"
    assert "mallory" not in json.dumps(event)


def test_a_thread_that_breaks_is_told_and_reported_and_the_process_goes_on(reports: list[bytes]) -> None:
    env = {**os.environ, "TRIPEAKS_LOG_FORMAT": "json"}
    command = [sys.executable, "-c", THREAD]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    [line] = [json.loads(line) for line in done.stderr.splitlines()]
    assert line["message"] == "The thread rebuild-board-1 was ended by an error."
    assert "ValueError" in line["exception"]
    [event] = [item for report in reports for item in envelope_items(report.decode())]
    assert event["exception"]["values"][-1]["type"] == "ValueError"
    assert "mallory" not in done.stderr + json.dumps(event)


def test_what_a_command_says_to_its_caller_is_no_fault(reports: list[bytes]) -> None:
    refused = run_manage("verify", "--jobs", "0", check=False)
    assert (refused.returncode, refused.stderr) == (1, "CommandError: --jobs must be at least 1.\n")
    traced = run_manage("verify", "--jobs", "0", "--traceback", check=False)
    assert traced.returncode == 1
    assert traced.stderr.startswith("Traceback")
    interrupted = run_manage("shell", "-c", "raise KeyboardInterrupt", check=False)
    assert interrupted.returncode in {-2, 130}
    assert interrupted.stderr.startswith("Traceback")
    wrong = run_manage("maintenance", env={"TRIPEAKS_WORKER_THREADS": "many"}, check=False)
    assert wrong.returncode == 1
    assert wrong.stderr.endswith("TRIPEAKS_WORKER_THREADS must be a whole number from 1 to 16, not 'many'.\n")
    assert reports == []
