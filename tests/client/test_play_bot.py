"""`manage.py play_bot` as a process of its own, against a real server."""

from __future__ import annotations

import json
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from games.client import Client
from games.management.commands.play_bot import news_line
from tests.processes import ROOT, ServerProcess, run_manage

CODE = "TP1-E-AAAAAAB"


class Bot:
    """The command with a data directory of its own."""

    def __init__(self, site: ServerProcess, data: Path) -> None:
        self.site, self.data = site, data
        self.file = data / "bot.json"

    def __call__(self, *arguments: str, url: str = "") -> subprocess.CompletedProcess[str]:
        environment = {"TRIPEAKS_DATA": str(self.data), "DATABASE_URL": "", "REDIS_URL": ""}  # it needs no database
        done = run_manage("play_bot", *arguments, "--url", url or self.site.url, env=environment, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return done


@pytest.fixture
def bot(site: ServerProcess, tmp_path: Path) -> Bot:
    return Bot(site, tmp_path / "data")


def test_the_daily_is_played_and_the_place_shown(site: ServerProcess, bot: Bot) -> None:
    done = bot("--daily")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"peakbot-\w{6} starts: daily-[\d-]+, Easy, attempt \w{16}, over a socket\.", lines[0])
    assert re.match(r" {3}1  (d|t\d+) ", lines[1])
    assert re.match(r"(Won|No moves left, \d+ cards? left): score \d+, \d+ moves, \d of 3 peaks, ", lines[-2])
    assert re.match(r"Place \d+ on the bots board: http", lines[-1])
    with Client(site.url) as anybody:
        daily = anybody.daily()
        [row] = [row for row in anybody.board(daily["board"], "bots")["rows"] if row["player"]["name"] in lines[0]]
        assert anybody.board(daily["board"], "people")["rows"] == []  # case C14
    assert f"score {row['score']}, {row['moves']} moves" in lines[-2]

    again = bot("--daily")
    assert again.returncode == 0
    assert again.stdout.splitlines()[0].endswith("has already played " + daily["board"] + ".")
    assert again.stdout.splitlines()[1:] == lines[-2:]


def test_the_token_is_kept_for_its_owner_only(bot: Bot) -> None:
    bot("--code", CODE)
    assert stat.S_IMODE(bot.file.stat().st_mode) == 0o600
    [kept] = json.loads(bot.file.read_text()).values()
    first = kept["bot"]
    assert first in bot("--number", "17").stdout
    assert kept["token"] not in bot("--code", CODE).stdout


def test_a_code_is_played_over_rest_and_its_replay_is_public(site: ServerProcess, bot: Bot) -> None:
    done = bot("--code", " tp1 e aaaaaab ", "--rest")
    assert done.returncode == 0, done.stderr
    assert f"{CODE}, Easy, attempt" in done.stdout
    assert ", over REST." in done.stdout
    attempt = done.stdout.strip().rsplit("/attempts/", 1)[1]
    with Client(site.url) as anybody:
        replay = anybody.replay(attempt)
        assert replay["player"]["kind"] == "bot"
        assert replay["deal"].split()[18:28] == "3S 5S KC 4S 2D AS KD 8H 7C 9S".split()  # R7.4
        result = replay["attempt"]["result"]
    assert f"score {result['score']}, {result['moves']} moves" in done.stdout
    assert "Place 1 on the bots board" in done.stdout or "Place 2" in done.stdout

    again = bot("--code", CODE)
    assert "has already played" in again.stdout
    other = bot("--code", CODE, "--again")
    assert "starts: " in other.stdout
    assert attempt not in other.stdout


def test_a_stopped_bot_goes_on_from_there(site: ServerProcess, bot: Bot) -> None:
    command = [sys.executable, "manage.py", "play_bot", "--number", "9", "--pace", "0.2", "--url", site.url]
    playing = subprocess.Popen(
        command,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "TRIPEAKS_DATA": str(bot.data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a run in a shell's background ignores it
    )
    assert playing.stdout is not None
    for _ in range(4):  # the heading and three moves
        playing.stdout.readline()
    playing.send_signal(signal.SIGINT)
    _, words = playing.communicate(timeout=20)
    assert playing.returncode == 130
    assert "Run the same command again to go on from here." in words
    assert "Traceback" not in words
    done = bot("--number", "9")
    assert re.search(r"goes on from ply ([3-9]|\d\d)\b", done.stdout), done.stdout


def test_without_an_address_the_running_server_of_the_data_directory_is_played_on(
    site: ServerProcess, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"address": site.url}))  # as `up` leaves it
    done = run_manage(
        "play_bot", "--number", "3", env={"TRIPEAKS_DATA": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
    )
    assert f"{site.url}/boards/TP1-G-AAAAAAD" in done.stdout
    assert re.search(r"^(The first bot ever to win this game!|The best result of a bot so far, .*)$", done.stdout, re.M)
    assert list(json.loads((tmp_path / "bot.json").read_text())) == ["up"]


@pytest.mark.parametrize(
    ("news", "words"),
    [
        (("first_win", 4, None), "The first bot ever to win this game!"),
        (("record_broken", 0, 1), "A new record of the bots, by 1 move!"),
        (("best_so_far", 2, None), "The best result of a bot so far, by 2 cards, although not won."),
        (("best_so_far", None, None), "The best result of a bot so far, although not won."),
        (("no_record", None, None), "No record."),
    ],
)
def test_the_news_of_a_record_are_one_sentence(news: tuple[str, int | None, int | None], words: str) -> None:
    kind, cards, moves = news
    assert news_line({"kind": kind, "fewer_cards": cards, "fewer_moves": moves}) == words


def test_no_server_is_one_clear_sentence(bot: Bot) -> None:
    done = bot("--daily", url="http://127.0.0.1:9")
    assert done.returncode == 1
    assert "No server answers at http://127.0.0.1:9." in done.stderr
    assert not bot.file.exists()


def test_a_revoked_token_is_said_plainly(site: ServerProcess, bot: Bot) -> None:
    bot("--number", "5")
    [kept] = json.loads(bot.file.read_text()).values()
    with Client(site.url) as owner:
        owner.login(kept["owner"], kept["password"])
        for each in owner.credentials():
            if each["name"] == "play_bot":
                owner.credential_end(each["id"])
    done = bot("--number", "6")
    assert done.returncode == 1
    assert "does not accept the bot's token" in done.stderr
    assert str(bot.file) in done.stderr.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--code", "TP1-Q-AAAAAAB"), "There is no ruleset Q."),
        (("--code", "ТP1-E-AAAAAAB"), "cannot stand in a game code"),
        (("--number", "0"), "Numbered games are 1 to 50000"),
        (("--number", "50001"), "Numbered games are 1 to 50000"),
        (("--daily", "--again"), "can be played once"),
        (("--daily", "--pace", "-1"), "--pace takes"),
    ],
)
def test_bad_input_is_refused_before_anything_is_asked(bot: Bot, arguments: tuple[str, ...], words: str) -> None:
    done = bot(*arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert not bot.file.exists()


def test_an_address_that_is_none_is_refused(bot: Bot) -> None:
    done = bot("--daily", url="localhost:8000")
    assert done.returncode == 1
    assert "is not an address" in done.stderr
